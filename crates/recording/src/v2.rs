//! The second format, read and written: facts of a run are values, not an option string to be parsed.

use std::borrow::Cow;

use mayfly_profile::{
    BlameRules, BucketBounds, ClassFilter, EngineKind, Frame, JvmInfo, Progress, RunInfo, Tracking,
};
use serde::{Deserialize, Serialize};

/// One update as this format has it. Positional: nothing is added, taken away or moved without a new version.
#[derive(Serialize, Deserialize)]
enum Update<'a> {
    Start(Box<Run>),
    Class { id: u32, name: Cow<'a, str> },
    Frame { id: u32, frame: Cow<'a, Frame> },
    Site { id: u32, class: u32, stack: Cow<'a, [u32]> },
    Progress(Box<Cow<'a, Progress>>),
    Reset,
    End,
}

#[derive(Serialize, Deserialize)]
struct Run {
    jvm: JvmInfo,
    engine: Engine,
    options: String,
    started_unix_ms: u64,
    buckets: BucketBounds,
    tracking: Tracking,
    lifetimes: bool,
    stacks: bool,
    view: View,
}

#[derive(Serialize, Deserialize)]
enum Engine {
    Exact,
    Sampled,
}

#[derive(Serialize, Deserialize)]
struct View {
    include: Vec<String>,
    exclude: Vec<String>,
    exact_match: bool,
    min_bytes: u64,
    rows: Option<usize>,
    blame: bool,
    blame_ignore: Vec<String>,
    blame_target: Vec<String>,
    detailed_trace: bool,
}

/// The payload of an update.
pub(crate) fn encode(update: &mayfly_profile::Update) -> postcard::Result<Vec<u8>> {
    postcard::to_stdvec(&Update::from(update))
}

/// The update in a payload; `None` if it holds none, or more.
pub(crate) fn decode(payload: &[u8]) -> Option<mayfly_profile::Update> {
    match postcard::take_from_bytes::<Update<'_>>(payload) {
        Ok((update, [])) => Some(update.into()),
        _ => None,
    }
}

impl<'a> From<&'a mayfly_profile::Update> for Update<'a> {
    fn from(update: &'a mayfly_profile::Update) -> Self {
        use mayfly_profile::Update as Domain;
        match update {
            Domain::Start(run) => Self::Start(Box::new(Run::from((**run).clone()))),
            Domain::Class { id, name } => Self::Class { id: *id, name: name.into() },
            Domain::Frame { id, frame } => Self::Frame { id: *id, frame: Cow::Borrowed(frame) },
            Domain::Site { id, class, stack } => Self::Site { id: *id, class: *class, stack: stack.into() },
            Domain::Progress(progress) => Self::Progress(Box::new(Cow::Borrowed(progress))),
            Domain::Reset => Self::Reset,
            Domain::End => Self::End,
        }
    }
}

impl From<Update<'_>> for mayfly_profile::Update {
    fn from(update: Update<'_>) -> Self {
        match update {
            Update::Start(run) => Self::Start(Box::new((*run).into())),
            Update::Class { id, name } => Self::Class { id, name: name.into_owned() },
            Update::Frame { id, frame } => Self::Frame { id, frame: frame.into_owned() },
            Update::Site { id, class, stack } => Self::Site { id, class, stack: stack.into_owned() },
            Update::Progress(progress) => Self::Progress(Box::new(progress.into_owned())),
            Update::Reset => Self::Reset,
            Update::End => Self::End,
        }
    }
}

impl From<RunInfo> for Run {
    fn from(run: RunInfo) -> Self {
        Self {
            jvm: run.jvm,
            engine: run.engine.into(),
            options: run.options,
            started_unix_ms: run.started_unix_ms,
            buckets: run.buckets,
            tracking: run.tracking,
            lifetimes: run.lifetimes,
            stacks: run.stacks,
            view: run.view.into(),
        }
    }
}

impl From<Run> for RunInfo {
    fn from(run: Run) -> Self {
        Self {
            jvm: run.jvm,
            engine: run.engine.into(),
            options: run.options,
            started_unix_ms: run.started_unix_ms,
            buckets: run.buckets,
            tracking: run.tracking,
            lifetimes: run.lifetimes,
            stacks: run.stacks,
            view: run.view.into(),
        }
    }
}

impl From<EngineKind> for Engine {
    fn from(engine: EngineKind) -> Self {
        match engine {
            EngineKind::Exact => Self::Exact,
            EngineKind::Sampled => Self::Sampled,
        }
    }
}

impl From<Engine> for EngineKind {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Exact => Self::Exact,
            Engine::Sampled => Self::Sampled,
        }
    }
}

impl From<mayfly_profile::View> for View {
    fn from(view: mayfly_profile::View) -> Self {
        Self {
            include: view.classes.include,
            exclude: view.classes.exclude,
            exact_match: view.classes.exact_match,
            min_bytes: view.min_bytes,
            rows: view.rows,
            blame: view.blame,
            blame_ignore: view.rules.ignore,
            blame_target: view.rules.target,
            detailed_trace: view.detailed_trace,
        }
    }
}

impl From<View> for mayfly_profile::View {
    fn from(view: View) -> Self {
        Self {
            classes: ClassFilter {
                include: view.include,
                exclude: view.exclude,
                exact_match: view.exact_match,
            },
            min_bytes: view.min_bytes,
            rows: view.rows,
            blame: view.blame,
            rules: BlameRules { ignore: view.blame_ignore, target: view.blame_target },
            detailed_trace: view.detailed_trace,
        }
    }
}
