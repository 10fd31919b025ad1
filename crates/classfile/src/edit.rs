//! Editing a class: constants appended, fields added, code inserted into methods; everything else is copied.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::bytes::{put_u2, set_u2};
use crate::class::{ClassFile, Member};
use crate::method_edit::MethodEdit;
use crate::pool::{FieldRef, MethodRef, PoolTail};
use crate::refusal::{Malformed, MethodRefusal, Refusal, RefusedMethod};
use crate::relayout;

/// Collects edits of one class, then writes the edited class.
#[derive(Debug)]
pub struct ClassEditor<'c, 'a> {
    class: &'c ClassFile<'a>,
    pool: PoolTail,
    /// As they stand in the class file.
    fields: Vec<Vec<u8>>,
    methods: BTreeMap<usize, MethodEdit>,
}

/// An edited class.
#[derive(Clone, Debug)]
pub struct EditedClass {
    /// The class file.
    pub bytes: Vec<u8>,
    /// Methods whose edit was given up; they are as they were.
    pub refused: Vec<RefusedMethod>,
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

    /// Like [`Self::method_ref`], of a Class constant, by internal name.
    pub(crate) fn class(&mut self, internal_name: &[u8]) -> Result<u16, Refusal> {
        self.pool.class(internal_name)
    }

    /// Index of a new Integer constant.
    ///
    /// # Errors
    /// [`Refusal::ConstantPoolFull`].
    pub(crate) fn fresh_int(&mut self, value: i32) -> Result<u16, Refusal> {
        self.pool.fresh_int(value)
    }

    /// Adds a field, behind the others, with annotations that have no elements (JVMS §4.7.16), by their types' descriptors.
    ///
    /// # Errors
    /// [`Refusal::ConstantPoolFull`], [`Refusal::TooManyFields`].
    pub fn add_field(
        &mut self,
        access_flags: u16,
        name: &[u8],
        descriptor: &[u8],
        annotations: &[&[u8]],
    ) -> Result<(), Refusal> {
        if self.class.fields().len() + self.fields.len() >= usize::from(u16::MAX) {
            return Err(Refusal::TooManyFields);
        }
        let mut field = Vec::with_capacity(8);
        for item in [access_flags, self.pool.utf8(name)?, self.pool.utf8(descriptor)?] {
            put_u2(&mut field, item);
        }
        put_u2(&mut field, u16::from(!annotations.is_empty()));
        if !annotations.is_empty() {
            put_u2(&mut field, self.pool.utf8(b"RuntimeVisibleAnnotations")?);
            let length = 2 + 4 * annotations.len() as u32;
            field.extend_from_slice(&length.to_be_bytes());
            put_u2(&mut field, annotations.len() as u16);
            for annotation in annotations {
                put_u2(&mut field, self.pool.utf8(annotation)?);
                put_u2(&mut field, 0);
            }
        }
        self.fields.push(field);
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
                refused.push(class.refused(index, method, reason));
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
        self.fields.iter().for_each(|field| out.extend_from_slice(field));
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
