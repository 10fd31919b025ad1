//! A view of a class file (JVMS §4.1): where its members and their Code stand. Borrows the bytes, copies nothing.
//!
//! Attributes other than Code are stepped over unread; what the JVM itself would check is not checked again.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::bytes::{Reader, u2_at};
use crate::pool::ConstantPool;
use crate::refusal::{Malformed, MethodRefusal, Refusal, RefusedMethod};

const MAGIC: u32 = 0xCAFE_BABE;

/// A parsed class file.
#[derive(Debug)]
pub struct ClassFile<'a> {
    bytes: &'a [u8],
    pool: ConstantPool<'a>,
    major: u16,
    this_class: u16,
    super_class: u16,
    fields: Vec<Member>,
    /// Where `fields_count` stands.
    fields_at: usize,
    methods: Vec<Member>,
    /// Where `methods_count` stands.
    methods_at: usize,
    /// Where the class's own `attributes_count` stands.
    attributes_at: usize,
}

/// A field or a method.
#[derive(Clone, Debug)]
pub struct Member {
    access_flags: u16,
    name: u16,
    descriptor: u16,
    /// Position in the class file.
    span: Range<usize>,
    /// The Code attribute's content, behind its name and length.
    code: Option<Range<usize>>,
}

/// A Code attribute (JVMS §4.7.3).
#[derive(Clone, Copy, Debug)]
pub struct Code<'a> {
    /// Depth of the operand stack.
    pub max_stack: u16,
    /// Slots for local variables.
    pub max_locals: u16,
    /// The instructions.
    pub bytecode: &'a [u8],
    /// Exception table entries, eight bytes each.
    pub(crate) exceptions: &'a [u8],
    /// `attributes_count` and the attributes.
    pub(crate) attributes: &'a [u8],
}

impl<'a> ClassFile<'a> {
    /// Reads the structure of `class`.
    ///
    /// # Errors
    /// A [`Refusal`] if the bytes are no class file, are cut short or too long, or hold an unknown constant.
    pub fn parse(class: &'a [u8]) -> Result<Self, Refusal> {
        ClassFile::parse_seeing(class, |_| {})
    }

    /// As [`ClassFile::parse`], showing each Utf8 constant to `see_utf8` on the way.
    pub(crate) fn parse_seeing(class: &'a [u8], see_utf8: impl FnMut(&'a [u8])) -> Result<Self, Refusal> {
        let mut reader = Reader::new(class, "class header");
        if reader.u4()? != MAGIC {
            return Err(Refusal::Malformed("magic number"));
        }
        let (minor, major) = (reader.u2()?, reader.u2()?);
        if (major, minor) < (45, 3) {
            return Err(Refusal::TooOld);
        }
        let pool = ConstantPool::parse(class, see_utf8)?;
        let mut reader = Reader::starting_at(class, pool.end(), "class structure");
        reader.u2()?;
        let this_class = reader.u2()?;
        let super_class = reader.u2()?;
        let interfaces = usize::from(reader.u2()?);
        reader.take(interfaces * 2)?;
        let fields_at = reader.at();
        let fields = members(&mut reader, None)?;
        let methods_at = reader.at();
        let methods = members(&mut reader, Some(&pool))?;
        let attributes_at = reader.at();
        skip_attributes(&mut reader)?;
        if !reader.is_done() {
            return Err(Refusal::Malformed("end of class"));
        }
        Ok(ClassFile {
            bytes: class,
            pool,
            major,
            this_class,
            super_class,
            fields,
            fields_at,
            methods,
            methods_at,
            attributes_at,
        })
    }

    /// The constant pool.
    pub fn pool(&self) -> &ConstantPool<'a> {
        &self.pool
    }

    /// Class file major version, e.g. 61 for Java 17.
    pub fn major_version(&self) -> u16 {
        self.major
    }

    /// Internal name of the class; empty if its constant is broken.
    pub fn name(&self) -> &'a [u8] {
        self.pool.class_name(self.this_class).unwrap_or_default()
    }

    /// Internal name of the superclass; empty for `java.lang.Object` and interfaces' lack of one.
    pub fn super_name(&self) -> &'a [u8] {
        self.pool.class_name(self.super_class).unwrap_or_default()
    }

    /// The source file's name (JVMS §4.7.10), if the class tells.
    pub fn source_file(&self) -> Option<&'a [u8]> {
        let attributes = self.bytes.get(self.attributes_at..)?;
        let content = attribute(attributes, &self.pool, b"SourceFile")?;
        self.pool.utf8(u2_at(content, 0)?)
    }

    /// The fields, in order.
    pub fn fields(&self) -> &[Member] {
        &self.fields
    }

    /// The methods, in order.
    pub fn methods(&self) -> &[Member] {
        &self.methods
    }

    /// Name of `member`; empty if its constant is broken.
    pub fn member_name(&self, member: &Member) -> &'a [u8] {
        self.pool.utf8(member.name).unwrap_or_default()
    }

    /// Descriptor of `member`; empty if its constant is broken.
    pub fn member_descriptor(&self, member: &Member) -> &'a [u8] {
        self.pool.utf8(member.descriptor).unwrap_or_default()
    }

    /// Whether a field or method has an attribute of that name.
    pub(crate) fn has_attribute(&self, member: &Member, name: &[u8]) -> bool {
        self.attribute(member, name).is_some()
    }

    /// Content of a field's or method's first attribute of that name.
    pub(crate) fn attribute(&self, member: &Member, name: &[u8]) -> Option<&'a [u8]> {
        /// From a member's start to its attributes.
        const ATTRIBUTES: usize = 6;
        let attributes = self.bytes.get(member.span.start + ATTRIBUTES..member.span.end)?;
        attribute(attributes, &self.pool, name)
    }

    /// What is said of a method that is left as it was.
    pub(crate) fn refused(&self, index: usize, method: &Member, reason: MethodRefusal) -> RefusedMethod {
        let name = String::from_utf8_lossy(self.member_name(method));
        let descriptor = String::from_utf8_lossy(self.member_descriptor(method));
        RefusedMethod { index, signature: format!("{name}{descriptor}"), reason }
    }

    /// The Code of `method`; `None` for abstract and native methods.
    ///
    /// # Errors
    /// [`Malformed`] if the attribute is cut short or too long, or its code is empty or over 65,535 bytes.
    pub fn code(&self, method: &Member) -> Result<Option<Code<'a>>, Malformed> {
        let Some(span) = &method.code else { return Ok(None) };
        let content = self.bytes.get(span.clone()).ok_or(Malformed("Code"))?;
        Code::parse(content).map(Some)
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn this_class(&self) -> u16 {
        self.this_class
    }

    pub(crate) fn fields_at(&self) -> usize {
        self.fields_at
    }

    pub(crate) fn methods_at(&self) -> usize {
        self.methods_at
    }
}

impl Member {
    /// Access flags (JVMS tables 4.5-A, 4.6-A).
    pub fn access_flags(&self) -> u16 {
        self.access_flags
    }

    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    pub(crate) fn code_span(&self) -> Option<Range<usize>> {
        self.code.clone()
    }
}

impl<'a> Code<'a> {
    /// The line table (JVMS §4.7.12) of this code: (start pc, line), as the class has it. Of several tables the first.
    pub(crate) fn lines(&self, pool: &ConstantPool<'_>) -> impl Iterator<Item = (u16, u16)> + use<'a> {
        let table = attribute(self.attributes, pool, b"LineNumberTable").and_then(|table| table.get(2..));
        let entries = table.unwrap_or_default().chunks_exact(4);
        entries.filter_map(|entry| Some((u2_at(entry, 0)?, u2_at(entry, 2)?)))
    }

    fn parse(content: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(content, "Code");
        let (max_stack, max_locals) = (reader.u2()?, reader.u2()?);
        let len = reader.u4()? as usize;
        if len == 0 || len > usize::from(u16::MAX) {
            return Err(reader.malformed());
        }
        let bytecode = reader.take(len)?;
        let handlers = usize::from(reader.u2()?);
        let exceptions = reader.take(handlers * 8)?;
        let attributes = content.get(reader.at()..).unwrap_or_default();
        skip_attributes(&mut reader)?;
        if !reader.is_done() {
            return Err(reader.malformed());
        }
        Ok(Code { max_stack, max_locals, bytecode, exceptions, attributes })
    }
}

/// Reads a field or method table; looks for Code where a pool is given.
fn members(reader: &mut Reader<'_>, pool: Option<&ConstantPool<'_>>) -> Result<Vec<Member>, Malformed> {
    let count = usize::from(reader.u2()?);
    let mut members = Vec::with_capacity(count);
    let mut code_name = None;
    for _ in 0..count {
        let start = reader.at();
        let (access_flags, name, descriptor) = (reader.u2()?, reader.u2()?, reader.u2()?);
        let mut code = None;
        for _ in 0..reader.u2()? {
            let attribute = reader.u2()?;
            let len = reader.u4()? as usize;
            let at = reader.at();
            reader.take(len)?;
            let Some(pool) = pool else { continue };
            if code_name == Some(attribute) || pool.utf8(attribute) == Some(b"Code") {
                code_name = Some(attribute);
                if code.replace(at..reader.at()).is_some() {
                    return Err(Malformed("second Code attribute"));
                }
            }
        }
        members.push(Member { access_flags, name, descriptor, span: start..reader.at(), code });
    }
    Ok(members)
}

/// Content of the first attribute of that name in a table of attributes.
fn attribute<'a>(attributes: &'a [u8], pool: &ConstantPool<'_>, name: &[u8]) -> Option<&'a [u8]> {
    let mut reader = Reader::new(attributes, "attributes");
    for _ in 0..reader.u2().ok()? {
        let index = reader.u2().ok()?;
        let len = reader.u4().ok()? as usize;
        let content = reader.take(len).ok()?;
        if pool.utf8(index) == Some(name) {
            return Some(content);
        }
    }
    None
}

fn skip_attributes(reader: &mut Reader<'_>) -> Result<(), Malformed> {
    for _ in 0..reader.u2()? {
        reader.u2()?;
        let len = reader.u4()? as usize;
        reader.take(len)?;
    }
    Ok(())
}
