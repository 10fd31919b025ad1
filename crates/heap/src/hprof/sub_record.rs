//! What is in a heap segment: roots, classes, instances, arrays, one after another.
//!
//! This is the loop that every question to an hprof file goes through, over all of its objects. Not here: what comes of
//! them.

use super::class_dump::ClassDump;
use super::record::{Hprof, Record};
use super::segment::{PAST, Read, Segment};
use super::value_type::ValueType;
use crate::error::HeapError;
use crate::progress::Progress;

/// A root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RootRecord {
    /// Tag of the sub-record (`HPROF_GC_ROOT_*`).
    pub(crate) tag: u8,
    pub(crate) object: u64,
    /// Serial number of the thread, where there is one.
    pub(crate) thread: u32,
    /// Frame in the thread's stack; for a thread, serial number of its stack trace.
    pub(crate) frame: u32,
}

/// Takes the sub-records of a file.
pub(crate) trait HeapVisitor<'a> {
    /// A segment begins.
    fn segment(&mut self) {}
    /// A root.
    fn root(&mut self, _root: RootRecord) {}
    /// A class.
    fn class(&mut self, _class: ClassDump<'a>) {}
    /// An object that is no array: its id, its class's, the values of its fields; and where it begins in the file.
    fn instance(&mut self, _id: u64, _class: u64, _fields: &'a [u8], _at: usize) {}
    /// An array of references: its id, its class's, its elements.
    fn object_array(&mut self, _id: u64, _class: u64, _elements: &'a [u8], _at: usize) {}
    /// An array of values of another type: its id, type, its elements.
    fn primitive_array(&mut self, _id: u64, _of: ValueType, _elements: &'a [u8], _at: usize) {}
    /// Such an array whose elements are not in the file: its id, type, and how many there are.
    fn array_without_elements(&mut self, _id: u64, _of: ValueType, _length: u32, _at: usize) {}
    /// A record that is not of a heap.
    fn record(&mut self, _record: Record<'a>) {}
}

/// `HPROF_PRIMITIVE_ARRAY_NODATA_DUMP` of Android's `hprof.cc`.
const ANDROIDS_ARRAY_WITHOUT_ELEMENTS: u8 = 0xc3;

/// How often progress is told: after so many bytes.
const STEP: usize = 4 << 20;

/// Walks over all records and sub-records of a file. `read` bytes were read before, of `total`.
pub(crate) fn walk<'a>(
    file: &Hprof<'a>,
    (read, total): (u64, u64),
    progress: Progress<'_>,
    visitor: &mut impl HeapVisitor<'a>,
) -> Result<(), HeapError> {
    let mut told = 0;
    file.records(|record| {
        if !record.is_heap() {
            visitor.record(record);
            return Ok(());
        }
        visitor.segment();
        let mut segment = Segment { bytes: record.body, at: 0, id: file.id_size };
        while segment.at < segment.bytes.len() {
            let begin = record.at + segment.at;
            let goes_on = |what| match what == PAST && file.heap_follows(&record) {
                true => HeapError::Split { offset: begin as u64 },
                false => HeapError::corrupt(begin, what),
            };
            segment.step(record.at, visitor).map_err(goes_on)?;
            if begin >= told + STEP {
                told = begin;
                progress(read + told as u64, total);
            }
        }
        Ok(())
    })?;
    progress(read + file.len() as u64, total);
    Ok(())
}

impl<'a> Segment<'a> {
    /// Reads one sub-record. `base`: where the segment begins in the file.
    #[inline]
    pub(crate) fn step(&mut self, base: usize, visitor: &mut impl HeapVisitor<'a>) -> Read<()> {
        let begin = base + self.at;
        match self.byte()? {
            0x21 => {
                let id = self.id()?;
                self.u32()?;
                let class = self.id()?;
                let length = self.u32()?;
                visitor.instance(id, class, self.take(length as usize)?, begin);
            }
            0x22 => {
                let id = self.id()?;
                self.u32()?;
                let length = self.u32()?;
                let class = self.id()?;
                visitor.object_array(id, class, self.take_all(length, self.id)?, begin);
            }
            0x23 => {
                let (id, length, of) = self.primitives()?;
                visitor.primitive_array(id, of, self.take_all(length, of.width(self.id))?, begin);
            }
            ANDROIDS_ARRAY_WITHOUT_ELEMENTS => {
                let (id, length, of) = self.primitives()?;
                visitor.array_without_elements(id, of, length, begin);
            }
            0x20 => visitor.class(ClassDump::read(self)?),
            tag => {
                if let Some(root) = self.root(tag)? {
                    visitor.root(root);
                }
            }
        }
        Ok(())
    }

    /// What an array of primitives begins with: id, how many elements, of which type.
    fn primitives(&mut self) -> Read<(u64, u32, ValueType)> {
        let id = self.id()?;
        self.u32()?;
        let length = self.u32()?;
        let of = ValueType::of(self.byte()?).filter(|of| *of != ValueType::Object);
        Ok((id, length, of.ok_or("an array has elements of no known type")?))
    }

    /// Roots: an id, and what each kind has behind it. Tags from 0x89 on are Android's.
    fn root(&mut self, tag: u8) -> Read<Option<RootRecord>> {
        if tag == 0xfe {
            // Android: in which heap what follows is.
            self.u32()?;
            self.id()?;
            return Ok(None);
        }
        let mut root = RootRecord { tag, object: self.id()?, thread: 0, frame: 0 };
        match tag {
            0xff | 0x05 | 0x07 | 0x89 | 0x8a | 0x8b | 0x8c | 0x8d | 0x90 => {}
            0x01 => {
                self.id()?;
            }
            0x02 | 0x03 | 0x08 | 0x8e => {
                root.thread = self.u32()?;
                root.frame = self.u32()?;
            }
            0x04 | 0x06 => root.thread = self.u32()?,
            _ => return Err("nothing in a heap begins with the byte there"),
        }
        Ok(Some(root))
    }
}
