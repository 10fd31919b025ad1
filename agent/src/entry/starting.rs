//! Profiling that begins while the JVM runs: on a request or with the options of an attach.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mayfly_jvmti::Jni;

use super::loaded;
use crate::engine::{Engine, Leaving};
use crate::exact::{AttachError, Exact};
use crate::options::{Live, Options};
use crate::output::Output;
use crate::plan::{Counting, Plan};
use crate::sampled::Sampled;
use crate::steering::{self, Begun, Profiler};
use crate::target_jvm::Target;
use crate::tracking::Shared;

/// One at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Why it does not begin.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotStarted {
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Exact(#[from] AttachError),
}

impl NotStarted {
    /// Whether it may be otherwise as soon as the JVM has done loading the agent.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Self::Exact(error) if error.may_pass())
    }
}

/// As [`try_start`]; in words for who asked.
pub(super) fn start(
    target: &'static Target,
    text: &str,
    stop_after: Option<Duration>,
    jni: Jni<'_>,
) -> Result<(), String> {
    try_start(target, text, stop_after, jni).map_err(|error| error.to_string())
}

/// Begins; ends by itself after `stop_after`, if that is given.
///
/// # Errors
/// It profiles already, options that can't be had here, or something of the JVM can't be had.
pub(super) fn try_start(
    target: &'static Target,
    text: &str,
    stop_after: Option<Duration>,
    jni: Jni<'_>,
) -> Result<(), NotStarted> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(profiler) = Profiler::get() {
        return Err(NotStarted::Refused(already(&profiler)));
    }
    let options = options(text).map_err(NotStarted::Refused)?;
    let shared = Arc::new(Shared::new(Plan::of(&options)));
    let engine = engine(target, &shared, jni)?;
    let output = Output::open(&options, &shared.plan).map_err(|error| {
        engine.end(jni, Leaving::Nothing);
        NotStarted::Refused(error.to_string())
    })?;
    let begun = Begun::Attached { options: text.to_owned(), stop_after };
    let profiler = Profiler::set(Profiler::new(target, options, shared, engine, output, begun));
    steering::begin(&profiler, jni);
    Ok(())
}

/// The engine that is asked for, ready to begin.
fn engine(
    target: &'static Target,
    shared: &Arc<Shared>,
    jni: Jni<'_>,
) -> Result<Arc<dyn Engine>, NotStarted> {
    if shared.plan.counting == Counting::Samples {
        let sampled = Sampled::new(target, Arc::clone(shared));
        return Ok(Arc::new(sampled.map_err(|error| NotStarted::Refused(error.to_string()))?));
    }
    // The class hook has to find it.
    let exact =
        loaded::keep_attached(Exact::attached(target, Arc::clone(shared), jni, loaded::forget_attached)?);
    exact.rewrite_loaded(jni).inspect_err(|_| exact.end(jni, Leaving::Nothing))?;
    Ok(exact)
}

fn already(profiler: &Profiler) -> String {
    if profiler.is_finished() {
        return "profiling was switched off by an internal error, written to the JVM's stderr".into();
    }
    let what = match profiler.can_be_stopped() {
        true => "stop it first (mayfly stop), or take a snapshot of it",
        false => "it counts exactly, from the launch on: take a snapshot of that",
    };
    format!("it profiles already, with options {:?}: {what}", profiler.option_text())
}

/// Nothing is written to the program's stderr that nobody there asked for.
fn options(text: &str) -> Result<Options, String> {
    let options = Options::parse(text).map_err(|error| error.to_string())?;
    let live = if options.live == Live::Auto { Live::Off } else { options.live };
    Ok(Options { console: false, live, ..options })
}
