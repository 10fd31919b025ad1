//! The heap as it is at one moment, when somebody asks: a summary by class, or a dump of all objects.
//!
//! Each walk has a JVMTI environment of its own, and needs nothing of the profiling engine. What is asked for by the
//! options of the launch is in `occasions`; other askers call [`summary`] and [`dump`]. Everything of ours is native
//! memory of bounded size, so that it works in a heap that is full. Analysis is the reader's.

mod classes;
mod dump;
mod dump_file;
mod names;
mod occasions;
mod own;
mod snapshot;
mod summary;
mod summary_file;
mod teller;

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_jvmti::{HeapWalk, JvmtiError};

use crate::control;
use crate::engine::Engine;

pub(crate) use dump::{TEXT_LIMIT, dump_into};
pub(crate) use dump_file::dump;
pub(crate) use occasions::{announce, at_exhaustion, at_exit, listen, on_request};
pub(crate) use snapshot::{Asked, snapshot};
pub(crate) use summary::summary;

/// Whether the heap is collected before a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Twice, in full: what the first one made unreachable, by finalizers and references, goes with the second.
    CollectTwice,
    /// No.
    Nothing,
}

impl Before {
    pub(crate) fn collecting(collect: bool) -> Self {
        if collect { Self::CollectTwice } else { Self::Nothing }
    }
}

/// Why a walk came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HeapError {
    /// The JVM refused.
    #[error("the JVM does not let its heap be walked now ({0}); ask again when the program runs")]
    Jvm(#[from] JvmtiError),
    /// Where the dump goes takes no more.
    #[error("the heap dump can't be kept: {0}")]
    Sink(io::Error),
    /// The file can't be made or written.
    #[error(
        "cannot write {path} ({cause}): give a new file in a folder that the JVM's user may write to, with room for it"
    )]
    File {
        /// The file.
        path: String,
        /// Why.
        cause: io::Error,
    },
    /// More objects than a dump has numbers for.
    #[error("the heap holds more than 4294967295 objects, which is more than a dump can hold")]
    TooManyObjects,
}

/// Walks go one at a time: tags take native memory, and the pauses would only queue.
fn in_turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The collections that were asked for, known as forced to the session that profiles.
fn prepare(walk: &HeapWalk<'_>, before: Before) -> Result<(), HeapError> {
    if before == Before::CollectTwice {
        for _ in 0..2 {
            match Engine::get().filter(|engine| !engine.is_finished()) {
                Some(engine) => control::force_gc(engine),
                None => walk.collect()?,
            }
        }
    }
    Ok(())
}
