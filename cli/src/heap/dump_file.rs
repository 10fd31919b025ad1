//! A dump of any format, mapped, not read in: what is asked decides what is loaded.
//!
//! Not here: the formats (`mayfly-heap`).

use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use mayfly_heap::dominators::{ClassRetained, Dominators, LoaderRetained};
use mayfly_heap::dump::{Facts, Written};
use mayfly_heap::hprof::{Values, lacks_virtual_stacks};
use mayfly_heap::paths::ShortestPaths;
use mayfly_heap::saved::{Damaged, Part, Saved, classes_part, histogram_part, loaders_part};
use mayfly_heap::{Dump, Filter, Format, Graph, HeapError, Referrers, Strength, Text};
use mayfly_profile::HeapSummary;
use mayfly_report::size;
use rustix::fs::OFlags;
use serde::Serialize;

use crate::heap::columns::counted;
use crate::heap::compressed::{self, Failed};
use crate::heap::error::QueryError;
use crate::heap::index_file::IndexFile;
use crate::heap::mapping::Mapping;
use crate::heap::progress::Progress;
use crate::heap::remarks;

/// Of a file that is read through, so much stays in memory.
const KEPT: u64 = 32 << 20;

/// A file that seems to be a dump: its beginning is one's.
#[derive(Debug)]
pub(crate) struct DumpFile {
    path: PathBuf,
    mapping: Mapping,
    format: Format,
    of_hprof: bool,
    /// If its heap was written for one question: whose.
    pid: Option<u32>,
    index: Option<IndexFile>,
}

/// Where an answer is from, for JSON.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Source {
    /// Of a running JVM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
    format: &'static str,
    bytes: usize,
}

impl DumpFile {
    /// Maps a file, or what is in it if gzip packed it, and looks at its first bytes.
    ///
    /// # Errors
    /// [`QueryError::Unreadable`], [`QueryError::NotUnpacked`], [`QueryError::NoRoom`], [`QueryError::Refused`].
    pub(crate) fn open(path: &Path) -> Result<Self, QueryError> {
        let file = open(path).map_err(|source| unreadable(path, source))?;
        Self::of(file, path).map(|(dump, _)| dump)
    }

    /// The same, with its index: what questions find is kept beside it. One that gzip packed has none.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn open_indexed(path: &Path) -> Result<Self, QueryError> {
        let file = open(path).map_err(|source| unreadable(path, source))?;
        let facts = file.metadata().map_err(|source| unreadable(path, source))?;
        let (mut dump, packed) = Self::of(file, path)?;
        dump.index = if packed { None } else { IndexFile::beside(path, &facts, &dump.mapping) };
        Ok(dump)
    }

    /// A file that a JVM's heap was just written to, for one question.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn of_jvm(pid: u32, file: File, path: &Path) -> Result<Self, QueryError> {
        Self::of(file, path).map(|(dump, _)| Self { pid: Some(pid), ..dump })
    }

    /// And whether it was packed.
    fn of(file: File, path: &Path) -> Result<(Self, bool), QueryError> {
        let (mapping, packed) = map(file, path)?;
        let opened = Dump::open(&mapping).map(|dump| (dump.format(), dump.is_of_hprof()));
        let (format, of_hprof) =
            opened.map_err(|cause| QueryError::Refused { file: path.to_owned(), cause })?;
        if let Ok(remarks) = Dump::open(&mapping).and_then(|dump| dump.remarks()) {
            remarks::print(path, &remarks);
        }
        mapping.read_in_order();
        Ok((Self { path: path.to_owned(), mapping, format, of_hprof, pid: None, index: None }, packed))
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
        let file = self.pid.is_none().then(|| self.path.clone());
        Source { pid: self.pid, file, format, bytes: self.mapping.len() }
    }

    /// Its name without folders, for a heading.
    pub(crate) fn name(&self) -> String {
        if let Some(pid) = self.pid {
            return format!("JVM {pid}");
        }
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
        let all = || self.reading("reading the dump", |dump, at| dump.graph(at));
        let graph = self.try_kept(Saved::graph, all, Graph::parts)?;
        if self.of_hprof && lacks_virtual_stacks(&graph) {
            remarks::print_virtual_threads(&self.name(), self.pid);
        }
        Ok(graph)
    }

    /// The values of fields that are no references, of objects by their ids; `None` of a dump that has none.
    ///
    /// # Errors
    /// [`QueryError::Refused`].
    pub(crate) fn values(&self, ids: &[u64]) -> Result<Option<Values>, QueryError> {
        self.reading("reading values", |dump, at| dump.values(ids, at))
    }

    /// What retains what, by strong and soft references. `graph` is all of the dump.
    pub(crate) fn dominators(&self, graph: &Graph) -> Dominators {
        self.kept(
            |saved| saved.dominators(graph),
            || {
                let _progress = Progress::work("finding what retains what");
                Dominators::new(graph, &Filter::new(graph, Strength::Soft))
            },
            |dominators| dominators.parts(),
        )
    }

    /// What classes retain.
    pub(crate) fn retained_by_class(&self, graph: &Graph, dominators: &Dominators) -> Vec<ClassRetained> {
        let found = || dominators.by_class(graph);
        self.kept(|saved| saved.retained_by_class(), found, |rows| vec![classes_part(rows)])
    }

    /// What class loaders retain.
    pub(crate) fn retained_by_loader(&self, graph: &Graph, dominators: &Dominators) -> Vec<LoaderRetained> {
        let found = || dominators.by_loader(graph);
        self.kept(|saved| saved.retained_by_loader(graph), found, |rows| vec![loaders_part(rows)])
    }

    /// Who refers to whom.
    pub(crate) fn referrers(&self, graph: &Graph) -> Referrers {
        self.kept(|saved| saved.referrers(graph), || Referrers::new(graph), Referrers::parts)
    }

    /// Shortest paths along strong references to all objects; none where they would not be kept: a walk to some is shorter.
    pub(crate) fn shortest_paths(&self, graph: &Graph) -> Option<ShortestPaths> {
        self.index.as_ref()?;
        let found = || ShortestPaths::new(graph);
        Some(self.kept(|saved| saved.paths(graph), found, ShortestPaths::parts))
    }

    /// What the index has, or else what is found now and added to it.
    fn kept<T>(
        &self,
        read: impl FnOnce(&Saved) -> Result<Option<T>, Damaged>,
        find: impl FnOnce() -> T,
        parts: impl FnOnce(&T) -> Vec<Part>,
    ) -> T {
        let Ok(found) = self.try_kept::<T, Infallible>(read, || Ok(find()), parts);
        found
    }

    /// The same, where it may not be found.
    fn try_kept<T, E>(
        &self,
        read: impl FnOnce(&Saved) -> Result<Option<T>, Damaged>,
        find: impl FnOnce() -> Result<T, E>,
        parts: impl FnOnce(&T) -> Vec<Part>,
    ) -> Result<T, E> {
        let Some(index) = &self.index else { return find() };
        if let Some(kept) = index.take(read) {
            return Ok(kept);
        }
        let found = find()?;
        index.add(&parts(&found));
        Ok(found)
    }

    /// Objects and bytes by class; no graph is loaded.
    ///
    /// # Errors
    /// [`QueryError::Refused`].
    pub(crate) fn histogram(&self) -> Result<HeapSummary, QueryError> {
        let counted = || self.reading("counting objects", |dump, at| dump.histogram(at));
        self.try_kept(Saved::histogram, counted, |summary| vec![histogram_part(summary)])
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
        self.of_hprof
    }

    /// Whether texts of strings, or of arrays of characters, can be in it.
    pub(crate) fn tells_texts(&self) -> bool {
        self.format != Format::InsaneBinary
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

    /// Whether the interfaces of classes are told.
    pub(crate) fn tells_interfaces(&self) -> bool {
        self.format == Format::Mayfly && !self.of_hprof
    }

    /// Whether it can be written as a dump of ours: hprof alone tells what that needs.
    pub(crate) fn can_be_packed(&self) -> bool {
        self.format == Format::Hprof
    }

    /// An hprof file as a dump of ours, piece by piece.
    ///
    /// # Errors
    /// What can't be read, and those of `sink`.
    pub(crate) fn write_packed<E: From<HeapError>>(
        &self,
        facts: &Facts,
        sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Written, E> {
        let progress = Progress::bytes("packing", self.mapping.len() as u64);
        let mut at = self.letting_go(&progress);
        mayfly_heap::hprof::pack(&self.mapping, facts, &mut at, sink)
    }

    /// Tells the progress, and lets go of what was read.
    fn letting_go<'a>(&'a self, progress: &'a Progress) -> impl FnMut(u64, u64) + 'a {
        let mut forgotten = 0;
        move |done, of| {
            progress.at(done, of);
            if done.abs_diff(forgotten) >= KEPT {
                self.mapping.forget();
                forgotten = done;
            }
        }
    }

    fn reading<'a, T>(
        &'a self,
        what: &str,
        read: impl FnOnce(Dump<'a>, &mut dyn FnMut(u64, u64)) -> Result<T, HeapError>,
    ) -> Result<T, QueryError> {
        let progress = Progress::bytes(what, self.mapping.len() as u64);
        let mut at = self.letting_go(&progress);
        let read = Dump::open(&self.mapping).and_then(|dump| read(dump, &mut at));
        read.map_err(|cause| QueryError::Refused { file: self.path.clone(), cause })
    }
}

/// A pipe is not waited for.
fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)
}

fn unreadable(path: &Path, source: io::Error) -> QueryError {
    QueryError::Unreadable { file: path.to_owned(), source }
}

/// The bytes of a dump, and whether gzip had packed them.
fn map(mut file: File, path: &Path) -> Result<(Mapping, bool), QueryError> {
    let unreadable = |source| unreadable(path, source);
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(unreadable(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")));
    }
    let unpacked = compressed::unpacked(&mut file).map_err(|failed| match failed {
        Failed::Foreign(cause) => QueryError::Refused { file: path.to_owned(), cause },
        Failed::Packed { offset, source } => {
            QueryError::NotUnpacked { file: path.to_owned(), offset, source }
        }
        Failed::Unpacked(source) => QueryError::NoRoom { file: path.to_owned(), source },
    })?;
    let packed = unpacked.is_some();
    Mapping::of(&unpacked.unwrap_or(file)).map(|mapping| (mapping, packed)).map_err(unreadable)
}
