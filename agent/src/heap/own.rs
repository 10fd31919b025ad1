//! Roots that are there only because we look: references of the walking thread's own calls.

use mayfly_jvmti::{HeapWalk, StackSlot};

/// Package of the Java API, through which a program asks.
const OWN_PACKAGE: &str = "io.mayfly.";
/// Frames of the API at most.
const DEEPEST: usize = 64;

/// What of the walking thread's stack is ours.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnRoots {
    thread: Option<i64>,
    /// So many innermost frames are of our Java API.
    frames: i32,
}

impl OwnRoots {
    pub(super) fn of(walk: &HeapWalk<'_>) -> Self {
        let stack = walk.own_stack(DEEPEST);
        let is_own = |method| walk.method(method).is_some_and(|(class, _)| class.starts_with(OWN_PACKAGE));
        let frames = stack.iter().take_while(|frame| is_own(frame.method)).count();
        Self { thread: walk.own_id(), frames: i32::try_from(frames).unwrap_or(0) }
    }

    /// Whether a local variable is one of our API's.
    pub(super) fn has_local(self, slot: &StackSlot) -> bool {
        self.thread == Some(slot.thread_id) && slot.depth < self.frames
    }

    /// Whether a JNI local reference is one of ours: the program's own native frames are further out.
    pub(super) fn has_jni_local(self, slot: &StackSlot) -> bool {
        self.thread == Some(slot.thread_id) && slot.depth <= self.frames.saturating_sub(1).max(0)
    }
}
