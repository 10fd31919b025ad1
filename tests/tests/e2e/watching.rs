//! Watching a running JVM: several at once beside other requests, one that stalls, one that is killed, and what each has at the end.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mayfly_profile::Profile;
use mayfly_recording::control::exchange::greeting;
use mayfly_recording::control::{Incoming, Refusal, Request, Response, encode};
use mayfly_recording::read_profile;
use mayfly_tests::{Launch, Outcome, Profiled, any_jvm, artifacts, connect_control, jvms, mayfly};

const LIMIT: Duration = Duration::from_secs(60);
const OPTIONS: &str = "#trackcollections#trace#include-steered.";

fn ask(word: &str, pid: u32) -> Outcome {
    mayfly([word, &pid.to_string()])
}

/// A client of our own: it takes answers when it wants to.
struct Watcher {
    stream: UnixStream,
    incoming: Incoming<Response>,
    recording: Vec<u8>,
}

impl Watcher {
    fn begin(pid: u32) -> Self {
        let mut stream = connect_control(pid);
        stream.set_read_timeout(Some(LIMIT)).expect("a limit");
        let request = encode(&Request::Watch).expect("a request");
        stream.write_all(&[&greeting()[..], &request].concat()).expect("asked");
        Self { stream, incoming: Incoming::default(), recording: Vec::new() }
    }

    fn next(&mut self) -> Response {
        let mut bytes = vec![0; 64 << 10];
        loop {
            if let Some(response) = self.incoming.next_message().expect("answers") {
                return response;
            }
            match self.stream.read(&mut bytes) {
                Ok(0) => panic!("left without a word"),
                Ok(length) => self.incoming.push(&bytes[..length]),
                // A program that another test waits for ended.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("more to come: {error}"),
            }
        }
    }

    /// Takes the next piece; whether there is one.
    fn take(&mut self) -> bool {
        match self.next() {
            Response::Recording(mut bytes) => {
                self.recording.append(&mut bytes);
                true
            }
            Response::Done => false,
            other => panic!("{other:?}"),
        }
    }

    fn profile(&self) -> Profile {
        let (profile, damage) = read_profile(&self.recording).expect("a recording");
        assert_eq!(damage, None);
        profile
    }

    /// Takes what comes until something holds of it.
    fn take_until(&mut self, holds: impl Fn(&Profile) -> bool) {
        let deadline = Instant::now() + LIMIT;
        while self.recording.is_empty() || !holds(&self.profile()) {
            assert!(self.take() && Instant::now() < deadline, "never: {:?}", self.profile());
        }
    }
}

fn items(profile: &Profile) -> u64 {
    profile
        .classes
        .iter()
        .find(|class| class.name == "steered.Steered$Item")
        .map_or(0, |it| it.allocated.objects)
}

#[test]
fn two_watch_at_once_beside_other_requests_and_have_what_the_recording_has() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "steered.Steered", OPTIONS);
        let mut running = run.start().when_ready();
        let pid = running.pid();
        running.does("make 1000");
        let (mut first, mut second) = (Watcher::begin(pid), Watcher::begin(pid));
        first.take_until(|profile| items(profile) == 1000);
        for _ in 0..5 {
            ask("status", pid).ok();
        }
        running.does("make 500");
        first.take_until(|profile| items(profile) == 1500);
        second.take_until(|profile| items(profile) == 1500);
        ask("reset", pid).ok();
        running.does("make 7");
        second.take_until(|profile| items(profile) == 7 && profile.resets == 1);
        running.finish().ok();
        while first.take() {}
        while second.take() {}
        let bytes = std::fs::read(run.recording()).expect("a recording");
        let (recorded, _) = read_profile(&bytes).expect("readable");
        assert!(recorded.complete && items(&recorded) == 7, "on {jvm}: {recorded:?}");
        assert_eq!(first.profile(), recorded, "on {jvm}");
        assert_eq!(second.profile(), recorded, "on {jvm}");
    });
}

#[test]
fn one_that_stalls_and_one_that_is_killed_harm_nobody() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "steered.Steered", OPTIONS);
        let mut running = run.start().when_ready();
        let pid = running.pid();
        // It takes nothing, ever.
        let stalled = Watcher::begin(pid);
        let mut killed = view(pid);
        let mut killed_out = killed.stdout.take().expect("piped");
        let mut first = [0; 1];
        killed_out.read_exact(&mut first).expect("a block");
        killed.kill().expect("killed");
        killed.wait().expect("gone");
        let mut watcher = Watcher::begin(pid);
        for round in 1..=3 {
            running.does("make 1000");
            ask("status", pid).ok();
            watcher.take_until(|profile| items(profile) == round * 1000);
        }
        let began = Instant::now();
        running.finish().ok();
        assert!(began.elapsed() < Duration::from_secs(20), "on {jvm}: {:?}", began.elapsed());
        while watcher.take() {}
        assert!(watcher.profile().complete, "on {jvm}");
        drop(stalled);
    });
}

/// `mayfly live PID` into a pipe.
fn view(pid: u32) -> Child {
    let mut command = Command::new(&artifacts().cli);
    command.args(["live", &pid.to_string()]).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("mayfly starts")
}

#[test]
fn blocks_are_printed_until_the_jvm_ends() {
    any_jvm(|jvm| {
        // Without a recording nobody else wants steps.
        let launch = Launch::new(jvm, "steered.Steered").agent("#trackcollections#include-steered.");
        let mut running = launch.start();
        running.wait_for_line("READY");
        // More of them than of anything that the JVM's start makes.
        running.does("make 300000");
        let viewing = view(running.pid());
        let watched = || {
            let threads =
                std::fs::read_dir(format!("/proc/{}/task", running.pid())).expect("threads").flatten();
            let names = threads.filter_map(|it| std::fs::read_to_string(it.path().join("comm")).ok());
            names.into_iter().any(|name| name.trim() == "mayfly-watch")
        };
        let began = Instant::now();
        while !watched() {
            assert!(began.elapsed() < LIMIT, "on {jvm}: nobody watches");
            std::thread::yield_now();
        }
        let ends = Instant::now();
        running.finish().ok();
        // A writer that is gone was waited for: for ten seconds, as for one that is slow.
        assert!(ends.elapsed() < Duration::from_secs(9), "on {jvm}: {:?}", ends.elapsed());
        let output = viewing.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "on {jvm}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains("steered.Steered$Item") && text.contains("\ntrust: "), "on {jvm}:\n{text}");
    });
}

/// `mayfly live PID | head -1`: a program that goes on, or does nothing any more.
#[test]
fn who_has_seen_enough_is_not_written_to_for_ever() {
    any_jvm(|jvm| {
        let mut running = Launch::new(jvm, "steered.Steered").agent("#trackcollections").start();
        running.wait_for_line("READY");
        for line in ["make 1000", "pace"] {
            running.does(line);
            let mut viewing = view(running.pid());
            let mut first = [0; 1];
            viewing.stdout.take().expect("piped").read_exact(&mut first).expect("a block");
            let began = Instant::now();
            while viewing.try_wait().expect("ours").is_none() {
                assert!(began.elapsed() < Duration::from_secs(15), "on {jvm} after {line}: it goes on");
                std::thread::yield_now();
            }
        }
        running.finish().ok();
    });
}

#[test]
fn only_so_many_watch_and_what_cannot_be_watched_says_what_to_do() {
    let Some(jvm) = jvms().first() else { return };
    let run = Profiled::new(jvm, "steered.Steered", OPTIONS);
    let running = run.start().when_ready();
    let mut watchers: Vec<_> = (0..8).map(|_| Watcher::begin(running.pid())).collect();
    watchers.iter_mut().for_each(|watcher| assert!(watcher.take()));
    let Response::Refused(Refusal::Failed { why }) = Watcher::begin(running.pid()).next() else {
        panic!("a ninth is taken")
    };
    assert!(why.contains("8 views"), "{why}");
    let refused = ask("live", running.pid());
    assert!(refused.code() == Some(2) && refused.stderr.contains("8 views"), "{}", refused.stderr);
    running.finish().ok();
    let mut plain = Launch::new(jvm, "steered.Steered").start();
    plain.wait_for_line("READY");
    let refused = ask("live", plain.pid());
    assert_eq!(refused.code(), Some(3));
    assert!(refused.stderr.contains("mayfly run"), "{}", refused.stderr);
    plain.finish().ok();
    let missing = mayfly(["live", "/nowhere/x.mayfly"]);
    assert_eq!(missing.code(), Some(4), "{}", missing.stderr);
    assert!(!Path::new("/nowhere").exists());
}
