//! The third format, read and written: an update that is no step, in postcard encoding.
//!
//! Its shapes are written out here; serde makes them of the domain's values and back, and the compiler sees to it that both
//! have the same fields. Not here: steps, which grow (`sections`).

use mayfly_profile::{
    BlameRules, BucketBounds, ClassFilter, ClassId, EngineKind, Frame, FrameId, JvmInfo, RunInfo, Section,
    SiteId, Tracking,
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
    Reset,
    End,
    #[serde(skip)]
    Step(Vec<Section>),
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
