//! Stacks. Those of a program are alike but for a few innermost frames, so they share their callers in memory: of 58,000
//! stacks of spark-sql, 64 frames deep, a sixteenth is left.
//!
//! Not here: how stacks are taken, which is the agent's; which frames are blamed (`blame`).

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::facts::frame::Frame;
use crate::facts::ids::FrameId;

/// The frames that led to an allocation, innermost first. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Stack(Option<Arc<Node>>);

/// A frame and what called it.
#[derive(Debug)]
struct Node {
    frame: Arc<Frame>,
    caller: Stack,
    /// Of both. Stacks are compared and looked up more often than made, and are up to thousands of frames deep.
    hash: u64,
}

impl Stack {
    /// The stack without frames.
    pub const NONE: Self = Self(None);

    /// Frames, innermost first.
    pub fn iter(&self) -> Frames<'_> {
        Frames(self)
    }

    /// Frames, outermost first.
    pub fn from_outermost(&self) -> impl Iterator<Item = &Frame> {
        let frames: Vec<_> = self.iter().collect();
        frames.into_iter().rev()
    }

    /// The innermost frame.
    pub fn first(&self) -> Option<&Frame> {
        self.0.as_ref().map(|node| &*node.frame)
    }

    /// Number of frames; all are visited.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether it has no frame: it is not known.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn called(&self, frame: Arc<Frame>) -> Self {
        let hash = FxBuildHasher.hash_one((&*frame, self.hash()));
        Self(Some(Arc::new(Node { frame, caller: self.clone(), hash })))
    }

    fn hash(&self) -> u64 {
        self.0.as_ref().map_or(0, |node| node.hash)
    }

    fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(node), Some(other)) => Arc::ptr_eq(node, other),
            (node, other) => node.is_none() && other.is_none(),
        }
    }
}

impl Drop for Node {
    /// One by one: a damaged recording may have a stack deeper than the thread's.
    fn drop(&mut self) {
        let mut next = self.caller.0.take();
        while let Some(mut node) = next.and_then(Arc::into_inner) {
            next = node.caller.0.take();
        }
    }
}

/// Frames of a [`Stack`], innermost first.
#[derive(Clone, Debug)]
pub struct Frames<'a>(&'a Stack);

impl<'a> Iterator for Frames<'a> {
    type Item = &'a Frame;

    fn next(&mut self) -> Option<&'a Frame> {
        let node = self.0.0.as_ref()?;
        self.0 = &node.caller;
        Some(&node.frame)
    }
}

impl<'a> IntoIterator for &'a Stack {
    type Item = &'a Frame;
    type IntoIter = Frames<'a>;

    fn into_iter(self) -> Frames<'a> {
        self.iter()
    }
}

impl FromIterator<Frame> for Stack {
    fn from_iter<I: IntoIterator<Item = Frame>>(frames: I) -> Self {
        let frames: Vec<_> = frames.into_iter().collect();
        frames.into_iter().rev().fold(Self::default(), |caller, frame| caller.called(frame.into()))
    }
}

impl From<Vec<Frame>> for Stack {
    fn from(frames: Vec<Frame>) -> Self {
        frames.into_iter().collect()
    }
}

impl PartialEq for Stack {
    fn eq(&self, other: &Self) -> bool {
        self.hash() == other.hash() && self.cmp(other).is_eq()
    }
}

impl Eq for Stack {}

impl PartialOrd for Stack {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stack {
    /// Frame by frame, as far as callers are not shared.
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut one, mut other) = (self, other);
        while !one.is_same(other) {
            let (Some(node), Some(with)) = (&one.0, &other.0) else {
                return one.0.is_some().cmp(&other.0.is_some());
            };
            if !Arc::ptr_eq(&node.frame, &with.frame) {
                let order = node.frame.cmp(&with.frame);
                if order.is_ne() {
                    return order;
                }
            }
            (one, other) = (&node.caller, &with.caller);
        }
        Ordering::Equal
    }
}

impl Hash for Stack {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash());
    }
}

/// Number of a stack in a [`StackTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StackIndex(u32);

impl StackIndex {
    /// The stack without frames.
    pub const NONE: Self = Self(u32::MAX);

    const fn row(self) -> usize {
        self.0 as usize
    }
}

/// Stacks of numbered frames, each once: a frame and the stack that called it.
#[derive(Clone, Debug, Default)]
pub struct StackTree(IndexSet<(FrameId, StackIndex), FxBuildHasher>);

impl StackTree {
    /// The stack of these frames, innermost first.
    pub fn index(&mut self, frames: &[FrameId]) -> StackIndex {
        frames.iter().rev().fold(StackIndex::NONE, |caller, &frame| self.called(caller, frame))
    }

    /// The stack of a frame and what called it.
    pub(crate) fn called(&mut self, caller: StackIndex, frame: FrameId) -> StackIndex {
        let (row, _) = self.0.insert_full((frame, caller));
        u32::try_from(row).map_or(StackIndex::NONE, StackIndex)
    }

    /// Its frames, innermost first.
    pub fn frames(&self, stack: StackIndex) -> impl Iterator<Item = FrameId> {
        let made_of = |stack: StackIndex| self.0.get_index(stack.row()).copied();
        std::iter::successors(made_of(stack), move |&(_, caller)| made_of(caller)).map(|(frame, _)| frame)
    }

    /// Number of stacks, callers of others included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none but that without frames.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Some of them with names, which `frame` knows; what is shared is taken from there.
    pub(crate) fn named(
        &self,
        wanted: impl Iterator<Item = StackIndex>,
        frame: impl Fn(FrameId) -> Arc<Frame>,
        shared: Option<&SharedStacks>,
    ) -> Vec<Stack> {
        let mut own = Known::default();
        let mut shared = shared.map(SharedStacks::lock);
        let known = shared.as_deref_mut().unwrap_or(&mut own);
        let mut frames: FxHashMap<FrameId, u32> = FxHashMap::default();
        let mut rows: Vec<u32> = Vec::with_capacity(self.len());
        for &(innermost, caller) in &self.0 {
            let innermost = *frames.entry(innermost).or_insert_with(|| known.frame(frame(innermost)));
            let caller = rows.get(caller.row()).copied();
            rows.push(known.called(caller, innermost));
        }
        wanted.map(|stack| rows.get(stack.row()).map_or(Stack::NONE, |&row| known.stack(row))).collect()
    }
}

/// Stacks of several profiles, of threads that read them: those that are equal are the same, so it takes no time to see it.
#[derive(Debug, Default)]
pub struct SharedStacks(Mutex<Known>);

/// Frames, and stacks by the rows of their innermost frame and of their caller.
#[derive(Debug, Default)]
struct Known {
    frames: IndexSet<Arc<Frame>, FxBuildHasher>,
    stacks: IndexMap<(u32, u32), Stack, FxBuildHasher>,
}

impl SharedStacks {
    fn lock(&self) -> MutexGuard<'_, Known> {
        // What is known is whole at any time.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// The row of a frame.
    fn frame(&mut self, frame: Arc<Frame>) -> u32 {
        row(self.frames.insert_full(frame).0)
    }

    /// The row of a stack, by those of its caller and its innermost frame.
    fn called(&mut self, caller: Option<u32>, innermost: u32) -> u32 {
        let key = (innermost, caller.unwrap_or(u32::MAX));
        if let Some(known) = self.stacks.get_index_of(&key) {
            return row(known);
        }
        let by = caller.map_or(Stack::NONE, |caller| self.stack(caller));
        let frame = &self.frames[innermost as usize];
        row(self.stacks.insert_full(key, by.called(frame.clone())).0)
    }

    fn stack(&self, row: u32) -> Stack {
        self.stacks.get_index(row as usize).map_or(Stack::NONE, |(_, stack)| stack.clone())
    }
}

/// Of a table whose rows all fit in memory with their names.
fn row(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn frame(number: u32) -> Frame {
        Frame { class: format!("a.C{number}").into(), method: "m".into(), ..Frame::default() }
    }

    fn numbers() -> impl Strategy<Value = Vec<Vec<u32>>> {
        prop::collection::vec(prop::collection::vec(0..3u32, 0..6), 0..20)
    }

    proptest! {
        #[test]
        fn stacks_compare_as_their_frames_do(all in numbers(), share in any::<bool>()) {
            let mut tree = StackTree::default();
            let ids = |frames: &Vec<u32>| frames.iter().copied().map(FrameId).collect::<Vec<_>>();
            let indexes: Vec<_> = all.iter().map(|frames| tree.index(&ids(frames))).collect();
            let shared = SharedStacks::default();
            let wanted = || indexes.iter().copied();
            tree.named(wanted(), |id| frame(id.0).into(), Some(&shared));
            let stacks = tree.named(wanted(), |id| frame(id.0).into(), share.then_some(&shared));
            for (one, frames) in stacks.iter().zip(&all) {
                let plain: Vec<_> = frames.iter().map(|&number| frame(number)).collect();
                prop_assert_eq!(one.iter().collect::<Vec<_>>(), plain.iter().collect::<Vec<_>>());
                prop_assert!(one.from_outermost().eq(plain.iter().rev()));
                prop_assert_eq!(one, &Stack::from(plain.clone()));
                for (other, with) in stacks.iter().zip(&all) {
                    let with: Vec<_> = with.iter().map(|&number| frame(number)).collect();
                    prop_assert_eq!(one.cmp(other), plain.cmp(&with));
                }
            }
            for (&index, frames) in indexes.iter().zip(&all) {
                prop_assert_eq!(tree.frames(index).collect::<Vec<_>>(), ids(frames));
            }
            let apart: HashSet<Stack> = stacks.iter().map(|stack| stack.iter().cloned().collect()).collect();
            prop_assert_eq!(stacks.iter().collect::<HashSet<_>>().len(), apart.len());
            prop_assert_eq!(indexes.iter().collect::<HashSet<_>>().len(), apart.len());
        }
    }

    #[test]
    fn a_stack_deeper_than_the_threads_is_dropped() {
        let deep: Stack = (0..1_000_000).map(|_| Frame::default()).collect();
        assert_eq!(deep.len(), 1_000_000);
        let shared = deep.clone();
        drop(deep);
        assert_eq!(shared.iter().count(), 1_000_000);
    }

    #[test]
    fn callers_are_shared() {
        let mut tree = StackTree::default();
        for leaf in 0..1000 {
            let stack: Vec<_> = [100 + leaf].into_iter().chain(0..64).map(FrameId).collect();
            tree.index(&stack);
        }
        assert_eq!(tree.len(), 64 + 1000);
    }
}
