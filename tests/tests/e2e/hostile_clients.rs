//! Clients that send nonsense, say nothing, flood, stall or die: the agent goes on answering, the program does not notice.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

use mayfly_recording::control::exchange::greeting;
use mayfly_recording::control::{Incoming, Refusal, Request, Response, encode};
use mayfly_tests::{
    Jvm, Launch, Outcome, Running, any_jvm, artifacts, connect_control, control_socket, each_jvm,
    exchange_bytes, mayfly, skip,
};

/// Longer than an answer may take beside clients that want nothing, shorter than the agent's patience with them.
const PROMPT: Duration = Duration::from_secs(4);

fn started(jvm: &Jvm, jvm_args: &[&str]) -> Running {
    let launch = Launch::new(jvm, "steered.Steered").agent("#live-0#trackcollections#include-steered.");
    let mut running = launch.jvm_args(jvm_args).start();
    running.wait_for_line("READY");
    running.send_line("pace");
    running.wait_for_line("DID");
    running
}

fn status(pid: u32) -> Outcome {
    mayfly(["status", &pid.to_string()])
}

/// The program says what it says without us, and ends as it should.
#[track_caller]
fn is_unharmed(mut running: Running) {
    running.send_line("keep 12");
    running.wait_for_line("DID keep 12");
    let outcome = running.finish().ok();
    assert_eq!(outcome.stdout, "READY\nDID pace\nDID keep 12\nMADE 12 KEPT 12\nDONE\n");
    assert!(!outcome.stderr.contains("internal error"), "{}", outcome.stderr);
}

fn whole(request: &Request) -> Vec<u8> {
    [&greeting()[..], &encode(request).expect("a small request")].concat()
}

/// What the agent answers to these bytes; `None` if it hangs up without a word.
fn answer(pid: u32, bytes: &[u8]) -> Option<Response> {
    let mut incoming = Incoming::default();
    incoming.push(&exchange_bytes(pid, bytes));
    incoming.next_message().expect("what comes back can be read")
}

/// A generator of bytes without a pattern (xorshift64*), the same in each run.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 56) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

#[test]
fn nonsense_is_refused_or_left_and_the_next_is_answered() {
    any_jvm(|jvm| {
        let running = started(jvm, &[]);
        let pid = running.pid();
        for seed in 0..50 {
            assert_eq!(answer(pid, &noise(seed, 1 + seed as usize * 37)), None, "seed {seed} on {jvm}");
            let _ = answer(pid, &[&greeting()[..], &noise(seed, 200)].concat());
        }
        // An endless stream of it ends when the agent hangs up.
        assert_eq!(answer(pid, &noise(1, 4 << 20)), None, "on {jvm}");
        let changed = |at: usize| {
            let mut bytes = whole(&Request::Pause);
            bytes[at] ^= 1;
            bytes
        };
        for at in 12..whole(&Request::Pause).len() {
            assert!(
                matches!(answer(pid, &changed(at)), Some(Response::Refused(Refusal::Malformed { .. }))),
                "byte {at} on {jvm}"
            );
        }
        let outcome = status(pid).ok();
        assert!(outcome.stdout.contains("profiling  on"), "on {jvm}: nothing was paused");
        is_unharmed(running);
    });
}

#[test]
fn a_request_of_a_later_release_is_named() {
    any_jvm(|jvm| {
        let running = started(jvm, &[]);
        let mut bytes = whole(&Request::Status);
        // The payload, one byte, is the request's number.
        let payload = bytes.len() - 1;
        bytes[payload] = 99;
        let crc = crc32fast::hash(&bytes[payload..]).to_le_bytes();
        bytes[payload - 4..payload].copy_from_slice(&crc);
        let expected = Response::Refused(Refusal::Unknown { number: 99 });
        assert_eq!(answer(running.pid(), &bytes), Some(expected), "on {jvm}");
        is_unharmed(running);
    });
}

#[test]
fn who_says_nothing_holds_nobody_up() {
    any_jvm(|jvm| {
        let running = started(jvm, &[]);
        let pid = running.pid();
        let idle: Vec<UnixStream> = (0..200).map(|_| connect_control(pid)).collect();
        let half = |at: usize| {
            let mut stream = connect_control(pid);
            let _ = stream.write_all(&whole(&Request::Pause)[..at]);
            stream
        };
        let halves: Vec<_> = (1..20).map(half).collect();
        let start = Instant::now();
        status(pid).ok();
        assert!(start.elapsed() < PROMPT, "on {jvm}: {:?} beside idle clients", start.elapsed());
        // Each is left in the end, without a word to those who never said whose they are.
        for mut stream in idle.into_iter().chain(halves) {
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest);
            assert!(rest.is_empty(), "on {jvm}: {rest:?}");
        }
        is_unharmed(running);
    });
}

#[test]
fn who_dies_or_stalls_in_an_answer_is_left() {
    any_jvm(|jvm| {
        let running = started(jvm, &[]);
        let pid = running.pid();
        for request in [Request::Status, Request::Snapshot] {
            for _ in 0..20 {
                let mut stream = connect_control(pid);
                stream.write_all(&whole(&request)).expect("the agent listens");
                // Gone before, or while, the answer is written: a closed pipe must not signal the program.
            }
        }
        // Asked, and never read from: small answers fit the socket, so that nobody waits.
        let stalled: Vec<_> = (0..10)
            .map(|_| {
                let mut stream = connect_control(pid);
                stream.write_all(&whole(&Request::Snapshot)).expect("the agent listens");
                stream
            })
            .collect();
        status(pid).ok();
        drop(stalled);
        is_unharmed(running);
    });
}

/// After the program has run out of memory, too: what needs a thread of the JVM works or says so.
#[test]
fn a_heap_that_is_full_harms_neither_side() {
    each_jvm(|jvm| {
        let launch = Launch::new(jvm, "steered.Steered").agent("#live-0#include-steered.");
        let mut running = launch.jvm_args(&["-Xmx24m", "-XX:+UseSerialGC"]).start();
        running.wait_for_line("READY");
        let pid = running.pid().to_string();
        running.send_line("fill");
        running.wait_for_line("FULL");
        assert!(mayfly(["status", &pid]).ok().stdout.contains("profiling  on"), "on {jvm}");
        for command in ["pause", "resume"] {
            let outcome = mayfly([command, &pid]);
            let said_so = outcome.code() == Some(3) && outcome.stderr.contains("can't start another thread");
            assert!(outcome.status.success() || said_so, "{command} on {jvm}: {}", outcome.stderr);
        }
        running.send_line("");
        running.wait_for_line("DID fill");
        for command in ["pause", "resume"] {
            mayfly([command, &pid]).ok();
        }
        let outcome = running.finish().ok();
        assert!(outcome.stdout.ends_with("MADE 0 KEPT 0\nDONE\n"), "on {jvm}: {}", outcome.stdout);
    });
}

/// The mode of the file keeps others out; the command says whose the JVM is.
#[test]
fn another_user_is_told_so() {
    let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    let works = Command::new("setpriv").args(nobody).arg(&artifacts().cli).arg("--version").output();
    if !works.is_ok_and(|output| output.status.success()) {
        return skip("another user", "needs root, setpriv, and a build folder that others can read");
    }
    any_jvm(|jvm| {
        let running = started(jvm, &[]);
        let pid = running.pid();
        for command in ["status", "attach", "pause"] {
            let mut other = Command::new("setpriv");
            other.args(nobody).arg(&artifacts().cli).args([command, &pid.to_string()]);
            let output = other.output().expect("setpriv starts");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{command} on {jvm}: {stderr}");
            assert!(
                stderr.contains("belongs to user 0, and mayfly runs as user 65534"),
                "{command} on {jvm}: {stderr}"
            );
        }
        let socket = control_socket(pid).expect("a socket");
        let script = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])";
        let mut raw = Command::new("setpriv");
        raw.args(nobody).args(["python3", "-c", script]).arg(&socket);
        match raw.env("PATH", env::var_os("PATH").unwrap_or_default()).output() {
            Ok(output) if String::from_utf8_lossy(&output.stderr).contains("Permission denied") => {}
            Ok(output) if output.status.success() => panic!("on {jvm}: another user could connect"),
            other => skip("another user's own program", &format!("no python3 for it: {other:?}")),
        }
        assert!(fs::symlink_metadata(&socket).is_ok());
        is_unharmed(running);
    });
}
