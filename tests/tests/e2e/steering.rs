//! `mayfly status`, `pause`, `resume`, `reset`, `snapshot` and `ps` on a JVM that was launched with the agent.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use mayfly_tests::{
    JsonReport, Launch, Outcome, Profiled, Workspace, any_jvm, control_socket, each_jvm, mayfly, skip,
};
use serde_json::Value;

const ITEM: &str = "steered.Steered$Item";
const ROW: &str = "[Lsteered.Steered$Item;";
const ONLY_ITEMS: &str = "#include-steered.";

fn ask(words: &[&str], pid: u32) -> Outcome {
    let pid = pid.to_string();
    mayfly(words.iter().copied().chain([pid.as_str()]))
}

#[track_caller]
fn json_of(words: &[&str], pid: u32) -> Value {
    serde_json::from_str(&ask(words, pid).ok().stdout).expect("JSON")
}

/// Items that a recording knows of.
fn items(report: &JsonReport) -> u64 {
    report.allocated().get(ITEM).map_or(0, |count| count.objects)
}

/// Size of the largest array of items.
fn largest_row(report: &JsonReport) -> Option<u64> {
    report.class(ROW)?["largest"].as_u64()
}

#[test]
fn pause_resume_and_reset_are_obeyed_and_a_snapshot_has_what_was_counted() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "steered.Steered", &format!("{ONLY_ITEMS},[Lsteered.#trackcollections"));
        let workspace = Workspace::new();
        let snapshot = |name: &str, pid| {
            let file = workspace.file(name);
            ask(&["snapshot", "-o", &file.display().to_string()], pid).ok();
            JsonReport::of(&file)
        };
        let mut running = run.start().when_ready();
        let pid = running.pid();
        running.does("keep 5");
        ask(&["pause"], pid).ok();
        running.does("make 11");
        assert_eq!(items(&snapshot("paused", pid)), 5, "on {jvm}: while paused");
        ask(&["resume"], pid).ok();
        running.does("make 7");
        running.does("row 1000");
        let second = snapshot("second", pid);
        assert!(largest_row(&second) >= Some(4000), "on {jvm}: {:?}", second.class(ROW));
        assert_eq!(items(&second), 12, "on {jvm}: nothing while paused");
        // Without a collection nobody knows.
        let live = second.live().get(ITEM).copied();
        assert!(live.is_none_or(|live| live.objects >= 5), "on {jvm}: what is kept is live: {live:?}");
        assert_eq!(second.0["complete"], true, "on {jvm}: the run goes on, the file does not");
        ask(&["reset"], pid).ok();
        running.does("make 3");
        let third = snapshot("third", pid);
        assert_eq!(largest_row(&third).unwrap_or(0), 0, "on {jvm}: of before the reset");
        running.does("row 10");
        let row = largest_row(&snapshot("fourth", pid));
        assert!((50..100).contains(&row.unwrap_or(0)), "on {jvm}: {row:?}");
        assert_eq!((items(&third), &third.0["resets"]), (3, &Value::from(1)), "on {jvm}: since the reset");
        let outcome = running.finish().ok();
        assert!(outcome.stdout.ends_with("MADE 26 KEPT 5\nDONE\n"), "on {jvm}: {}", outcome.stdout);
        assert_eq!(items(&run.json()), 3, "on {jvm}: the recording agrees");
    });
}

#[test]
fn a_snapshot_goes_into_a_pipe_and_keeps_stacks() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "steered.Steered", &format!("{ONLY_ITEMS}#trace"));
        let mut running = run.start().when_ready();
        running.does("make 40");
        let pid = running.pid().to_string();
        let workspace = Workspace::new();
        // Written from the pipe, as a shell would.
        let shell = format!("exec {} snapshot -o - {pid} > snap", mayfly_tests::artifacts().cli.display());
        let status = Command::new("sh").args(["-c", &shell]).current_dir(workspace.path()).status();
        assert!(status.expect("sh starts").success(), "on {jvm}");
        let report = JsonReport::of(&workspace.file("snap"));
        let site = report.0["sites"].as_array().into_iter().flatten().find(|site| site["class"] == ITEM);
        let site = site.expect("a site of the items");
        assert_eq!(site["allocated"]["objects"], 40, "on {jvm}");
        assert!(site["stack"][0].as_str().unwrap_or_default().contains("Steered.make"), "on {jvm}: {site}");
        running.finish().ok();
    });
}

#[test]
fn status_tells_what_the_agent_does() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "steered.Steered", "#delayprofiling#sample-64k#trace");
        let mut running = run.start().when_ready();
        let pid = running.pid();
        let paused = json_of(&["status", "--json"], pid);
        assert_eq!(paused["schema"], "mayfly-status/1");
        assert_eq!((&paused["pid"], &paused["agent"]), (&Value::from(pid), &Value::from("launched")));
        assert_eq!(paused["jvm"]["command"], "steered.Steered", "on {jvm}");
        assert_eq!(paused["profiling"]["state"], "paused", "on {jvm}: as #delayprofiling says");
        assert_eq!(paused["profiling"]["duration_s"], 0.0, "on {jvm}");
        let recording = paused["profiling"]["recording"].as_str().unwrap_or_default();
        assert_eq!(recording, run.recording().display().to_string(), "on {jvm}");
        ask(&["resume"], pid).ok();
        running.does("make 1");
        let on = json_of(&["status", "--json"], pid);
        assert_eq!(on["profiling"]["state"], "on", "on {jvm}");
        assert!(on["profiling"]["duration_s"].as_f64() > Some(0.0), "on {jvm}: {on}");
        let text = ask(&["status"], pid).ok().stdout;
        for part in ["steered.Steered", "profiling  on: ", "a sample per 64.0 KiB: lifetimes, stacks"] {
            assert!(text.contains(part), "on {jvm}: no {part:?} in\n{text}");
        }
        running.finish().ok();
    });
}

/// Beside profiling, also while it is paused, and after it ended by itself.
#[test]
fn the_heap_can_be_asked_whatever_profiling_does() {
    each_jvm(|jvm| {
        for options in ["#trackcollections", "#delayprofiling", "#heapsummary"] {
            let mut running = Launch::new(jvm, "steered.Steered").agent(options).start();
            running.wait_for_line("READY");
            running.does("keep 300");
            let summary = json_of(&["heap", "--json"], running.pid());
            let row = summary["rows"].as_array().into_iter().flatten().find(|row| row["class"] == ITEM);
            assert_eq!(row.map(|row| &row["objects"]), Some(&300.into()), "{options} on {jvm}");
            let outcome = running.finish().ok();
            assert_eq!(
                outcome.stdout, "READY\nDID keep 300\nMADE 300 KEPT 300\nDONE\n",
                "{options} on {jvm}"
            );
        }
    });
}

/// The control thread is known to the JVM only while it works, and never counted.
#[test]
fn requests_leave_no_trace_in_the_counts() {
    each_jvm(|jvm| {
        for options in ["", "#trackcollections#trace"] {
            let counts = |requests: usize| {
                let run = Profiled::new(jvm, "steered.Steered", options);
                let mut running = run.start().when_ready();
                let pid = running.pid();
                // Once beforehand: the JVM runs some code for the first time.
                ask(&["reset"], pid).ok();
                for _ in 0..requests {
                    ask(&["resume"], pid).ok();
                    ask(&["status"], pid).ok();
                    ask(&["snapshot", "-o", "/dev/null"], pid).ok();
                }
                running.does("make 9");
                let workspace = Workspace::new();
                let file = workspace.file("snap");
                ask(&["snapshot", "-o", &file.display().to_string()], pid).ok();
                running.finish().ok();
                JsonReport::of(&file).allocated()
            };
            const ROUNDS: usize = 8;
            let (few, many) = (counts(0), counts(ROUNDS));
            assert_eq!((few[ITEM].objects, many[ITEM].objects), (9, 9), "{options:?} on {jvm}");
            // The program itself may be a line further or not when the counts are set to zero; a request that was counted
            // would add to some class in each round.
            for (class, count) in &many {
                let before = few.get(class).map_or(0, |count| count.objects);
                assert!(
                    count.objects < before + ROUNDS as u64,
                    "{class}: {before}, {count:?}; {options:?} on {jvm}"
                );
            }
        }
    });
}

#[test]
fn the_socket_is_its_owners_alone_and_goes_with_the_jvm() {
    any_jvm(|jvm| {
        for (end, code) in [("", 0), ("halt", 7)] {
            let mut running = Launch::new(jvm, "steered.Steered").agent("").start();
            running.wait_for_line("READY");
            let socket = control_socket(running.pid()).expect("a socket");
            let file = fs::metadata(&socket).expect("there");
            assert_eq!(file.permissions().mode() & 0o7777, 0o600, "on {jvm}");
            assert_eq!(file.uid(), fs::metadata("/proc/self").expect("proc").uid(), "on {jvm}");
            if !end.is_empty() {
                running.send_line(end);
            }
            assert_eq!(running.finish().code(), Some(code), "on {jvm}");
            assert!(!socket.exists(), "{end:?} on {jvm}: the socket is gone");
        }
    });
}

#[test]
fn what_a_killed_jvm_left_is_known_for_dead() {
    each_jvm(|jvm| {
        let mut running = Launch::new(jvm, "steered.Steered").agent("").start();
        running.wait_for_line("READY");
        let (pid, socket) = (running.pid(), control_socket(running.pid()).expect("a socket"));
        running.kill();
        running.finish();
        assert!(socket.exists(), "nobody was left to remove it");
        let outcome = ask(&["status"], pid);
        assert_eq!(outcome.code(), Some(3), "on {jvm}: {}", outcome.stderr);
        assert_eq!(
            outcome.stderr,
            format!("mayfly: there is no process {pid}; mayfly ps lists the JVMs there are\n")
        );
        fs::remove_file(socket).expect("removed");
    });
}

/// A file of the socket's name that somebody else made is neither followed nor removed.
#[test]
fn a_planted_link_is_left_alone() {
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let launch = Launch::new(jvm, "steered.Steered").agent("").folder(workspace.path());
        // The shell's number becomes the JVM's.
        let script = "ln -s elsewhere /tmp/.mayfly-$$.sock; exec \"$@\"";
        let mut running = launch.under("sh", &["-c", script, "sh"]).start();
        running.wait_for_line("READY");
        let pid = running.pid();
        let link = format!("/tmp/.mayfly-{pid}.sock");
        let found = control_socket(pid).expect("a socket elsewhere");
        assert!(found.starts_with("/dev/shm"), "on {jvm}: {}", found.display());
        ask(&["status"], pid).ok();
        let stderr = running.finish().ok().stderr;
        assert!(!stderr.contains("mayfly:"), "on {jvm}: {stderr}");
        assert!(!found.exists() && fs::read_link(&link).is_ok(), "on {jvm}");
        fs::remove_file(&link).expect("removed");
    });
}

#[test]
fn with_nocontrol_there_is_no_socket_and_the_command_says_so() {
    any_jvm(|jvm| {
        let mut running = Launch::new(jvm, "steered.Steered").agent("#nocontrol").start();
        running.wait_for_line("READY");
        assert_eq!(control_socket(running.pid()), None, "on {jvm}");
        let outcome = ask(&["pause"], running.pid());
        assert_eq!(outcome.code(), Some(3), "on {jvm}");
        assert!(outcome.stderr.contains("#nocontrol"), "on {jvm}: {}", outcome.stderr);
        running.finish().ok();
    });
}

#[test]
fn jvms_are_listed_and_found_by_their_main_class() {
    each_jvm(|jvm| {
        let mut running = Launch::new(jvm, "steered.OnlyOne").agent("#delayprofiling").start();
        running.wait_for_line("READY");
        let pid = running.pid();
        let list: Value = serde_json::from_str(&mayfly(["ps", "--json"]).ok().stdout).expect("JSON");
        assert_eq!(list["schema"], "mayfly-ps/1");
        let row = list["jvms"].as_array().into_iter().flatten().find(|row| row["pid"] == pid);
        let row = row.unwrap_or_else(|| panic!("{pid} is not in {list}"));
        assert_eq!(
            [&row["main"], &row["agent"], &row["profiling"]],
            ["steered.OnlyOne", "launched", "paused"],
            "on {jvm}"
        );
        let java = row["java"].as_str().unwrap_or_default();
        assert!(java.starts_with(&jvm.feature.to_string()), "on {jvm}: {java}");
        let text = mayfly(["ps"]).ok().stdout;
        assert!(text.starts_with("PID ") && text.contains("steered.OnlyOne"), "{text}");
        let rows = list["jvms"].as_array().into_iter().flatten();
        let same = rows.filter(|row| row["main"] == "steered.OnlyOne").count();
        if same == 1 {
            for name in ["steered.OnlyOne", "OnlyOne"] {
                let status = mayfly(["status", "--json", name]).ok().stdout;
                let status: Value = serde_json::from_str(&status).expect("JSON");
                assert_eq!(status["pid"], pid, "{name} on {jvm}");
            }
        } else {
            skip("a JVM by its main class", "somebody else runs steered.OnlyOne, too");
        }
        running.finish().ok();
    });
}

#[test]
fn what_is_no_target_is_exit_code_3_with_its_reason() {
    let mut ended = Command::new("true").spawn().expect("true starts");
    let dead = ended.id();
    ended.wait().expect("it ends");
    let own = std::process::id();
    for (target, part) in [
        (dead.to_string(), "there is no process"),
        (own.to_string(), "is no JVM"),
        ("no.such.Main".into(), "no JVM runs a main class or jar called 'no.such.Main'"),
        ("99999999999".into(), "no JVM runs"),
    ] {
        for command in ["status", "pause", "resume", "reset", "snapshot", "attach"] {
            let outcome = mayfly([command, &target]);
            assert_eq!(outcome.code(), Some(3), "{command} {target}: {}", outcome.stderr);
            assert!(outcome.stderr.contains(part), "{command} {target}: {}", outcome.stderr);
            assert_eq!((outcome.stderr.lines().count(), outcome.stdout.as_str()), (1, ""));
        }
    }
    assert_eq!(mayfly(["status"]).code(), Some(2), "a target is needed");
}

#[test]
fn a_stopped_jvm_is_named_so_and_not_waited_for() {
    any_jvm(|jvm| {
        for agent in [true, false] {
            let launch = Launch::new(jvm, "steered.Steered");
            let mut running = if agent { launch.agent("") } else { launch }.start();
            running.wait_for_line("READY");
            let pid = running.pid();
            signal("STOP", pid);
            // The signal takes its time on a busy machine.
            let start = Instant::now();
            while !is_stopped(pid) {
                assert!(start.elapsed() < Duration::from_secs(20), "on {jvm}: it does not stop");
                thread::yield_now();
            }
            for command in ["status", "attach", "pause"] {
                let outcome = ask(&[command], pid);
                assert_eq!(outcome.code(), Some(3), "{command} on {jvm}: {}", outcome.stderr);
                assert!(outcome.stderr.contains("is stopped"), "{command} on {jvm}: {}", outcome.stderr);
            }
            signal("CONT", pid);
            let outcome = running.finish().ok();
            assert_eq!(outcome.stdout, "READY\nMADE 0 KEPT 0\nDONE\n", "on {jvm}");
        }
    });
}

fn is_stopped(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/status")).expect("it is there").contains("\nState:\tT")
}

fn signal(name: &str, pid: u32) {
    let status = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status();
    assert!(status.expect("kill starts").success());
}

/// Nobody asks: the thread does not wake up even once.
#[test]
fn the_control_thread_sleeps_until_somebody_asks() {
    each_jvm(|jvm| {
        let mut running = Launch::new(jvm, "steered.Steered").agent("#live-0#trackcollections").start();
        running.wait_for_line("READY");
        // It is asleep once it has answered and nobody is connected.
        ask(&["status"], running.pid()).ok();
        running.wait_until_idle();
        let before = switches(running.pid());
        running.does("make 3000000");
        assert_eq!(switches(running.pid()), before, "on {jvm}");
        ask(&["status"], running.pid()).ok();
        assert_ne!(switches(running.pid()), before, "on {jvm}: this is its thread");
        running.finish().ok();
    });
}

/// How often the control thread has gone to sleep, or was put aside.
fn switches(pid: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).expect("it runs").flatten();
    let statuses = tasks.filter_map(|task| fs::read_to_string(task.path().join("status")).ok());
    let control = statuses.into_iter().find(|status| status.starts_with("Name:\tmayfly-control\n"));
    let control = control.expect("the control thread");
    control.lines().filter(|line| line.contains("ctxt_switches")).map(str::to_owned).collect()
}

/// A child process of the program inherits no socket.
#[test]
fn nothing_is_left_open_in_children() {
    each_jvm(|jvm| {
        let mut running = Launch::new(jvm, "steered.Steered").agent("").start();
        running.wait_for_line("READY");
        let idle = mayfly_tests::connect_control(running.pid());
        running.send_line("child");
        let line = running.wait_for_line("CHILD");
        assert_eq!(line, "CHILD 0", "on {jvm}");
        drop(idle);
        running.finish().ok();
    });
}

/// A service whose heap was shrunk collected at each large object from then on: 715 times in three minutes, 17 in one without a look.
#[test]
fn a_collection_for_a_look_leaves_the_heap_as_large_as_it_was() {
    each_jvm(|jvm| {
        for gc in ["-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseParallelGC"] {
            let folder = Workspace::new();
            let log = folder.file("gc.log");
            let log_to = format!("-Xlog:gc:file={}", log.display());
            let jvm_args = [gc, "-XX:InitialHeapSize=256m", "-Xmx512m", &log_to];
            let mut running = Launch::new(jvm, "attached.Attached").jvm_args(&jvm_args).start();
            running.wait_for_line("READY");
            // By the JVM itself, and by the agent.
            ask(&["heap"], running.pid()).ok();
            ask(&["leaks", "--for", "1s", "--dumps", "2"], running.pid());
            running.does("all 10");
            let log = fs::read_to_string(&log).expect("a log");
            // [0.1s][info][gc] GC(3) Pause Full (JvmtiEnv ForceGarbageCollection) 2M->1M(256M) 3.0ms
            let capacities: Vec<u64> = log
                .lines()
                .filter(|line| line.contains("Pause Full (") && line.contains("->"))
                .filter_map(|line| line.rsplit_once('(')?.1.split_once("M)")?.0.parse().ok())
                .collect();
            // Serial and Parallel leave a survivor space out, whose size Parallel adapts.
            let is_kept = |&capacity: &u64| capacity >= 200;
            assert!(capacities.len() >= 4 && capacities.iter().all(is_kept), "{gc} on {jvm}: {log}");
        }
    });
}
