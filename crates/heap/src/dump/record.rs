//! The records of a heap dump, and the numbers that stand for their kinds.
//!
//! ```text
//! record = op (low 4 bits of its first byte), value v (high 4 bits; 15: a varint follows), rest
//!
//!  0 Field            v = JVMTI field index          to
//!  1 FieldNewest      v = JVMTI field index          (to the object told last)
//!  2 Element          v = index - expected index     to
//!  3 ElementNewest    v = index - expected index
//!  4 StaticField      v = JVMTI field index          to
//!  5 StaticNewest     v = JVMTI field index
//!  6 Internal         v = JVMTI reference kind       to
//!  7 InternalNewest   v = JVMTI reference kind
//!  8 From             v = newest - from: all references that follow are of this object, until the next From
//!  9 Object           v = size / 8, or 0 and a varint: size; class
//! 10 Root             v = JVMTI reference kind - 20  to, [thread, depth, method [, slot as signed]]
//! 11 Text             v = 1: UTF-16, 0: Latin-1      newest - string, length in units, the units kept
//! 12 Class            v = 1: interface               name, loader, superclass, mirror size, count, interfaces,
//!                                                    count, fields: (flags: 1 = static, name, descriptor)
//!                                                    (a descriptor may be empty: not known)
//! 13 Thread                                          id, object, name
//! 14 Method                                          id, class name, name
//! 15 Identity         v = 0                          what the walk calls the next class or object, which is one more than what it
//!                                                    called the last one where this is not told
//!
//! to = signed varint: difference to the last `to`; names = length in bytes, UTF-8
//! expected index = one after the last element told of the same object, 0 after From
//! newest = number of the object (or class) told last; numbers are given out from 1 on, by Class and Object
//! ```

use super::facts::{Reference, RootReference};

/// Values below fit into the first byte of a record.
pub const INLINE_MAX: u64 = 15;

/// What a record tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Op {
    Field,
    FieldNewest,
    Element,
    ElementNewest,
    StaticField,
    StaticNewest,
    Internal,
    InternalNewest,
    From,
    Object,
    Root,
    Text,
    Class,
    Thread,
    Method,
    Identity,
}

impl Op {
    const ALL: [Self; 16] = [
        Self::Field,
        Self::FieldNewest,
        Self::Element,
        Self::ElementNewest,
        Self::StaticField,
        Self::StaticNewest,
        Self::Internal,
        Self::InternalNewest,
        Self::From,
        Self::Object,
        Self::Root,
        Self::Text,
        Self::Class,
        Self::Thread,
        Self::Method,
        Self::Identity,
    ];

    /// The form of a reference whose object is the newest.
    #[inline]
    pub(crate) fn to_newest(self) -> Self {
        match self {
            Self::Field => Self::FieldNewest,
            Self::Element => Self::ElementNewest,
            Self::StaticField => Self::StaticNewest,
            Self::Internal => Self::InternalNewest,
            other => other,
        }
    }

    /// By the first byte of a record.
    #[inline]
    pub(crate) fn of(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte & 0xf)).copied()
    }
}

/// JVMTI's number of a reference kind without an index.
pub(crate) fn internal_kind(reference: Reference) -> u32 {
    match reference {
        Reference::Field(_) => 2,
        Reference::Element(_) => 3,
        Reference::ClassLoader => 4,
        Reference::Signers => 5,
        Reference::ProtectionDomain => 6,
        Reference::Interface => 7,
        Reference::StaticField(_) => 8,
        Reference::Constant => 9,
        Reference::Superclass => 10,
    }
}

/// The reverse of [`internal_kind`].
pub(crate) fn internal_of(kind: u64) -> Option<Reference> {
    Some(match kind {
        4 => Reference::ClassLoader,
        5 => Reference::Signers,
        6 => Reference::ProtectionDomain,
        7 => Reference::Interface,
        9 => Reference::Constant,
        10 => Reference::Superclass,
        _ => return None,
    })
}

/// JVMTI's number of a root kind, less 20.
pub(crate) fn root_kind(root: RootReference) -> u64 {
    match root {
        RootReference::JniGlobal => 1,
        RootReference::SystemClass => 2,
        RootReference::Monitor => 3,
        RootReference::StackLocal { .. } => 4,
        RootReference::JniLocal(_) => 5,
        RootReference::Thread => 6,
        RootReference::Other => 7,
    }
}
