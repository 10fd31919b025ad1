//! The constant pool (JVMS §4.4): a view of the one that is there, and the tail appended to it.
//!
//! Existing constants are never moved or changed, so no index in the class needs renumbering.

use alloc::vec::Vec;

use crate::bytes::{Reader, put_u2, u2_at};
use crate::refusal::{Malformed, Refusal};

const POOL: &str = "constant pool";

/// Where constants that stand alone begin: offset 0 means "no constant".
const BARE_START: usize = 1;

/// Byte length behind the tag, by tag; 0 is a tag we don't know (Utf8 is handled apart).
const LENGTHS: [u8; 21] = [0, 0, 0, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, 0, 0, 3, 2, 4, 4, 2, 2];

/// Tags of the constants we read or write.
pub(crate) mod tag {
    pub(crate) const UTF8: u8 = 1;
    pub(crate) const INTEGER: u8 = 3;
    pub(crate) const FLOAT: u8 = 4;
    pub(crate) const LONG: u8 = 5;
    pub(crate) const DOUBLE: u8 = 6;
    pub(crate) const CLASS: u8 = 7;
    pub(crate) const FIELDREF: u8 = 9;
    pub(crate) const METHODREF: u8 = 10;
    pub(crate) const INTERFACE_METHODREF: u8 = 11;
    pub(crate) const NAME_AND_TYPE: u8 = 12;
}

/// The constant pool of a class being read.
#[derive(Debug)]
pub struct ConstantPool<'a> {
    bytes: &'a [u8],
    /// Where each constant's tag stands; 0 for index 0 and the slots after longs and doubles.
    offsets: Vec<u32>,
    end: usize,
}

/// What a Methodref or InterfaceMethodref names, as bytes of modified UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodRef<'a> {
    /// Internal name of the class, or the descriptor of an array class.
    pub owner: &'a [u8],
    /// Method name.
    pub name: &'a [u8],
    /// Method descriptor.
    pub descriptor: &'a [u8],
}

/// A field as the constant pool names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldRef<'a> {
    /// Internal name of the class.
    pub(crate) owner: &'a [u8],
    /// Field name.
    pub(crate) name: &'a [u8],
    /// Field descriptor.
    pub(crate) descriptor: &'a [u8],
}

/// How many of the constants that a JVM gives of a class (JVMTI `GetConstantPool`) are no number (NaN); none if they can't be
/// read.
pub fn nan_constants(constants: &[u8]) -> usize {
    let bytes = ConstantPool::bare(constants);
    ConstantPool::parse_bare(&bytes, |_| ()).map_or(0, |pool| pool.nans())
}

impl<'a> ConstantPool<'a> {
    /// Walks the pool of `class`, showing every Utf8 constant to `see_utf8`.
    pub(crate) fn parse(class: &'a [u8], mut see_utf8: impl FnMut(&'a [u8])) -> Result<Self, Refusal> {
        let mut reader = Reader::starting_at(class, 8, POOL);
        let count = usize::from(reader.u2()?);
        let pool = Self::walk(class, reader, count, &mut see_utf8)?;
        if pool.offsets.len() != count {
            return Err(Refusal::Malformed(POOL));
        }
        Ok(pool)
    }

    /// Constants that stand alone, for [`ConstantPool::parse_bare`].
    pub(crate) fn bare(constants: &[u8]) -> Vec<u8> {
        [&[0; BARE_START], constants].concat()
    }

    /// Reads constants that stand alone, from what [`ConstantPool::bare`] gave, showing every Utf8 constant to `see_utf8`.
    pub(crate) fn parse_bare(bytes: &'a [u8], mut see_utf8: impl FnMut(&'a [u8])) -> Result<Self, Refusal> {
        let reader = Reader::starting_at(bytes, BARE_START, POOL);
        Self::walk(bytes, reader, usize::MAX, &mut see_utf8)
    }

    /// Reads constants until there are `count` (index 0 among them), or the bytes end.
    fn walk(
        class: &'a [u8],
        mut reader: Reader<'a>,
        count: usize,
        see_utf8: &mut impl FnMut(&'a [u8]),
    ) -> Result<Self, Refusal> {
        let mut offsets = Vec::with_capacity(count.min(usize::from(u16::MAX)));
        offsets.push(0);
        while offsets.len() < count && (count != usize::MAX || reader.at() < class.len()) {
            let at = u32::try_from(reader.at()).map_err(|_| Malformed(POOL))?;
            let tag = reader.u1()?;
            offsets.push(at);
            if tag == tag::UTF8 {
                let len = usize::from(reader.u2()?);
                see_utf8(reader.take(len)?);
                continue;
            }
            match LENGTHS.get(usize::from(tag)) {
                None | Some(0) => return Err(Refusal::UnknownConstant(tag)),
                Some(&len) => reader.take(usize::from(len))?,
            };
            if tag == tag::LONG || tag == tag::DOUBLE {
                offsets.push(0);
            }
        }
        Ok(ConstantPool { bytes: class, offsets, end: reader.at() })
    }

    /// `constant_pool_count`: one more than the highest index.
    pub fn count(&self) -> u16 {
        u16::try_from(self.offsets.len()).unwrap_or(u16::MAX)
    }

    /// The constants as they stand, without their count.
    pub fn constants(&self) -> &'a [u8] {
        let start = self.offsets.get(1).map_or(self.end, |&at| at as usize);
        self.bytes.get(start..self.end).unwrap_or_default()
    }

    /// How many of its constants are no number (NaN).
    fn nans(&self) -> usize {
        let is_nan = |&at: &u32| {
            let content = self.bytes.get(at as usize..).unwrap_or_default();
            match content.split_first() {
                Some((&tag::FLOAT, content)) => {
                    content.first_chunk().is_some_and(|&bytes| f32::from_be_bytes(bytes).is_nan())
                }
                Some((&tag::DOUBLE, content)) => {
                    content.first_chunk().is_some_and(|&bytes| f64::from_be_bytes(bytes).is_nan())
                }
                _ => false,
            }
        };
        self.offsets.iter().filter(|&at| *at != 0 && is_nan(at)).count()
    }

    /// Where the pool ends in the class file.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Tag of the constant at `index`; `None` where there is none.
    pub fn tag(&self, index: u16) -> Option<u8> {
        self.locate(index).and_then(|at| self.bytes.get(at).copied())
    }

    /// The bytes of the Utf8 constant at `index`.
    #[inline]
    pub fn utf8(&self, index: u16) -> Option<&'a [u8]> {
        let at = self.expect(index, tag::UTF8)?;
        let len = usize::from(u2_at(self.bytes, at)?);
        self.bytes.get(at + 2..at + 2 + len)
    }

    /// Internal name of the Class constant at `index`.
    pub fn class_name(&self, index: u16) -> Option<&'a [u8]> {
        self.utf8(u2_at(self.bytes, self.expect(index, tag::CLASS)?)?)
    }

    /// What the Methodref or InterfaceMethodref at `index` names.
    pub fn method_ref(&self, index: u16) -> Option<MethodRef<'a>> {
        let at =
            self.expect(index, tag::METHODREF).or_else(|| self.expect(index, tag::INTERFACE_METHODREF))?;
        let [owner, name, descriptor] = self.member(at)?;
        Some(MethodRef { owner, name, descriptor })
    }

    /// The field that the Fieldref at `index` names.
    pub(crate) fn field_ref(&self, index: u16) -> Option<FieldRef<'a>> {
        let at = self.expect(index, tag::FIELDREF)?;
        let [owner, name, descriptor] = self.member(at)?;
        Some(FieldRef { owner, name, descriptor })
    }

    /// Owner, name and descriptor of the member whose constant's content starts there (JVMS §4.4.2).
    #[inline]
    fn member(&self, at: usize) -> Option<[&'a [u8]; 3]> {
        let owner = self.class_name(u2_at(self.bytes, at)?)?;
        let name_and_type = self.expect(u2_at(self.bytes, at + 2)?, tag::NAME_AND_TYPE)?;
        let name = self.utf8(u2_at(self.bytes, name_and_type)?)?;
        Some([owner, name, self.utf8(u2_at(self.bytes, name_and_type + 2)?)?])
    }

    /// Where the constant's content starts, if it has this tag.
    #[inline]
    fn expect(&self, index: u16, tag: u8) -> Option<usize> {
        let at = self.locate(index)?;
        (*self.bytes.get(at)? == tag).then_some(at + 1)
    }

    #[inline]
    fn locate(&self, index: u16) -> Option<usize> {
        match self.offsets.get(usize::from(index)) {
            None | Some(0) => None,
            Some(&at) => Some(at as usize),
        }
    }
}

/// Constants appended behind a pool. Equal constants are appended once.
#[derive(Debug)]
pub(crate) struct PoolTail {
    next: u16,
    bytes: Vec<u8>,
    /// Where each appended constant ends in `bytes`, in order.
    ends: Vec<usize>,
    first: u16,
}

impl PoolTail {
    pub(crate) fn behind(pool: &ConstantPool<'_>) -> Self {
        PoolTail { next: pool.count(), bytes: Vec::new(), ends: Vec::new(), first: pool.count() }
    }

    pub(crate) fn utf8(&mut self, text: &[u8]) -> Result<u16, Refusal> {
        let len = u16::try_from(text.len()).map_err(|_| Refusal::ConstantPoolFull)?;
        let mut constant = Vec::with_capacity(3 + text.len());
        constant.push(tag::UTF8);
        put_u2(&mut constant, len);
        constant.extend_from_slice(text);
        self.intern(&constant)
    }

    pub(crate) fn class(&mut self, internal_name: &[u8]) -> Result<u16, Refusal> {
        let [high, low] = self.utf8(internal_name)?.to_be_bytes();
        self.intern(&[tag::CLASS, high, low])
    }

    pub(crate) fn method_ref(&mut self, method: MethodRef<'_>) -> Result<u16, Refusal> {
        self.member_ref(tag::METHODREF, method.owner, method.name, method.descriptor)
    }

    pub(crate) fn field_ref(&mut self, field: FieldRef<'_>) -> Result<u16, Refusal> {
        self.member_ref(tag::FIELDREF, field.owner, field.name, field.descriptor)
    }

    fn member_ref(&mut self, tag: u8, owner: &[u8], name: &[u8], descriptor: &[u8]) -> Result<u16, Refusal> {
        let owner = self.class(owner)?;
        let name = self.utf8(name)?;
        let descriptor = self.utf8(descriptor)?;
        let name_and_type = self.pair(tag::NAME_AND_TYPE, name, descriptor)?;
        self.pair(tag, owner, name_and_type)
    }

    /// An Integer constant of its own: the caller has no two alike.
    pub(crate) fn fresh_int(&mut self, value: i32) -> Result<u16, Refusal> {
        let [a, b, c, d] = value.to_be_bytes();
        self.append(&[tag::INTEGER, a, b, c, d])
    }

    /// `constant_pool_count` with the tail.
    pub(crate) fn count(&self) -> u16 {
        self.next
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn pair(&mut self, tag: u8, first: u16, second: u16) -> Result<u16, Refusal> {
        let ([a, b], [c, d]) = (first.to_be_bytes(), second.to_be_bytes());
        self.intern(&[tag, a, b, c, d])
    }

    fn intern(&mut self, constant: &[u8]) -> Result<u16, Refusal> {
        let mut start = 0;
        for (index, &end) in (self.first..=u16::MAX).zip(&self.ends) {
            if self.bytes.get(start..end) == Some(constant) {
                return Ok(index);
            }
            start = end;
        }
        self.append(constant)
    }

    fn append(&mut self, constant: &[u8]) -> Result<u16, Refusal> {
        let index = self.next;
        self.next = index.checked_add(1).ok_or(Refusal::ConstantPoolFull)?;
        self.bytes.extend_from_slice(constant);
        self.ends.push(self.bytes.len());
        Ok(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_that_are_no_number_are_counted() {
        let mut constants = Vec::new();
        for float in [1.0, f32::NAN, f32::INFINITY] {
            constants.push(tag::FLOAT);
            constants.extend(float.to_be_bytes());
        }
        for double in [f64::NAN, -f64::NAN, 0.0] {
            constants.push(tag::DOUBLE);
            constants.extend(double.to_be_bytes());
        }
        assert_eq!(nan_constants(&constants), 3);
        assert_eq!(nan_constants(&constants[..4]), 0);
        assert_eq!(nan_constants(&[]), 0);
    }
}
