//! The methods that get special treatment, by name: one table, to which a new JDK release adds rows.
//!
//! C2 compiles calls to `Object.clone`, `Arrays.copyOf/copyOfRange` with a class, `Unsafe.allocateUninitializedArray0`,
//! `StringUTF16.toBytes` and `Array.newArray` to allocations of its own (HotSpot `vmIntrinsics.hpp`). What they return
//! is counted at their callers, and their bodies, which run as long as the caller is interpreted, count nothing.
//!
//! C2 makes one String and its bytes of `new StringBuilder().append(…).toString()` (OptimizeStringConcat), and runs none
//! of the called bodies. `toString` therefore says that it runs, and its callers count the String if it did not run since the builder
//! was made: others than these callers may have run it before, on another builder. From `new` to `toString` C2 lets no other call be.
//!
//! A call of `clone` may end in `Object.clone` or in an override, which counts itself. Overrides say that they run; where
//! none did during a call, its caller counts the result.
//!
//! The native `Throwable.fillInStackTrace(int)` has the VM make arrays; its caller counts what it finds in the exception.
//!
//! A virtual thread is between two threads from one call of the VM in `VirtualThread` to the next: mount and unmount are
//! told by a boolean up to JDK 25, by two names later. No stack may be taken meanwhile: on JDK 21 it waits for itself. From JDK 24 on
//! the VM itself unmounts at a monitor, and ends the mount before the program goes on, without a call.
//!
//! Not here: what follows for a call or a method's entry (`rules`), and what the agent knows of releases
//! (`agent/src/target_jvm/release.rs`).

use super::hook::{Element, Hook};

const ARRAYS: &[u8] = b"java/util/Arrays";
const REFLECT_ARRAY: &[u8] = b"java/lang/reflect/Array";
const STRING_UTF16: &[u8] = b"java/lang/StringUTF16";
const INTERNAL_UNSAFE: &[u8] = b"jdk/internal/misc/Unsafe";
pub(super) const SUN_UNSAFE: &[u8] = b"sun/misc/Unsafe";
pub(super) const REFLECTION: &[u8] = b"jdk/internal/reflect/Reflection";
pub(super) const OBJECT: &[u8] = b"java/lang/Object";
pub(super) const STRING_BUILDER: &[u8] = b"java/lang/StringBuilder";
pub(super) const STRING_BUFFER: &[u8] = b"java/lang/StringBuffer";
const THROWABLE: &[u8] = b"java/lang/Throwable";
pub(super) const SHUTDOWN: &[u8] = b"java/lang/Shutdown";
const THREAD: &[u8] = b"java/lang/Thread";
pub(super) const VIRTUAL_THREAD: &[u8] = b"java/lang/VirtualThread";

/// Ours: its methods are empty, and say that a scope is entered or left.
pub(super) const SCOPE: &[u8] = b"io/mayfly/Scope";

pub(super) const CLONE: &[u8] = b"()Ljava/lang/Object;";
pub(super) const TO_STRING: &[u8] = b"()Ljava/lang/String;";
pub(super) const FILTER_FIELDS: &[u8] =
    b"(Ljava/lang/Class;[Ljava/lang/reflect/Field;)[Ljava/lang/reflect/Field;";
const COPY_OF: &[u8] = b"([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;";
const COPY_OF_RANGE: &[u8] = b"([Ljava/lang/Object;IILjava/lang/Class;)[Ljava/lang/Object;";
const CLASS_AND_LENGTH: &[u8] = b"(Ljava/lang/Class;I)Ljava/lang/Object;";
const CLASS_AND_LENGTHS: &[u8] = b"(Ljava/lang/Class;[I)Ljava/lang/Object;";
const CLASS_TO_OBJECT: &[u8] = b"(Ljava/lang/Class;)Ljava/lang/Object;";
const CHARS_TO_BYTES: &[u8] = b"([CII)[B";
const INT_TO_BYTES: &[u8] = b"(I)[B";
const FILL_IN: &[u8] = b"(I)Ljava/lang/Throwable;";
pub(super) const NOTHING: &[u8] = b"()V";
const BOOLEAN: &[u8] = b"(Z)V";
const THREAD_TO_NOTHING: &[u8] = b"(Ljava/lang/Thread;)V";

/// How a called method's result is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    /// By the caller, with this hook after the call.
    FollowedBy(Hook),
    /// As `FollowedBy`; and the method's own body counts no arrays.
    Silent(Hook),
    /// By the caller, where it is `sun.misc.Unsafe`. Elsewhere a constructor runs next, and counts.
    AllocatesInstance,
    /// `Object.clone` by name: an `invokespecial` is sure to end there.
    ObjectClone,
    /// `clone` of a class: it may be inherited from `Object`, or an override.
    Clone,
    /// By the callee; where the caller is itself silent, that is once too often, and it takes the array back.
    CountsItself,
    /// A transition of a virtual thread begins or ends: this hook goes in front of the call.
    Moves(Hook),
}

/// Whose method it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner {
    Class(&'static [u8]),
    AnyArray,
    Any,
}

impl Owner {
    /// Whether this class is it.
    pub(super) fn is(self, class: &[u8]) -> bool {
        match self {
            Self::Class(name) => name == class,
            Self::AnyArray => class.first() == Some(&b'['),
            Self::Any => true,
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Method {
    pub(super) owner: Owner,
    pub(super) name: &'static [u8],
    pub(super) descriptor: &'static [u8],
    pub(super) callee: Callee,
}

const fn method(
    owner: &'static [u8],
    name: &'static [u8],
    descriptor: &'static [u8],
    callee: Callee,
) -> Method {
    Method { owner: Owner::Class(owner), name, descriptor, callee }
}

const BYTES: Hook = Hook::Array(Element::Byte);
const REFERENCES: Hook = Hook::Array(Element::Reference);

/// The first row that fits a call says how its result is counted.
pub(super) const METHODS: &[Method] = &[
    Method {
        owner: Owner::AnyArray,
        name: b"clone",
        descriptor: CLONE,
        callee: Callee::FollowedBy(Hook::Any),
    },
    method(OBJECT, b"clone", CLONE, Callee::ObjectClone),
    Method { owner: Owner::Any, name: b"clone", descriptor: CLONE, callee: Callee::Clone },
    method(ARRAYS, b"copyOf", COPY_OF, Callee::Silent(REFERENCES)),
    method(ARRAYS, b"copyOfRange", COPY_OF_RANGE, Callee::Silent(REFERENCES)),
    method(INTERNAL_UNSAFE, b"allocateUninitializedArray0", CLASS_AND_LENGTH, Callee::Silent(Hook::Any)),
    method(INTERNAL_UNSAFE, b"allocateInstance", CLASS_TO_OBJECT, Callee::AllocatesInstance),
    // The intrinsic, up to JDK 26 and from 27 on.
    method(STRING_UTF16, b"toBytes", CHARS_TO_BYTES, Callee::Silent(BYTES)),
    method(STRING_UTF16, b"toBytes0", CHARS_TO_BYTES, Callee::Silent(BYTES)),
    method(STRING_UTF16, b"newBytesFor", INT_TO_BYTES, Callee::CountsItself),
    method(REFLECT_ARRAY, b"newArray", CLASS_AND_LENGTH, Callee::FollowedBy(Hook::Any)),
    method(REFLECT_ARRAY, b"multiNewArray", CLASS_AND_LENGTHS, Callee::FollowedBy(Hook::Multi)),
    method(REFLECT_ARRAY, b"newInstance", CLASS_AND_LENGTH, Callee::CountsItself),
    method(STRING_BUILDER, b"toString", TO_STRING, Callee::FollowedBy(Hook::Built)),
    method(STRING_BUFFER, b"toString", TO_STRING, Callee::FollowedBy(Hook::Built)),
    method(THROWABLE, b"fillInStackTrace", FILL_IN, Callee::FollowedBy(Hook::Backtrace)),
    // Up to JDK 25.
    method(VIRTUAL_THREAD, b"notifyJvmtiMount", BOOLEAN, Callee::Moves(Hook::Moving)),
    method(VIRTUAL_THREAD, b"notifyJvmtiUnmount", BOOLEAN, Callee::Moves(Hook::Moving)),
    method(VIRTUAL_THREAD, b"notifyJvmtiStart", NOTHING, Callee::Moves(Hook::Arriving)),
    method(VIRTUAL_THREAD, b"notifyJvmtiEnd", NOTHING, Callee::Moves(Hook::Leaving)),
    method(THREAD, b"setCurrentThread", THREAD_TO_NOTHING, Callee::Moves(Hook::Mounted)),
    // Later.
    method(VIRTUAL_THREAD, b"endFirstTransition", NOTHING, Callee::Moves(Hook::Arriving)),
    method(VIRTUAL_THREAD, b"startTransition", BOOLEAN, Callee::Moves(Hook::Leaving)),
    method(VIRTUAL_THREAD, b"endTransition", BOOLEAN, Callee::Moves(Hook::Arriving)),
    method(VIRTUAL_THREAD, b"startFinalTransition", NOTHING, Callee::Moves(Hook::Leaving)),
];
