//! Methods whose calls are scopes: which they are in a class, and why one can't be.
//!
//! Not here: how the annotation is read (`annotated`).

use alloc::vec::Vec;

use crate::class::{ClassFile, Member};

const ACC_NATIVE: u16 = 0x0100;
const ACC_ABSTRACT: u16 = 0x0400;

/// Gives the number of a scope's name (modified UTF-8).
pub type NumberOfScope<'s> = dyn Fn(&[u8]) -> u32 + 's;

/// Which methods are scopes.
#[derive(Clone, Copy, Default)]
pub struct Scopes<'s> {
    /// Those that were named.
    pub named: &'s [ScopedMethods],
    /// Where methods with the annotation `io.mayfly.Scoped` are scopes, too.
    pub annotated: Option<&'s NumberOfScope<'s>>,
}

/// All methods of a class that have a name, and the number of the scope that each call of one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopedMethods {
    /// Internal name, e.g. `com/acme/Handler`.
    pub class: Vec<u8>,
    /// The methods' name.
    pub method: Vec<u8>,
    /// That of the one method that is annotated; `None`: all of that name.
    pub descriptor: Option<Vec<u8>>,
    /// Told to the hooks.
    pub scope: u32,
}

/// What became of [`ScopedMethods`] in a class of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoped {
    /// So many methods enter and leave the scope.
    Methods(u32),
    /// The class has no method of that name.
    NoSuchMethod,
    /// All of them are abstract: the scope is of their implementations.
    Abstract,
    /// All of them are native, or abstract: there is no code in which to enter it.
    Native,
}

impl ScopedMethods {
    /// Whether a method of a class is one of them. A constructor is not: its object is not there yet at its entry.
    pub(super) fn has(&self, class: &ClassFile<'_>, method: &Member) -> bool {
        let name = class.member_name(method);
        let described = self.descriptor.as_ref().is_none_or(|one| one == class.member_descriptor(method));
        self.class == class.name() && self.method == name && described && !name.starts_with(b"<")
    }

    /// What is to be said of them in their class, of whose methods those of `edited` enter and leave the scope.
    pub(super) fn outcome(&self, class: &ClassFile<'_>, edited: impl Fn(usize) -> bool) -> Scoped {
        let methods = || class.methods().iter().enumerate().filter(|(_, method)| self.has(class, method));
        let any = |flags: u16| methods().any(|(_, method)| method.access_flags() & flags != 0);
        match methods().filter(|(index, _)| edited(*index)).count() {
            0 if methods().next().is_none() => Scoped::NoSuchMethod,
            0 if any(ACC_NATIVE) => Scoped::Native,
            0 if any(ACC_ABSTRACT) => Scoped::Abstract,
            count => Scoped::Methods(count as u32),
        }
    }
}
