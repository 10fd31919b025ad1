//! The head of an index, and its parts with their checksums.
//!
//! Not here: what is in the parts.

use bytes::Bytes;

use crate::column::Column;

const MAGIC: [u8; 8] = *b"mayidx\r\n";
/// Of what is in the parts, too.
const VERSION: u32 = 2;
/// Magic, version, stamp (length, time, content), checksum of all that.
const HEAD: usize = 8 + 4 + 8 + 8 + 4 + 4;
/// Kind, checksum of the bytes, their number, checksum of all that.
const PART_HEAD: usize = 4 + 4 + 8 + 4;
/// So much of the beginning of a dump, and of its end, is in its stamp.
const ENDS: usize = 64 << 10;

/// What tells one dump from another, without reading all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    bytes: u64,
    modified_ns: u64,
    content: u32,
}

impl Stamp {
    /// Of the bytes of a dump, written at a time, in nanoseconds since 1970.
    pub fn of(dump: &[u8], modified_ns: u64) -> Self {
        let mut content = crc32fast::Hasher::new();
        content.update(&dump[..dump.len().min(ENDS)]);
        content.update(&dump[dump.len().saturating_sub(ENDS)..]);
        Self { bytes: dump.len() as u64, modified_ns, content: content.finalize() }
    }
}

/// Bytes that are not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// What is in a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Kind {
    Ids = 1,
    ClassOf,
    Sizes,
    Starts,
    Labels,
    Targets,
    /// Classes, names and roots; the last part of a graph.
    Facts,
    DominatorsOrder,
    DominatorsImmediate,
    /// The last part of the tree of dominators.
    DominatorsRetained,
    ReferrersStarts,
    /// The last part of the referrers.
    ReferrersSources,
    PathsParents,
    /// The last part of the paths.
    PathsRanks,
    Histogram,
    RetainedByClass,
    RetainedByLoader,
}

/// A part to be written.
#[derive(Clone, Debug)]
pub struct Part {
    kind: Kind,
    pieces: Vec<Bytes>,
}

impl Part {
    pub(super) fn new(kind: Kind, bytes: Vec<u8>) -> Self {
        Self { kind, pieces: vec![bytes.into()] }
    }

    pub(super) fn column(kind: Kind, column: &Column) -> Self {
        Self { kind, pieces: column.pieces().into() }
    }
}

#[cfg(test)]
impl Part {
    /// What is in it.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.pieces.concat()
    }

    /// Puts something else in.
    pub(super) fn forge(&mut self, bytes: Vec<u8>) {
        self.pieces = vec![bytes.into()];
    }
}

/// The head of an index of a dump.
pub fn head(stamp: &Stamp) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(stamp.bytes.to_le_bytes());
    bytes.extend(stamp.modified_ns.to_le_bytes());
    bytes.extend(stamp.content.to_le_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Writes parts, to be put behind a head or other parts.
///
/// # Errors
/// Those of `sink`.
pub fn write<E>(parts: &[Part], sink: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    for part in parts {
        let mut checksum = crc32fast::Hasher::new();
        part.pieces.iter().for_each(|piece| checksum.update(piece));
        let length: usize = part.pieces.iter().map(Bytes::len).sum();
        let mut bytes = (part.kind as u32).to_le_bytes().to_vec();
        bytes.extend(checksum.finalize().to_le_bytes());
        bytes.extend((length as u64).to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        sink(&bytes)?;
        part.pieces.iter().try_for_each(|piece| sink(piece))?;
    }
    Ok(())
}

/// An index that is there.
#[derive(Clone, Debug)]
pub struct Saved {
    parts: Vec<SavedPart>,
    length: u64,
}

#[derive(Clone, Debug)]
struct SavedPart {
    kind: u32,
    checksum: u32,
    bytes: Bytes,
}

impl Saved {
    /// Looks at the head, and at where the parts are. None if these bytes are no index of this dump: of another one or another
    /// version, or damaged. Parts that were not written in full are left out.
    pub fn open(bytes: &Bytes, stamp: &Stamp) -> Option<Self> {
        if !bytes.starts_with(&head(stamp)) {
            return None;
        }
        let mut saved = Self { parts: Vec::new(), length: HEAD as u64 };
        while let Some(part) = read_part(bytes, saved.length as usize) {
            saved.length += (PART_HEAD + part.bytes.len()) as u64;
            saved.parts.push(part);
        }
        Some(saved)
    }

    /// Whether a part of this kind is not there.
    pub fn lacks(&self, part: &Part) -> bool {
        !self.has(part.kind)
    }

    fn has(&self, kind: Kind) -> bool {
        self.parts.iter().any(|there| there.kind == kind as u32)
    }

    /// Where the last whole part ends: what is to be added comes there.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The bytes of a part; none if it is not there.
    pub(super) fn part(&self, kind: Kind) -> Result<Option<Bytes>, Damaged> {
        let Some(part) = self.parts.iter().find(|part| part.kind == kind as u32) else { return Ok(None) };
        if crc32fast::hash(&part.bytes) == part.checksum {
            Ok(Some(part.bytes.clone()))
        } else {
            Err(Damaged)
        }
    }

    /// Columns that were written in this order; none if the last of them was not.
    pub(super) fn columns<const N: usize>(&self, kinds: [Kind; N]) -> Result<Option<[Column; N]>, Damaged> {
        if !kinds.last().is_some_and(|&last| self.has(last)) {
            return Ok(None);
        }
        let columns: Vec<_> = kinds.into_iter().map(|kind| self.column(kind)).collect::<Result<_, _>>()?;
        columns.try_into().map(Some).map_err(|_| Damaged)
    }

    /// A column that has to be there, if the part that is written after it is.
    pub(super) fn column(&self, kind: Kind) -> Result<Column, Damaged> {
        self.part(kind)?.and_then(|bytes| Column::open(&bytes)).ok_or(Damaged)
    }
}

/// The part that begins at a byte, if it is there in full.
fn read_part(bytes: &Bytes, at: usize) -> Option<SavedPart> {
    let head = bytes.get(at..at.checked_add(PART_HEAD)?)?;
    let u32_at = |at| head.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    if crc32fast::hash(&head[..16]) != u32_at(16)? {
        return None;
    }
    let length = usize::try_from(u64::from_le_bytes(*head[8..].first_chunk()?)).ok()?;
    let begin = at + PART_HEAD;
    let end = begin.checked_add(length).filter(|&end| end <= bytes.len())?;
    Some(SavedPart { kind: u32_at(0)?, checksum: u32_at(4)?, bytes: bytes.slice(begin..end) })
}
