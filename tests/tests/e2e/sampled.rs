//! The sampled engine: counts with errors that hold, at launch and begun in a JVM that runs; nothing is rewritten, and nothing
//! stays behind.

use std::path::Path;
use std::process::Command;

use mayfly_tests::{
    Expectation, JsonReport, Jvm, Launch, Outcome, Profiled, Running, Workspace, any_jvm, artifacts,
    each_jvm, mayfly, native_library, skip,
};
use serde_json::Value;

/// Bytes of an item of the steered program.
const ITEM: f64 = 16.0;
/// Many samples: 320 MiB.
const ITEMS: u32 = 20 << 20;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// How many of its stated errors a class is off from so many bytes.
#[track_caller]
fn errors_off(json: &JsonReport, class: &str, bytes: f64) -> f64 {
    let row = json.class(class).unwrap_or_else(|| panic!("no {class}: {}", json.0["trust"]));
    assert_eq!(row["allocated"]["estimated"], true, "{row}");
    let estimate = &row["jvm_allocated"];
    let (estimated, error) = (number(&estimate["bytes"]), number(&estimate["error_bytes"]));
    let told = number(&row["allocated"]["bytes"]);
    assert!((told - estimated).abs() <= 0.001 * estimated + 64.0, "one number: {row}");
    assert!(error > 0.0 && error < estimated, "{row}");
    (estimated - bytes) / error
}

/// How many of its stated errors each class of a run is off.
fn kinds(jvm: &Jvm, options: &str, jvm_args: &[&str], count: u32) -> (Vec<(String, f64)>, Profiled) {
    let run = Profiled::new(jvm, "sampled.Kinds", &format!("#engine-sampled{options}"))
        .with(|launch| launch.args(&[&count.to_string()]).jvm_args(jvm_args));
    let stdout = run.run().stdout;
    let json = run.json();
    let off =
        |it: &Expectation| (it.class.clone(), errors_off(&json, &it.class, it.bytes.expect("bytes") as f64));
    let off: Vec<_> = Expectation::all(&stdout).iter().map(off).collect();
    assert_eq!(off.len(), 4, "{stdout}");
    (off, run)
}

#[test]
fn totals_of_classes_are_within_their_errors_and_the_trust_line_compares_them() {
    each_jvm(|jvm| {
        let (off, run) = kinds(jvm, "#sample-128k", &[], 2_000_000);
        let json = run.json();
        assert_eq!(json.0["engine"], "sampled", "on {jvm}");
        let mut off: Vec<_> = off.into_iter().map(|(_, off)| off.abs()).collect();
        off.sort_by(f64::total_cmp);
        // Each is beyond three errors once in 370 times, two of them are not.
        assert!(off[2] < 3.0 && off[3] < 5.0, "{off:?} errors off on {jvm}");
        let share = json.share().expect("a counter");
        assert!((0.9..1.1).contains(&share), "{share} on {jvm}: {}", json.0["trust"]);
        let text = run.log();
        assert!(text.contains("Sizes and counts are estimates from a sample"), "{text}");
        assert!(text.contains(" estimated of ") && !text.contains("optimised away"), "{text}");
    });
}

#[test]
fn objects_that_every_sampler_picks_count_what_they_take() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "sampled.Sampled", "#engine-sampled")
            .with(|launch| launch.args(&["huge", "5"]).jvm_args(&["-Xmx256m"]));
        let stdout = run.run().stdout;
        let expected = Expectation::all(&stdout)[0].bytes.expect("bytes") as f64;
        let json = run.json();
        let row = json.class("[J").unwrap_or_else(|| panic!("no arrays: {}", json.0["trust"]));
        let share = number(&row["allocated"]["bytes"]) / expected;
        assert!((0.99..1.01).contains(&share), "{share} on {jvm}: {row}");
        assert_eq!(row["allocated"]["objects"], 5, "on {jvm}: {row}");
    });
}

/// A collection takes more CPU than all else that the engine does in a program that says hello.
#[test]
fn where_few_objects_were_followed_none_is_collected_at_the_end() {
    each_jvm(|jvm| {
        let whole_collections = |options| {
            let run = Profiled::new(jvm, "exits.Exits", options).with(|launch| launch.args(&["return"]));
            run.run();
            run.json().0["trust"]["following"]["whole_collections"].as_u64().expect("whole_collections")
        };
        assert_eq!(whole_collections("#engine-sampled"), 0, "on {jvm}");
        assert!(whole_collections("#engine-sampled#sample-1k") > 0, "on {jvm}");
    });
}

/// Where buffers are small beside the objects, where there are few collections, and with other collectors.
const SETTINGS: [(&str, &[&str]); 4] = [
    ("#sample-128k", &[]),
    ("#sample-512k", &["-Xmx64m"]),
    ("#sample-512k", &["-XX:+UseParallelGC"]),
    ("#sample-32k", &["-Xmx256m", "-XX:+UseSerialGC"]),
];

/// `MAYFLY_RUNS` runs (30) of each JVM and setting: how far off each class was, in its own errors. Minutes.
#[test]
#[ignore = "minutes: just sampled-errors"]
fn errors_hold_over_many_runs() {
    let runs: usize = std::env::var("MAYFLY_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(30);
    each_jvm(|jvm| {
        let mut all = Vec::new();
        for (options, jvm_args) in SETTINGS {
            let mut by_class: std::collections::BTreeMap<String, Vec<f64>> = Default::default();
            for _ in 0..runs {
                for (class, off) in kinds(jvm, options, jvm_args, 2_000_000).0 {
                    by_class.entry(class).or_default().push(off);
                }
            }
            for (class, off) in &by_class {
                println!("{jvm} {options} {jvm_args:?} {class}: {}", distribution(off));
            }
            all.extend(by_class.into_values().flatten());
        }
        println!("{jvm} all: {}", distribution(&all));
        let beyond = all.iter().filter(|off| off.abs() > 3.0).count();
        assert!(beyond <= 2 + all.len() / 100, "{beyond} of {} beyond three errors on {jvm}", all.len());
    });
}

fn distribution(off: &[f64]) -> String {
    let number = off.len() as f64;
    let mean = off.iter().sum::<f64>() / number;
    let rms = (off.iter().map(|off| off * off).sum::<f64>() / number).sqrt();
    let within = |most: f64| off.iter().filter(|off| off.abs() <= most).count();
    let largest = off.iter().fold(0.0f64, |most, off| most.max(off.abs()));
    format!(
        "{} runs, mean {mean:+.2}, rms {rms:.2}, within 1: {}, within 2: {}, within 3: {}, most {largest:.2}",
        off.len(),
        within(1.0),
        within(2.0),
        within(3.0)
    )
}

/// Many more samples than asked for would be drawn at the interval.
#[test]
fn there_are_so_many_samples_a_second_at_most_and_estimates_hold() {
    each_jvm(|jvm| {
        let mut running = started(jvm, &["-Xmx256m"]);
        let pid = running.pid();
        ask("start", pid, &["#sample-1k#sample-rate-1000"]).ok();
        for _ in 0..4 {
            make(&mut running, ITEMS);
        }
        let json = snapshot(pid);
        let interval = number(&json.0["trust"]["sample_interval_bytes"]);
        let seconds = number(&json.0["duration_s"]);
        let samples = f64::from(ITEMS) * ITEM * 4.0 / interval;
        // Until it has settled each thousand takes it nearer, and a program that is interrupted may pass a second twice.
        assert!(samples <= 2000.0 * (seconds + 4.0), "{samples} samples in {seconds} s on {jvm}");
        assert!(interval > 1024.0 * 2.0, "{interval} on {jvm}");
        let off = errors_off(&json, "steered.Steered$Item", f64::from(ITEMS) * ITEM * 4.0);
        assert!(off.abs() < 4.0, "{off} errors off on {jvm}");
        ask("stop", pid, &[]).ok();
        is_unharmed(running, 4 * u64::from(ITEMS), jvm);
    });
}

/// Classes that the JVM takes from its archive, and those that it loads.
fn shared(jvm: &Jvm, options: Option<&str>) -> (usize, usize, Outcome) {
    let workspace = Workspace::new();
    let log = workspace.file("classes.log");
    let launch =
        Launch::new(jvm, "steered.Steered").jvm_args(&[&format!("-Xlog:class+load:file={}", log.display())]);
    let launch = options.into_iter().fold(launch, |launch, options| launch.agent(options));
    let outcome = launch.start().finish().ok();
    let text = std::fs::read_to_string(&log).expect("a log of classes");
    let from = text.lines().filter(|line| line.contains("shared objects file")).count();
    (from, text.lines().count(), outcome)
}

#[test]
fn classes_stay_as_they_are_and_come_from_the_archive() {
    each_jvm(|jvm| {
        let (without, all_without, plain) = shared(jvm, None);
        let (with, all_with, profiled) = shared(jvm, Some("#engine-sampled#live-0"));
        assert_eq!(plain.stdout, profiled.stdout, "on {jvm}");
        if without == 0 {
            return skip(&format!("class data sharing on {jvm}"), "this JVM comes without an archive");
        }
        assert!(with + 5 >= without, "{with} of {without} classes from the archive on {jvm}");
        assert!(all_with <= all_without + 40, "{all_with} classes loaded, {all_without} without on {jvm}");
        let (exact, ..) = shared(jvm, Some("#live-0"));
        assert!(exact < without, "the exact engine does without the archive on {jvm}");
    });
}

fn started(jvm: &Jvm, jvm_args: &[&str]) -> Running {
    Launch::new(jvm, "steered.Steered").jvm_args(jvm_args).start().when_ready()
}

fn ask(command: &str, pid: u32, more: &[&str]) -> Outcome {
    let pid = pid.to_string();
    mayfly([command, &pid].into_iter().chain(more.iter().copied()))
}

fn make(running: &mut Running, items: u32) {
    running.send_line(&format!("make {items}"));
    running.wait_for_line(&format!("DID make {items}"));
}

fn snapshot(pid: u32) -> JsonReport {
    let workspace = Workspace::new();
    let path = workspace.file("snapshot.mayfly");
    ask("snapshot", pid, &["-o", &path.display().to_string()]).ok();
    JsonReport::of(&path)
}

fn profiling(pid: u32) -> Value {
    // Before the agent is there, there is no status.
    let outcome = ask("status", pid, &["--json"]);
    if outcome.code() != Some(0) {
        return Value::Null;
    }
    let profiling = &serde_json::from_str::<Value>(&outcome.stdout).expect("JSON")["profiling"];
    assert_eq!(profiling["engine"], if profiling.is_null() { Value::Null } else { "sampled".into() });
    profiling["state"].clone()
}

/// Since JDK 21 the JVM warns on stderr that an agent was loaded; nothing else may have been added.
#[track_caller]
fn is_unharmed(running: Running, made: u64, jvm: &Jvm) {
    let outcome = running.finish().ok();
    assert!(outcome.stdout.ends_with(&format!("MADE {made} KEPT 0\nDONE\n")), "on {jvm}: {}", outcome.stdout);
    let others: Vec<_> = outcome.stderr.lines().filter(|line| !line.starts_with("WARNING: ")).collect();
    assert_eq!(others, Vec::<&str>::new(), "on {jvm}");
}

#[test]
fn it_begins_and_ends_in_a_jvm_that_runs_and_begins_again() {
    each_jvm(|jvm| {
        let mut running = started(jvm, &["-Xmx256m"]);
        let pid = running.pid();
        make(&mut running, ITEMS);
        ask("start", pid, &["--sampled"]).ok();
        assert_eq!(profiling(pid), "on", "on {jvm}");
        make(&mut running, ITEMS);
        let again = ask("start", pid, &[]);
        assert_eq!(again.code(), Some(2), "on {jvm}");
        assert!(again.stderr.contains("it profiles already"), "on {jvm}: {}", again.stderr);
        ask("pause", pid, &[]).ok();
        make(&mut running, ITEMS);
        ask("resume", pid, &[]).ok();
        let json = snapshot(pid);
        let off = errors_off(&json, "steered.Steered$Item", f64::from(ITEMS) * ITEM);
        assert!(off.abs() < 4.0, "{off} errors off on {jvm}");
        let share = json.share().expect("a counter");
        assert!((0.3..0.7).contains(&share), "{share} on {jvm}: half of it was made in the pause");
        ask("stop", pid, &[]).ok();
        assert_eq!(profiling(pid), Value::Null, "on {jvm}");
        let refused = ask("snapshot", pid, &[]);
        assert!(refused.stderr.contains("does not profile"), "on {jvm}: {}", refused.stderr);
        let workspace = Workspace::new();
        let recording = workspace.file("second.mayfly");
        ask("start", pid, &[&format!("#recording-{}", recording.display())]).ok();
        make(&mut running, ITEMS);
        ask("stop", pid, &[]).ok();
        let json = JsonReport::of(&recording);
        assert_eq!(json.0["complete"], true, "on {jvm}: {}", json.0);
        let off = errors_off(&json, "steered.Steered$Item", f64::from(ITEMS) * ITEM);
        assert!(off.abs() < 4.0, "{off} errors off on {jvm}: since the second start");
        is_unharmed(running, 4 * u64::from(ITEMS), jvm);
    });
}

#[test]
fn a_recording_of_some_time_is_kept_and_ends_early_on_a_signal() {
    const ITEMS: u32 = 1_000_000;
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let mut running = started(jvm, &[]);
        let pid = running.pid();
        running.send_line("spin");
        running.wait_for_line("DID spin");
        let short = workspace.file("short.mayfly");
        ask("record", pid, &["--for", "1s", "-o", &short.display().to_string()]).ok();
        let json = JsonReport::of(&short);
        assert!(json.class("[B").is_some(), "on {jvm}: {}", json.0);
        assert_eq!(json.0["complete"], true, "on {jvm}: {}", json.0);
        let read = mayfly(["report", &short.display().to_string()]).ok();
        assert_eq!(read.stderr, "", "on {jvm}: it was closed");
        let long = workspace.file("long.mayfly");
        let mut command = Command::new(&artifacts().cli);
        command.args(["record", &pid.to_string(), "--for", "1h", "-o"]).arg(&long);
        let recorder = Running::of(command);
        assert!((0..500).any(|_| profiling(pid) == "on"), "it does not begin on {jvm}");
        // Enough for some samples.
        make(&mut running, ITEMS);
        signal(recorder.pid(), "INT");
        recorder.finish().ok();
        assert!(JsonReport::of(&long).class("steered.Steered$Item").is_some(), "on {jvm}");
        assert_eq!(profiling(pid), Value::Null, "on {jvm}");
        is_unharmed(running, ITEMS.into(), jvm);
    });
}

/// Five seconds that were measured are worth something, also when the time was to be ten.
#[test]
fn what_was_recorded_before_the_jvm_ended_or_another_command_stopped_it_is_kept() {
    any_jvm(|jvm| {
        let ways = [
            ("end", "the JVM ended before the time was over"),
            ("KILL", "is cut off"),
            ("stop", "another command stopped it before the time was over"),
        ];
        for (ends_by, remark) in ways {
            let workspace = Workspace::new();
            let mut running = started(jvm, &[]);
            running.does("spin");
            let file = workspace.file("ended.mayfly");
            let mut command = Command::new(&artifacts().cli);
            command.args(["record", &running.pid().to_string(), "--for", "1h", "-o"]).arg(&file);
            let recorder = Running::of(command);
            let mut written = false;
            running.wait_until("nothing was recorded", || {
                written |= JsonReport::begun(&file).is_some_and(|json| json.class("[B").is_some());
                written
            });
            match ends_by {
                "end" => drop(running.finish()),
                "stop" => drop(mayfly(["stop", &running.pid().to_string()]).ok()),
                name => {
                    signal(running.pid(), name);
                    drop(running.finish());
                }
            }
            let said = recorder.finish().ok().stderr;
            let complete = ends_by != "KILL";
            assert!(said.contains(remark), "{ends_by} on {jvm}: {said}");
            let json = JsonReport::of(&file);
            assert!(json.class("[B").is_some() && json.0["complete"] == complete, "{ends_by} on {jvm}");
        }
    });
}

fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().expect("kill");
    assert!(status.success());
}

/// As `jcmd PID JVMTI.agent_load` does it.
fn load_by_jcmd(jvm: &Jvm, pid: u32, library: &Path, options: &str) -> Option<String> {
    let tool = jvm.java().with_file_name("jcmd");
    if !tool.exists() {
        return None;
    }
    let output = Command::new(tool)
        .args([&pid.to_string(), "JVMTI.agent_load"])
        .arg(library)
        .arg(options)
        .output()
        .expect("jcmd starts");
    Some(String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn the_jvms_own_tool_begins_it_too() {
    each_jvm(|jvm| {
        let mut running = started(jvm, &[]);
        let pid = running.pid();
        let Some(said) = load_by_jcmd(jvm, pid, &artifacts().agent, "#engine-sampled") else {
            return skip(&format!("jcmd on {jvm}"), "this JVM comes without jcmd");
        };
        assert!(said.contains("return code: 0"), "on {jvm}: {said}");
        make(&mut running, ITEMS);
        assert!(snapshot(pid).class("steered.Steered$Item").is_some(), "on {jvm}");
        ask("stop", pid, &[]).ok();
        is_unharmed(running, u64::from(ITEMS), jvm);
    });
}

#[test]
fn another_agents_sampler_is_left_to_it_in_one_line() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let taker = match native_library("sampled/taker.c", workspace.path()) {
            Ok(taker) => taker,
            Err(missing) => return skip(&format!("a taken sampler on {jvm}"), missing),
        };
        let launch = Launch::new(jvm, "steered.Steered").agent_at(&taker, "");
        let outcome = launch.clone().agent("#engine-sampled").run();
        assert_eq!(outcome.code(), Some(2), "on {jvm}: {}", outcome.stderr);
        let ours: Vec<_> = outcome.stderr.lines().filter(|line| line.starts_with("mayfly: ")).collect();
        assert!(ours.len() == 1 && ours[0].contains("another agent's"), "on {jvm}: {}", outcome.stderr);
        let mut running = launch.start();
        running.wait_for_line("READY");
        let refused = ask("start", running.pid(), &[]);
        assert_eq!(refused.code(), Some(2), "on {jvm}: {}", refused.stderr);
        assert!(refused.stderr.contains("another agent's"), "on {jvm}: {}", refused.stderr);
        is_unharmed(running, 0, jvm);
    });
}
