//! The first format, read only: a run told how it was set up by its option string.

mod options;

use mayfly_profile::{
    BucketBounds, ClassId, EngineKind, Frame, FrameId, JvmInfo, Progress, RunInfo, SiteId, Tracking,
};
use serde::{Deserialize, Deserializer};

/// One update as this format has it; what `mayfly-profile` holds has not changed since, but for the run.
#[derive(Deserialize)]
#[serde(remote = "mayfly_profile::Update")]
enum Update {
    Start(#[serde(deserialize_with = "read_run")] Box<RunInfo>),
    Class { id: ClassId, name: String },
    Frame { id: FrameId, frame: Frame },
    Site { id: SiteId, class: ClassId, stack: Vec<FrameId> },
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

#[derive(Deserialize)]
struct Incoming(#[serde(deserialize_with = "Update::deserialize")] mayfly_profile::Update);

/// The update in a payload; `None` if it holds none, or more.
pub(crate) fn decode(payload: &[u8]) -> Option<mayfly_profile::Update> {
    match postcard::take_from_bytes::<Incoming>(payload) {
        Ok((Incoming(update), [])) => Some(update),
        _ => None,
    }
}

fn read_run<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<RunInfo>, D::Error> {
    Run::deserialize(deserializer).map(|run| Box::new(run.into()))
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
