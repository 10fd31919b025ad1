//! Profiling that begins while the JVM runs: by the sampled engine, on a request or with the options of an attach.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mayfly_jvmti::Jni;
use mayfly_profile::EngineKind;

use crate::engine::Engine;
use crate::options::{Live, Options};
use crate::output::Output;
use crate::sampled::Sampled;
use crate::steering::{self, Begun, Profiler};
use crate::target::Target;
use crate::tracking::Population;

/// One at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Begins; ends by itself after `stop_after`, if that is given.
///
/// # Errors
/// In words, for who asked: it profiles already, options that can't be had here, or another agent has the JVM's sampler.
pub(super) fn start(
    target: &'static Target,
    text: &str,
    stop_after: Option<Duration>,
    jni: Jni<'_>,
) -> Result<(), String> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(profiler) = Profiler::get() {
        return Err(already(&profiler));
    }
    let options = options(text)?;
    let population = Arc::new(Population::new(options));
    let sampled = Sampled::new(target, Arc::clone(&population)).map_err(|error| error.to_string())?;
    let output = Output::open(&population.options).map_err(|error| {
        sampled.end();
        error.to_string()
    })?;
    let begun = Begun::Later { options: text.to_owned(), stop_after };
    let profiler = Profiler::set(Profiler::new(target, population, Arc::new(sampled), (output, begun)));
    steering::begin(&profiler, jni);
    Ok(())
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
    if options.engine != EngineKind::Sampled {
        return Err("only the sampled engine can begin in a JVM that runs: add #engine-sampled; exact counts need the agent \
                    from the launch on"
            .into());
    }
    let live = if options.live == Live::Auto { Live::Off } else { options.live };
    Ok(Options { console: false, live, ..options })
}
