//! The exception table (JVMS §4.7.3).

use alloc::vec::Vec;

use super::layout::Layout;
use crate::bytes::{Reader, put_u2, set_u2};
use crate::refusal::{Malformed, MethodRefusal};

const TABLE: &str = "exception table";

/// Appends the table with its ranges moved. A trampoline inside a range cuts it in two: the trampoline has its target's
/// frame, which the handler need not accept.
///
/// `guarded`: whatever the method does not catch leads to what is behind its code, whose frame any other fits.
pub(super) fn write(
    entries: &[u8],
    guarded: bool,
    layout: &Layout,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let count_at = out.len();
    put_u2(out, 0);
    let mut reader = Reader::new(entries, TABLE);
    let mut written: usize = 0;
    while !reader.is_done() {
        let (start, end, handler, catch_type) = (reader.u2()?, reader.u2()?, reader.u2()?, reader.u2()?);
        let handler = layout.label_u2(handler)?;
        let mut from = start;
        for cut in cuts(start, end, layout).chain([end]) {
            put_u2(out, layout.label_u2(from)?);
            put_u2(out, u16::try_from(layout.range_end(u32::from(cut))?).map_err(|_| Malformed(TABLE))?);
            put_u2(out, handler);
            put_u2(out, catch_type);
            written += 1;
            from = cut;
        }
    }
    if guarded {
        let end = u16::try_from(layout.code_len()).map_err(|_| MethodRefusal::TooLarge)?;
        for item in [layout.label_u2(0)?, end, end, 0] {
            put_u2(out, item);
        }
        written += 1;
    }
    let count = u16::try_from(written).map_err(|_| MethodRefusal::TooLarge)?;
    set_u2(out, count_at, count).ok_or(Malformed(TABLE))?;
    Ok(())
}

/// New index of the first entry that comes from the old entry at `index`.
pub(super) fn moved_index(entries: &[u8], index: u16, layout: &Layout) -> Result<u16, Malformed> {
    if layout.trampolines().is_empty() {
        return Ok(index);
    }
    let mut reader = Reader::new(entries, TABLE);
    let mut moved = usize::from(index);
    for _ in 0..index {
        let (start, end) = (reader.u2()?, reader.u2()?);
        reader.take(4)?;
        moved += cuts(start, end, layout).count();
    }
    u16::try_from(moved).map_err(|_| Malformed(TABLE))
}

/// The gaps with trampolines strictly inside a range, each once, in order.
fn cuts(start: u16, end: u16, layout: &Layout) -> impl Iterator<Item = u16> {
    let inside = move |gap: &u16| start < *gap && *gap < end;
    let mut last = None;
    let gaps = layout.trampolines().iter().filter_map(|trampoline| u16::try_from(trampoline.gap).ok());
    gaps.filter(inside).filter(move |gap| last.replace(*gap) != Some(*gap))
}
