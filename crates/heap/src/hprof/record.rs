//! The file as a list of records: header, tags, lengths; and where its heap segments are.
//!
//! Not here: what is in a heap segment (`sub_record`).

use crate::error::HeapError;

/// How every hprof file begins.
pub const MAGIC: &[u8] = b"JAVA PROFILE 1.0";

/// Records of names.
pub(crate) const STRING: u8 = 0x01;
/// Records that give a class id its name.
pub(crate) const LOAD_CLASS: u8 = 0x02;
/// Records of stack frames.
pub(crate) const FRAME: u8 = 0x04;
/// Records of stack traces: lists of frames.
pub(crate) const TRACE: u8 = 0x05;
/// A heap in one piece.
const HEAP_DUMP: u8 = 0x0c;
/// A piece of a heap.
const HEAP_DUMP_SEGMENT: u8 = 0x1c;

/// Tags of all records that are known: string, load class, unload class, frame, trace, alloc sites, heap summary, start
/// thread, end thread, heap dump, CPU samples, control settings, heap segment, heap end.
const TAGS: [u8; 14] = [
    STRING,
    LOAD_CLASS,
    0x03,
    FRAME,
    TRACE,
    0x06,
    0x07,
    0x0a,
    0x0b,
    HEAP_DUMP,
    0x0d,
    0x0e,
    HEAP_DUMP_SEGMENT,
    0x2c,
];

/// Length of a record's head: tag, time, length.
const HEAD: usize = 9;
/// What a 32-bit length loses of a longer record.
const WRAP: u64 = 1 << 32;

/// An hprof file whose header was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hprof<'a> {
    bytes: &'a [u8],
    /// Width of ids in bytes: 4 or 8.
    pub(crate) id_size: usize,
    first: usize,
}

/// A record, whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) tag: u8,
    pub(crate) body: &'a [u8],
    /// Where the body begins in the file.
    pub(crate) at: usize,
}

impl Record<'_> {
    /// Whether it holds a heap, or a piece of one.
    pub(crate) fn is_heap(&self) -> bool {
        matches!(self.tag, HEAP_DUMP | HEAP_DUMP_SEGMENT)
    }

    /// Whether it is a piece of a heap of several.
    pub(crate) fn is_segment(&self) -> bool {
        self.tag == HEAP_DUMP_SEGMENT
    }

    /// Whether it is of a kind that is known.
    pub(crate) fn is_known(&self) -> bool {
        TAGS.contains(&self.tag)
    }
}

impl<'a> Hprof<'a> {
    /// Reads the header: a name and version that end in 0, the width of ids, the time.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self, HeapError> {
        if !bytes.starts_with(MAGIC) {
            return Err(HeapError::Foreign);
        }
        let end = bytes.iter().take(64).position(|&byte| byte == 0);
        let name_end = end.ok_or_else(|| HeapError::truncated(0, "the name of the format"))?;
        let first = name_end + 1 + 4 + 8;
        let id_size = u32_at(bytes, name_end + 1).filter(|_| bytes.len() >= first);
        match id_size.ok_or_else(|| HeapError::truncated(name_end + 1, "the header"))? {
            id_size @ (4 | 8) => Ok(Self { bytes, id_size: id_size as usize, first }),
            other => {
                Err(HeapError::corrupt(name_end + 1, format!("ids of {other} bytes; there are only 4 and 8")))
            }
        }
    }

    /// The file.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// When it was written, in milliseconds since 1970-01-01T00:00Z.
    pub(crate) fn taken_at_ms(&self) -> u64 {
        let half = |at| u64::from(u32_at(self.bytes, at).unwrap_or(0));
        half(self.first - 8) << 32 | half(self.first - 4)
    }

    /// Length of the file.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Calls `visit` for each record, of unknown kinds too: a later JVM may add some, and each says how long it is.
    pub(crate) fn records(
        &self,
        mut visit: impl FnMut(Record<'a>) -> Result<(), HeapError>,
    ) -> Result<(), HeapError> {
        let mut at = self.first;
        while at < self.bytes.len() {
            let record = self.record(at)?;
            at = record.at + record.body.len();
            visit(record)?;
        }
        Ok(())
    }

    fn record(&self, at: usize) -> Result<Record<'a>, HeapError> {
        let tag = self.bytes[at];
        let length =
            u32_at(self.bytes, at + 5).ok_or_else(|| HeapError::truncated(at, "the head of a record"))?;
        let mut length = u64::from(length);
        if tag == HEAP_DUMP {
            length = self.heap_length(at + HEAD, length, WRAP);
        }
        let begin = at + HEAD;
        let end = usize::try_from(length).ok().and_then(|length| begin.checked_add(length));
        let body = end.and_then(|end| self.bytes.get(begin..end));
        let body = body.ok_or_else(|| match TAGS.contains(&tag) {
            true => HeapError::truncated(at, "a record"),
            false => HeapError::corrupt(at, format!("no record begins with {tag:#04x}")),
        })?;
        Ok(Record { tag, body, at: begin })
    }

    /// Whether another segment of the heap follows a record.
    pub(crate) fn heap_follows(&self, record: &Record<'_>) -> bool {
        self.bytes.get(record.at + record.body.len()) == Some(&HEAP_DUMP_SEGMENT)
    }

    /// The length of a heap in one piece, whose 32 bits may have overflowed (by multiples of `wrap`), or were never filled in.
    /// Of the lengths it may stand for, the first after which the file goes on as it should; the rest of the file if there is none.
    fn heap_length(&self, begin: usize, told: u64, wrap: u64) -> u64 {
        let rest = (self.bytes.len() - begin) as u64;
        let mut lengths = (0..).map(|wraps| told + wraps * wrap).take_while(|&length| length <= rest);
        // Roots have tags that records have, too; nothing but an end can follow a heap of no length.
        let goes_on = |&length: &u64| match length {
            0 => rest == 0 || self.bytes[begin] == 0x2c,
            length => self.goes_on(begin + length as usize),
        };
        match lengths.find(goes_on) {
            Some(length) => length,
            None if told == 0 => rest,
            None => told,
        }
    }

    /// Whether the file ends here, or a record begins that fits into it.
    fn goes_on(&self, at: usize) -> bool {
        at == self.bytes.len()
            || (TAGS.contains(&self.bytes[at])
                && u32_at(self.bytes, at + 5)
                    .is_some_and(|length| length as usize <= self.bytes.len() - at - HEAD))
    }
}

/// The 32-bit number at a place, if it is there.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

/// The id of so many bytes at a place, if it is there.
#[inline]
pub(crate) fn id_at(bytes: &[u8], at: usize, id_size: usize) -> Option<u64> {
    let rest = bytes.get(at..)?;
    if id_size == 8 {
        rest.first_chunk().map(|bytes| u64::from_be_bytes(*bytes))
    } else {
        rest.first_chunk().map(|bytes| u64::from(u32::from_be_bytes(*bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a heap of 700 bytes, and an empty record after it.
    fn file() -> Vec<u8> {
        let mut bytes = b"JAVA PROFILE 1.0.1\0\0\0\0\x08".to_vec();
        bytes.extend([0; 8]);
        bytes.extend([HEAP_DUMP, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend([0xff; 700]);
        bytes.extend([0x2c, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes
    }

    #[test]
    fn a_length_that_overflowed_is_the_one_after_which_the_file_goes_on() {
        let bytes = file();
        let hprof = Hprof::new(&bytes).expect("a header");
        let begin = hprof.first + HEAD;
        assert_eq!(hprof.heap_length(begin, 700, 256), 700);
        assert_eq!(hprof.heap_length(begin, 700 - 512, 256), 700, "two times 256 were lost");
        assert_eq!(hprof.heap_length(begin, 0, 256), 709, "never filled in: all that is there");
        assert_eq!(hprof.heap_length(begin, 5, 256), 5, "damaged: what was told");
    }
}
