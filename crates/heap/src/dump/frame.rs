//! The bytes of a heap dump: a file header, then frames until the end.
//!
//! Not here: what a payload means (`record`). All integers are little-endian. CRC-32 is the IEEE polynomial.
//!
//! ```text
//! file header, 12 bytes
//!  0                               8       10      12
//! ┌───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┐
//! │ 89  M   A   Y   H   E   A  \n │version│ 0   0 │
//! └───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┘
//!
//! frame, 13 + len bytes, as in a recording
//!  0   1               5               9               13            13+len
//! ┌───┬───────────────┬───────────────┬───────────────┬──────── ─ ─ ──┐
//! │knd│ len           │ crc of 0..5   │ crc of payload│ payload       │
//! └───┴───────────────┴───────────────┴───────────────┴──────── ─ ─ ──┘
//!   kind 1: facts about the dump, once, first
//!   kind 2: whole records, some 64 KiB of them
//!   kind 3: totals, once, last: without it the dump was cut off
//!   kind 4: values of fields, before the totals: number of the object, JVMTI field index ([`OFF_HEAP`]: its bytes outside of the heap, which
//!           are no field), value as a signed varint, and so on
//!   others: of a later Mayfly, passed over
//! ```

use crate::error::HeapError;

/// The version of the format that this crate writes, and the newest it reads.
pub const FORMAT_VERSION: u16 = 1;
/// First bytes of every heap dump of Mayfly's.
pub const MAGIC: [u8; 8] = *b"\x89MAYHEA\n";
/// Length of the file header, in bytes.
pub const FILE_HEADER_LEN: usize = 12;
/// Length of a frame's head, in bytes.
pub const FRAME_HEAD_LEN: usize = 13;

/// The frame kind of the facts.
pub const KIND_FACTS: u8 = 1;
/// The frame kind of records.
pub const KIND_RECORDS: u8 = 2;
/// The frame kind of the totals.
pub const KIND_TOTALS: u8 = 3;
/// The frame kind of values of fields.
pub const KIND_VALUES: u8 = 4;

/// Among the indices of fields: what is told are the bytes that a buffer has outside of the heap.
pub const OFF_HEAP: u32 = u32::MAX;

/// The file header of this version.
pub(crate) fn file_header() -> [u8; FILE_HEADER_LEN] {
    let mut header = [0; FILE_HEADER_LEN];
    header[..8].copy_from_slice(&MAGIC);
    header[8..10].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    header
}

/// The head of a frame with this payload.
pub(crate) fn frame_head(kind: u8, payload: &[u8]) -> [u8; FRAME_HEAD_LEN] {
    let mut head = [0; FRAME_HEAD_LEN];
    head[0] = kind;
    head[1..5].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    let head_crc = crc32fast::hash(&head[..5]);
    head[5..9].copy_from_slice(&head_crc.to_le_bytes());
    head[9..].copy_from_slice(&crc32fast::hash(payload).to_le_bytes());
    head
}

/// A whole frame with good checksums.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DumpFrame<'a> {
    pub(crate) kind: u8,
    pub(crate) payload: &'a [u8],
    /// Where the payload begins in the file.
    pub(crate) payload_at: u64,
}

/// Takes a file apart into its frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DumpFrames<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> DumpFrames<'a> {
    /// At the first frame of the file.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self, HeapError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(HeapError::Foreign);
        }
        let Some(header) = bytes.first_chunk::<FILE_HEADER_LEN>() else {
            return Err(HeapError::truncated(bytes.len(), "the file header"));
        };
        match u16::from_le_bytes([header[8], header[9]]) {
            FORMAT_VERSION => Ok(Self { bytes, at: FILE_HEADER_LEN }),
            version => Err(HeapError::Version { version, newest: FORMAT_VERSION }),
        }
    }

    /// Where the next frame begins.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Length of the file.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The next frame; none at the end of the file.
    pub(crate) fn next(&mut self) -> Result<Option<DumpFrame<'a>>, HeapError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let Some((head, rest)) = rest.split_first_chunk::<FRAME_HEAD_LEN>() else {
            return Err(HeapError::truncated(self.at, "the head of a frame"));
        };
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if crc32fast::hash(&head[..5]) != word(5) {
            return Err(HeapError::corrupt(self.at, "the head of a frame does not match its checksum"));
        }
        let Some(payload) = rest.get(..word(1) as usize) else {
            return Err(HeapError::truncated(self.at, "a frame"));
        };
        if crc32fast::hash(payload) != word(9) {
            return Err(HeapError::corrupt(self.at, "a frame does not match its checksum"));
        }
        let payload_at = (self.at + FRAME_HEAD_LEN) as u64;
        self.at += FRAME_HEAD_LEN + payload.len();
        Ok(Some(DumpFrame { kind: head[0], payload, payload_at }))
    }
}
