//! Who made an object, by where in its stack the JVM's sampler picked it.

use mayfly_classfile::allocation::{self, LoadedInstruction};
use mayfly_classfile::opcode::{
    ANEWARRAY, INVOKEINTERFACE, INVOKESPECIAL, INVOKESTATIC, INVOKEVIRTUAL, MULTIANEWARRAY, NEW, NEWARRAY,
};
use mayfly_jvmti::{Jni, JvmtiEnv, StackFrame};

use crate::target_jvm::release::{
    VECTOR_PACKAGE, VECTOR_SUPPORT_PACKAGE, has_entry_points_of_the_jvm, is_made_by_the_jvm,
};

/// Who made an object that no hook was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Maker {
    /// Native code of a library, through JNI.
    Native,
    /// The JVM, for classes, reflection, linking, messages of its exceptions.
    Jvm,
    /// An array instruction of a class whose bytes no agent gets.
    HiddenClass,
    /// An array instruction of a method that is as it was.
    UnrewrittenMethod,
    /// C2, for a vector that it kept in a register until then, without running its constructor.
    VectorBox,
    /// `Object.clone`, called from where no hook is.
    Clone,
}

impl Maker {
    pub(super) fn cause(self) -> &'static str {
        match self {
            Self::Native => "made by native code (JNI)",
            Self::Jvm => "made by the JVM itself (classes, reflection, linking)",
            Self::HiddenClass => "arrays made in hidden classes",
            Self::UnrewrittenMethod => "arrays made in methods that were not rewritten",
            Self::VectorBox => "vectors that the JIT boxed (jdk.incubator.vector)",
            Self::Clone => "cloned through method handles or reflection",
        }
    }
}

/// What a frame of the program's says of allocations made there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// By an instruction of a method, its class hidden or not, or one of the Vector API.
    ByCode { at: LoadedInstruction, hidden: bool, vector: bool },
    /// By a native method that is part of the JVM, or not; `Object.clone` or not.
    ByNative { of_jvm: bool, clone: bool },
}

/// How objects of a class come to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Array,
    /// Made by code, with a constructor, or by the JVM and native code, without.
    String,
    /// Made by the JVM without running a constructor.
    OfJvm,
    /// A constructor runs, whoever allocates, and shows the object to a hook.
    Constructed,
    /// As `Constructed`, unless C2 boxed it.
    Vector,
}

impl Kind {
    pub(super) fn of(class: &str) -> Self {
        match class {
            "java.lang.String" => Self::String,
            _ if class.starts_with('[') => Self::Array,
            _ if class.starts_with(VECTOR_PACKAGE) => Self::Vector,
            _ if is_made_by_the_jvm(class) => Self::OfJvm,
            _ => Self::Constructed,
        }
    }
}

/// Who made an object, from where in its stack it was allocated and that frame's caller; `None` if a hook sees it.
pub(super) fn unseen_maker(
    kind: Kind,
    made: Option<Made>,
    caller: impl Fn() -> Option<Made>,
) -> Option<Maker> {
    let hooked = |made| matches!(made, Some(Made::ByCode { at: LoadedInstruction { hooked: true, .. }, .. }));
    let unless_hooked = |maker| (!hooked(caller())).then_some(maker);
    match made {
        Some(Made::ByCode { at, vector: true, .. })
            if matches!(kind, Kind::Array | Kind::Vector) && is_call(at) =>
        {
            Some(Maker::VectorBox)
        }
        // No array is cloned by `super.clone()`, and no string at all: it is the message of the exception that is thrown.
        Some(Made::ByNative { clone: true, .. })
            if kind == Kind::String || kind == Kind::Array && is_of_super(caller()) =>
        {
            Some(Maker::Jvm)
        }
        // A clone's constructor does not run.
        Some(Made::ByNative { clone: true, .. }) => unless_hooked(Maker::Clone),
        // C2 makes it in the place of the call of `clone`: objects with a constructor are made in frames of their own.
        Some(Made::ByCode { at, .. }) if at.links && kind == Kind::Constructed => Some(Maker::Clone),
        _ if matches!(kind, Kind::Constructed | Kind::Vector) => None,
        None => Some(Maker::Jvm),
        // E.g. `clone` and `newArray`: what they return is shown to a hook in their caller.
        Some(Made::ByNative { of_jvm, .. }) => unless_hooked(if of_jvm { Maker::Jvm } else { Maker::Native }),
        Some(Made::ByCode { at, hidden, .. }) => match (kind, at.opcode) {
            (Kind::String | Kind::OfJvm, NEW) => None,
            (Kind::Array | Kind::String, _) if at.hooked => None,
            // A concatenation that C2 fused: counted where it ends. If it ends in a hidden class it is not, and by nobody named here.
            (Kind::Array, NEW) if at.stands_for_more => None,
            // `Arrays.copyOf` and the like: their callers count.
            (Kind::Array, NEWARRAY | ANEWARRAY | MULTIANEWARRAY) => unless_hooked(array_maker(hidden)),
            (Kind::Array, _) if at.stands_for_more => unless_hooked(array_maker(hidden)),
            _ => Some(Maker::Jvm),
        },
    }
}

/// Whether it is the call of a superclass's method.
fn is_of_super(made: Option<Made>) -> bool {
    matches!(made, Some(Made::ByCode { at: LoadedInstruction { opcode: INVOKESPECIAL, .. }, .. }))
}

/// Who made an array by an instruction that no hook follows.
fn array_maker(hidden: bool) -> Maker {
    if hidden { Maker::HiddenClass } else { Maker::UnrewrittenMethod }
}

/// Whether it is a call that no hook follows.
fn is_call(at: LoadedInstruction) -> bool {
    matches!(at.opcode, INVOKEVIRTUAL | INVOKESPECIAL | INVOKESTATIC | INVOKEINTERFACE) && !at.hooked
}

/// What a frame says; `None` if its method is gone.
pub(super) fn examine(jvmti: &JvmtiEnv, jni: Jni<'_>, frame: StackFrame) -> Option<Made> {
    let facts = jvmti.method_facts(jni, frame.method)?;
    let Ok(pc) = u32::try_from(frame.location) else {
        let clone = facts.class == "java.lang.Object" && facts.name == "clone";
        return Some(Made::ByNative { of_jvm: has_entry_points_of_the_jvm(&facts.class), clone });
    };
    let method = jvmti.method_code(jni, frame.method)?;
    let at = allocation::instruction_at(&method.constants, &method.code, pc)?;
    // `Class.getName()` of a hidden class is `binary.Name/suffix`.
    let vector = facts.class.starts_with(VECTOR_PACKAGE) || facts.class.starts_with(VECTOR_SUPPORT_PACKAGE);
    Some(Made::ByCode { at, hidden: facts.class.contains('/'), vector })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(opcode: u8) -> LoadedInstruction {
        LoadedInstruction { opcode, hooked: false, links: false, stands_for_more: false }
    }

    fn made(kind: Kind, at: LoadedInstruction) -> Option<Maker> {
        unseen_maker(kind, Some(Made::ByCode { at, hidden: true, vector: false }), || None)
    }

    #[test]
    fn what_comes_where_a_handle_calls_is_a_clone_and_what_constructs_is_counted() {
        let links = LoadedInstruction { links: true, ..code(INVOKESTATIC) };
        assert_eq!(made(Kind::Constructed, links), Some(Maker::Clone));
        assert_eq!(made(Kind::Constructed, code(INVOKESTATIC)), None);
        assert_eq!(made(Kind::Constructed, code(NEW)), None);
        assert_eq!(made(Kind::Array, code(NEWARRAY)), Some(Maker::HiddenClass));
    }

    #[test]
    fn what_c2_makes_in_the_place_of_code_is_not_said_to_be_the_jvms() {
        let more = |opcode| LoadedInstruction { stands_for_more: true, ..code(opcode) };
        assert_eq!(made(Kind::Array, more(NEW)), None, "a concatenation, where its builder is made");
        assert_eq!(made(Kind::String, more(NEW)), None);
        assert_eq!(made(Kind::Array, more(INVOKESTATIC)), Some(Maker::HiddenClass), "a copy");
        assert_eq!(made(Kind::Array, code(NEW)), Some(Maker::Jvm), "a class is loaded");
    }

    #[test]
    fn the_message_that_no_clone_is_to_be_had_is_the_jvms() {
        let hooked = |opcode| LoadedInstruction { hooked: true, ..code(opcode) };
        let made = |kind, opcode| {
            let caller = Some(Made::ByCode { at: hooked(opcode), hidden: false, vector: false });
            unseen_maker(kind, Some(Made::ByNative { of_jvm: true, clone: true }), || caller)
        };
        assert_eq!(made(Kind::String, INVOKESPECIAL), Some(Maker::Jvm));
        assert_eq!(made(Kind::Array, INVOKESPECIAL), Some(Maker::Jvm), "its bytes");
        assert_eq!(made(Kind::Array, INVOKEVIRTUAL), None, "the clone of an array, counted");
        assert_eq!(made(Kind::Constructed, INVOKESPECIAL), None);
    }
}
