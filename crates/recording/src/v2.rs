//! The second format, read and written: facts of a run are values, not an option string to be parsed.
//!
//! Its shapes are written out here; serde makes them of the domain's values and back, and the compiler sees to it that both
//! have the same fields.

use mayfly_profile::{
    BlameRules, BucketBounds, CensusCounts, ClassFilter, ClassId, Collection, EngineKind, FateCounts, Flag,
    Frame, FrameId, JvmInfo, Labels, LiveCounts, Progress, RunInfo, ScopeCounts, Share, SiteId, Source,
    Tracking,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One update as this format has it. Positional: nothing is added, taken away or moved without a new version.
#[derive(Serialize, Deserialize)]
#[serde(remote = "mayfly_profile::Update")]
enum Update {
    Start(#[serde(serialize_with = "write_run", deserialize_with = "read_run")] Box<RunInfo>),
    Class {
        id: ClassId,
        name: String,
    },
    Frame {
        id: FrameId,
        frame: Frame,
    },
    Site {
        id: SiteId,
        class: ClassId,
        stack: Vec<FrameId>,
    },
    Progress(Box<Progress>),
    Reset,
    End,
    // In frame kinds of their own, which earlier readers skip.
    #[serde(skip)]
    Fates(Box<FateCounts>),
    #[serde(skip)]
    Shares(Vec<(ClassId, Share)>),
    #[serde(skip)]
    Live(LiveCounts),
    #[serde(skip)]
    Scopes(Vec<ScopeCounts>),
    #[serde(skip)]
    Operations(u64),
    #[serde(skip)]
    Collections(Vec<Collection>),
    #[serde(skip)]
    Flags(Vec<Flag>),
    #[serde(skip)]
    Labels(Labels),
    #[serde(skip)]
    Sources(Vec<Source>),
    #[serde(skip)]
    Census(Box<CensusCounts>),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "RunInfo")]
struct Run {
    jvm: JvmInfo,
    #[serde(with = "Engine")]
    engine: EngineKind,
    options: String,
    started_unix_ms: u64,
    buckets: BucketBounds,
    tracking: Tracking,
    lifetimes: bool,
    stacks: bool,
    #[serde(with = "View")]
    view: mayfly_profile::View,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "EngineKind")]
enum Engine {
    Exact,
    Sampled,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "mayfly_profile::View")]
struct View {
    #[serde(with = "Classes")]
    classes: ClassFilter,
    min_bytes: u64,
    rows: Option<usize>,
    blame: bool,
    #[serde(with = "Rules")]
    rules: BlameRules,
    detailed_trace: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ClassFilter")]
struct Classes {
    include: Vec<String>,
    exclude: Vec<String>,
    exact_match: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "BlameRules")]
struct Rules {
    ignore: Vec<String>,
    target: Vec<String>,
}

#[derive(Serialize)]
struct Outgoing<'a>(#[serde(serialize_with = "Update::serialize")] &'a mayfly_profile::Update);

#[derive(Deserialize)]
struct Incoming(#[serde(deserialize_with = "Update::deserialize")] mayfly_profile::Update);

/// The payload of an update.
pub(crate) fn encode(update: &mayfly_profile::Update) -> postcard::Result<Vec<u8>> {
    postcard::to_stdvec(&Outgoing(update))
}

/// The update in a payload; `None` if it holds none, or more.
pub(crate) fn decode(payload: &[u8]) -> Option<mayfly_profile::Update> {
    match postcard::take_from_bytes::<Incoming>(payload) {
        Ok((Incoming(update), [])) => Some(update),
        _ => None,
    }
}

fn write_run<S: Serializer>(run: &RunInfo, serializer: S) -> Result<S::Ok, S::Error> {
    Run::serialize(run, serializer)
}

fn read_run<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<RunInfo>, D::Error> {
    Run::deserialize(deserializer).map(Box::new)
}
