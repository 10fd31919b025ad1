//! What each request does.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use mayfly_jvmti::Jni;
use mayfly_profile::Profile;
use mayfly_recording::control::{Refusal, Request, Response, StopMode};
use mayfly_recording::write_profile;

use super::reply::Reply;
use super::start;
use super::watcher::watch;
use crate::heap::{self, Before, HeapError, Series};
use crate::steering::{self, Profiler};
use crate::target_jvm::Target;

/// The name by which the JVM knows the thread while it works.
const THREAD: &str = "mayfly-control";

/// Carries a request out, and tells how it went.
pub(super) fn answer(target: &'static Target, request: Request, reply: &mut Reply) -> io::Result<()> {
    let outcome = match request {
        Request::Status => Ok(Response::Status(Box::new(steering::status(target)))),
        Request::Pause => steer(target, steering::pause),
        Request::Resume => steer(target, steering::start),
        Request::Reset => steer(target, steering::reset),
        Request::Snapshot => match snapshot(target) {
            Ok(recording) => return reply.send_recording(&recording),
            Err(refusal) => Err(refusal),
        },
        Request::HeapSummary { all } => summarise(target, Before::collecting(!all)),
        Request::HeapDump { path, collect, strings } => {
            dump(target, Path::new(&path), Before::collecting(collect), strings, None)
        }
        Request::HeapStep { path, series, keep_ms } => {
            let series = Series { number: series, keep: Duration::from_millis(keep_ms) };
            dump(target, Path::new(&path), Before::CollectTwice, false, Some(series))
        }
        Request::HeapForget => in_jvm(target, heap::forget).map(|()| Response::Done),
        Request::Watch => match watch(target, reply) {
            // A thread of its own answers from here on.
            Ok(()) => return Ok(()),
            Err(refusal) => Err(refusal),
        },
        Request::Start { options, stop_after_ms } => {
            begin(target, &options, stop_after_ms.map(Duration::from_millis))
        }
        Request::Stop(mode) => match stop(target, mode) {
            Ok(Some(recording)) => return reply.send_recording(&recording),
            Ok(None) => Ok(Response::Done),
            Err(refusal) => Err(refusal),
        },
        Request::Collect => steer(target, steering::collect_and_look),
    };
    reply.send(&outcome.unwrap_or_else(Response::Refused))
}

fn begin(target: &'static Target, options: &str, stop_after: Option<Duration>) -> Result<Response, Refusal> {
    let Some(start) = start::get() else { return Err(Refusal::NotRunning) };
    let started = in_jvm(target, |jni| start(target, options, stop_after, jni))?;
    started.map(|()| Response::Done).map_err(|why| Refusal::Failed { why })
}

/// Ends profiling; the recording of all of it, if that is to be sent.
fn stop(target: &'static Target, mode: StopMode) -> Result<Option<Vec<u8>>, Refusal> {
    let profiler = Profiler::get().ok_or(Refusal::NotProfiling)?;
    if !profiler.can_be_stopped() {
        let why = "it counts exactly, from the launch on, and its hooks stay in the classes: pause it (mayfly pause)";
        return Err(Refusal::Failed { why: why.into() });
    }
    match mode {
        StopMode::KeepHooks => steer(target, steering::stop)?,
        StopMode::Restore | StopMode::RestoreAndSend => steer(target, steering::stop_and_restore)?,
    };
    (mode == StopMode::RestoreAndSend).then(|| encoded(&profiler.last_profile())).transpose()
}

fn steer(target: &'static Target, action: fn(&Profiler, Jni<'_>)) -> Result<Response, Refusal> {
    with_profiler(target, action).map(|()| Response::Done)
}

/// The profile so far, as a recording. Encoded after the session is free again.
fn snapshot(target: &'static Target) -> Result<Vec<u8>, Refusal> {
    let profile = with_profiler(target, steering::snapshot)?.ok_or(Refusal::NotRunning)?;
    encoded(&profile)
}

fn encoded(profile: &Profile) -> Result<Vec<u8>, Refusal> {
    write_profile(profile).map_err(|error| Refusal::Failed { why: error.to_string() })
}

fn summarise(target: &'static Target, before: Before) -> Result<Response, Refusal> {
    let summary = in_jvm(target, |jni| heap::summary(target.vm, jni, before))?;
    summary.map(Response::HeapSummary).map_err(failed)
}

fn dump(
    target: &'static Target,
    path: &Path,
    before: Before,
    texts: bool,
    series: Option<Series>,
) -> Result<Response, Refusal> {
    if !path.is_absolute() {
        let why = format!("{} is no absolute path, and this JVM has another working folder", path.display());
        return Err(Refusal::Failed { why });
    }
    let facts = heap::dump_facts(target, texts);
    let dumped = in_jvm(target, |jni| heap::dump(target.vm, jni, path, &facts, before, series))?;
    dumped.map(Response::HeapDump).map_err(failed)
}

/// Takes the tags of a series of walks away of which nobody asked for the next in time.
pub(super) fn forget_heap(target: &'static Target) {
    if heap::kept_until().is_some_and(|until| until <= Instant::now()) {
        let _ = in_jvm(target, heap::forget);
    }
}

fn failed(error: HeapError) -> Refusal {
    Refusal::Failed { why: error.to_string() }
}

fn with_profiler<R>(
    target: &'static Target,
    action: impl FnOnce(&Profiler, Jni<'_>) -> R,
) -> Result<R, Refusal> {
    let profiler = Profiler::get().ok_or(Refusal::NotProfiling)?;
    if profiler.is_finished() && target.is_running() {
        let why = "profiling was switched off by an internal error, written to the JVM's stderr".into();
        return Err(Refusal::Failed { why });
    }
    in_jvm(target, |jni| action(&profiler, jni))
}

/// Does something as a thread that the JVM knows.
fn in_jvm<R>(target: &'static Target, action: impl FnOnce(Jni<'_>) -> R) -> Result<R, Refusal> {
    if !target.is_running() {
        return Err(Refusal::NotRunning);
    }
    target.vm.with_daemon(THREAD, action).ok_or(Refusal::NoThread)
}
