//! Why the collector keeps an object that no other object needs to refer to.

use std::fmt;

use crate::index::ObjectIndex;

/// One reason for which an object is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The object kept.
    pub object: ObjectIndex,
    /// By what.
    pub kind: RootKind,
}

/// What keeps a root alive (JVMTI `jvmtiHeapReferenceKind`, hprof `HPROF_GC_ROOT_*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// A class that is never unloaded: of the boot loader, or of another loader of the JVM's own. Its statics are roots,
    /// to the user.
    SystemClass,
    /// A JNI global reference.
    JniGlobal,
    /// A JNI local reference.
    JniLocal(RootFrame),
    /// A local variable or operand of a running method.
    StackLocal(RootFrame),
    /// An object that a thread holds or waits for the monitor of.
    Monitor,
    /// A thread that is alive.
    Thread,
    /// Another reference of the JVM's, in the words of the format it was read from.
    Other(Box<str>),
}

/// Where on a stack a reference is, as far as known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootFrame {
    /// Name of the thread.
    pub thread: Option<Box<str>>,
    /// `Class.method` of the frame.
    pub method: Option<Box<str>>,
    /// Local variable slot (JVMS §2.6.1); -1 or none if it is an operand or not known.
    pub slot: Option<i32>,
}

impl RootKind {
    /// The kind, without its details.
    pub fn name(&self) -> &str {
        match self {
            Self::SystemClass => "system class",
            Self::JniGlobal => "JNI global",
            Self::JniLocal(_) => "JNI local",
            Self::StackLocal(_) => "stack local",
            Self::Monitor => "monitor",
            Self::Thread => "thread",
            Self::Other(words) => words,
        }
    }
}

impl fmt::Display for RootKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::JniLocal(frame) => write!(f, "{}{frame}", self.name()),
            Self::StackLocal(frame) => match frame.slot {
                Some(slot @ 0..) => write!(f, "local variable {slot}{frame}"),
                _ => write!(f, "local variable{frame}"),
            },
            _ => f.write_str(self.name()),
        }
    }
}

/// ` of method, thread "name"`, or as much of it as is known.
impl fmt::Display for RootFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.method, &self.thread) {
            (Some(method), Some(thread)) => write!(f, " of {method}, thread \"{thread}\""),
            (Some(method), None) => write!(f, " of {method}"),
            (None, Some(thread)) => write!(f, " of thread \"{thread}\""),
            (None, None) => Ok(()),
        }
    }
}
