//! LineNumberTable, LocalVariableTable and LocalVariableTypeTable (JVMS §4.7.12 to §4.7.14), moved in place.

use super::layout::Layout;
use crate::bytes::{set_u2, u2_at};
use crate::refusal::Malformed;

const LINES: Malformed = Malformed("LineNumberTable");
const VARIABLES: Malformed = Malformed("LocalVariableTable");

/// Moves `start_pc` of each line.
pub(super) fn move_line_numbers(table: &mut [u8], layout: &Layout) -> Result<(), Malformed> {
    for at in entries(table, 4).ok_or(LINES)? {
        let start = u2_at(table, at).ok_or(LINES)?;
        set_u2(table, at, start_label(start, layout)?).ok_or(LINES)?;
    }
    Ok(())
}

/// Moves `start_pc` and `length` of each variable.
pub(super) fn move_variables(table: &mut [u8], layout: &Layout) -> Result<(), Malformed> {
    for at in entries(table, 10).ok_or(VARIABLES)? {
        move_range(table, at, layout)?;
    }
    Ok(())
}

/// Moves a `start_pc` and the `length` behind it.
pub(super) fn move_range(table: &mut [u8], at: usize, layout: &Layout) -> Result<(), Malformed> {
    let start = u2_at(table, at).ok_or(VARIABLES)?;
    let len = u2_at(table, at + 2).ok_or(VARIABLES)?;
    let end = layout.label(u32::from(start) + u32::from(len))?;
    let start = start_label(start, layout)?;
    let len = end.checked_sub(u32::from(start)).and_then(|len| u16::try_from(len).ok()).ok_or(VARIABLES)?;
    set_u2(table, at, start).ok_or(VARIABLES)?;
    set_u2(table, at + 2, len).ok_or(VARIABLES)
}

/// What starts with the method still does: entry code belongs to the first line, and the parameters are there.
fn start_label(start: u16, layout: &Layout) -> Result<u16, Malformed> {
    if start == 0 { Ok(0) } else { layout.label_u2(start) }
}

/// Where each entry starts, if the table is exactly as long as its count says.
fn entries(table: &[u8], size: usize) -> Option<impl Iterator<Item = usize> + use<>> {
    let count = usize::from(u2_at(table, 0)?);
    (table.len() == 2 + count * size).then(|| (0..count).map(move |index| 2 + index * size))
}
