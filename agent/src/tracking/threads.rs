//! Which pool the running thread is of, as the outermost frame of its stacks (`#threads`).
//!
//! A thread's name is read with its first stack, and again when it is older than a second: a thread that is renamed has its old name up to
//! then. Where virtual threads are mounted it is read for each stack. A thread may say by the API which pool it works for, until it says otherwise. Not here: which threads are of one pool (`mayfly_profile`).

use std::cell::Cell;
use std::sync::{Mutex, OnceLock, PoisonError};

use mayfly_jvmti::{Jni, JvmtiEnv, ThreadNames};
use mayfly_profile::{Frame, FrameId, VIRTUAL_THREADS, pool_of};
use mayfly_tracking::SiteTable;
use rustc_hash::FxHashMap;

use crate::target_jvm::release::{CARRIER_CLASS, VIRTUAL_THREAD_CLASSES};

/// A name is read again after so many milliseconds.
const KEPT_MS: u64 = 1_000;
/// When a name was read that is never read again.
const FOR_GOOD: u64 = u64::MAX - KEPT_MS;
/// Longest name of a pool that the program gives, in bytes.
const LONGEST: usize = 256;
/// Pools that are told apart: programs that give threads a name for each piece of work would fill the memory.
const MOST: usize = 1_000;
/// All others.
const OTHERS: &str = "(other threads)";

/// What is known of the running thread.
#[derive(Clone, Copy)]
struct Known {
    /// Of which session.
    shared: u64,
    frame: FrameId,
    /// When its name was read.
    at_ms: u64,
}

thread_local! {
    /// Needs no destructor: a thread's last Java may run after those.
    static KNOWN: Cell<Option<Known>> = const { Cell::new(None) };
}

/// The frames of pools seen so far.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    names: OnceLock<Option<ThreadNames>>,
    frames: Mutex<FxHashMap<String, FrameId>>,
}

impl Pools {
    /// The frame of the running thread's pool, in a session of this number at this time; `None` while the thread is being made.
    pub(super) fn of_this_thread(
        &self,
        jvmti: &JvmtiEnv,
        jni: Jni<'_>,
        sites: &SiteTable,
        shared: u64,
        now_ms: u64,
    ) -> Option<FrameId> {
        let is_fresh = |known: &Known| known.shared == shared && now_ms < known.at_ms + KEPT_MS;
        if let Some(known) = KNOWN.get().filter(is_fresh) {
            return Some(known.frame);
        }
        let (name, stays) = self.read(jvmti, jni)?;
        let frame = self.frame(sites, &name);
        KNOWN.set(stays.then_some(Known { shared, frame, at_ms: now_ms }));
        Some(frame)
    }

    /// From now on the running thread's stacks are of the pool of this name in a session of this number, whatever the thread is called;
    /// without a name, of the pool that the thread's own name says. False on a virtual thread and on a carrier, which are not alone here.
    pub(super) fn set_of_this_thread(
        &self,
        jvmti: &JvmtiEnv,
        jni: Jni<'_>,
        sites: &SiteTable,
        shared: u64,
        pool: Option<&str>,
    ) -> bool {
        let Some((_, true)) = self.read(jvmti, jni) else { return false };
        KNOWN.set(pool.map(|pool| Known {
            shared,
            frame: self.frame(sites, shortened(pool)),
            at_ms: FOR_GOOD,
        }));
        true
    }

    /// The frame of virtual threads without a name.
    pub(super) fn of_virtual_threads(&self, sites: &SiteTable) -> FrameId {
        self.frame(sites, VIRTUAL_THREADS)
    }

    /// The running thread's pool, and whether it is the only thread that runs here.
    fn read(&self, jvmti: &JvmtiEnv, jni: Jni<'_>) -> Option<(String, bool)> {
        let names = (*self.names.get_or_init(|| ThreadNames::find(jni)))?;
        let thread = jvmti.current_thread(jni)?;
        let name = names.of(jni, thread);
        let class = jni.class_of(thread.as_object());
        let class_name = jvmti.class_name(class).unwrap_or_default();
        jni.forget(class.as_object());
        jni.forget(thread.as_object());
        let is_virtual = VIRTUAL_THREAD_CLASSES.contains(&&*class_name);
        let pool = match name?.as_str() {
            "" if is_virtual => VIRTUAL_THREADS.to_owned(),
            name => pool_of(name),
        };
        Some((pool, !is_virtual && class_name != CARRIER_CLASS))
    }

    fn frame(&self, sites: &SiteTable, pool: &str) -> FrameId {
        let mut frames = self.frames.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = frames.get(pool) {
            return known;
        }
        let pool = if frames.len() < MOST { pool } else { OTHERS };
        let id = sites.frame_id(Frame::of_thread(pool));
        frames.insert(pool.to_owned(), id);
        id
    }
}

fn shortened(name: &str) -> &str {
    &name[..name.floor_char_boundary(LONGEST)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_between_characters() {
        let long = "ü".repeat(200);
        assert_eq!(shortened(&long), "ü".repeat(128));
        assert_eq!((shortened("stage 1"), shortened(&format!("x{long}")).len()), ("stage 1", 255));
    }

    #[test]
    fn pools_beyond_a_limit_are_one() {
        let (pools, sites) = (Pools::default(), SiteTable::new(0));
        let first = pools.frame(&sites, "pool-0");
        let others: Vec<_> = (1..2 * MOST).map(|at| pools.frame(&sites, &format!("pool-{at}"))).collect();
        assert_eq!(pools.frame(&sites, "pool-0"), first);
        let last = others.last().and_then(|&id| sites.frame(id)).and_then(Frame::thread);
        assert_eq!(last, Some(OTHERS));
        assert_eq!(sites.frames_since(0).count(), MOST + 1);
        assert!(pools.frames.lock().expect("no panic").len() <= MOST + 1);
    }
}
