//! All names of a stream: of classes, frames and sites.
//!
//! Not here: what is counted under them (`kinds`).

use std::hash::Hash;
use std::sync::Arc;

use crate::facts::frame::Frame;
use crate::facts::ids::{ClassId, FrameId, SiteId};
use crate::facts::stack::{Stack, StackIndex, StackTree};
use crate::stream::names::Names;

/// Why an update could not be applied in full. What could be applied was; the builder stays usable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// Counts or sites refer to ids that were never named: their numbers are left out of the profile.
    #[error(
        "{count} {what} of the stream were never named (the first has id {first}): their counts are left out; \
         the start of the stream is missing or damaged"
    )]
    Unnamed {
        /// `classes`, `frames` or `sites`.
        what: &'static str,
        /// The first unnamed id.
        first: u32,
        /// How many ids this update uses without a name.
        count: usize,
    },
    /// A stream starts once: two were joined. The second start is ignored.
    #[error("the stream starts twice: two recordings were joined; read them one by one")]
    SecondStart,
    /// Something followed the end of the stream. It is ignored.
    #[error("an update follows the end of the stream and is ignored; two recordings were joined")]
    AfterEnd,
}

/// A site by the indexes of its class name and frames.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SiteKey {
    pub(crate) class: usize,
    pub(crate) stack: StackIndex,
}

/// Names by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    pub(crate) classes: Names<ClassId, String>,
    pub(crate) frames: Names<FrameId, Arc<Frame>>,
    /// Of indexes of frames, not of their ids.
    pub(crate) stacks: StackTree,
    pub(crate) sites: Names<SiteId, SiteKey>,
}

impl Dictionary {
    /// Names a site.
    ///
    /// # Errors
    /// Its class or its frames have no names.
    pub(crate) fn name_site(
        &mut self,
        id: SiteId,
        class: ClassId,
        stack: &[FrameId],
    ) -> Result<(), ApplyError> {
        let class = self.classes.index(class).ok_or(unnamed("classes", class.0, 1))?;
        let missing: Vec<_> = stack.iter().filter(|&&frame| self.frames.index(frame).is_none()).collect();
        if let Some(&&first) = missing.first() {
            return Err(unnamed("frames", first.0, missing.len()));
        }
        let frames = stack.iter().filter_map(|&frame| self.frames.index(frame).map(FrameId::of_row));
        let stack = self.stacks.index(&frames.collect::<Vec<_>>());
        self.sites.set(id, SiteKey { class, stack });
        Ok(())
    }

    /// The name of a class.
    pub(crate) fn class(&self, id: ClassId) -> Option<&String> {
        self.classes.value(self.classes.index(id)?)
    }

    /// The stack of a site; empty without names.
    pub(crate) fn stack_of(&self, site: SiteId) -> Stack {
        let key = self.sites.index(site).and_then(|index| self.sites.value(index));
        let frames = key.into_iter().flat_map(|key| self.stacks.frames(key.stack));
        frames.filter_map(|frame| self.frames.value(frame.row()).map(Arc::as_ref).cloned()).collect()
    }
}

/// Takes out rows of classes without a name. Without names nothing is judged.
pub(crate) fn keep_named_classes<T>(
    rows: &mut Vec<T>,
    names: Option<&Dictionary>,
    id: impl Fn(&T) -> ClassId,
) -> Result<(), ApplyError> {
    let unnamed_ids = names.and_then(|names| take_unnamed(rows, &names.classes, id));
    unnamed_ids.map_or(Ok(()), |(first, count)| Err(unnamed("classes", first.0, count)))
}

/// The same of sites.
pub(crate) fn keep_named_sites<T>(
    rows: &mut Vec<T>,
    names: Option<&Dictionary>,
    id: impl Fn(&T) -> SiteId,
) -> Result<(), ApplyError> {
    let unnamed_ids = names.and_then(|names| take_unnamed(rows, &names.sites, id));
    unnamed_ids.map_or(Ok(()), |(first, count)| Err(unnamed("sites", first.0, count)))
}

/// Takes out what has no name: the first id, and how many there are.
fn take_unnamed<T, I: Copy + Ord + Hash, N: Hash + Eq>(
    rows: &mut Vec<T>,
    names: &Names<I, N>,
    id: impl Fn(&T) -> I,
) -> Option<(I, usize)> {
    let (all, mut first) = (rows.len(), None);
    rows.retain(|one| {
        let is_named = names.index(id(one)).is_some();
        if !is_named {
            first.get_or_insert(id(one));
        }
        is_named
    });
    first.map(|first| (first, all - rows.len()))
}

fn unnamed(what: &'static str, first: u32, count: usize) -> ApplyError {
    ApplyError::Unnamed { what, first, count }
}
