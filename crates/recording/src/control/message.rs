//! Requests and answers as values.
//!
//! Both sides may be of different releases; what one side does not know is named as such, with both versions
//! ([`Refusal::Unknown`], `ExchangeError::UnknownMessage`). Not here: their bytes (`contents`, `facts`).

use mayfly_profile::{EngineKind, HeapSummary, JvmInfo, Tracking};
use serde::{Deserialize, Serialize};

/// The version of this protocol: grows with every request or answer that is added.
pub const PROTOCOL_VERSION: u16 = 7;

/// The most bytes that [`Response::Recording`] carries at a time.
pub const CHUNK_BYTES: usize = 64 << 10;

/// Something asked of the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The profile so far, and each step from then on: [`Response::Recording`], a recording that grows, until the JVM ends:
    /// [`Response::Done`]. Several may watch at once. Steps that a client is too slow for are left out for it alone, and told
    /// again: its trust says how many.
    Watch,
    /// Begin to profile, where nothing profiles yet: [`Response::Done`].
    Start {
        /// As for `-agentpath`; the engine must be one that can begin in a running JVM.
        options: String,
        /// Ends by itself after so many milliseconds, should nobody ask for it.
        stop_after_ms: Option<u64>,
    },
    /// End profiling that somebody started: its recording is closed, its report is written: [`Response::Done`].
    Stop(StopMode),
    /// As [`Self::HeapDump`], collected and without texts, as one of a series: each object has the same id in all of them.
    HeapStep {
        /// As there.
        path: String,
        /// Any number, the same in the whole series. What an earlier one kept is forgotten.
        series: u64,
        /// For how long what tells objects apart is kept for the next one.
        keep_ms: u64,
    },
    /// The series of [`Self::HeapStep`] is at its end: [`Response::Done`].
    HeapForget,
    /// Collect the whole heap, and book what died: then it is known what is live: [`Response::Done`].
    Collect,
}

/// What a [`Request::Stop`] does beside the stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopMode {
    /// Nothing: rewritten classes keep their hooks, which are off.
    KeepHooks,
    /// Rewritten classes become what they were.
    Restore,
    /// They do, and the profile to its very end is answered: [`Response::Recording`] until [`Response::Done`].
    RestoreAndSend,
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
            Self::HeapStep { .. } | Self::HeapForget => "leaks",
            Self::Watch => "live",
            Self::Start { .. } => "start",
            Self::Stop(_) => "stop",
            Self::Collect => "record",
        }
    }
}

/// Something the agent answers.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    HeapSummary(HeapSummary),
    /// The file is written.
    HeapDump(HeapDumped),
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
    #[error("the agent could not read the request ({what}); use the mayfly of the same version as the agent")]
    Malformed {
        /// What does not hold.
        what: String,
    },
    /// The agent was loaded to look at the heap, and counts nothing.
    #[error(
        "the agent in this JVM does not profile; start profiling (mayfly start PID), or start the JVM with it: \
         mayfly run -- java …, or -agentpath:libmayfly.so=#…"
    )]
    NotProfiling,
    /// The JVM has not begun to run the program, or is about to end.
    #[error("the JVM is starting or ending; try again when it runs")]
    NotRunning,
    /// The JVM takes no thread of ours.
    #[error("the JVM can't start another thread, probably for lack of memory; try again when it has some")]
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

impl Loaded {
    /// In JSON, and in the MBean.
    pub fn name(self) -> &'static str {
        match self {
            Self::Launched => "launched",
            Self::LaunchedForHeap => "launched_for_heap",
            Self::Attached => "attached",
        }
    }
}

/// What an agent is and does. Its bytes are fields (`facts`).
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profiling {
    /// Whether it counts now; if not, it is paused.
    pub active: bool,
    /// What counts; `None`: an engine that this side does not know.
    pub engine: Option<EngineKind>,
    /// Which objects' deaths and stacks are followed; `None`: a way that this side does not know.
    pub tracking: Option<Tracking>,
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

impl Profiling {
    /// Whether it counts, in JSON and in the MBean.
    pub fn state(&self) -> &'static str {
        if self.active { "on" } else { "paused" }
    }
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
    /// How long the program was paused for the walk, collections not included, in milliseconds.
    pub paused_ms: u64,
}

/// Why an agent that was loaded into a running JVM did not stay: what its `Agent_OnAttach` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachRefusal {
    /// Not a JVM that the agent works in; the JVM's stderr says which it is.
    #[error("the agent works in HotSpot 11 or newer only")]
    UnsuitableJvm,
    /// Its options were not understood; the JVM's stderr says which.
    #[error("the agent did not understand its options")]
    Options,
    /// Another copy of the agent serves this JVM already.
    #[error("another copy of the agent is in this JVM already")]
    AlreadyLoaded,
    /// No socket could be made; the JVM's stderr says why.
    #[error(
        "the agent could make no socket, neither in /tmp nor in /dev/shm of the target: is a folder full, or read-only?"
    )]
    NoSocket,
    /// The system or the JVM refused what the agent needs; the JVM's stderr says what.
    #[error("the system or the JVM refused what the agent needs")]
    Resources,
}

impl AttachRefusal {
    const ALL: [Self; 5] =
        [Self::UnsuitableJvm, Self::Options, Self::AlreadyLoaded, Self::NoSocket, Self::Resources];
    /// Far from what JNI itself returns.
    const FIRST_CODE: i32 = 101;

    /// The number that the agent returns.
    pub fn code(self) -> i32 {
        Self::FIRST_CODE + self as i32
    }

    /// What a number that the agent returned means; `None` if it is none of ours.
    pub fn of_code(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|refusal| refusal.code() == code)
    }
}

/// Folders in which an agent's socket may be, as the target sees them, first choice first.
pub const SOCKET_FOLDERS: [&str; 2] = ["/tmp", "/dev/shm"];

/// The name of an agent's socket in one of [`SOCKET_FOLDERS`]. `pid`: the process as the target itself sees it.
pub fn socket_name(pid: u32) -> String {
    format!(".mayfly-{pid}.sock")
}
