//! Finding the places in a method that get a hook.

use alloc::vec::Vec;

use super::Options;
use super::hook::{Element, Hook};
use super::rules::{self, Callees};
use crate::bytes::u2_at;
use crate::class::{ClassFile, Member};
use crate::instruction::opcode::*;
use crate::instruction::{Instruction, instructions};
use crate::refusal::Malformed;

/// The hooks that one method gets.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) entry: Option<Hook>,
    /// Behind the instruction at this pc, in order.
    pub(super) sites: Vec<(u32, Hook)>,
}

impl Found {
    pub(super) fn is_empty(&self) -> bool {
        self.entry.is_none() && self.sites.is_empty()
    }
}

/// The hooks of `method`.
pub(super) fn method(
    class: &ClassFile<'_>,
    method: &Member,
    callees: &Callees,
    options: Options,
) -> Result<Found, Malformed> {
    let Some(code) = class.code(method)? else { return Ok(Found::default()) };
    let (name, descriptor) = (class.member_name(method), class.member_descriptor(method));
    let entry = rules::entry_hook(class.name(), name, descriptor, options.add_fields);
    let mut found = Found { entry, sites: Vec::new() };
    if !may_allocate(code.bytecode, !callees.is_empty()) {
        return Ok(found);
    }
    let silenced = rules::silenced(class.name(), name, descriptor);
    for instruction in instructions(code.bytecode) {
        let instruction = instruction?;
        if let Some(hook) = site_hook(class, code.bytecode, instruction, callees, silenced)? {
            found.sites.push((instruction.pc, hook));
        }
    }
    Ok(found)
}

/// Whether the byte of an interesting opcode occurs at all, be it as an operand. Vectorised, unlike stepping.
fn may_allocate(code: &[u8], calls: bool) -> bool {
    let array = |byte: u8| byte == NEWARRAY || byte == ANEWARRAY || byte == MULTIANEWARRAY;
    let call = |byte: u8| calls && matches!(byte, INVOKEVIRTUAL..=INVOKESTATIC);
    code.chunks(64).any(|chunk| chunk.iter().fold(false, |found, &byte| found | array(byte) | call(byte)))
}

fn site_hook(
    class: &ClassFile<'_>,
    code: &[u8],
    instruction: Instruction,
    callees: &Callees,
    silenced: bool,
) -> Result<Option<Hook>, Malformed> {
    let operand = instruction.pc as usize + 1;
    Ok(match instruction.opcode {
        NEWARRAY | ANEWARRAY | MULTIANEWARRAY if silenced => None,
        NEWARRAY => {
            let atype = code.get(operand).copied().and_then(Element::of_atype);
            Some(Hook::Array(atype.ok_or(Malformed("newarray"))?))
        }
        ANEWARRAY => Some(Hook::Array(Element::Reference)),
        MULTIANEWARRAY => Some(Hook::Multi),
        opcode @ INVOKEVIRTUAL..=INVOKESTATIC => {
            let callee = u2_at(code, operand).and_then(|index| callees.get(index));
            let result_is_array = || casts_to_array(class, code, instruction.next() as usize);
            callee
                .and_then(|callee| rules::call_hook(callee, opcode, class.name(), silenced, result_is_array))
        }
        _ => None,
    })
}

/// Whether the instruction at `pc` is a cast to an array class.
fn casts_to_array(class: &ClassFile<'_>, code: &[u8], pc: usize) -> bool {
    let class_name = u2_at(code, pc + 1).and_then(|index| class.pool().class_name(index));
    code.get(pc) == Some(&CHECKCAST) && class_name.is_some_and(|name| name.starts_with(b"["))
}
