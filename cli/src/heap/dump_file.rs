//! A dump of any format, mapped, not read in: what is asked decides what is loaded.
//!
//! Not here: the formats (`mayfly-heap`).

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use mayfly_heap::{Dump, Format, Graph, HeapError, Text};
use mayfly_profile::HeapSummary;
use mayfly_report::size;
use serde::Serialize;

use crate::heap::class_rows;
use crate::heap::columns::counted;
use crate::heap::compressed::{self, Failed};
use crate::heap::error::QueryError;
use crate::heap::mapping::Mapping;
use crate::heap::progress::Progress;

/// Of a file that is read through, so much stays in memory.
const KEPT: u64 = 32 << 20;

/// A file that seems to be a dump: its beginning is one's.
#[derive(Debug)]
pub(crate) struct DumpFile {
    path: PathBuf,
    mapping: Mapping,
    format: Format,
}

/// Where an answer is from, for JSON.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Source {
    file: PathBuf,
    format: &'static str,
    bytes: usize,
}

impl DumpFile {
    /// Maps a file, or what is in it if gzip packed it, and looks at its first bytes.
    ///
    /// # Errors
    /// [`QueryError::Unreadable`], [`QueryError::NotUnpacked`], [`QueryError::NoRoom`], [`QueryError::Refused`].
    pub(crate) fn open(path: &Path) -> Result<Self, QueryError> {
        let mapping = map(path)?;
        let opened = Dump::open(&mapping).map(|dump| dump.format());
        let format = opened.map_err(|cause| QueryError::Refused { file: path.to_owned(), cause })?;
        mapping.read_in_order();
        Ok(Self { path: path.to_owned(), mapping, format })
    }

    /// Its path, as given.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Which file this is, for JSON.
    pub(crate) fn source(&self) -> Source {
        let format = match self.format {
            Format::Mayfly => "mayfly",
            Format::Hprof => "hprof",
            Format::Insane => "insane",
            Format::InsaneBinary => "insane-binary",
        };
        Source { file: self.path.clone(), format, bytes: self.mapping.len() }
    }

    /// Its name without folders, for a heading.
    pub(crate) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Its format and its size, short.
    pub(crate) fn facts(&self) -> Vec<String> {
        let Source { format, bytes, .. } = self.source();
        vec![format.to_owned(), size(bytes as u64)]
    }

    /// What it is and how large, for people.
    pub(crate) fn described(&self) -> String {
        let Source { format, bytes, .. } = self.source();
        format!("{}, {}", format, counted(bytes as u64, "byte"))
    }

    /// All objects and references. Takes memory by the number of objects, not by the size of the file.
    ///
    /// # Errors
    /// [`QueryError::Refused`].
    pub(crate) fn graph(&self) -> Result<Graph, QueryError> {
        self.reading("reading the dump", |dump, at| dump.graph(at))
    }

    /// Objects and bytes by class; no graph is loaded.
    ///
    /// # Errors
    /// [`QueryError::Refused`].
    pub(crate) fn histogram(&self) -> Result<HeapSummary, QueryError> {
        let histogram = self.reading("counting objects", |dump, at| dump.histogram(at))?;
        Ok(class_rows::summary(&histogram))
    }

    /// Calls `visit` with each text of a string; no graph is loaded.
    ///
    /// # Errors
    /// [`QueryError::Refused`].
    pub(crate) fn strings(&self, mut visit: impl FnMut(Text<'_>)) -> Result<(), QueryError> {
        self.reading("reading strings", |dump, at| dump.strings(at, &mut visit))
    }

    /// Whether strings are told with their texts; INSANE's XML has texts of arrays of characters.
    pub(crate) fn names_strings(&self) -> bool {
        self.format != Format::Insane
    }

    /// Whether superclasses are told.
    pub(crate) fn tells_superclasses(&self) -> bool {
        matches!(self.format, Format::Mayfly | Format::Hprof)
    }

    /// Whether what fills gaps on the heap is told as arrays of `int`.
    pub(crate) fn tells_fillers_as_ints(&self) -> bool {
        self.format == Format::Hprof
    }

    /// Whether texts of strings, or of arrays of characters, can be in it.
    pub(crate) fn tells_texts(&self) -> bool {
        self.format != Format::InsaneBinary
    }

    /// Whether the interfaces of classes are told.
    pub(crate) fn tells_interfaces(&self) -> bool {
        self.format == Format::Mayfly
    }

    /// All of it in INSANE's grammar, piece by piece.
    ///
    /// # Errors
    /// What can't be read, and those of `sink`.
    pub(crate) fn write_xml<E: From<HeapError>>(
        &self,
        sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let progress = Progress::bytes("converting", self.mapping.len() as u64);
        Dump::open(&self.mapping)?.write_xml(&mut |done, of| progress.at(done, of), sink)
    }

    /// All of it in INSANE's binary form, piece by piece.
    ///
    /// # Errors
    /// What can't be read, or does not fit, and those of `sink`.
    pub(crate) fn write_sbih<E: From<HeapError>>(
        &self,
        sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let progress = Progress::bytes("converting", self.mapping.len() as u64);
        Dump::open(&self.mapping)?.write_sbih(&mut |done, of| progress.at(done, of), sink)
    }

    fn reading<'a, T>(
        &'a self,
        what: &str,
        read: impl FnOnce(Dump<'a>, &mut dyn FnMut(u64, u64)) -> Result<T, HeapError>,
    ) -> Result<T, QueryError> {
        let progress = Progress::bytes(what, self.mapping.len() as u64);
        let mut forgotten = 0;
        let mut at = |done: u64, of| {
            progress.at(done, of);
            if done.abs_diff(forgotten) >= KEPT {
                self.mapping.forget();
                forgotten = done;
            }
        };
        let read = Dump::open(&self.mapping).and_then(|dump| read(dump, &mut at));
        read.map_err(|cause| QueryError::Refused { file: self.path.clone(), cause })
    }
}

fn map(path: &Path) -> Result<Mapping, QueryError> {
    let unreadable = |source| QueryError::Unreadable { file: path.to_owned(), source };
    let mut file = File::open(path).map_err(unreadable)?;
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(unreadable(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")));
    }
    let unpacked = compressed::unpacked(&mut file).map_err(|failed| match failed {
        Failed::Packed { offset, source } => {
            QueryError::NotUnpacked { file: path.to_owned(), offset, source }
        }
        Failed::Unpacked(source) => QueryError::NoRoom { file: path.to_owned(), source },
    })?;
    Mapping::of(&unpacked.unwrap_or(file)).map_err(unreadable)
}
