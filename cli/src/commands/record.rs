//! `mayfly record`: profiles a running JVM for a while, and keeps a recording.
//!
//! The agent ends by itself should nobody be there any more to stop it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use mayfly_recording::control::{Request, StopMode};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::agent_options::AgentOptions;
use crate::args::running::{EngineArgs, RecordArgs};
use crate::commands::next_commands::{program, shown};
use crate::commands::run::followed_by_default;
use crate::commands::{snapshot, start};
use crate::error::Error;
use crate::exit_codes;
use crate::live::kept_stream::{Kept, KeptStream};
use crate::live::watched_jvm::WatchedJvm;
use crate::output;
use crate::session::connect::Target;
use crate::session::jvms;
use crate::session::process::Process;
use crate::session::unreachable::Unreachable;

/// How long the agent goes on if nobody stops it.
const GRACE: Duration = Duration::from_secs(60);
/// Bytes between samples for who looks for what stays, and how many a second there are at most: as many as of a program that allocates fast.
const DENSE: &str = "16k";
const DENSE_RATE: &str = "800..2000";
/// How often signals and the JVM are looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Begins, waits, stops, fetches, and says where the recording is.
pub(crate) fn run(args: RecordArgs) -> Result<u8, Error> {
    let pid = jvms::pid_of(&args.jvm.target)?;
    let target = Target::connect(pid)?;
    let path = args.output.unwrap_or_else(|| PathBuf::from(format!("mayfly-{pid}.mayfly")));
    let collect = match (args.collect, args.no_collect) {
        (true, _) => Collect::Always,
        (_, true) => Collect::Never,
        _ => Collect::IfNone,
    };
    let limits = Limits { time: args.time, collect };
    if collect == Collect::IfNone {
        output::say(
            "whether it leaks can't be told without --collect: a collection of the whole heap at the end",
        );
    }
    let remark = record(&target, pid, &following(args.engine, collect), limits, &path)?;
    output::say(&format!(
        "recording {}{remark}; read it: {} report {}",
        shown(&path),
        program(),
        shown(&path)
    ));
    Ok(exit_codes::SUCCESS)
}

/// For how long is recorded, and whether the JVM is asked to collect then.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) time: Duration,
    pub(super) collect: Collect,
}

/// Whether a collection of the whole heap is requested at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Collect {
    Never,
    /// If none ran meanwhile: nobody would know what is live.
    IfNone,
    Always,
}

/// Begins, waits, stops and keeps the recording; a remark on it.
pub(super) fn record(
    target: &Target,
    pid: u32,
    engine: &EngineArgs,
    limits: Limits,
    path: &Path,
) -> Result<&'static str, Error> {
    let left = signals().map_err(Error::SignalsNotWatched)?;
    let longest = u64::try_from((limits.time + GRACE).as_millis()).unwrap_or(u64::MAX);
    start::begin(target, pid, engine, Some(longest))?;
    let recorded = follow(target, pid, limits, path, &left);
    if recorded.is_err() {
        // Whatever became of the recording, the JVM is left as it was.
        let _ = target.ask(&Request::Stop(StopMode::KeepHooks));
    }
    recorded
}

/// Exact counts alone answer few questions: unless something else is named, a sample is followed beside them, as by `mayfly run`. Who looks
/// for what stays has a denser sample: of a service that allocates little hardly anything would be known.
fn following(engine: EngineArgs, collect: Collect) -> EngineArgs {
    let given = AgentOptions::parse(&engine.options);
    let default = match (engine.exact, collect) {
        (true, _) if given.value("every").is_none() => followed_by_default(),
        (false, Collect::Always) if given.value("engine").is_none() => {
            AgentOptions::default().with("sample", DENSE).with("sample-rate", DENSE_RATE)
        }
        _ => return engine,
    };
    EngineArgs { options: default.overridden_by(given).to_string(), ..engine }
}

/// How many the agent has seen; `None` if it does not say.
fn collections(target: &Target) -> Option<u32> {
    Some(target.status().ok()?.profiling?.gcs)
}

/// Has the JVM collect, if that is wanted of one that had seen so many collections.
fn collect(target: &Target, wanted: Collect, before: Option<u32>) -> Result<(), Error> {
    match wanted {
        Collect::Always => output::say(
            "requesting a collection of the whole heap, to know what stays, and looking for who holds what grows",
        ),
        Collect::IfNone if before.is_some() && collections(target) == before => output::say(
            "no collection ran while recording: requesting one now, to know which objects are live (--no-collect turns this off)",
        ),
        Collect::IfNone | Collect::Never => return Ok(()),
    }
    target.ask(&Request::Collect).map(drop)
}

/// Keeps what the agent says, until the time is over or the JVM ends; a remark on the recording.
fn follow(
    target: &Target,
    pid: u32,
    Limits { time, collect: wanted }: Limits,
    path: &Path,
    left: &AtomicBool,
) -> Result<&'static str, Error> {
    let before = (wanted == Collect::IfNone).then(|| collections(target)).flatten();
    let Ok(source) = WatchedJvm::watch(target) else {
        // Others watch it, or it is an older one: its profile is fetched at the end.
        wait(time, left, || Process::find(pid).is_err());
        collect(target, wanted, before)?;
        return finish(target, path).map(|()| "");
    };
    let stream = KeptStream::begin(Box::new(source), path)?;
    wait(time, left, || stream.is_over());
    if stream.is_over() {
        let kept = stream.end()?;
        let is_left = target.status().is_ok_and(|status| status.profiling.is_none());
        let remark = if is_left {
            " (another command stopped it before the time was over)"
        } else {
            " (the JVM ended before the time was over)"
        };
        return judge(kept, pid, remark);
    }
    let stopped =
        collect(target, wanted, before).and_then(|()| target.ask(&Request::Stop(StopMode::Restore)));
    if stopped.is_err() && Process::find(pid).is_ok() {
        stopped?;
    }
    judge(stream.end()?, pid, "")
}

fn judge(kept: Kept, pid: u32, remark: &'static str) -> Result<&'static str, Error> {
    match kept {
        Kept::Whole => Ok(remark),
        Kept::CutOff => Ok(" is cut off: the JVM was killed, or could not say its last words"),
        Kept::Nothing => Err(Unreachable::Ended { pid }.into()),
    }
}

/// Ends it, and keeps its recording to the end.
fn finish(target: &Target, path: &Path) -> Result<(), Error> {
    snapshot::fetch(target, &Request::Stop(StopMode::RestoreAndSend), path)
}

/// Set once somebody wants it to end early.
pub(super) fn signals() -> std::io::Result<Arc<AtomicBool>> {
    let left = Arc::<AtomicBool>::default();
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&left))?;
    }
    Ok(left)
}

/// Until the time is over, the user wants it to end, or it has ended.
pub(super) fn wait(time: Duration, left: &AtomicBool, is_over: impl Fn() -> bool) {
    let deadline = Instant::now() + time;
    while Instant::now() < deadline && !left.load(Relaxed) && !is_over() {
        thread::sleep(LOOK.min(deadline.saturating_duration_since(Instant::now())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::running::CensusArgs;

    fn options_of(exact: bool, options: &str) -> String {
        collecting(Collect::IfNone, exact, options)
    }

    fn collecting(collect: Collect, exact: bool, options: &str) -> String {
        let engine = EngineArgs {
            sampled: false,
            exact,
            yes: false,
            threads: false,
            loaders: false,
            census: CensusArgs::default(),
            options: options.to_owned(),
        };
        following(engine, collect).options
    }

    /// "A leak below 276 KiB/s would not have been seen", of one of 25 in a service that allocates 12 MiB/s.
    #[test]
    fn who_looks_for_what_stays_has_a_denser_sample_unless_another_is_named() {
        assert_eq!(collecting(Collect::Always, false, ""), "#sample-16k#sample-rate-800..2000");
        let named = collecting(Collect::Always, false, "#sample-1m#trace");
        assert_eq!(named, "#sample-1m#trace");
        let exact = collecting(Collect::Always, false, "#engine-exact#trace");
        assert_eq!(exact, "#engine-exact#trace");
        assert_eq!(collecting(Collect::Always, true, "#every-2"), "#every-2");
    }

    #[test]
    fn exact_counts_come_with_a_sample_of_lifetimes_and_stacks_unless_another_choice_is_named() {
        assert_eq!(options_of(true, ""), "#sample-8k#sample-rate-500..2000#trace#lines");
        assert_eq!(
            options_of(true, "#include-a."),
            "#sample-8k#sample-rate-500..2000#trace#lines#include-a."
        );
        assert_eq!(options_of(true, "#trackcollections"), "#trace#lines#trackcollections");
        assert_eq!(options_of(true, "#every-2"), "#every-2");
        assert_eq!(options_of(false, ""), "", "the sampled engine follows what it samples");
    }
}
