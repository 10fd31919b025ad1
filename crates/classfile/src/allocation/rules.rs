//! What follows for calls and methods from the table of methods (`methods`): which hook goes where.
//!
//! Not seen: calls from hidden classes, which no class hook ever gets.

use alloc::vec::Vec;

use super::annotated::SCOPED;
use super::hook::{HOOKS_CLASS, Hook};
use super::methods::{
    CLONE, Callee, FILTER_FIELDS, METHODS, NOTHING, OBJECT, REFLECTION, SCOPE, SHUTDOWN, STRING_BUFFER,
    STRING_BUILDER, SUN_UNSAFE, TO_STRING, VIRTUAL_THREAD,
};
use crate::instruction::opcode::{INVOKESPECIAL, INVOKESTATIC, INVOKEVIRTUAL};
use crate::pool::{ConstantPool, MethodRef, tag};

/// What a Methodref's callee is to us; `None` for all the methods that need no treatment.
pub(super) fn callee(method: MethodRef<'_>) -> Option<Callee> {
    let is_it = METHODS.iter().find(|row| {
        row.name == method.name && row.descriptor == method.descriptor && row.owner.is(method.owner)
    });
    is_it.map(|row| row.callee)
}

/// Whether a method's body counts no arrays, its callers doing so.
pub(super) fn silenced(class: &[u8], name: &[u8], descriptor: &[u8]) -> bool {
    let silent = |callee| matches!(callee, Callee::Silent(_));
    METHODS.iter().any(|row| {
        silent(row.callee) && row.name == name && row.descriptor == descriptor && row.owner.is(class)
    })
}

/// Whether callers that are [`silenced`] take back what this method, or one of its name, counts.
pub(super) fn undone(class: &[u8], name: &[u8]) -> bool {
    METHODS.iter().any(|row| row.callee == Callee::CountsItself && row.name == name && row.owner.is(class))
}

/// The hook at a method's entry. Without added fields there is nothing to hide, and there are no scopes.
pub(super) fn entry_hook(class: &[u8], name: &[u8], descriptor: &[u8], fields: bool) -> Option<Hook> {
    match (class, name, descriptor) {
        (OBJECT, b"<init>", b"()V") => Some(Hook::Object),
        (REFLECTION, b"filterFields", FILTER_FIELDS) if fields => Some(Hook::VisibleFields),
        (SHUTDOWN, b"runHooks", NOTHING) | (SHUTDOWN, b"halt", b"(I)V") => Some(Hook::Exiting),
        (STRING_BUILDER | STRING_BUFFER, b"toString", TO_STRING) => Some(Hook::Building),
        (VIRTUAL_THREAD, b"mount", NOTHING) if fields => Some(Hook::Mounting),
        (VIRTUAL_THREAD, b"unmount", NOTHING) if fields => Some(Hook::Unmounting),
        (SCOPE, _, _) if fields => Hook::of_scope(name, descriptor),
        (_, b"clone", CLONE) => Some(Hook::Cloning),
        _ => None,
    }
}

/// Whether it may be the method that a launcher calls.
pub(super) fn is_main(name: &[u8], descriptor: &[u8]) -> bool {
    name == b"main" && (descriptor == b"([Ljava/lang/String;)V" || descriptor == NOTHING)
}

/// Whether it is the class of virtual threads, or one inside of it: from JDK 25 on what they run begins there.
fn moves_threads(class: &[u8]) -> bool {
    class.strip_prefix(VIRTUAL_THREAD).is_some_and(|inside| inside.first().is_none_or(|&first| first == b'$'))
}

/// The hook behind a call in `class`.
pub(super) fn call_hook(callee: Callee, opcode: u8, class: &[u8], silenced: bool) -> Option<Hook> {
    match (callee, opcode) {
        (Callee::CountsItself, INVOKESTATIC) => silenced.then_some(Hook::Undo),
        _ if silenced => None,
        (Callee::FollowedBy(hook) | Callee::Silent(hook), _) => Some(hook),
        (Callee::Moves(hook), _) => moves_threads(class).then_some(hook),
        (Callee::AllocatesInstance, INVOKEVIRTUAL) => (class == SUN_UNSAFE).then_some(Hook::Any),
        (Callee::ObjectClone, INVOKESPECIAL) => Some(Hook::Any),
        (Callee::ObjectClone, INVOKEVIRTUAL) | (Callee::Clone, INVOKEVIRTUAL | INVOKESPECIAL) => {
            Some(Hook::Cloned)
        }
        _ => None,
    }
}

/// The Methodrefs of one class whose calls need treatment, and the classes whose creations do.
#[derive(Debug, Default)]
pub(super) struct Callees {
    methods: Vec<(u16, Callee)>,
    builders: Vec<u16>,
}

impl Callees {
    pub(super) fn of(pool: &ConstantPool<'_>) -> Self {
        let mut callees = Callees::default();
        for index in 1..pool.count() {
            match pool.tag(index) {
                Some(tag::METHODREF | tag::INTERFACE_METHODREF) => {
                    let callee = pool.method_ref(index).and_then(callee);
                    callees.methods.extend(callee.map(|callee| (index, callee)));
                }
                Some(tag::CLASS) if pool.class_name(index).is_some_and(is_builder) => {
                    callees.builders.push(index)
                }
                _ => {}
            }
        }
        callees
    }

    pub(super) fn is_empty(&self) -> bool {
        self.methods.is_empty() && self.builders.is_empty()
    }

    pub(super) fn get(&self, index: u16) -> Option<Callee> {
        self.methods.iter().find(|(known, _)| *known == index).map(|(_, callee)| *callee)
    }

    /// Whether any instruction `new` makes a string builder.
    pub(super) fn make_builders(&self) -> bool {
        !self.builders.is_empty()
    }

    /// Whether the instruction `new` of this Class constant makes a string builder.
    pub(super) fn is_builder(&self, index: u16) -> bool {
        self.builders.contains(&index)
    }
}

/// Whether C2 knows this class's objects for string builders.
pub(super) fn is_builder(class: &[u8]) -> bool {
    class == STRING_BUILDER || class == STRING_BUFFER
}

/// Which of the names that matter a class's constant pool holds: seen while the pool is walked anyway.
#[derive(Debug, Default)]
pub(super) struct Names {
    hooks_class: bool,
    callee: bool,
    clone: bool,
    scoped: bool,
}

impl Names {
    #[inline]
    pub(super) fn see(&mut self, utf8: &[u8]) {
        match utf8.len() {
            5 => self.clone |= utf8 == b"clone",
            6 => self.callee |= utf8 == b"copyOf",
            7 => self.callee |= utf8 == b"toBytes",
            8 => self.callee |= utf8 == b"newArray" || utf8 == b"toBytes0" || utf8 == b"toString",
            11 => self.callee |= utf8 == b"copyOfRange" || utf8 == b"newInstance" || utf8 == b"newBytesFor",
            13 => self.callee |= utf8 == b"multiNewArray",
            16 => {
                let names: [&[u8]; 3] = [b"allocateInstance", b"fillInStackTrace", b"setCurrentThread"];
                self.callee |= names.contains(&utf8);
            }
            18 => self.scoped |= utf8 == SCOPED,
            21 => self.hooks_class |= utf8 == HOOKS_CLASS.as_bytes(),
            22 => self.callee |= utf8 == STRING_BUFFER,
            23 => self.callee |= utf8 == VIRTUAL_THREAD || utf8 == STRING_BUILDER,
            27 => self.callee |= utf8 == b"allocateUninitializedArray0",
            _ => {}
        }
    }

    pub(super) fn hooks_class(&self) -> bool {
        self.hooks_class
    }

    /// Whether a method is called `clone`, or one that is.
    pub(super) fn names_clone(&self) -> bool {
        self.clone
    }

    /// Whether the annotation that makes a method a scope is named.
    pub(super) fn scoped(&self) -> bool {
        self.scoped
    }

    pub(super) fn callee(&self) -> bool {
        self.callee || self.clone
    }
}

#[cfg(test)]
mod tests {
    use super::super::methods::Owner;
    use super::*;

    #[test]
    fn every_method_of_the_table_is_noticed_by_its_name_or_its_class() {
        for row in METHODS {
            let mut names = Names::default();
            names.see(row.name);
            if matches!(row.owner, Owner::Class(VIRTUAL_THREAD)) {
                names.see(VIRTUAL_THREAD);
            }
            assert!(names.callee(), "{row:?}: add it to `Names::see`");
        }
    }
}
