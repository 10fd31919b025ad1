//! What each request does.

use std::io;
use std::path::Path;

use mayfly_jvmti::Jni;
use mayfly_recording::control::{Refusal, Request, Response};
use mayfly_recording::write_profile;

use super::reply::Reply;
use crate::control;
use crate::engine::Engine;
use crate::heap::{self, Before, HeapError};
use crate::host::Host;

/// The name by which the JVM knows the thread while it works.
const THREAD: &str = "mayfly-control";

/// Carries a request out, and tells how it went.
pub(super) fn answer(host: &'static Host, request: Request, reply: &mut Reply) -> io::Result<()> {
    let outcome = match request {
        Request::Status => Ok(Response::Status(Box::new(host.status()))),
        Request::Pause => steer(host, control::pause),
        Request::Resume => steer(host, control::start),
        Request::Reset => steer(host, control::reset),
        Request::Snapshot => match snapshot(host) {
            Ok(recording) => return reply.send_recording(&recording),
            Err(refusal) => Err(refusal),
        },
        Request::HeapSummary { all } => summarise(host, Before::collecting(!all)),
        Request::HeapDump { path, collect, strings } => {
            dump(host, Path::new(&path), Before::collecting(collect), strings)
        }
    };
    reply.send(&outcome.unwrap_or_else(Response::Refused))
}

fn steer(host: &'static Host, action: fn(&Engine, Jni<'_>)) -> Result<Response, Refusal> {
    with_engine(host, action).map(|()| Response::Done)
}

/// The profile so far, as a recording. Encoded after the session is free again.
fn snapshot(host: &'static Host) -> Result<Vec<u8>, Refusal> {
    let profile = with_engine(host, control::snapshot)?.ok_or(Refusal::NotRunning)?;
    write_profile(&profile).map_err(|error| Refusal::Failed { why: error.to_string() })
}

fn summarise(host: &'static Host, before: Before) -> Result<Response, Refusal> {
    let summary = in_jvm(host, |jni| heap::summary(host.vm, jni, before))?;
    summary.map(Response::HeapSummary).map_err(failed)
}

fn dump(host: &'static Host, path: &Path, before: Before, texts: bool) -> Result<Response, Refusal> {
    if !path.is_absolute() {
        let why = format!("{} is no absolute path, and this JVM has another working folder", path.display());
        return Err(Refusal::Failed { why });
    }
    let facts = host.dump_facts(texts);
    let dumped = in_jvm(host, |jni| heap::dump(host.vm, jni, path, &facts, before))?;
    dumped.map(Response::HeapDump).map_err(failed)
}

fn failed(error: HeapError) -> Refusal {
    Refusal::Failed { why: error.to_string() }
}

fn with_engine<R>(
    host: &'static Host,
    action: impl FnOnce(&'static Engine, Jni<'_>) -> R,
) -> Result<R, Refusal> {
    let engine = Engine::get().ok_or(Refusal::NotProfiling)?;
    if engine.is_finished() && host.is_running() {
        let why = "profiling was switched off by an internal error, written to the JVM's stderr".into();
        return Err(Refusal::Failed { why });
    }
    in_jvm(host, |jni| action(engine, jni))
}

/// Does something as a thread that the JVM knows.
fn in_jvm<R>(host: &'static Host, action: impl FnOnce(Jni<'_>) -> R) -> Result<R, Refusal> {
    if !host.is_running() {
        return Err(Refusal::NotRunning);
    }
    host.vm.with_daemon(THREAD, action).ok_or(Refusal::NoThread)
}
