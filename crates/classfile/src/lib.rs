//! Inserts code into class files: a patcher that copies what it doesn't change, and what Mayfly inserts with it.
//!
//! - The mechanism: [`ClassFile`] is a view of a class, [`ClassEditor`] writes it with edits. Constants go to the end of
//!   the pool, so no index moves; only edited methods are laid out anew; unknown attributes are copied.
//! - The policy: [`allocation`] says which code reports which allocations.
//!
//! Not here: a general class file library (nothing is ever renumbered, removed or computed by data flow), JVM types,
//! I/O. No input makes it panic: bytes that are no class file are a [`Refusal`].

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod allocation;
mod bytes;
mod class;
mod edit;
mod instruction;
mod method_edit;
mod parameters;
mod pool;
mod refusal;
mod relayout;
mod stand_ins;

pub use class::{ClassFile, Code, Member};
pub use edit::{ClassEditor, EditedClass};
pub use instruction::{Instruction, Instructions, instructions, opcode};
pub use method_edit::MethodEdit;
pub use parameters::{MethodParameters, Parameter, with_parameters};
pub use pool::{ConstantPool, MethodRef, nan_constants};
pub use refusal::{Malformed, MethodRefusal, Refusal, RefusedMethod};
pub use stand_ins::fields_to_methods;
