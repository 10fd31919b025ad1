//! The first format, read only: a run told how it was set up by its option string.

mod options;

use mayfly_profile::{BucketBounds, EngineKind, Frame, JvmInfo, Progress, RunInfo, Tracking};
use serde::Deserialize;

/// One update as this format has it; what `mayfly-profile` holds has not changed since, but for the run.
#[derive(Deserialize)]
enum Update {
    Start(Run),
    Class { id: u32, name: String },
    Frame { id: u32, frame: Frame },
    Site { id: u32, class: u32, stack: Vec<u32> },
    Progress(Box<Progress>),
    Reset,
    End,
}

#[derive(Deserialize)]
struct Run {
    jvm: JvmInfo,
    engine: String,
    options: String,
    started_unix_ms: u64,
    buckets: BucketBounds,
    tracking: Tracking,
    lifetimes: bool,
    stacks: bool,
}

/// The update in a payload; `None` if it holds none, or more.
pub(crate) fn decode(payload: &[u8]) -> Option<mayfly_profile::Update> {
    match postcard::take_from_bytes::<Update>(payload) {
        Ok((update, [])) => Some(update.into()),
        _ => None,
    }
}

impl From<Update> for mayfly_profile::Update {
    fn from(update: Update) -> Self {
        match update {
            Update::Start(run) => Self::Start(Box::new(run.into())),
            Update::Class { id, name } => Self::Class { id, name },
            Update::Frame { id, frame } => Self::Frame { id, frame },
            Update::Site { id, class, stack } => Self::Site { id, class, stack },
            Update::Progress(progress) => Self::Progress(progress),
            Update::Reset => Self::Reset,
            Update::End => Self::End,
        }
    }
}

impl From<Run> for RunInfo {
    fn from(run: Run) -> Self {
        Self {
            jvm: run.jvm,
            engine: if run.engine == "sampled" { EngineKind::Sampled } else { EngineKind::Exact },
            view: options::view(&run.options),
            options: run.options,
            started_unix_ms: run.started_unix_ms,
            buckets: run.buckets,
            tracking: run.tracking,
            lifetimes: run.lifetimes,
            stacks: run.stacks,
        }
    }
}
