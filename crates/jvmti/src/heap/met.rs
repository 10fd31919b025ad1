//! What a walk meets: objects, references, text; and what is to happen next.

use std::cell::Cell;

/// What a walk does after an object or reference was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Go on; a followed reference's object is visited.
    Continue,
    /// Go on, but not into this object.
    Skip,
    /// End the walk.
    Stop,
}

/// An object that an iteration came by (`jvmtiHeapIterationCallback`).
#[derive(Debug)]
pub struct HeapObject<'walk> {
    /// Tag of its class, 0 if that has none.
    pub class_tag: i64,
    /// Shallow size in bytes, header and padding included.
    pub size: u64,
    /// Its tag, 0 for none; what is written is kept.
    pub tag: &'walk Cell<i64>,
}

/// A reference that a walk came by, whether or not it was at the object before (`jvmtiHeapReferenceCallback`).
#[derive(Debug)]
pub struct Reference<'walk> {
    /// What refers.
    pub kind: ReferenceKind,
    /// Tag of the class of the object referred to.
    pub class_tag: i64,
    /// Tag of the class of the referring object; 0 for roots.
    pub referrer_class_tag: i64,
    /// Shallow size in bytes of the object referred to.
    pub size: u64,
    /// Tag of the object referred to; what is written is kept. The same cell as the referrer's if it refers to itself.
    pub tag: &'walk Cell<i64>,
    /// Tag of the referring object; `None` for roots.
    pub referrer_tag: Option<&'walk Cell<i64>>,
    /// Number of elements of the object referred to, if it is an array.
    pub length: Option<u32>,
}

/// What refers (`jvmtiHeapReferenceKind`). The first ten are references of an object, the others are roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    /// An object to its class.
    Class,
    /// An instance field, by its JVMTI index: fields of the interfaces first, then of the superclasses, then own ones.
    Field(u32),
    /// An array's element.
    Element(u32),
    /// A class to its loader.
    ClassLoader,
    /// A class to its signers.
    Signers,
    /// A class to its protection domain.
    ProtectionDomain,
    /// A class to an interface of it.
    Interface,
    /// A static field, by an index as for [`Self::Field`].
    StaticField(u32),
    /// An entry of a class's constant pool.
    ConstantPool(u32),
    /// A class to its superclass.
    Superclass,
    /// A JNI global reference.
    JniGlobal,
    /// A class that is never unloaded.
    SystemClass,
    /// A monitor in use.
    Monitor,
    /// A local variable of a running method.
    StackLocal(StackSlot),
    /// A JNI local reference.
    JniLocal(StackSlot),
    /// A live thread.
    Thread,
    /// Another root.
    Other,
    /// A kind that this code does not know, by number.
    Unknown(u32),
}

/// Where on a stack a root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackSlot {
    /// Tag of the thread, 0 if it has none yet.
    pub thread_tag: i64,
    /// `Thread.getId()`.
    pub thread_id: i64,
    /// Frames above it, 0 for the innermost.
    pub depth: i32,
    /// The `jmethodID`, as in [`crate::jvmti_env::StackFrame`]; 0 for none.
    pub method: u64,
    /// Bytecode index; -1 if there is none.
    pub location: i64,
    /// Slot of the local variable; -1 for JNI references.
    pub slot: i32,
}

/// Text of a `java.lang.String` (`jvmtiStringPrimitiveValueCallback`).
#[derive(Debug)]
pub struct StringText<'walk> {
    /// Tag of the string.
    pub tag: i64,
    /// Its UTF-16 code units.
    pub units: &'walk [u16],
}
