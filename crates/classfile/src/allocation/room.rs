//! How much a method may grow, so that the JIT still compiles it.

use super::options::Options;
use crate::instruction::{Flow, Instruction, instructions, jump_target};

/// Methods with more bytecode than this are never compiled (HotSpot `HugeMethodLimit`): none may grow beyond it.
const LARGEST_COMPILED: usize = 8000;

/// Shorter code can't get that long: no hook takes more than four times the bytes of its instruction.
const SMALL: usize = 1500;

/// Bytes that the scope of a method takes, but for its returns: code at the entry, and for what is thrown.
pub(super) const OF_SCOPE: usize = 13;

/// How much the padding of a switch may grow.
const PADDING: usize = 3;

/// Bytes that hooks may add to a method with this code; `None` if it makes no difference to the JIT.
pub(super) fn of(code: &[u8], name: &[u8], options: Options) -> Option<usize> {
    let room = LARGEST_COMPILED.checked_sub(code.len())?;
    if options.compiles_huge_methods || code.len() < SMALL || runs_once(code, name) {
        return None;
    }
    Some(room.saturating_sub(PADDING * switches(code)))
}

/// Whether it initialises a class and has no loop: nobody compiles it, and such methods are the largest (tables, enumerations).
fn runs_once(code: &[u8], name: &[u8]) -> bool {
    let goes_back = |instruction: Instruction| {
        let target = match instruction.flow() {
            Flow::Straight => return false,
            Flow::Switch => return true,
            flow => jump_target(code, instruction.pc, flow == Flow::WideJump),
        };
        target.is_none_or(|target| target <= instruction.pc)
    };
    name == b"<clinit>" && !instructions(code).any(|instruction| instruction.is_ok_and(goes_back))
}

fn switches(code: &[u8]) -> usize {
    let is_switch = |flow: Flow| flow == Flow::Switch;
    instructions(code).filter(|instruction| instruction.is_ok_and(|it| is_switch(it.flow()))).count()
}
