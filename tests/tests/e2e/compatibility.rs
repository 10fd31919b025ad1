//! A command and an agent or a recording of different versions (docs/guide/compatibility.md): what both know works, and what one does not know is
//! named with what to replace. The formats themselves have their files in `crates/recording/tests/golden`.

use std::fs;

use mayfly_tests::{Launch, Workspace, any_jvm, exchange_bytes, mayfly, workspace_root};

/// By the whole command: the first of the format, and what was added to it since.
#[test]
fn recordings_of_earlier_versions_are_shown() {
    let golden = workspace_root().join("crates/recording/tests/golden");
    for name in ["v3.recording", "v3-lifetimes.recording", "v3-collections.recording"] {
        let file = golden.join(name).display().to_string();
        let report = mayfly(["report", "--json", &file]).ok().stdout;
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!(report["schema"], "mayfly-report/1", "{name}");
        mayfly(["report", "--full", &file]).ok();
    }
}

/// The number of a recording's format is in bytes 8 and 9.
#[test]
fn a_recording_from_before_the_first_release_is_refused_with_what_to_do() {
    assert_refused_as(1, "record the program again");
    assert_refused_as(2, "record the program again");
}

#[test]
fn a_recording_of_a_later_version_is_refused_with_what_reads_it() {
    assert_refused_as(4, "read it with a newer Mayfly");
}

#[track_caller]
fn assert_refused_as(version: u8, cure: &str) {
    let workspace = Workspace::new();
    let golden = workspace_root().join("crates/recording/tests/golden/v3.recording");
    let mut bytes = fs::read(golden).expect("the golden file is there");
    bytes[8] = version;
    let file = workspace.file("other.mayfly");
    fs::write(&file, bytes).expect("written");
    let refused = mayfly(["report".into(), file.into_os_string()]);
    assert_eq!(refused.code(), Some(4), "{}", refused.stderr);
    let format = format!("has format {version}");
    assert!(refused.stderr.contains(&format) && refused.stderr.contains(cure), "{}", refused.stderr);
}

#[test]
fn the_answer_of_a_later_agent_names_what_to_replace() {
    any_jvm(|jvm| {
        if jvm.feature < 16 {
            return;
        }
        let running = Launch::new(jvm, "later.LaterAgent").start().when_ready();
        for command in ["status", "snapshot", "start"] {
            let asked = mayfly([command, &running.pid().to_string()]);
            assert_eq!(asked.code(), Some(3), "{command} on {jvm}: {}", asked.stderr);
            for part in ["message 99 of protocol 900", "use the mayfly of the same version as the agent"] {
                assert!(asked.stderr.contains(part), "{command} on {jvm}: {}", asked.stderr);
            }
        }
        running.finish();
    });
}

/// A request that is not there yet: refused by name, and the agent serves the next.
#[test]
fn an_agent_says_of_a_later_request_that_it_does_not_know_it() {
    /// The greeting of protocol 900; a frame of kind 16 with one byte, the checksums of both, and that byte.
    const LATER: [u8; 26] = [
        0x89, b'M', b'A', b'Y', b'C', b'T', b'L', b'\n', 0x84, 3, 0, 0, 16, 1, 0, 0, 0, 0xfa, 0x07, 0x7e,
        0x1e, 0x6f, 0xdf, 0xb9, 0x06, 99,
    ];
    const REFUSED: u8 = 1;
    const UNKNOWN: u8 = 0;
    any_jvm(|jvm| {
        let running = Launch::new(jvm, "steered.Steered").agent("#heapsummary").start().when_ready();
        let answer = exchange_bytes(running.pid(), &LATER);
        // The greeting, a frame's head, then: refused, as unknown, number 99.
        assert_eq!(answer.get(25..), Some(&[REFUSED, UNKNOWN, 99][..]), "on {jvm}: {answer:x?}");
        mayfly(["status", &running.pid().to_string()]).ok();
        running.finish().ok();
    });
}
