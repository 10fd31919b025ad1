//! One part of the heap, as its structure says: a space, or a region.

use crate::doubt::Doubt;
use crate::layout::{Layout, SpaceFields};
use crate::memory::Memory;

pub(crate) const SPACES: Doubt = Doubt::Unreadable("the spaces of the heap");
pub(crate) const ABSURD_SPACES: Doubt = Doubt::Absurd("a space of the heap");

/// A region as the heap has it.
pub(crate) struct Region {
    pub(crate) bottom: u64,
    pub(crate) top: u64,
    pub(crate) tag: u32,
}

/// Bottom and top of a space.
pub(crate) fn space(
    memory: &impl Memory,
    layout: &Layout,
    which: (&SpaceFields, u64),
) -> Result<(u64, u64), Doubt> {
    let (bottom, top, _) = space_to_end(memory, layout, which)?;
    Ok((bottom, top))
}

/// The same, and where it ends.
pub(crate) fn space_to_end(
    memory: &impl Memory,
    layout: &Layout,
    (fields, which): (&SpaceFields, u64),
) -> Result<(u64, u64, u64), Doubt> {
    let space = memory.word(which).ok_or(SPACES)?;
    let field = |at: u64| memory.word(space.wrapping_add(at)).ok_or(SPACES);
    let (bottom, top, end) = (field(fields.bottom)?, field(fields.top)?, field(fields.end)?);
    let in_heap = bottom >= layout.heap.0 && end <= layout.heap.1;
    let in_order = bottom <= top && top <= end;
    let are_words = bottom % 8 == 0 && top % 8 == 0;
    if in_heap && in_order && are_words { Ok((bottom, top, end)) } else { Err(ABSURD_SPACES) }
}
