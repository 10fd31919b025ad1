//! Big-endian reading with every bound checked, and the matching writes.
//!
//! No knowledge of the class file format here.

use alloc::vec::Vec;

use crate::refusal::Malformed;

/// Reads a slice from front to back; running out is [`Malformed`] with the reader's own label.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    what: &'static str,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Reader { bytes, at: 0, what }
    }

    pub(crate) fn starting_at(bytes: &'a [u8], at: usize, what: &'static str) -> Self {
        Reader { bytes, at, what }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(crate) fn malformed(&self) -> Malformed {
        Malformed(self.what)
    }

    #[inline]
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], Malformed> {
        let end = self.at.checked_add(len).ok_or(Malformed(self.what))?;
        let taken = self.bytes.get(self.at..end).ok_or(Malformed(self.what))?;
        self.at = end;
        Ok(taken)
    }

    #[inline]
    pub(crate) fn u1(&mut self) -> Result<u8, Malformed> {
        let value = *self.bytes.get(self.at).ok_or(Malformed(self.what))?;
        self.at += 1;
        Ok(value)
    }

    #[inline]
    pub(crate) fn u2(&mut self) -> Result<u16, Malformed> {
        let value = u2_at(self.bytes, self.at).ok_or(Malformed(self.what))?;
        self.at += 2;
        Ok(value)
    }

    #[inline]
    pub(crate) fn u4(&mut self) -> Result<u32, Malformed> {
        let value = u4_at(self.bytes, self.at).ok_or(Malformed(self.what))?;
        self.at += 4;
        Ok(value)
    }
}

#[inline]
pub(crate) fn u2_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|chunk| u16::from_be_bytes(*chunk))
}

#[inline]
pub(crate) fn u4_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_be_bytes(*chunk))
}

#[inline]
pub(crate) fn i4_at(bytes: &[u8], at: usize) -> Option<i32> {
    bytes.get(at..)?.first_chunk().map(|chunk| i32::from_be_bytes(*chunk))
}

pub(crate) fn put_u2(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_be_bytes());
}

pub(crate) fn put_u4(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

pub(crate) fn put_i4(out: &mut Vec<u8>, value: i32) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// Overwrites two bytes; `None` if they are not there.
pub(crate) fn set_u2(bytes: &mut [u8], at: usize, value: u16) -> Option<()> {
    *bytes.get_mut(at..)?.first_chunk_mut()? = value.to_be_bytes();
    Some(())
}

/// Overwrites four bytes; `None` if they are not there.
pub(crate) fn set_u4(bytes: &mut [u8], at: usize, value: u32) -> Option<()> {
    *bytes.get_mut(at..)?.first_chunk_mut()? = value.to_be_bytes();
    Some(())
}
