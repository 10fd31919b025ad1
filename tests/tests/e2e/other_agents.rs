//! Beside the agents that people have: JaCoCo, one made with Byte Buddy, OpenTelemetry's, a debugger's, async-profiler, and Flight
//! Recorder; whichever was there first. The program, they and we each do what is expected.
//!
//! They come from Maven's central repository; without it those tests are skipped. Each runs on one JVM, by turns.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayfly_tests::{
    JsonReport, Jvm, Launch, Outcome, Running, Workspace, jdks, jvms, left_to_ci, mayfly, skip,
    workspace_root,
};

const ITEM: &str = "steered.Steered$Item";
/// Up to this release, if classes are changed meanwhile.
const CRASHES_WITH_FLIGHT_RECORDER: u32 = 11;
/// If classes are changed in a JVM that runs.
const CRASH_WITH_DEBUGGER: RangeInclusive<u32> = 18..=22;
const DEBUGGER: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
const ITEMS: u32 = 1 << 20;

/// The jar of another agent; `None`, and why, if it can't be had.
fn fetched(name: &str) -> Option<PathBuf> {
    let output = Command::new(workspace_root().join("tests/fetch-agent")).arg(name).output();
    let why = match &output {
        Ok(output) if output.status.success() => {
            return Some(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
        }
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    skip(&format!("beside {name}"), &why);
    None
}

/// One of the JVMs that have a module, the `turn`th.
fn jvm_with(module: &str, turn: usize) -> Option<&'static Jvm> {
    let able: Vec<_> = jvms().iter().filter(|jvm| jvm.modules().iter().any(|name| name == module)).collect();
    if able.is_empty() {
        skip(&format!("beside what needs {module}"), "no JVM has it");
    }
    able.get(turn % able.len().max(1)).copied()
}

/// The program under another agent and ours, both orders: ours counting exactly from the launch on, before it; and begun later,
/// by samples, and exactly. What it left in its folder is judged.
fn beside(jvm: &Jvm, theirs: &dyn Fn(&Path) -> Vec<String>, judge: &dyn Fn(&Path, &Outcome)) {
    for ours_first in [true, false] {
        let folder = Workspace::new();
        let theirs = theirs(folder.path());
        let theirs: Vec<_> = theirs.iter().map(String::as_str).collect();
        let launch = Launch::new(jvm, "steered.Steered").jvm_args(&theirs);
        let recordings = if ours_first {
            vec![launched_first(launch, folder.path(), judge, jvm)]
        } else {
            begun_later(launch, folder.path(), judge, jvm)
        };
        recordings.iter().for_each(|recording| is_counted(&JsonReport::of(recording), jvm));
    }
}

fn launched_first(launch: Launch, folder: &Path, judge: &dyn Fn(&Path, &Outcome), jvm: &Jvm) -> PathBuf {
    let recording = folder.join("run.mayfly");
    let files = format!("#output-{}#recording-{}", folder.display(), recording.display());
    let mut running = launch.agent(format!("#trackcollections#trace#live-0{files}")).start().when_ready();
    running.does(&format!("make {ITEMS}"));
    ends_well(running, ITEMS, folder, judge, jvm);
    recording
}

fn begun_later(launch: Launch, folder: &Path, judge: &dyn Fn(&Path, &Outcome), jvm: &Jvm) -> Vec<PathBuf> {
    let mut running = launch.start().when_ready();
    let ways = [("sampled", "#sample-64k", &[][..]), ("exact", "#trackcollections", &["--restore"])];
    let recordings = ways.map(|(engine, options, stop)| {
        let recording = folder.join(engine).with_extension("mayfly");
        let options = format!("{options}#recording-{}", recording.display());
        ask(&running, "start", &[&format!("--{engine}"), &options]).ok();
        running.does(&format!("make {ITEMS}"));
        ask(&running, "stop", stop).ok();
        recording
    });
    ends_well(running, 2 * ITEMS, folder, judge, jvm);
    recordings.into()
}

#[track_caller]
fn ends_well(running: Running, made: u32, folder: &Path, judge: &dyn Fn(&Path, &Outcome), jvm: &Jvm) {
    let outcome = running.finish().ok();
    assert!(outcome.stdout.contains(&format!("MADE {made} KEPT 0\nDONE\n")), "on {jvm}: {}", outcome.stdout);
    judge(folder, &outcome);
}

fn ask(running: &Running, command: &str, more: &[&str]) -> Outcome {
    let pid = running.pid().to_string();
    mayfly([command, &pid].into_iter().chain(more.iter().copied()))
}

/// All items, or an estimate of them within five of its errors.
#[track_caller]
fn is_counted(json: &JsonReport, jvm: &Jvm) {
    assert_eq!(json.0["complete"], true, "on {jvm}");
    let row = json.class(ITEM).unwrap_or_else(|| panic!("no items on {jvm}: {}", json.0["trust"]));
    let bytes = 16.0 * f64::from(ITEMS);
    if row["allocated"]["estimated"] == true {
        let number = |name: &str| row["jvm_allocated"][name].as_f64().expect("a number");
        let off = (number("bytes") - bytes) / number("error_bytes");
        assert!(off.abs() < 5.0, "{off} errors off on {jvm}: {row}");
    } else {
        assert_eq!(row["allocated"]["objects"], ITEMS, "on {jvm}: {row}");
    }
}

fn has_file(folder: &Path, name: &str, least: u64) {
    let length = fs::metadata(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}")).len();
    assert!(length >= least, "{name} has {length} bytes");
}

/// The JVMs that have a debugger's agent, and may crash with it where classes are changed in them, or do not.
fn of_debugger(crash: bool) -> impl Iterator<Item = &'static Jvm> {
    let has_one = |jvm: &&Jvm| jvm.modules().iter().any(|name| name == "jdk.jdwp.agent");
    jvms().iter().filter(has_one).filter(move |jvm| CRASH_WITH_DEBUGGER.contains(&jvm.feature) == crash)
}

fn flight_recording(folder: &Path) -> Vec<String> {
    vec![
        format!("-XX:StartFlightRecording=settings=profile,filename={}/peer.jfr", folder.display()),
        "-Xlog:jfr*=error".into(),
    ]
}

#[test]
fn flight_recorder_records() {
    if left_to_ci("the flight recorder beside") {
        return;
    }
    let Some(jvm) = jvm_with("jdk.jfr", 1).filter(|jvm| jvm.feature > CRASHES_WITH_FLIGHT_RECORDER) else {
        return;
    };
    beside(jvm, &flight_recording, &|folder, _| has_file(folder, "peer.jfr", 10_000));
}

/// That JVM writes stacks of methods at the end which are gone by then.
#[test]
fn under_a_flight_recording_jdk_11_takes_no_exact_counts_and_goes_on() {
    let Some(jvm) = jvms().iter().find(|jvm| jvm.feature <= CRASHES_WITH_FLIGHT_RECORDER) else {
        return skip("exact counts under a flight recording", "no JDK 11");
    };
    let folder = Workspace::new();
    let options = flight_recording(folder.path());
    let options: Vec<_> = options.iter().map(String::as_str).collect();
    let mut running = Launch::new(jvm, "steered.Steered").jvm_args(&options).start().when_ready();
    let refused = ask(&running, "start", &["--exact"]);
    assert!(
        !refused.status.success() && refused.stderr.contains("a flight recording is on"),
        "{}",
        refused.stderr
    );
    running.does("make 1000");
    ends_well(running, 1_000, folder.path(), &|folder, _| has_file(folder, "peer.jfr", 10_000), jvm);
}

#[test]
fn a_debugger_may_come() {
    if left_to_ci("a debugger beside") {
        return;
    }
    let Some(jvm) = of_debugger(false).last() else {
        return skip("a debugger beside", "no JVM that has one and does not crash with it");
    };
    beside(jvm, &|_| vec![DEBUGGER.into()], &|_, outcome| {
        assert!(outcome.stdout.contains("Listening for transport dt_socket"), "{}", outcome.stdout);
    });
}

/// Where all cores are busy that JVM would crash each fourth time (`VM_RedefineClasses`).
#[test]
fn under_a_debugger_jdk_21_takes_no_exact_counts_and_goes_on() {
    let Some(jvm) = of_debugger(true).next() else {
        return skip("exact counts under a debugger", "no JDK 18 to 22 that has one");
    };
    let mut running = Launch::new(jvm, "steered.Steered").jvm_args(&[DEBUGGER]).start().when_ready();
    let refused = ask(&running, "start", &["--exact", "--yes"]);
    let said = refused.stderr.contains("a debugger's agent is loaded");
    assert!(!refused.status.success() && said, "on {jvm}: {}", refused.stderr);
    ask(&running, "start", &["--sampled", "#recording-/dev/null"]).ok();
    running.does("make 1000");
    let outcome = running.finish().ok();
    assert!(outcome.stdout.contains("MADE 1000 KEPT 0\nDONE\n"), "on {jvm}: {}", outcome.stdout);
}

#[test]
fn jacoco_measures_coverage() {
    if left_to_ci("JaCoCo beside") {
        return;
    }
    let Some(jar) = fetched("jacoco") else { return };
    let Some(jvm) = jvm_with("java.instrument", 2) else { return };
    let theirs = |folder: &Path| {
        vec![format!("-javaagent:{}=destfile={}/jacoco.exec", jar.display(), folder.display())]
    };
    beside(jvm, &theirs, &|folder, _| {
        let probes = fs::read(folder.join("jacoco.exec")).expect("coverage");
        assert!(
            String::from_utf8_lossy(&probes).contains("steered/Steered"),
            "no class of ours was measured"
        );
    });
}

#[test]
fn an_agent_made_with_byte_buddy_transforms() {
    if left_to_ci("an agent made with Byte Buddy beside") {
        return;
    }
    let Some(jar) = fetched("bytebuddy") else { return };
    let Some(jvm) = jvm_with("java.instrument", 3) else { return };
    let made = Workspace::new();
    let Some(agent) = counting_agent(&jar, made.path()) else { return };
    let theirs = |folder: &Path| vec![format!("-javaagent:{}={}/calls", agent.display(), folder.display())];
    beside(jvm, &theirs, &|folder, outcome| {
        let calls = outcome.stdout.matches("DID make").count();
        assert_eq!(fs::read_to_string(folder.join("calls")).expect("written"), format!("CALLS {calls}"));
    });
}

/// Compiles the agent, and packs it with a manifest that names Byte Buddy's jar.
fn counting_agent(byte_buddy: &Path, folder: &Path) -> Option<PathBuf> {
    let jdk = jdks(11).into_iter().next();
    let Some((javac, home)) = jdk.and_then(|jdk| Some((jdk.javac()?, jdk.home))) else {
        skip("beside an agent made with Byte Buddy", "no javac");
        return None;
    };
    let source = workspace_root().join("tests/agents/CountingAgent.java");
    let classes = folder.join("classes");
    succeeds(
        Command::new(javac)
            .args(["--release", "11", "-nowarn", "-cp"])
            .arg(byte_buddy)
            .arg("-d")
            .arg(&classes)
            .arg(source),
    );
    let (manifest, jar) = (folder.join("manifest"), folder.join("agent.jar"));
    let text = format!("Premain-Class: CountingAgent\nClass-Path: file://{}\n", byte_buddy.display());
    fs::write(&manifest, text).expect("written");
    let packs = home.join("bin/jar");
    succeeds(
        Command::new(packs)
            .args(["--create", "--file"])
            .arg(&jar)
            .arg("--manifest")
            .arg(&manifest)
            .arg("-C")
            .arg(&classes)
            .arg("."),
    );
    Some(jar)
}

#[track_caller]
fn succeeds(command: &mut Command) {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn opentelemetry_traces() {
    if left_to_ci("the agent of OpenTelemetry beside") {
        return;
    }
    let Some(jar) = fetched("opentelemetry") else { return };
    let Some(jvm) = jvm_with("java.instrument", 1) else { return };
    let theirs = |_: &Path| {
        let mut options = vec![format!("-javaagent:{}", jar.display())];
        for exporter in ["traces", "metrics", "logs"] {
            options.push(format!("-Dotel.{exporter}.exporter=none"));
        }
        options
    };
    beside(jvm, &theirs, &|_, outcome| {
        assert!(outcome.stderr.contains("opentelemetry-javaagent - version"), "{}", outcome.stderr);
    });
}

/// The library in async-profiler's jar.
fn async_profiler(folder: &Path) -> Option<PathBuf> {
    let jar = fetched("async-profiler")?;
    let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let name = format!("linux-{machine}/libasyncProfiler.so");
    let jdk = jdks(11).into_iter().next()?;
    succeeds(Command::new(jdk.home.join("bin/jar")).current_dir(folder).args(["-xf"]).arg(jar).arg(&name));
    Some(folder.join(name))
}

#[test]
fn async_profiler_takes_cpu_time() {
    if left_to_ci("async-profiler, by CPU time, beside") {
        return;
    }
    let unpacked = Workspace::new();
    let Some(library) = async_profiler(unpacked.path()) else { return };
    let jvm = &jvms()[1 % jvms().len()];
    let theirs = |folder: &Path| {
        vec![format!(
            "-agentpath:{}=start,event=itimer,file={}/peer.jfr",
            library.display(),
            folder.display()
        )]
    };
    beside(jvm, &theirs, &|folder, _| has_file(folder, "peer.jfr", 1_000));
}

/// The JVM's sampler is one agent's at a time: who comes second is told what to do.
#[test]
fn async_profiler_has_the_sampler_or_we_have() {
    if left_to_ci("async-profiler, by allocations, beside") {
        return;
    }
    let unpacked = Workspace::new();
    let Some(library) = async_profiler(unpacked.path()) else { return };
    let jvm = &jvms()[2 % jvms().len()];
    let folder = Workspace::new();
    let theirs = format!("start,event=alloc,alloc=512k,live,file={}/peer.jfr", folder.path().display());
    let launch = Launch::new(jvm, "steered.Steered").agent_at(&library, theirs);
    let mut running = launch.start().when_ready();
    let refused = ask(&running, "start", &[]);
    assert_eq!(refused.code(), Some(2), "on {jvm}: {}", refused.stderr);
    let expected = ["another agent's", "stop that one", "#trackcollections"];
    assert!(expected.iter().all(|part| refused.stderr.contains(part)), "on {jvm}: {}", refused.stderr);
    assert_eq!(refused.stderr.lines().count(), 1, "on {jvm}: {}", refused.stderr);
    running.does(&format!("make {ITEMS}"));
    running.finish().ok();
    has_file(folder.path(), "peer.jfr", 1_000);
    // The exact engine does without.
    let recording = folder.file("run.mayfly");
    let exact = format!(
        "#trackcollections#live-0#output-{}#recording-{}",
        folder.path().display(),
        recording.display()
    );
    let mut running = launch.agent(exact).start().when_ready();
    running.does(&format!("make {ITEMS}"));
    running.finish().ok();
    is_counted(&JsonReport::of(&recording), jvm);
}
