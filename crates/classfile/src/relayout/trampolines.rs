//! Trampolines: a `goto_w` for a conditional jump that got too short for its way.
//!
//! Conditional jumps have no wide form. Inverting one would make the instruction behind it a jump target, which needs
//! a stack map frame that only data flow analysis could give. A trampoline needs none: whoever may jump to the target
//! may jump to a place with the target's own frame. It stands in a gap behind an instruction that never passes on.

use alloc::vec::Vec;

use crate::instruction::instructions;
use crate::refusal::{Malformed, MethodRefusal};

/// Bytes of a `goto_w`.
pub(super) const LEN: u32 = 5;

/// Distance kept free: other trampolines and widened jumps may come to lie between.
const MARGIN: u32 = 1024;

/// A `goto_w` to `target`, put before the instruction at `gap`; both are old offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Trampoline {
    pub(super) gap: u32,
    pub(super) target: u32,
}

/// Old offsets behind the instructions that never pass control on, in order.
pub(super) fn gaps(code: &[u8]) -> Vec<u32> {
    let ends = instructions(code).filter_map(Result::ok).filter(|instruction| instruction.ends_block());
    ends.map(|instruction| instruction.next()).collect()
}

/// A trampoline to `target` within reach of a jump at new offset `from`: one that is there, or else a new one in the
/// nearest gap. `place` gives a gap's new offset.
pub(super) fn choose(
    from: u32,
    target: u32,
    existing: &[Trampoline],
    gaps: &[u32],
    place: impl Fn(u32) -> Result<u32, Malformed>,
) -> Result<Trampoline, MethodRefusal> {
    let reach = i16::MAX as u32 - MARGIN;
    for trampoline in existing.iter().filter(|trampoline| trampoline.target == target) {
        if place(trampoline.gap)?.abs_diff(from) <= reach {
            return Ok(*trampoline);
        }
    }
    // Gaps keep their order: the nearest one is on either side of where the jump is.
    let after = gaps.partition_point(|&gap| place(gap).is_ok_and(|at| at <= from));
    let mut nearest = None;
    for &gap in after.checked_sub(1).and_then(|before| gaps.get(before)).into_iter().chain(gaps.get(after)) {
        let distance = place(gap)?.abs_diff(from);
        if distance <= reach && nearest.is_none_or(|(best, _)| distance < best) {
            nearest = Some((distance, gap));
        }
    }
    nearest.map(|(_, gap)| Trampoline { gap, target }).ok_or(MethodRefusal::JumpTooFar)
}
