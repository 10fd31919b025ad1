//! Where on a stack a root is, in words.

use mayfly_heap::RootKind;
use serde::Serialize;

/// Where on a stack a reference is, as far as the dump tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct StackPosition {
    /// Name of the thread.
    pub(crate) thread: Option<Box<str>>,
    /// `Class.method`.
    pub(crate) method: Option<Box<str>>,
    /// Slot of the local variable.
    pub(crate) slot: Option<i32>,
}

/// Where a root is; empty if it is on no stack.
pub(crate) fn stack_position(kind: &RootKind) -> StackPosition {
    match kind {
        RootKind::JniLocal(frame) | RootKind::StackLocal(frame) => StackPosition {
            thread: frame.thread.clone(),
            method: frame.method.clone(),
            slot: frame.slot.filter(|&slot| slot >= 0),
        },
        _ => StackPosition::default(),
    }
}

impl StackPosition {
    /// `  (thread main, a.B.run, slot 2)`, or nothing.
    pub(crate) fn text(&self) -> String {
        let thread = self.thread.as_ref().map(|thread| format!("thread {thread}"));
        let method = self.method.as_deref().map(str::to_owned);
        let slot = self.slot.map(|slot| format!("slot {slot}"));
        let told: Vec<_> = [thread, method, slot].into_iter().flatten().collect();
        if told.is_empty() { String::new() } else { format!("  ({})", told.join(", ")) }
    }
}
