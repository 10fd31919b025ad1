//! A heap dump of any format that is known, told by its first bytes.
//!
//! Not here: mapping the file; what is asked of the graph.

use rustc_hash::FxHashMap;

use crate::compat::{sbih, xml};
use crate::edge::{Edge, EdgeName};
use crate::error::HeapError;
use crate::graph::Graph;
use crate::hprof::{Remarks, Values};
use crate::index::ObjectIndex;
use crate::progress::Progress;
use crate::text::Text;
use crate::{dump, hprof};
use mayfly_counts::HeapSummary;

/// Who wrote a heap dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Mayfly ([`crate::dump`]).
    Mayfly,
    /// The JVM ([`crate::hprof`]).
    Hprof,
    /// INSANE, or Mayfly in INSANE's grammar ([`crate::compat::xml`]).
    Insane,
    /// The same in INSANE's binary form ([`crate::compat::sbih`]).
    InsaneBinary,
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
            bytes if bytes.starts_with(sbih::MAGIC) => Format::InsaneBinary,
            bytes if begins_as_xml(bytes) => Format::Insane,
            _ => return Err(HeapError::Foreign),
        };
        Ok(Self { format, bytes })
    }

    /// Who wrote it.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether it holds what hprof files tell, and no more: it is one, or was packed from one ([`hprof::pack`]).
    pub fn is_of_hprof(&self) -> bool {
        match self.format {
            Format::Hprof => true,
            Format::Mayfly => dump::is_packed(self.bytes),
            Format::Insane | Format::InsaneBinary => false,
        }
    }

    /// What it does not hold in full; nothing of dumps that no JVM wrote.
    ///
    /// # Errors
    /// As for [`Self::graph`].
    pub fn remarks(&self) -> Result<Remarks, HeapError> {
        match self.format {
            Format::Hprof => hprof::remarks(self.bytes),
            _ => Ok(Remarks::default()),
        }
    }

    /// The values of fields that are no references, of some objects by their ids; `None` of dumps that no JVM wrote, which have none.
    ///
    /// # Errors
    /// As for [`Self::graph`].
    pub fn values(&self, ids: &[u64], progress: Progress<'_>) -> Result<Option<Values>, HeapError> {
        match self.format {
            Format::Hprof => hprof::values(self.bytes, ids, progress).map(Some),
            _ => Ok(None),
        }
    }

    /// All of it, as a graph.
    ///
    /// # Errors
    /// It is cut off, damaged, of another version, or holds more than a graph can.
    pub fn graph(&self, progress: Progress<'_>) -> Result<Graph, HeapError> {
        match self.format {
            Format::Mayfly => Ok(dump::read(self.bytes, progress)?.1),
            Format::Hprof => hprof::read(self.bytes, progress),
            Format::Insane => xml::read(self.bytes, progress),
            Format::InsaneBinary => sbih::read(self.bytes, progress),
        }
    }

    /// Objects and bytes by class, without loading the graph.
    ///
    /// # Errors
    /// As for [`Self::graph`].
    pub fn histogram(&self, progress: Progress<'_>) -> Result<HeapSummary, HeapError> {
        match self.format {
            Format::Mayfly => dump::histogram(self.bytes, progress),
            Format::Hprof => Ok(hprof::histogram(self.bytes, progress)?.0),
            Format::Insane => xml::histogram(self.bytes, progress),
            Format::InsaneBinary => sbih::histogram(self.bytes, progress),
        }
    }

    /// Calls `visit` for each `java.lang.String` whose text is in the dump, without loading the graph. INSANE's dumps have no
    /// strings: there it is each array of characters. Their binary form has no texts.
    ///
    /// # Errors
    /// As for [`Self::graph`].
    pub fn strings(&self, progress: Progress<'_>, visit: &mut dyn FnMut(Text<'a>)) -> Result<(), HeapError> {
        match self.format {
            Format::Mayfly => dump::visit_texts(self.bytes, progress, visit),
            Format::Hprof => hprof::visit_texts(self.bytes, progress, visit),
            Format::Insane => xml::visit_texts(self.bytes, progress, visit),
            // There are none in it, but it may be damaged.
            Format::InsaneBinary => sbih::histogram(self.bytes, progress).map(drop),
        }
    }

    /// Writes all of it in INSANE's grammar, with the texts of strings where it has them ([`xml::write`]).
    ///
    /// # Errors
    /// As for [`Self::graph`], and those of `sink`.
    pub fn write_xml<E: From<HeapError>>(
        &self,
        progress: Progress<'_>,
        sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let graph = self.graph(progress)?;
        let arrays = self.text_arrays(&graph);
        let mut texts = Vec::new();
        self.strings(progress, &mut |text| {
            texts.extend(arrays.get(&text.id).map(|array| (*array, text)));
        })?;
        texts.sort_unstable_by_key(|(array, _)| *array);
        xml::write(&graph, &texts, sink)
    }

    /// Writes all of it in INSANE's binary form, without texts ([`sbih::write`]).
    ///
    /// # Errors
    /// As for [`Self::graph`]; [`HeapError::Unfit`]; those of `sink`.
    pub fn write_sbih<E: From<HeapError>>(
        &self,
        progress: Progress<'_>,
        sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        sbih::write(&self.graph(progress)?, sink)
    }

    /// Which array holds the text of what [`Self::strings`] names: `String.value`, or the array itself.
    fn text_arrays(&self, graph: &Graph) -> FxHashMap<u64, ObjectIndex> {
        let strings: Vec<bool> =
            graph.classes().map(|(_, class)| &*class.name == "java.lang.String").collect();
        let array = |object: ObjectIndex| match self.format {
            Format::Insane => Some(object),
            _ if !strings[graph.class_of(object).0 as usize] => None,
            _ => graph.edges(object).find(is_value).map(|edge| edge.to),
        };
        graph.objects().filter_map(|object| Some((graph.id(object), array(object)?))).collect()
    }
}

/// Whether a reference is that of a string to its text.
fn is_value(edge: &Edge<'_>) -> bool {
    matches!(edge.name, EdgeName::Field { name, .. } if &**name == "value")
}

/// INSANE's files begin with their first element; others may have a declaration before it.
fn begins_as_xml(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    text.starts_with(xml::START) || text.starts_with(b"<?xml")
}
