//! Editing a class: constants appended, fields added, code inserted into methods; everything else is copied.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::bytes::{put_u2, set_u2};
use crate::class::{ClassFile, Member};
use crate::pool::{FieldRef, MethodRef, PoolTail};
use crate::refusal::{Malformed, MethodRefusal, Refusal, RefusedMethod};
use crate::relayout;

/// Collects edits of one class, then writes the edited class.
#[derive(Debug)]
pub struct ClassEditor<'c, 'a> {
    class: &'c ClassFile<'a>,
    pool: PoolTail,
    /// Access flags, name index, descriptor index.
    fields: Vec<[u16; 3]>,
    methods: BTreeMap<usize, MethodEdit>,
}

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
}

/// `inserted[start..end]` goes before or behind the instruction at `pc`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Insertion {
    pub(crate) pc: u32,
    pub(crate) before: bool,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// An edited class.
#[derive(Clone, Debug)]
pub struct EditedClass {
    /// The class file.
    pub bytes: Vec<u8>,
    /// Methods whose edit was given up; they are as they were.
    pub refused: Vec<RefusedMethod>,
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

impl<'c, 'a> ClassEditor<'c, 'a> {
    /// An editor of `class` without edits yet.
    pub fn new(class: &'c ClassFile<'a>) -> Self {
        let pool = PoolTail::behind(class.pool());
        ClassEditor { class, pool, fields: Vec::new(), methods: BTreeMap::new() }
    }

    /// Index of a Methodref constant, appended if it was not yet.
    ///
    /// # Errors
    /// [`Refusal::ConstantPoolFull`].
    pub fn method_ref(&mut self, method: MethodRef<'_>) -> Result<u16, Refusal> {
        self.pool.method_ref(method)
    }

    /// Like [`Self::method_ref`], of a Fieldref constant.
    pub(crate) fn field_ref(&mut self, field: FieldRef<'_>) -> Result<u16, Refusal> {
        self.pool.field_ref(field)
    }

    /// Index of a new Integer constant.
    ///
    /// # Errors
    /// [`Refusal::ConstantPoolFull`].
    pub(crate) fn fresh_int(&mut self, value: i32) -> Result<u16, Refusal> {
        self.pool.fresh_int(value)
    }

    /// Adds a field without attributes, behind the others.
    ///
    /// # Errors
    /// [`Refusal::ConstantPoolFull`], [`Refusal::TooManyFields`].
    pub fn add_field(&mut self, access_flags: u16, name: &[u8], descriptor: &[u8]) -> Result<(), Refusal> {
        if self.class.fields().len() + self.fields.len() >= usize::from(u16::MAX) {
            return Err(Refusal::TooManyFields);
        }
        self.fields.push([access_flags, self.pool.utf8(name)?, self.pool.utf8(descriptor)?]);
        Ok(())
    }

    /// The edit of the method at `index` in [`ClassFile::methods`]; an index beyond them has no effect.
    pub fn edit_method(&mut self, index: usize) -> &mut MethodEdit {
        self.methods.entry(index).or_default()
    }

    /// Writes the edited class.
    ///
    /// # Errors
    /// A [`Refusal`] if the class as a whole can't be written; a method that can't be edited is copied and named.
    pub fn finish(mut self) -> Result<EditedClass, Refusal> {
        let class = self.class;
        let source = class.bytes();
        let mut out = Vec::with_capacity(source.len() + source.len() / 8 + 256);
        let mut refused = Vec::new();
        copy(source, 0, class.pool().end(), &mut out)?;
        // The tail may still grow while methods are written: its place is filled at the end.
        let body = out.len();
        copy(source, class.pool().end(), class.methods_at(), &mut out)?;
        self.write_fields(body, &mut out)?;
        let mut copied = class.methods_at();
        for (&index, edit) in &self.methods {
            let Some(method) = class.methods().get(index) else { continue };
            copy(source, copied, method.span().start, &mut out)?;
            copied = method.span().end;
            let start = out.len();
            if let Err(reason) = write_method(class, method, edit, &mut self.pool, &mut out) {
                out.truncate(start);
                copy(source, method.span().start, copied, &mut out)?;
                refused.push(RefusedMethod::new(class, index, method, reason));
            }
        }
        copy(source, copied, source.len(), &mut out)?;
        set_u2(&mut out, 8, self.pool.count()).ok_or(Malformed("constant pool"))?;
        out.splice(body..body, self.pool.bytes().iter().copied());
        Ok(EditedClass { bytes: out, refused })
    }

    /// Appends the added fields to the class copied up to its methods; `body` is where the pool ended.
    fn write_fields(&self, body: usize, out: &mut Vec<u8>) -> Result<(), Refusal> {
        if self.fields.is_empty() {
            return Ok(());
        }
        let count_at = self.class.fields_at() - self.class.pool().end() + body;
        let count = self.class.fields().len() + self.fields.len();
        let count = u16::try_from(count).map_err(|_| Refusal::TooManyFields)?;
        set_u2(out, count_at, count).ok_or(Malformed("fields"))?;
        for field in &self.fields {
            for &item in field {
                put_u2(out, item);
            }
            put_u2(out, 0);
        }
        Ok(())
    }
}

/// Copies the method, its Code relaid.
fn write_method(
    class: &ClassFile<'_>,
    method: &Member,
    edit: &MethodEdit,
    pool: &mut PoolTail,
    out: &mut Vec<u8>,
) -> Result<(), MethodRefusal> {
    let code = class.code(method)?.ok_or(MethodRefusal::BadInsertion)?;
    let content = method.code_span().ok_or(MethodRefusal::BadInsertion)?;
    let source = class.bytes();
    let cut = Malformed("method");
    out.extend_from_slice(source.get(method.span().start..content.start).ok_or(cut)?);
    relayout::write_code(class, method, &code, edit, pool, out)?;
    out.extend_from_slice(source.get(content.end..method.span().end).ok_or(cut)?);
    Ok(())
}

fn copy(source: &[u8], start: usize, end: usize, out: &mut Vec<u8>) -> Result<(), Refusal> {
    out.extend_from_slice(source.get(start..end).ok_or(Malformed("class structure"))?);
    Ok(())
}
