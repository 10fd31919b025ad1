//! Finding the places in a method that get a hook.

use alloc::vec::Vec;

use super::hook::{Element, Hook};
use super::options::Options;
use super::place::{self, Creations, Made, Place};
use super::room;
use super::rules::{self, Callees};
use super::scoped::ScopedMethods;
use crate::bytes::u2_at;
use crate::class::{ClassFile, Member};
use crate::instruction::opcode::*;
use crate::instruction::{Instruction, instructions};
use crate::refusal::Malformed;

/// A hook at an instruction: before or behind it, see [`Hook::comes_before`].
#[derive(Debug)]
pub(super) struct Site<'a> {
    pub(super) pc: u32,
    pub(super) hook: Hook,
    pub(super) made: Made<'a>,
    line: Option<u16>,
    /// The caller may take back what is counted here, see [`Hook::Undo`].
    undone: bool,
}

impl Site<'_> {
    /// The hook, depending on whether it is told the place. What a call returned, which is of any class, must not go to the
    /// counters of its place alone; nor must what may be undone, which is noted even without a place.
    pub(super) fn hook_with(&self, place: bool) -> Hook {
        let told_at_run_time = self.undone || (place && self.made == Made::Any);
        if told_at_run_time && matches!(self.hook, Hook::Array(_)) { Hook::Any } else { self.hook }
    }
}

/// The hooks that one method gets.
#[derive(Debug, Default)]
pub(super) struct Found<'a> {
    pub(super) entry: Option<Hook>,
    /// In order of their instructions.
    pub(super) sites: Vec<Site<'a>>,
    /// The number of the scope that each call is.
    pub(super) scope: Option<u32>,
    method: &'a [u8],
    file: Option<&'a [u8]>,
    /// Bytes that hooks may take; `None`: as many as there are.
    room: Option<usize>,
}

impl<'a> Found<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.entry.is_none() && self.sites.is_empty() && self.scope.is_none()
    }

    /// Whether its hooks, told numbers of places, would push the method beyond what the JVM compiles.
    pub(super) fn has_no_room_for_places(&self) -> bool {
        let has_places = self.sites.iter().any(|site| site.hook.takes_place());
        has_places && self.room.is_some_and(|room| self.len(true) > room)
    }

    /// Gives up the last hooks of those that would push the method beyond what the JVM compiles, and its scope at the last; whether any.
    pub(super) fn fit(&mut self) -> bool {
        let Some(room) = self.room else { return false };
        let (mut len, fitting) = (self.len(false), self.sites.len());
        let mut index = fitting;
        while let Some(before) = index.checked_sub(1).filter(|_| len > room) {
            index = before;
            if let Some(site) = self.sites.get(index).filter(|site| site.hook != Hook::ExitScope) {
                len -= site.hook.longest(false);
                self.sites.remove(index);
            }
        }
        let loses_scope = len > room && self.scope.take().is_some();
        if loses_scope {
            self.sites.clear();
        }
        loses_scope || self.sites.len() < fitting
    }

    /// Bytes that the hooks take at most.
    fn len(&self, places: bool) -> usize {
        let at_instructions: usize = self.sites.iter().map(|site| site.hook.longest(places)).sum();
        let entry = self.entry.map_or(0, |hook| hook.longest(false));
        at_instructions + entry + if self.scope.is_some() { room::OF_SCOPE } else { 0 }
    }

    /// The facts of a site.
    pub(super) fn place(&self, class: &ClassFile<'a>, site: &Site<'a>) -> Place<'a> {
        Place { class: class.name(), file: self.file, method: self.method, line: site.line, made: site.made }
    }
}

/// The hooks of `method`; with `places`, of object creations too.
pub(super) fn method<'a>(
    class: &ClassFile<'a>,
    method: &Member,
    (callees, scopes): (&Callees, &[&ScopedMethods]),
    options: Options,
    places: bool,
) -> Result<Found<'a>, Malformed> {
    let Some(code) = class.code(method)? else { return Ok(Found::default()) };
    let (name, descriptor) = (class.member_name(method), class.member_descriptor(method));
    let mut found = Found {
        entry: rules::entry_hook(class.name(), name, descriptor, options.add_fields),
        sites: Vec::new(),
        scope: scopes.iter().find(|methods| methods.has(class, method)).map(|methods| methods.scope),
        method: name,
        file: None,
        room: room::of(code.bytecode, name, options),
    };
    // Nobody attaches before the frame of the launcher's `main` is there.
    let is_main = options.add_fields && rules::is_main(name, descriptor);
    if found.scope.is_none()
        && !is_main
        && !may_allocate(code.bytecode, places || !callees.is_empty(), callees)
    {
        return Ok(found);
    }
    let silenced = rules::silenced(class.name(), name, descriptor);
    let undone = rules::undone(class.name(), name);
    let mut creations = places.then(|| Creations::of(class, name));
    for instruction in instructions(code.bytecode) {
        let instruction = instruction?;
        let creation = match &mut creations {
            Some(creations) => creation(class, code.bytecode, instruction, creations),
            None => None,
        };
        let hook = match creation {
            _ if found.scope.is_some() && matches!(instruction.opcode, IRETURN..=RETURN) => {
                Some(Hook::ExitScope)
            }
            Some(_) => Some(Hook::Place),
            None if is_main && instruction.opcode == RETURN => Some(Hook::LeavingMain),
            None => site_hook(class.name(), code.bytecode, instruction, callees, silenced)?,
        };
        let Some(hook) = hook else { continue };
        let made = creation.unwrap_or_else(|| made(class, code.bytecode, instruction));
        let line = if places { place::line(class, &code, instruction.pc) } else { None };
        found.sites.push(Site { pc: instruction.pc, hook, made, line, undone });
    }
    if places && !found.sites.is_empty() {
        found.file = class.source_file();
    }
    Ok(found)
}

/// What is created, if this instruction calls the constructor of a new object.
fn creation<'a>(
    class: &ClassFile<'a>,
    code: &[u8],
    instruction: Instruction,
    creations: &mut Creations<'a>,
) -> Option<Made<'a>> {
    let operand = || u2_at(code, instruction.pc as usize + 1);
    match instruction.opcode {
        NEW => {
            creations.new_of(class.pool().class_name(operand()?)?);
            None
        }
        INVOKESPECIAL => {
            let callee = class.pool().method_ref(operand()?)?;
            if callee.name != b"<init>" {
                return None;
            }
            creations.completed(callee.owner).map(Made::Object)
        }
        _ => None,
    }
}

/// What an instruction other than a constructor call makes.
fn made<'a>(class: &ClassFile<'a>, code: &[u8], instruction: Instruction) -> Made<'a> {
    let operand = instruction.pc as usize + 1;
    let of_class = || class.pool().class_name(u2_at(code, operand)?).map(Made::References);
    let made = match instruction.opcode {
        NEWARRAY => code.get(operand).copied().and_then(Element::of_atype).map(Made::Primitives),
        ANEWARRAY => of_class(),
        _ => None,
    };
    made.unwrap_or(Made::Any)
}

/// Whether the byte of an interesting opcode occurs at all, be it as an operand. Vectorised, unlike stepping.
fn may_allocate(code: &[u8], calls: bool, callees: &Callees) -> bool {
    let builders = callees.make_builders();
    let array = |byte: u8| byte == NEWARRAY || byte == ANEWARRAY || byte == MULTIANEWARRAY;
    let call = |byte: u8| calls && matches!(byte, INVOKEVIRTUAL..=INVOKESTATIC);
    let other = |byte: u8| array(byte) || builders && byte == NEW;
    code.chunks(64).any(|chunk| chunk.iter().fold(false, |found, &byte| found | other(byte) | call(byte)))
}

/// Whether code of a class may get hooks, other than at its entry; that which can't be read may.
pub(super) fn may_have_hooks(class: &[u8], code: &[u8], callees: &Callees, places: bool) -> bool {
    let has_hook = |instruction: Instruction| match instruction.opcode {
        NEW if places => true,
        _ => !matches!(site_hook(class, code, instruction, callees, false), Ok(None)),
    };
    may_allocate(code, places || !callees.is_empty(), callees)
        && instructions(code).any(|instruction| instruction.map_or(true, has_hook))
}

/// The hook at an instruction of a class's method.
fn site_hook(
    class: &[u8],
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
        NEW => {
            let builder = u2_at(code, operand).is_some_and(|index| callees.is_builder(index));
            builder.then_some(Hook::NewBuilder)
        }
        MULTIANEWARRAY => Some(Hook::Multi),
        opcode @ INVOKEVIRTUAL..=INVOKESTATIC => {
            let callee = u2_at(code, operand).and_then(|index| callees.get(index));
            callee.and_then(|callee| rules::call_hook(callee, opcode, class, silenced))
        }
        _ => None,
    })
}
