//! Roots that are there only because we look: references of the walking thread's own calls.

use mayfly_jvmti::{HeapWalk, StackSlot};
use rustc_hash::{FxHashMap, FxHashSet};

/// Package of the Java API, through which a program asks.
const OWN_PACKAGE: &str = "io.mayfly.";
/// Frames of the API at most.
const DEEPEST: usize = 64;

/// What of the walking thread's stack is ours, or belongs to the question.
#[derive(Debug, Default)]
pub(super) struct OwnRoots {
    thread: Option<i64>,
    /// So many innermost frames are of our Java API.
    frames: i32,
    /// Tags of objects that the program asks about while it has them in hand.
    targets: FxHashSet<i64>,
    /// Local variables that have them, by tag.
    pub(super) in_hand: FxHashMap<i64, StackSlot>,
    /// Whether what only our own frames hold is encoded all the same: it is part of the question.
    pub(super) encoded: bool,
}

impl OwnRoots {
    pub(super) fn of(walk: &HeapWalk<'_>) -> Self {
        let stack = walk.own_stack(DEEPEST);
        let is_own = |method| walk.method(method).is_some_and(|(class, _)| class.starts_with(OWN_PACKAGE));
        let frames = stack.iter().take_while(|frame| is_own(frame.method)).count();
        Self {
            thread: walk.own_id(),
            frames: i32::try_from(frames).unwrap_or(0),
            targets: FxHashSet::default(),
            in_hand: FxHashMap::default(),
            encoded: false,
        }
    }

    /// The walk is for a question about the objects of these tags.
    pub(super) fn ask(&mut self, in_hand: bool, tags: impl Iterator<Item = i64>) {
        self.encoded = true;
        if in_hand {
            self.targets = tags.collect();
        }
    }

    /// Whether a local variable has what is asked about: that it does is no news to the one who asks.
    pub(super) fn has_in_hand(&mut self, slot: &StackSlot, tag: i64) -> bool {
        let in_hand = self.thread == Some(slot.thread_id) && self.targets.contains(&tag);
        if in_hand {
            self.in_hand.entry(tag).or_insert(*slot);
        }
        in_hand
    }

    /// Whether a local variable is one of our API's.
    pub(super) fn has_local(&self, slot: &StackSlot) -> bool {
        self.thread == Some(slot.thread_id) && slot.depth < self.frames
    }

    /// Whether a JNI local reference is one of ours: the program's own native frames are further out.
    pub(super) fn has_jni_local(&self, slot: &StackSlot) -> bool {
        self.thread == Some(slot.thread_id) && slot.depth <= self.frames.saturating_sub(1).max(0)
    }
}
