//! A heap dump of any format that is known, told by its first bytes.
//!
//! Not here: mapping the file; what is asked of the graph.

use crate::{Graph, HeapError, Histogram, Text};
use crate::{dump, hprof};

/// Called from time to time with the bytes read so far, of so many. Files that are read twice count twice.
pub type Progress<'p> = &'p mut dyn FnMut(u64, u64);

/// Who wrote a heap dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Mayfly ([`crate::dump`]).
    Mayfly,
    /// The JVM ([`crate::hprof`]).
    Hprof,
}

/// The bytes of a heap dump.
#[derive(Clone, Copy, Debug)]
pub struct Dump<'a> {
    format: Format,
    bytes: &'a [u8],
}

impl<'a> Dump<'a> {
    /// Looks at the first bytes only: what follows may still be damaged.
    ///
    /// # Errors
    /// [`HeapError::Foreign`] if they are of no known format.
    pub fn open(bytes: &'a [u8]) -> Result<Self, HeapError> {
        let format = match bytes {
            bytes if bytes.starts_with(&dump::frame::MAGIC) => Format::Mayfly,
            bytes if bytes.starts_with(hprof::MAGIC) => Format::Hprof,
            _ => return Err(HeapError::Foreign),
        };
        Ok(Self { format, bytes })
    }

    /// Who wrote it.
    pub fn format(&self) -> Format {
        self.format
    }

    /// All of it, as a graph.
    ///
    /// # Errors
    /// It is cut off, damaged, of another version, or holds more than a graph can.
    pub fn graph(&self, progress: Progress<'_>) -> Result<Graph, HeapError> {
        match self.format {
            Format::Mayfly => Ok(dump::read(self.bytes, progress)?.1),
            Format::Hprof => hprof::read(self.bytes, progress),
        }
    }

    /// Objects and bytes by class, without loading the graph.
    ///
    /// # Errors
    /// As for [`Self::graph`].
    pub fn histogram(&self, progress: Progress<'_>) -> Result<Histogram, HeapError> {
        match self.format {
            Format::Mayfly => dump::histogram(self.bytes, progress),
            Format::Hprof => Ok(hprof::histogram(self.bytes, progress)?.0),
        }
    }

    /// Calls `visit` for each `java.lang.String` whose text is in the dump, without loading the graph.
    ///
    /// # Errors
    /// As for [`Self::graph`].
    pub fn strings(&self, progress: Progress<'_>, visit: &mut dyn FnMut(Text<'_>)) -> Result<(), HeapError> {
        match self.format {
            Format::Mayfly => dump::visit_texts(self.bytes, progress, visit),
            Format::Hprof => hprof::visit_texts(self.bytes, progress, visit),
        }
    }
}
