//! Type annotations of a Code attribute (JVMS §4.7.20): their targets moved in place.

use alloc::vec::Vec;

use super::exceptions;
use super::layout::Layout;
use super::tables;
use crate::bytes::{Reader, set_u2};
use crate::refusal::Malformed;

const ANNOTATIONS: &str = "type annotations";
const BAD: Malformed = Malformed(ANNOTATIONS);

/// Moves what each annotation of `table` points to.
pub(super) fn move_type_annotations(
    table: &mut [u8],
    exception_table: &[u8],
    layout: &Layout,
) -> Result<(), Malformed> {
    let mut at = 2;
    let count = Reader::new(table, ANNOTATIONS).u2()?;
    for _ in 0..count {
        let mut reader = Reader::starting_at(table, at, ANNOTATIONS);
        let target = read_target(&mut reader)?;
        let steps = usize::from(reader.u1()?);
        reader.take(steps * 2)?;
        skip_annotation(&mut reader)?;
        at = reader.at();
        move_target(table, target, exception_table, layout)?;
    }
    if at == table.len() { Ok(()) } else { Err(BAD) }
}

/// Where an annotation's target stands in the table.
enum Target {
    /// Ranges of a local variable: the first one's position, and how many.
    Variable(usize, usize),
    /// An index into the exception table.
    Catch(usize, u16),
    /// A code offset.
    Offset(usize, u16),
}

fn read_target(reader: &mut Reader<'_>) -> Result<Target, Malformed> {
    let kind = reader.u1()?;
    let at = reader.at();
    match kind {
        0x40 | 0x41 => {
            let ranges = usize::from(reader.u2()?);
            reader.take(ranges * 6)?;
            Ok(Target::Variable(at + 2, ranges))
        }
        0x42 => Ok(Target::Catch(at, reader.u2()?)),
        0x43..=0x46 => Ok(Target::Offset(at, reader.u2()?)),
        0x47..=0x4b => {
            let offset = reader.u2()?;
            reader.u1()?;
            Ok(Target::Offset(at, offset))
        }
        _ => Err(BAD),
    }
}

fn move_target(
    table: &mut [u8],
    target: Target,
    exceptions: &[u8],
    layout: &Layout,
) -> Result<(), Malformed> {
    match target {
        Target::Variable(first, ranges) => {
            for range in 0..ranges {
                tables::move_range(table, first + range * 6, layout)?;
            }
            Ok(())
        }
        Target::Catch(at, index) => {
            set_u2(table, at, exceptions::moved_index(exceptions, index, layout)?).ok_or(BAD)
        }
        Target::Offset(at, offset) => set_u2(table, at, layout.instruction_u2(offset)?).ok_or(BAD),
    }
}

/// Steps over an annotation (JVMS §4.7.16). Values nest as deep as the input likes: no recursion.
fn skip_annotation(reader: &mut Reader<'_>) -> Result<(), Malformed> {
    // Values still to come in each open annotation (named) or array (not named).
    let mut open = Vec::new();
    reader.u2()?;
    open.push((reader.u2()?, true));
    while let Some((left, named)) = open.pop() {
        let Some(left) = left.checked_sub(1) else { continue };
        open.push((left, named));
        if named {
            reader.u2()?;
        }
        match reader.u1()? {
            b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
                reader.u2()?;
            }
            b'e' => {
                reader.u4()?;
            }
            b'@' => {
                reader.u2()?;
                open.push((reader.u2()?, true));
            }
            b'[' => open.push((reader.u2()?, false)),
            _ => return Err(BAD),
        }
    }
    Ok(())
}
