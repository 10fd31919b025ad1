//! Places: the single bytecodes that allocate, numbered by whoever wants them counted apart.
//!
//! Not here: which hooks they get (`scan`, `rules`).

use alloc::vec::Vec;

use super::hook::Element;
use crate::class::{ClassFile, Code};

/// A bytecode that allocates: facts to be kept, as the class may be unloaded before anybody asks.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Internal name of the class that has the bytecode.
    pub class: &'a [u8],
    /// Its source file.
    pub file: Option<&'a [u8]>,
    /// Name of the method.
    pub method: &'a [u8],
    /// Source line.
    pub line: Option<u16>,
    /// What it allocates.
    pub made: Made<'a>,
}

/// What a bytecode allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made<'a> {
    /// Objects of the class with this internal name.
    Object(&'a [u8]),
    /// Arrays of primitives.
    Primitives(Element),
    /// Arrays of references to the class with this internal name, or array descriptor.
    References(&'a [u8]),
    /// Objects or arrays of classes that the code doesn't tell.
    Any,
}

impl Made<'_> {
    /// The class of what is made as `Class.getName()` spells it, in modified UTF-8 as in the class file; `None` if the code doesn't
    /// tell.
    pub fn class_name(&self) -> Option<Vec<u8>> {
        let name = match *self {
            Made::Object(name) => name.to_vec(),
            Made::Primitives(element) => element.array_name().into(),
            Made::References(name) if name.starts_with(b"[") => [b"[", name].concat(),
            Made::References(name) => [b"[L", name, b";"].concat(),
            Made::Any => return None,
        };
        Some(name.into_iter().map(|byte| if byte == b'/' { b'.' } else { byte }).collect())
    }
}

/// Numbers places. Numbers become arguments of hooks.
pub trait Places {
    /// The number of a place; `None`: it is not counted apart.
    fn number(&mut self, place: Place<'_>) -> Option<u32>;
}

/// Generated classes of the JDK's reflection: the JVM does not verify them, so that they may run a superclass's constructor alone.
const UNVERIFIED: &[u8] = b"jdk/internal/reflect/";

/// Tells object creations from the calls of `this(…)` and `super(…)`, in the order of a method's code.
///
/// Only a constructor calls constructors of an object that it did not create, and only its own class's or its
/// superclass's. Compilers of Java put the code of arguments between a `new` and its constructor call; so of the calls
/// of one class's constructors, those with a `new` of that class still open in front of them are creations.
#[derive(Debug)]
pub(super) struct Creations<'a> {
    /// The classes in question; none outside of constructors.
    ambiguous: Option<[&'a [u8]; 2]>,
    open: Vec<&'a [u8]>,
    /// Whether an object's constructor may be another class's.
    unverified: bool,
}

impl<'a> Creations<'a> {
    pub(super) fn of(class: &ClassFile<'a>, method: &[u8]) -> Self {
        let ambiguous = (method == b"<init>").then(|| [class.name(), class.super_name()]);
        let unverified = class.super_name().starts_with(UNVERIFIED);
        Creations { ambiguous, open: Vec::new(), unverified }
    }

    /// An instruction `new` of `class`.
    pub(super) fn new_of(&mut self, class: &'a [u8]) {
        if self.unverified || self.ambiguous.is_some_and(|ambiguous| ambiguous.contains(&class)) {
            self.open.push(class);
        }
    }

    /// The class of the object that the call of a constructor of `class` completes, if it is a creation.
    pub(super) fn completed(&mut self, class: &'a [u8]) -> Option<&'a [u8]> {
        if !self.ambiguous.is_some_and(|ambiguous| ambiguous.contains(&class)) {
            let other = if self.unverified { self.close(class).or_else(|| self.open.pop()) } else { None };
            return Some(other.unwrap_or(class));
        }
        self.close(class)
    }

    fn close(&mut self, class: &[u8]) -> Option<&'a [u8]> {
        let open = self.open.iter().rposition(|open| *open == class);
        open.map(|at| self.open.remove(at))
    }
}

/// The source line of `pc`.
pub(super) fn line(class: &ClassFile<'_>, code: &Code<'_>, pc: u32) -> Option<u16> {
    let before = code.lines(class.pool()).filter(|(start, _)| u32::from(*start) <= pc);
    before.max_by_key(|(start, _)| *start).map(|(_, line)| line)
}
