//! Why a class or a method is left as it was.

use alloc::string::String;
use core::fmt;

/// A part of the class file that doesn't hold what the format says; names the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Malformed(pub &'static str);

/// Why a whole class is left as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The bytes are not a class file as JVMS §4.1 to §4.7 describe it; names the part.
    Malformed(&'static str),
    /// A constant pool tag newer than JVMS §4.4 knows: its length is unknown, so nothing behind it can be found.
    UnknownConstant(u8),
    /// A class file from before version 45.3, whose Code attributes have another layout.
    TooOld,
    /// No room for our constants: a pool holds at most 65,534 (JVMS §4.1).
    ConstantPoolFull,
    /// No room for another field: a class holds at most 65,535 (JVMS §4.11).
    TooManyFields,
}

/// Why one method is left as it was, the others of its class being edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MethodRefusal {
    /// The code would pass 65,535 bytes (JVMS §4.7.3).
    TooLarge,
    /// With all hooks the code would pass 8,000 bytes, beyond which HotSpot compiles nothing: it has as many as there is room for.
    NeverCompiled,
    /// A conditional jump would pass 32 KB, and there is no place for a trampoline within its reach.
    JumpTooFar,
    /// The operand stack would pass 65,535 slots.
    StackTooDeep,
    /// A part of the Code attribute doesn't hold what the format says; names the part.
    Malformed(&'static str),
    /// The edit asks for code where none can be: after no instruction, or after an unconditional jump.
    BadInsertion,
    /// No room in the constant pool for the class names that expanded stack map frames need.
    ConstantPoolFull,
}

/// A method left as it was, or with hooks left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedMethod {
    /// Index in the class's method table.
    pub index: usize,
    /// Name and descriptor, e.g. `run()V`; bytes that are no UTF-8 are replaced.
    pub signature: String,
    /// Why.
    pub reason: MethodRefusal,
}

impl Refusal {
    /// The reason in words, the same for every class refused for it.
    pub fn reason(&self) -> &'static str {
        match self {
            Refusal::Malformed(_) => "malformed class file",
            Refusal::UnknownConstant(_) => "constant pool tag unknown",
            Refusal::TooOld => "class file before version 45.3",
            Refusal::ConstantPoolFull => "constant pool full",
            Refusal::TooManyFields => "field table full",
        }
    }
}

impl MethodRefusal {
    /// The reason in words, the same for every method refused for it.
    pub fn reason(&self) -> &'static str {
        match self {
            MethodRefusal::TooLarge => "method would pass 64 KB",
            MethodRefusal::NeverCompiled => {
                "hooks left out, or the method would pass 8,000 bytes and never be compiled"
            }
            MethodRefusal::JumpTooFar => "conditional jump would pass 32 KB",
            MethodRefusal::StackTooDeep => "operand stack would pass 65,535 slots",
            MethodRefusal::Malformed(_) => "malformed code",
            MethodRefusal::BadInsertion => "no place for the inserted code",
            MethodRefusal::ConstantPoolFull => "constant pool full",
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed {}", self.0)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Malformed(what) => write!(f, "{}: {what}", self.reason()),
            Refusal::UnknownConstant(tag) => write!(f, "{}: {tag}", self.reason()),
            _ => f.write_str(self.reason()),
        }
    }
}

impl fmt::Display for MethodRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MethodRefusal::Malformed(what) => write!(f, "{}: {what}", self.reason()),
            _ => f.write_str(self.reason()),
        }
    }
}

impl core::error::Error for Malformed {}
impl core::error::Error for Refusal {}
impl core::error::Error for MethodRefusal {}

impl From<Malformed> for Refusal {
    fn from(Malformed(what): Malformed) -> Self {
        Refusal::Malformed(what)
    }
}

impl From<Malformed> for MethodRefusal {
    fn from(Malformed(what): Malformed) -> Self {
        MethodRefusal::Malformed(what)
    }
}
