//! What can be asked of an agent inside a running JVM, and what it answers.
//!
//! One connection carries one request and its answers. Not here: the bytes ([`exchange`]), the socket that carries
//! them (the agent's and the CLI's).
//!
//! Both sides may be of different releases. New requests and answers are added at the end of the enums and never change
//! afterwards; what one side does not know is named as such, with both versions ([`Refusal::Unknown`],
//! [`ExchangeError::UnknownMessage`]).

pub mod exchange;

use mayfly_profile::{JvmInfo, Tracking};
use serde::{Deserialize, Serialize};

pub use exchange::{ExchangeError, Incoming, Message, encode};

/// The version of this protocol: grows with every request or answer that is added.
pub const PROTOCOL_VERSION: u16 = 1;

/// The most bytes that [`Response::Recording`] carries at a time.
pub const CHUNK_BYTES: usize = 64 << 10;

/// Something asked of the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// How the agent was loaded, and whether it profiles: [`Response::Status`]. Never runs anything in the JVM.
    Status,
    /// Stop counting; data stays: [`Response::Done`].
    Pause,
    /// Count (again): [`Response::Done`].
    Resume,
    /// Set all counts to zero: [`Response::Done`].
    Reset,
    /// The profile so far: [`Response::Recording`] until [`Response::Done`].
    Snapshot,
    /// Objects and bytes on the heap, per class: [`Response::HeapSummary`].
    HeapSummary {
        /// Count unreachable objects too, instead of collecting twice before.
        all: bool,
    },
    /// Write the object graph into a new file: [`Response::HeapDump`].
    HeapDump {
        /// Absolute path as the target sees it. A file that is there already is refused, not replaced.
        path: String,
        /// Collect twice before, so that unreachable objects are left out.
        collect: bool,
        /// Write the text of strings, too.
        strings: bool,
    },
}

impl Request {
    /// As the command line spells it, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Reset => "reset",
            Self::Snapshot => "snapshot",
            Self::HeapSummary { .. } => "heap",
            Self::HeapDump { .. } => "heap dump",
        }
    }
}

/// Something the agent answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Response {
    /// It is done; after [`Self::Recording`]: there is no more.
    Done,
    /// It was not done.
    Refused(Refusal),
    /// What the agent is and does.
    Status(Box<Status>),
    /// The next bytes of a recording, at most [`CHUNK_BYTES`]; more answers follow.
    Recording(Vec<u8>),
    /// The objects on the heap.
    HeapSummary(HeapCounts),
    /// The file is written.
    HeapDump(HeapDumped),
}

impl Response {
    /// Whether no other answer follows.
    pub fn is_last(&self) -> bool {
        !matches!(self, Self::Recording(_))
    }
}

/// Why a request was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// The request was added after this agent was built.
    #[error(
        "the agent is older than this mayfly and does not know the request; restart the JVM with the agent of this mayfly"
    )]
    Unknown {
        /// The request's number.
        number: u32,
    },
    /// The bytes are no request.
    #[error("the agent could not read the request ({what}); use the mayfly that belongs to the agent")]
    Malformed {
        /// What does not hold.
        what: String,
    },
    /// The agent was loaded to look at the heap, and counts nothing.
    #[error(
        "the agent in this JVM does not profile; to profile, start the JVM with it: mayfly run -- java …, or \
         -agentpath:libmayfly.so=#…"
    )]
    NotProfiling,
    /// The JVM has not begun to run the program, or is about to end.
    #[error("the JVM is starting or ending; ask again when it runs")]
    NotRunning,
    /// The JVM takes no thread of ours.
    #[error("the JVM takes no further thread, probably for want of memory; ask again when it has some")]
    NoThread,
    /// It was tried, and failed.
    #[error("{why}")]
    Failed {
        /// What happened, to what, and what to do.
        why: String,
    },
}

/// How the agent came into the JVM, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loaded {
    /// From the start of the JVM, to profile.
    Launched,
    /// From the start of the JVM, to look at the heap when asked.
    LaunchedForHeap,
    /// Into the running JVM, to look at the heap when asked.
    Attached,
}

/// What an agent is and does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Mayfly's version, e.g. `0.1.0`.
    pub mayfly: String,
    /// How it was loaded.
    pub loaded: Loaded,
    /// Its options as given.
    pub options: String,
    /// The JVM; its pid as the JVM itself sees it.
    pub jvm: JvmInfo,
    /// Time since the agent was loaded, in milliseconds.
    pub loaded_for_ms: u64,
    /// `None` if it does not profile.
    pub profiling: Option<Profiling>,
}

/// What a profiling agent is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profiling {
    /// Whether it counts now; if not, it is paused.
    pub active: bool,
    /// Which objects' deaths and stacks are followed.
    pub tracking: Tracking,
    /// Whether lifetimes are followed.
    pub lifetimes: bool,
    /// Whether stacks are taken.
    pub stacks: bool,
    /// Time profiled since the start or the last reset, in milliseconds.
    pub duration_ms: u64,
    /// Collections seen.
    pub gcs: u32,
    /// How often all counts were set to zero.
    pub resets: u32,
    /// Native memory that the agent holds, in bytes, about.
    pub native_bytes: u64,
    /// Its recording, absolute as the target sees it, if it keeps one.
    pub recording: Option<String>,
}

/// Objects and bytes per class at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapCounts {
    /// Classes with objects, in no order; a name comes once per class loader.
    pub classes: Vec<HeapCount>,
}

/// Objects of one class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapCount {
    /// As `Class.getName()` gives it.
    pub class: String,
    /// How many.
    pub objects: u64,
    /// Their shallow sizes together.
    pub bytes: u64,
}

/// A heap dump that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapDumped {
    /// Objects in it.
    pub objects: u64,
    /// References in it.
    pub references: u64,
    /// Length of the file.
    pub file_bytes: u64,
    /// How long the program stood still for the walk, collections not included, in milliseconds.
    pub paused_ms: u64,
}
