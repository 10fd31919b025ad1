//! What a walk over the heap tells: classes, references, roots, and facts of the whole.
//!
//! Not here: how it is written (`encoder`) and read (`decoder`).

/// Number of an object in a dump: the tag it has during the walk.
///
/// Classes come first: the `java.lang.Class` of the first class told is 1, and so on. All other objects are numbered
/// in the order in which they are told. 0 is no object, and as a class: one not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number(pub u32);

impl Number {
    /// No object; for a class: not known.
    pub const NONE: Self = Self(0);
}

/// What is known about the dump as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Process id of the JVM, as the JVM sees it; 0 if not known.
    pub pid: u32,
    /// When the walk began, in milliseconds since 1970-01-01T00:00Z.
    pub taken_at_ms: u64,
    /// Full version of the JVM (`java.vm.version`); empty if not known.
    pub jvm_version: Box<str>,
    /// The garbage collector, e.g. `G1`; empty if not known.
    pub collector: Box<str>,
    /// Of each string at most so many UTF-16 units are in the dump; none: texts are not in the dump at all.
    pub text_limit: Option<u32>,
}

/// A class, as the JVM tells it before the walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassFacts<'a> {
    /// As `Class.getName()` gives it.
    pub name: &'a str,
    /// Its loader, which may be told later; [`Number::NONE`] for the boot loader.
    pub loader: Number,
    /// Its superclass, which may be told later; [`Number::NONE`] if it has none.
    pub superclass: Number,
    /// The interfaces that it itself names as implemented (for an interface: extended).
    pub interfaces: &'a [Number],
    /// The fields it declares, in the order of JVMTI `GetClassFields`; empty if the class is not prepared.
    pub fields: &'a [FieldFacts<'a>],
    /// Whether it is an interface.
    pub is_interface: bool,
    /// Shallow size of its `java.lang.Class`, in bytes.
    pub mirror_size: u64,
}

/// A declared field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldFacts<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type (JVMS §4.3.2), e.g. `Ljava/lang/String;`; empty if not known.
    pub descriptor: &'a str,
    /// Whether it is static.
    pub is_static: bool,
}

/// By what one object refers to another (JVMTI `jvmtiHeapReferenceKind`, from 2 to 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// An instance field, by its JVMTI field index.
    Field(u32),
    /// An array element, by its index.
    Element(u32),
    /// A class's loader.
    ClassLoader,
    /// A class's signers.
    Signers,
    /// A class's protection domain.
    ProtectionDomain,
    /// An interface of a class.
    Interface,
    /// A static field of a class, by its JVMTI field index.
    StaticField(u32),
    /// An entry of a class's constant pool.
    Constant,
    /// A class's superclass.
    Superclass,
}

/// What keeps an object from outside the heap (JVMTI `jvmtiHeapReferenceKind`, from 21 to 27).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootReference {
    /// A JNI global reference.
    JniGlobal,
    /// A class of the system.
    SystemClass,
    /// A monitor.
    Monitor,
    /// A local variable or operand on a stack.
    StackLocal {
        /// On whose stack, and in which method.
        frame: FrameFacts,
        /// Slot of the local variable; -1 if it is an operand.
        slot: i32,
    },
    /// A JNI local reference.
    JniLocal(FrameFacts),
    /// A thread.
    Thread,
    /// Anything else of the JVM's.
    Other,
}

/// A frame of a thread's stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameFacts {
    /// `Thread.getId()`, as JVMTI gives it; named by `Encoder::thread`.
    pub thread: u64,
    /// How many frames are above it.
    pub depth: u32,
    /// The JVM's id of the method; named by `Encoder::method`. 0 if there is none.
    pub method: u64,
}
