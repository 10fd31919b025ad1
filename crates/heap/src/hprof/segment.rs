//! A heap segment as numbers, ids and bytes, one after another.
//!
//! Not here: what they mean (`sub_record`, `class_dump`).

use super::record::{id_at, u32_at};

/// A heap segment, read from front to back.
pub(crate) struct Segment<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
    /// Width of ids.
    pub(crate) id: usize,
}

pub(super) type Read<T> = Result<T, &'static str>;
/// Why what begins before the end of a segment can't be read.
pub(super) const PAST: &str = "what is there runs past the end of its segment";

impl<'a> Segment<'a> {
    #[inline]
    pub(crate) fn byte(&mut self) -> Read<u8> {
        let byte = *self.bytes.get(self.at).ok_or(PAST)?;
        self.at += 1;
        Ok(byte)
    }

    #[inline]
    pub(crate) fn u16(&mut self) -> Read<u16> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Read<u32> {
        let value = u32_at(self.bytes, self.at).ok_or(PAST)?;
        self.at += 4;
        Ok(value)
    }

    #[inline]
    pub(crate) fn id(&mut self) -> Read<u64> {
        let id = id_at(self.bytes, self.at, self.id).ok_or(PAST)?;
        self.at += self.id;
        Ok(id)
    }

    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Read<&'a [u8]> {
        let end = self.at.checked_add(length).ok_or(PAST)?;
        let bytes = self.bytes.get(self.at..end).ok_or(PAST)?;
        self.at = end;
        Ok(bytes)
    }

    pub(crate) fn take_all(&mut self, length: u32, width: usize) -> Read<&'a [u8]> {
        self.take((length as usize).checked_mul(width).ok_or(PAST)?)
    }
}
