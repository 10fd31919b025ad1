//! A running JVM: sampled for a while, and left as it was.
//!
//! Of a JVM that is being profiled already its profile so far is taken, and nothing is begun or ended.

use std::time::Duration;

use mayfly_recording::control::Request;

use super::measured::{Measured, OPTIONS};
use crate::args::judging::AdviseArgs;
use crate::args::running::{CensusArgs, EngineArgs};
use crate::commands::{record, snapshot};
use crate::error::Error;
use crate::output;
use crate::recording_input;
use crate::session::connect::Target;
use crate::session::gc_threads::{Seen, Spent, Watch, metaspace_used};
use crate::session::memory_limit;
use crate::session::process::Process;
use crate::session::recording_files::unkept_folder;

/// Measures for as long as was asked for.
pub(super) fn measure(pid: u32, args: &AdviseArgs) -> Result<Measured, Error> {
    let folder = unkept_folder()?;
    let kept = args.recording.clone();
    let path = kept.unwrap_or_else(|| folder.path().join(format!("{pid}.mayfly")));
    let target = Target::connect(pid)?;
    let is_profiled = target.status()?.profiling.is_some();
    let (profile, seen) = if is_profiled {
        output::say(&format!("JVM {pid} is being profiled: what is known of it so far is judged"));
        snapshot::fetch(&target, &Request::Snapshot, &path)?;
        (recording_input::read_snapshot(&path)?, so_far(pid))
    } else {
        output::say(&format!("measuring JVM {pid} for {} s, by samples", args.time().as_secs()));
        let watch = Watch::begin(pid);
        let limits = record::Limits { time: args.time(), collect: record::Collect::IfNone };
        let recorded = record::record(&target, pid, &sampled(), limits, &path);
        let seen = watch.map(Watch::end);
        recorded?;
        (recording_input::read(&path, None)?, seen)
    };
    Ok(Measured { name: format!("JVM {pid}"), profile, seen })
}

fn sampled() -> EngineArgs {
    EngineArgs {
        sampled: true,
        exact: false,
        yes: false,
        threads: false,
        loaders: false,
        census: CensusArgs::default(),
        options: OPTIONS.to_owned(),
    }
}

/// What was spent since the JVM began.
fn so_far(pid: u32) -> Option<Seen> {
    let process = Process::find(pid).ok()?;
    Some(Seen {
        spent: Spent::of(pid),
        wall: process.uptime().unwrap_or(Duration::MAX),
        metaspace: metaspace_used(&process),
        memory: memory_limit::of(&process),
        // Of a profile that goes on its collections tell.
        collected_whole_ms: None,
    })
}
