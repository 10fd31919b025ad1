//! What is to be inserted into one method, and where.
//!
//! Not here: where it comes to lie in the written method (`relayout`).

use alloc::vec::Vec;

/// Code to insert into one method.
///
/// Inserted code must leave locals and stack as it found them (entry code may assign locals of the same type), must
/// not jump, and must need no stack map frame: then the method's own frames stay valid.
#[derive(Clone, Debug, Default)]
pub struct MethodEdit {
    pub(crate) entry: Vec<u8>,
    pub(crate) entry_stack: u16,
    pub(crate) extra_stack: u16,
    pub(crate) insertions: Vec<Insertion>,
    pub(crate) inserted: Vec<u8>,
    pub(crate) guard: Option<Guard>,
}

/// Code behind the method's own, to which every exception leads that the method does not catch.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) code: Vec<u8>,
    /// Operand stack that it needs, the exception included.
    pub(crate) stack: u16,
    /// Class constant of `java.lang.Throwable`.
    pub(crate) throwable: u16,
}

/// `inserted[start..end]` goes before or behind the instruction at `pc`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Insertion {
    pub(crate) pc: u32,
    pub(crate) before: bool,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl MethodEdit {
    /// Inserts `code` at the method's entry. It runs once per call: jumps back to the old first instruction skip it.
    /// `stack` is the operand stack depth it needs.
    pub fn insert_at_entry(&mut self, code: &[u8], stack: u16) {
        self.entry.extend_from_slice(code);
        self.entry_stack = self.entry_stack.max(stack);
    }

    /// Inserts `code` behind the instruction at `pc`, to run when that instruction passes on to the next; jumps to
    /// the next instruction skip it. `extra_stack` is how much deeper than there the operand stack gets. Insertions
    /// must come in the order of their `pc`.
    pub fn insert_after(&mut self, pc: u32, code: &[u8], extra_stack: u16) {
        self.insert(pc, false, code, extra_stack);
    }

    /// As [`Self::insert_after`], but before the instruction, which must not be a jump or a switch; jumps to the
    /// instruction run the code first.
    pub fn insert_before(&mut self, pc: u32, code: &[u8], extra_stack: u16) {
        self.insert(pc, true, code, extra_stack);
    }

    /// Puts `code` behind the method's own, to which all exceptions lead that are thrown by the method's own code and inserted
    /// code, but not by that at the entry, and that the method does not catch. The exception is on the stack, no local has a type; the
    /// code must end with `athrow`. `throwable`: the Class constant of `java.lang.Throwable`. Not for constructors.
    pub(crate) fn guard(&mut self, code: &[u8], stack: u16, throwable: u16) {
        self.guard = Some(Guard { code: code.to_vec(), stack, throwable });
    }

    fn insert(&mut self, pc: u32, before: bool, code: &[u8], extra_stack: u16) {
        let start = self.inserted.len();
        self.inserted.extend_from_slice(code);
        self.insertions.push(Insertion { pc, before, start, end: self.inserted.len() });
        self.extra_stack = self.extra_stack.max(extra_stack);
    }

    pub(crate) fn code(&self, insertion: &Insertion) -> &[u8] {
        self.inserted.get(insertion.start..insertion.end).unwrap_or_default()
    }
}
