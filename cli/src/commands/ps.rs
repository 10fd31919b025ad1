//! `mayfly ps`: the JVMs that run here, and what the agent does in each.
//!
//! Not here: how JVMs are found (`session/jvms`).

use std::time::Duration;

use mayfly_recording::control::{Request, Response, Status};
use mayfly_report::{clock, left_aligned, size};
use serde::Serialize;

use crate::args::running::PsArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::session::connect::Target;
use crate::session::jvms::{self, Jvm};
use crate::session::perf_data::{Heap, Metaspace};
use crate::session::process::{Process, javas_of_others};

/// How long one agent may keep the list waiting.
const ANSWER_LIMIT: Duration = Duration::from_secs(1);

/// One JVM, as JSON has it.
#[derive(Debug, Serialize)]
struct Row {
    pid: u32,
    uptime_s: Option<u64>,
    java: Option<String>,
    main: String,
    command: String,
    /// `none`, `launched`, `launched_for_heap`, `attached`, `silent`: there, and not answering, or `unknown`: none
    /// answers, and the system does not let us see whether there is one.
    agent: &'static str,
    /// `on`, `paused`, or nothing if the agent does not profile.
    profiling: Option<&'static str>,
    memory: Memory,
}

/// Memory of a process, as JSON has it.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Memory {
    pub(super) resident_bytes: u64,
    pub(super) virtual_bytes: u64,
    /// Now; nothing where the JVM does not tell.
    pub(super) heap_used_bytes: Option<u64>,
    /// Of that what the last collection left, and the little that was made outside of eden since; nothing where there is no eden.
    pub(super) heap_left_bytes: Option<u64>,
    pub(super) heap_committed_bytes: Option<u64>,
    pub(super) metaspace_used_bytes: Option<u64>,
    pub(super) metaspace_committed_bytes: Option<u64>,
}

impl Memory {
    /// By the JVM's counters, where it shows them.
    pub(super) fn of(process: &Process, heap: Option<Heap>, metaspace: Option<Metaspace>) -> Self {
        Self {
            resident_bytes: process.resident_bytes,
            virtual_bytes: process.virtual_bytes,
            heap_used_bytes: heap.map(|heap| heap.used_bytes),
            heap_left_bytes: heap.and_then(|heap| heap.left_bytes),
            heap_committed_bytes: heap.map(|heap| heap.committed_bytes),
            metaspace_used_bytes: metaspace.map(|metaspace| metaspace.used_bytes),
            metaspace_committed_bytes: metaspace.map(|metaspace| metaspace.committed_bytes),
        }
    }
}

#[derive(Debug, Serialize)]
struct List {
    schema: &'static str,
    jvms: Vec<Row>,
}

/// Prints the list.
pub(crate) fn run(args: PsArgs) -> Result<u8, Error> {
    let rows: Vec<_> = jvms::all().into_iter().map(row).collect();
    if args.json.is_json() {
        output::json(&json(rows), None)?;
    } else {
        output::text(&table(&rows), None)?;
    }
    match javas_of_others() {
        0 => {}
        1 => output::say("1 java of another user is not listed; run mayfly as its user, or as root"),
        more => output::say(&format!(
            "{more} javas of other users are not listed; run mayfly as their user, or as root"
        )),
    }
    Ok(exit_codes::SUCCESS)
}

fn row(jvm: Jvm) -> Row {
    let status = status_of(&jvm);
    let agent = match (&status, &jvm.agent_library) {
        (Some(status), _) => status.loaded.name(),
        (None, Some(_)) => "silent",
        (None, None) if jvm.shows_libraries => "none",
        (None, None) => "unknown",
    };
    Row {
        memory: Memory::of(&jvm.process, jvm.heap, jvm.metaspace),
        pid: jvm.process.pid,
        uptime_s: jvm.uptime.map(|uptime| uptime.as_secs()),
        main: jvm.main().to_owned(),
        java: jvm.java,
        command: jvm.command,
        agent,
        profiling: status.and_then(|status| status.profiling).map(|it| it.state()),
    }
}

fn status_of(jvm: &Jvm) -> Option<Status> {
    if jvm.shows_libraries && jvm.agent_library.is_none() {
        return None;
    }
    let target = Target::find(jvm.process.pid).ok()?;
    match target.ask_within(&Request::Status, Some(ANSWER_LIMIT)) {
        Ok(Response::Status(status)) => Some(*status),
        _ => None,
    }
}

fn json(jvms: Vec<Row>) -> String {
    let list = List { schema: "mayfly-ps/1", jvms };
    serde_json::to_string_pretty(&list).expect("strings and numbers") + "\n"
}

fn table(rows: &[Row]) -> String {
    let head = ["PID", "UPTIME", "JAVA", "RESIDENT", "VIRTUAL", "AGENT", "PROFILING", "MAIN"]
        .map(str::to_owned)
        .to_vec();
    let cells = rows.iter().map(|row| {
        vec![
            row.pid.to_string(),
            row.uptime_s.map_or("-".into(), |seconds| clock(seconds * 1000)),
            row.java.clone().unwrap_or("-".into()),
            size(row.memory.resident_bytes),
            size(row.memory.virtual_bytes),
            row.agent.replace('_', " "),
            row.profiling.unwrap_or("-").into(),
            if row.main.is_empty() { "-".into() } else { row.main.clone() },
        ]
    });
    left_aligned(&std::iter::once(head).chain(cells).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            pid: 4711,
            uptime_s: Some(3725),
            java: Some("17.0.15".into()),
            main: "Main".into(),
            command: "org.example.Main -v".into(),
            agent: "launched_for_heap",
            profiling: None,
            memory: Memory {
                resident_bytes: 96 << 20,
                virtual_bytes: 3 << 30,
                heap_used_bytes: Some(5 << 20),
                heap_left_bytes: None,
                heap_committed_bytes: Some(64 << 20),
                metaspace_used_bytes: Some(5 << 20),
                metaspace_committed_bytes: Some(6 << 20),
            },
        }
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let nameless =
            Row { java: None, main: String::new(), agent: "none", uptime_s: None, pid: 9, ..row() };
        assert_eq!(
            table(&[row(), nameless]),
            "PID   UPTIME   JAVA     RESIDENT  VIRTUAL   AGENT              PROFILING  MAIN\n\
             4711  1:02:05  17.0.15  96.0 MiB  3.00 GiB  launched for heap  -          Main\n\
             9     -        -        96.0 MiB  3.00 GiB  none               -          -\n"
        );
    }

    #[test]
    fn json_names_its_schema() {
        let value: serde_json::Value = serde_json::from_str(&json(vec![row()])).expect("JSON");
        assert_eq!(value["schema"], "mayfly-ps/1");
        assert_eq!(value["jvms"][0]["agent"], "launched_for_heap");
        assert_eq!(value["jvms"][0]["profiling"], serde_json::Value::Null);
        assert_eq!(value["jvms"][0]["memory"]["resident_bytes"], 96 << 20);
    }
}
