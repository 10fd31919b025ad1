//! The calls and methods that get special treatment, by name.
//!
//! C2 compiles calls to `Object.clone`, `Arrays.copyOf/copyOfRange` with a class, `Unsafe.allocateUninitializedArray0`,
//! `StringUTF16.toBytes` and `Array.newArray` to allocations of its own (HotSpot `vmIntrinsics.hpp`). What they return
//! is counted at their callers, and their bodies, which run as long as the caller is interpreted, count nothing.
//!
//! C2 makes one String and its bytes of `new StringBuilder().append(…).toString()` (OptimizeStringConcat), and runs none
//! of the called bodies. `toString` therefore says that it runs, and its callers count the String if it did not.
//!
//! A call of `clone` may end in `Object.clone` or in an override, which counts itself. Overrides say that they run; where
//! none did during a call, its caller counts the result.
//!
//! The native `Throwable.fillInStackTrace(int)` has the VM make arrays; its caller counts what it finds in the exception.
//!
//! A virtual thread is between two threads from one call of the VM in `VirtualThread` to the next: mount and unmount are
//! told by a boolean up to JDK 25, by two names later. No stack may be taken meanwhile: on JDK 21 it waits for itself.
//!
//! Not seen: calls from hidden classes, which no class hook ever gets.

use alloc::vec::Vec;

use super::hook::{Element, HOOKS_CLASS, Hook};
use crate::instruction::opcode::{INVOKESPECIAL, INVOKESTATIC, INVOKEVIRTUAL};
use crate::pool::{ConstantPool, MethodRef, tag};

const ARRAYS: &[u8] = b"java/util/Arrays";
const REFLECT_ARRAY: &[u8] = b"java/lang/reflect/Array";
const STRING_UTF16: &[u8] = b"java/lang/StringUTF16";
const INTERNAL_UNSAFE: &[u8] = b"jdk/internal/misc/Unsafe";
const SUN_UNSAFE: &[u8] = b"sun/misc/Unsafe";
const REFLECTION: &[u8] = b"jdk/internal/reflect/Reflection";
const OBJECT: &[u8] = b"java/lang/Object";
const STRING_BUILDER: &[u8] = b"java/lang/StringBuilder";
const STRING_BUFFER: &[u8] = b"java/lang/StringBuffer";
const THROWABLE: &[u8] = b"java/lang/Throwable";
const SHUTDOWN: &[u8] = b"java/lang/Shutdown";
const VIRTUAL_THREAD: &[u8] = b"java/lang/VirtualThread";

const CLONE: &[u8] = b"()Ljava/lang/Object;";
const COPY_OF: &[u8] = b"([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;";
const COPY_OF_RANGE: &[u8] = b"([Ljava/lang/Object;IILjava/lang/Class;)[Ljava/lang/Object;";
const CLASS_AND_LENGTH: &[u8] = b"(Ljava/lang/Class;I)Ljava/lang/Object;";
const CLASS_AND_LENGTHS: &[u8] = b"(Ljava/lang/Class;[I)Ljava/lang/Object;";
const CLASS_TO_OBJECT: &[u8] = b"(Ljava/lang/Class;)Ljava/lang/Object;";
const CHARS_TO_BYTES: &[u8] = b"([CII)[B";
const INT_TO_BYTES: &[u8] = b"(I)[B";
const TO_STRING: &[u8] = b"()Ljava/lang/String;";
const FILL_IN: &[u8] = b"(I)Ljava/lang/Throwable;";
const FILTER_FIELDS: &[u8] = b"(Ljava/lang/Class;[Ljava/lang/reflect/Field;)[Ljava/lang/reflect/Field;";

/// How a called method's result is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    /// By the caller, with this hook after the call.
    FollowedBy(Hook),
    /// By the caller, where it is `sun.misc.Unsafe`. Elsewhere a constructor runs next, and counts.
    AllocatesInstance,
    /// `Object.clone` by name: an `invokespecial` is sure to end there.
    ObjectClone,
    /// `clone` of a class: it may be inherited from `Object`, or an override.
    Clone,
    /// By the callee; where the caller is [`silenced`], that is once too often.
    CountsItself,
    /// A transition of a virtual thread begins or ends: this hook goes in front of the call.
    Moves(Hook),
}

/// What a Methodref's callee is to us; `None` for all the methods that need no treatment.
fn callee(method: MethodRef<'_>) -> Option<Callee> {
    use Callee::*;
    let bytes = Hook::Array(Element::Byte);
    Some(match (method.owner, method.name, method.descriptor) {
        ([b'[', ..], b"clone", CLONE) => FollowedBy(Hook::Any),
        (OBJECT, b"clone", CLONE) => ObjectClone,
        (_, b"clone", CLONE) => Clone,
        (ARRAYS, b"copyOf", COPY_OF) => FollowedBy(Hook::Array(Element::Reference)),
        (ARRAYS, b"copyOfRange", COPY_OF_RANGE) => FollowedBy(Hook::Array(Element::Reference)),
        (INTERNAL_UNSAFE, b"allocateUninitializedArray0", CLASS_AND_LENGTH) => FollowedBy(Hook::Any),
        (INTERNAL_UNSAFE, b"allocateInstance", CLASS_TO_OBJECT) => AllocatesInstance,
        // JDK 27 moved the intrinsic from toBytes to toBytes0.
        (STRING_UTF16, b"toBytes" | b"toBytes0", CHARS_TO_BYTES) => FollowedBy(bytes),
        (STRING_UTF16, b"newBytesFor", INT_TO_BYTES) => CountsItself,
        (REFLECT_ARRAY, b"newArray", CLASS_AND_LENGTH) => FollowedBy(Hook::Any),
        (REFLECT_ARRAY, b"multiNewArray", CLASS_AND_LENGTHS) => FollowedBy(Hook::Multi),
        (REFLECT_ARRAY, b"newInstance", CLASS_AND_LENGTH) => CountsItself,
        (STRING_BUILDER | STRING_BUFFER, b"toString", TO_STRING) => FollowedBy(Hook::Built),
        (THROWABLE, b"fillInStackTrace", FILL_IN) => FollowedBy(Hook::Backtrace),
        // The program's shutdown hooks are done.
        (SHUTDOWN, b"runHooks", b"()V") => FollowedBy(Hook::Exiting),
        (VIRTUAL_THREAD, b"notifyJvmtiMount" | b"notifyJvmtiUnmount", b"(Z)V") => Moves(Hook::Moving),
        (VIRTUAL_THREAD, b"notifyJvmtiEnd" | b"startFinalTransition", b"()V") => Moves(Hook::Leaving),
        (VIRTUAL_THREAD, b"startTransition", b"(Z)V") => Moves(Hook::Leaving),
        (VIRTUAL_THREAD, b"notifyJvmtiStart" | b"endFirstTransition", b"()V") => Moves(Hook::Arriving),
        (VIRTUAL_THREAD, b"endTransition", b"(Z)V") => Moves(Hook::Arriving),
        _ => return None,
    })
}

/// Whether a method's body counts no arrays, its callers doing so.
pub(super) fn silenced(class: &[u8], name: &[u8], descriptor: &[u8]) -> bool {
    matches!(
        (class, name, descriptor),
        (ARRAYS, b"copyOf", COPY_OF)
            | (ARRAYS, b"copyOfRange", COPY_OF_RANGE)
            | (INTERNAL_UNSAFE, b"allocateUninitializedArray0", CLASS_AND_LENGTH)
            | (STRING_UTF16, b"toBytes" | b"toBytes0", CHARS_TO_BYTES)
    )
}

/// Whether callers that are [`silenced`] take back what this method counts.
pub(super) fn undone(class: &[u8], name: &[u8]) -> bool {
    matches!((class, name), (STRING_UTF16, b"newBytesFor") | (REFLECT_ARRAY, b"newInstance"))
}

/// The hook at a method's entry.
pub(super) fn entry_hook(class: &[u8], name: &[u8], descriptor: &[u8], hide_fields: bool) -> Option<Hook> {
    match (class, name, descriptor) {
        (OBJECT, b"<init>", b"()V") => Some(Hook::Object),
        (REFLECTION, b"filterFields", FILTER_FIELDS) if hide_fields => Some(Hook::VisibleFields),
        (SHUTDOWN, b"halt", b"(I)V") => Some(Hook::Exiting),
        (STRING_BUILDER | STRING_BUFFER, b"toString", TO_STRING) => Some(Hook::Building),
        (_, b"clone", CLONE) => Some(Hook::Cloning),
        _ => None,
    }
}

/// The hook behind a call in `class`.
pub(super) fn call_hook(callee: Callee, opcode: u8, class: &[u8], silenced: bool) -> Option<Hook> {
    match (callee, opcode) {
        (Callee::CountsItself, INVOKESTATIC) => silenced.then_some(Hook::Undo),
        _ if silenced => None,
        (Callee::FollowedBy(hook), _) => Some(hook),
        (Callee::Moves(hook), _) => (class == VIRTUAL_THREAD).then_some(hook),
        (Callee::AllocatesInstance, INVOKEVIRTUAL) => (class == SUN_UNSAFE).then_some(Hook::Any),
        (Callee::ObjectClone, INVOKESPECIAL) => Some(Hook::Any),
        (Callee::ObjectClone, INVOKEVIRTUAL) | (Callee::Clone, INVOKEVIRTUAL | INVOKESPECIAL) => {
            Some(Hook::Cloned)
        }
        _ => None,
    }
}

/// The Methodrefs of one class whose calls need treatment.
#[derive(Debug, Default)]
pub(super) struct Callees(Vec<(u16, Callee)>);

impl Callees {
    pub(super) fn of(pool: &ConstantPool<'_>) -> Self {
        let is_method =
            |index: &u16| matches!(pool.tag(*index), Some(tag::METHODREF | tag::INTERFACE_METHODREF));
        let methods = (1..pool.count()).filter(is_method);
        Callees(methods.filter_map(|index| Some((index, callee(pool.method_ref(index)?)?))).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn get(&self, index: u16) -> Option<Callee> {
        self.0.iter().find(|(known, _)| *known == index).map(|(_, callee)| *callee)
    }
}

/// Which of the names that matter a class's constant pool holds: seen while the pool is walked anyway.
#[derive(Debug, Default)]
pub(super) struct Names {
    hooks_class: bool,
    callee: bool,
}

impl Names {
    #[inline]
    pub(super) fn see(&mut self, utf8: &[u8]) {
        match utf8.len() {
            5 => self.callee |= utf8 == b"clone",
            6 => self.callee |= utf8 == b"copyOf",
            7 => self.callee |= utf8 == b"toBytes",
            8 => {
                self.callee |=
                    utf8 == b"newArray" || utf8 == b"toBytes0" || utf8 == b"runHooks" || utf8 == b"toString"
            }
            11 => self.callee |= utf8 == b"copyOfRange" || utf8 == b"newInstance" || utf8 == b"newBytesFor",
            13 => self.callee |= utf8 == b"multiNewArray",
            16 => self.callee |= utf8 == b"allocateInstance" || utf8 == b"fillInStackTrace",
            21 => self.hooks_class |= utf8 == HOOKS_CLASS.as_bytes(),
            23 => self.callee |= utf8 == VIRTUAL_THREAD,
            27 => self.callee |= utf8 == b"allocateUninitializedArray0",
            _ => {}
        }
    }

    pub(super) fn hooks_class(&self) -> bool {
        self.hooks_class
    }

    pub(super) fn callee(&self) -> bool {
        self.callee
    }
}
