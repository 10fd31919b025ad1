//! Which instructions of a loaded method are followed by a hook: asked of methods in which an allocation was seen.
//!
//! Knows no rules: it looks for the hooks themselves, in the code as the JVM has it.

use super::hook::{HOOKS_CLASS, NEW_BUILDER, PLACE};
use super::methods::Callee;
use super::rules::{callee, is_builder};
use crate::bytes::u2_at;
use crate::class::ClassFile;
use crate::instruction::{Instruction, instructions, opcode::*};
use crate::pool::{ConstantPool, MethodRef};

/// Has methods, `linkToVirtual` and the like, that call the target of a method handle in their own place.
const METHOD_HANDLE: &[u8] = b"java/lang/invoke/MethodHandle";
const LINKS: &[u8] = b"linkTo";

/// An instruction of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadedInstruction {
    /// Opcode.
    pub opcode: u8,
    /// Whether a hook is shown what the instruction leaves.
    pub hooked: bool,
    /// Whether it calls the target of a method handle (`MethodHandle.linkTo…`).
    pub links: bool,
    /// Whether C2 may allocate there what is none of the instruction's own business: the string and the bytes of a concatenation where
    /// its builder is made (`new`), the result of a method that it replaces by code of its own where that is called.
    pub stands_for_more: bool,
}

/// The instruction at `pc` of `code`. `constants` are those of the method's class, without their count (JVMTI
/// `GetConstantPool`). `None` if there is no instruction at `pc`.
pub fn instruction_at(constants: &[u8], code: &[u8], pc: u32) -> Option<LoadedInstruction> {
    let found = instructions(code).find_map(|instruction| instruction.ok().filter(|found| found.pc == pc))?;
    let hooked =
        called_behind(code, found.next() as usize).is_some_and(|index| is_method(constants, index, is_shown));
    let links = found.opcode == INVOKESTATIC
        && u2_at(code, pc as usize + 1).is_some_and(|index| is_method(constants, index, links));
    Some(LoadedInstruction {
        opcode: found.opcode,
        hooked,
        links,
        stands_for_more: stands_for_more(constants, code, found),
    })
}

fn stands_for_more(constants: &[u8], code: &[u8], found: Instruction) -> bool {
    let bytes = ConstantPool::bare(constants);
    let Ok(pool) = ConstantPool::parse_bare(&bytes, |_| {}) else { return false };
    let index = u2_at(code, found.pc as usize + 1);
    match found.opcode {
        NEW => index.and_then(|index| pool.class_name(index)).is_some_and(is_builder),
        INVOKEVIRTUAL..=INVOKESTATIC => {
            let callee = index.and_then(|index| pool.method_ref(index)).and_then(callee);
            matches!(callee, Some(Callee::FollowedBy(_) | Callee::Silent(_)))
        }
        _ => false,
    }
}

/// Whether code tells the hooks of places where it makes objects. `constants` are those of its class.
pub fn tells_of_places(constants: &[u8], code: &[u8]) -> bool {
    let bytes = ConstantPool::bare(constants);
    let Ok(pool) = ConstantPool::parse_bare(&bytes, |_| {}) else { return false };
    let is_place = |index| {
        let method = pool.method_ref(index);
        method.is_some_and(|method| method.owner == HOOKS_CLASS.as_bytes() && method.name == PLACE)
    };
    let read = instructions(code).map_while(Result::ok);
    read.filter(|instruction| instruction.opcode == INVOKESTATIC)
        .any(|call| u2_at(code, call.pc as usize + 1).is_some_and(is_place))
}

/// Whether a class has hooks in its code, or is the hooks' own. There are none in code that can't be read.
pub(super) fn calls_hooks(class: &ClassFile<'_>) -> bool {
    let hooks = HOOKS_CLASS.as_bytes();
    let is_hook = |index| class.pool().method_ref(index).is_some_and(|method| method.owner == hooks);
    let calls = |code: &[u8]| {
        let read = instructions(code).map_while(Result::ok);
        read.filter(|instruction| instruction.opcode == INVOKESTATIC)
            .any(|call| u2_at(code, call.pc as usize + 1).is_some_and(is_hook))
    };
    let codes = class.methods().iter().filter_map(|method| class.code(method).ok().flatten());
    class.name() == hooks || codes.map(|code| code.bytecode).any(calls)
}

/// Index of the method called at `at`, if the code there is as a hook's: `dup` or the like, a field of it or not, a number or not,
/// the call.
fn called_behind(code: &[u8], at: usize) -> Option<u16> {
    let mut at = at + 1;
    if !matches!(code.get(at - 1)?, &(DUP | DUP_X1 | NOP)) {
        return None;
    }
    for pushed in [[GETFIELD; 2], [SIPUSH, LDC_W]] {
        if pushed.contains(code.get(at)?) {
            at += 3;
        }
    }
    (code.get(at) == Some(&INVOKESTATIC)).then(|| u2_at(code, at + 1))?
}

/// Whether it is a hook that is shown what was left.
fn is_shown(method: &MethodRef<'_>) -> bool {
    method.owner == HOOKS_CLASS.as_bytes() && method.name != NEW_BUILDER
}

fn links(method: &MethodRef<'_>) -> bool {
    method.owner == METHOD_HANDLE && method.name.starts_with(LINKS)
}

fn is_method(constants: &[u8], index: u16, is_it: impl Fn(&MethodRef<'_>) -> bool) -> bool {
    let bytes = ConstantPool::bare(constants);
    ConstantPool::parse_bare(&bytes, |_| {})
        .ok()
        .and_then(|pool| pool.method_ref(index).map(|method| is_it(&method)))
        .unwrap_or(false)
}
