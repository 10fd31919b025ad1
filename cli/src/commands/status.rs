//! `mayfly status`: what the agent in a running JVM is and does.

use mayfly_profile::{EngineKind, Tracking};
use mayfly_recording::control::{Loaded, Profiling, Status};
use mayfly_report::{clock, followed_text, left_aligned, size};
use serde_json::{Value, json};

use crate::args::running::StatusArgs;
use crate::commands::ps::Memory;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::session::connect::Target;
use crate::session::jvms;
use crate::session::perf_data::PerfData;
use crate::session::process::Process;

/// Asks, and prints the answer. No agent is loaded to find out that there is none.
pub(crate) fn run(args: StatusArgs) -> Result<u8, Error> {
    let pid = jvms::pid_of(&args.jvm.target)?;
    let target = Target::reach(pid)?;
    let status = target.status()?;
    let process = Process::find(pid)?;
    let data = jvms::perf_data(&process);
    let (heap, metaspace) =
        (data.as_ref().and_then(PerfData::heap), data.as_ref().and_then(PerfData::metaspace));
    let memory = Memory::of(&process, heap, metaspace);
    if args.json.is_json() {
        output::json(&as_json(pid, &status, memory), None)?;
    } else {
        output::text(&as_text(pid, &status, memory), None)?;
    }
    Ok(exit_codes::SUCCESS)
}

fn as_text(pid: u32, status: &Status, memory: Memory) -> String {
    let loaded = match (status.loaded, &status.profiling) {
        (Loaded::Launched, _) => "there from the start",
        (Loaded::LaunchedForHeap, None) => "there from the start, to look at the heap",
        (Loaded::LaunchedForHeap, Some(_)) => "loaded at launch for the heap, later started to profile",
        (Loaded::Attached, None) => "attached, to look at the heap",
        (Loaded::Attached, Some(_)) => "attached, and started to profile",
    };
    let agent = format!("Mayfly {}, {loaded}, for {}", status.mayfly, clock(status.loaded_for_ms));
    let mut rows = vec![("pid", pid_text(pid, status.jvm.pid)), ("program", status.jvm.command.clone())];
    rows.push(("jvm", format!("{}, {}", status.jvm.version, status.jvm.gc)));
    rows.push(("memory", memory_text(memory)));
    rows.push(("of that", parts_text(memory, status.profiling.as_ref())));
    rows.push(("agent", agent));
    rows.push(("options", status.options.clone()));
    rows.extend(status.profiling.as_ref().into_iter().flat_map(profiling_rows));
    let filled = rows.into_iter().filter(|(_, value)| !value.is_empty());
    left_aligned(&filled.map(|(name, value)| vec![name.to_owned(), value]).collect::<Vec<_>>())
}

fn engine_text(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Exact => "exact: each allocation is counted",
        EngineKind::Sampled => "sampled: counts are estimates",
    }
}

fn memory_text(memory: Memory) -> String {
    let (resident, all) = (size(memory.resident_bytes), size(memory.virtual_bytes));
    let heap = memory.heap_used_bytes.zip(memory.heap_committed_bytes).map(|(used, committed)| {
        let left = memory.heap_left_bytes.map(|left| format!(", {} when last collected", size(left)));
        format!("; heap: {} of {} used{}", size(used), size(committed), left.unwrap_or_default())
    });
    format!("{resident} resident, {all} virtual{}", heap.unwrap_or_default())
}

/// Which part of a process is whose. Pages of the heap that were given to it and never touched are not resident.
fn parts_text(memory: Memory, profiling: Option<&Profiling>) -> String {
    let part = |name: &str, bytes: Option<u64>| bytes.map(|bytes| format!("{name} {}", size(bytes)));
    let parts = [
        part("Java heap", memory.heap_committed_bytes),
        part("metaspace", memory.metaspace_committed_bytes),
        part("Mayfly", profiling.map(|profiling| profiling.native_bytes)),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!("{}; the rest is code, threads and C heap", parts.join(", "))
    }
}

fn pid_text(pid: u32, inner: u32) -> String {
    if pid == inner { pid.to_string() } else { format!("{pid} ({inner} in its own namespace)") }
}

fn profiling_rows(profiling: &Profiling) -> Vec<(&'static str, String)> {
    let resets = match profiling.resets {
        0 => String::new(),
        1 => ", reset once".into(),
        times => format!(", reset {times} times"),
    };
    let state = profiling.state();
    let time = clock(profiling.duration_ms);
    vec![
        ("engine", profiling.engine.map_or("?", engine_text).to_owned()),
        ("profiling", format!("{state}: {time} profiled, {} GCs{resets}", profiling.gcs)),
        ("follows", follows(profiling)),
        ("recording", profiling.recording.clone().unwrap_or_default()),
    ]
}

fn follows(profiling: &Profiling) -> String {
    let which = profiling.tracking.map_or("?".to_owned(), followed_text);
    match (profiling.lifetimes, profiling.stacks) {
        _ if profiling.tracking == Some(Tracking::Off) => which,
        (true, true) => format!("{which}: lifetimes, stacks"),
        (true, false) => format!("{which}: lifetimes"),
        _ => format!("{which}: stacks"),
    }
}

fn as_json(pid: u32, status: &Status, memory: Memory) -> String {
    let profiling = status.profiling.as_ref().map(|it| {
        json!({
            "state": it.state(),
            "engine": it.engine.map(EngineKind::name),
            "lifetimes": it.lifetimes,
            "stacks": it.stacks,
            "duration_s": it.duration_ms as f64 / 1000.0,
            "gcs": it.gcs,
            "resets": it.resets,
            "native_bytes": it.native_bytes,
            "recording": it.recording,
        })
    });
    let value: Value = json!({
        "schema": "mayfly-status/1",
        "pid": pid,
        "jvm": {
            "pid": status.jvm.pid,
            "version": status.jvm.version,
            "gc": status.jvm.gc,
            "command": status.jvm.command,
        },
        "memory": memory,
        "agent": status.loaded.name(),
        "mayfly": status.mayfly,
        "options": status.options,
        "loaded_for_s": status.loaded_for_ms as f64 / 1000.0,
        "profiling": profiling,
    });
    serde_json::to_string_pretty(&value).expect("strings and numbers") + "\n"
}
