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
    /// The stack that was named last, outermost first: the next one begins as it does, most often.
    last: Vec<(FrameId, StackIndex)>,
}

impl Dictionary {
    /// Names a frame.
    pub(crate) fn name_frame(&mut self, id: FrameId, frame: Frame) {
        if self.frames.index(id).is_some() {
            self.last.clear();
        }
        self.frames.set(id, frame.into());
    }

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
        let stack = self.stack(stack)?;
        self.sites.set(id, SiteKey { class, stack });
        Ok(())
    }

    fn stack(&mut self, frames: &[FrameId]) -> Result<StackIndex, ApplyError> {
        let outermost = frames.iter().rev();
        let known = self.last.iter().zip(outermost.clone()).take_while(|((known, _), frame)| known == *frame);
        self.last.truncate(known.count());
        let mut stack = self.last.last().map_or(StackIndex::NONE, |&(_, stack)| stack);
        for &frame in outermost.skip(self.last.len()) {
            let Some(row) = self.frames.index(frame) else { return Err(self.without_names(frames)) };
            stack = self.stacks.called(stack, FrameId::of_row(row));
            self.last.push((frame, stack));
        }
        Ok(stack)
    }

    fn without_names(&self, frames: &[FrameId]) -> ApplyError {
        let missing: Vec<_> = frames.iter().filter(|&&frame| self.frames.index(frame).is_none()).collect();
        unnamed("frames", missing.first().map_or(0, |first| first.0), missing.len())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_that_begin_alike_are_of_the_frames_as_they_are_named_then() {
        let mut names = Dictionary::default();
        let frame = |name: &str| Frame { class: name.into(), method: "m".into(), ..Frame::default() };
        let [inner, outer, other] = [FrameId(1), FrameId(2), FrameId(3)];
        names.classes.set(ClassId(0), "a.B".into());
        names.name_frame(inner, frame("Inner"));
        names.name_frame(outer, frame("Outer"));
        let mut site = 0;
        let mut named = |names: &mut Dictionary, stack: &[FrameId]| {
            site += 1;
            names.name_site(SiteId(site), ClassId(0), stack)?;
            let stack = names.stack_of(SiteId(site));
            Ok(stack.iter().map(|frame| frame.class.to_string()).collect::<Vec<_>>())
        };
        assert_eq!(named(&mut names, &[inner, outer]).unwrap(), ["Inner", "Outer"]);
        assert_eq!(named(&mut names, &[outer]).unwrap(), ["Outer"]);
        assert_eq!(named(&mut names, &[inner, inner, outer]).unwrap(), ["Inner", "Inner", "Outer"]);
        assert_eq!(named(&mut names, &[other, inner, other, outer]), Err(unnamed("frames", 3, 2)));
        names.name_frame(other, frame("Other"));
        assert_eq!(named(&mut names, &[other, outer]).unwrap(), ["Other", "Outer"]);
        // Another class of that id, as of a loader that came later.
        names.name_frame(outer, frame("Later"));
        assert_eq!(named(&mut names, &[inner, outer]).unwrap(), ["Inner", "Later"]);
        assert_eq!(named(&mut names, &[]).unwrap(), Vec::<String>::new());
    }
}
