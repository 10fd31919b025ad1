//! The MBean `io.mayfly:type=Profiler`, asked by a JMX client over a connector, and what a process says of its memory.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use mayfly_tests::{
    JsonReport, Jvm, Launch, Outcome, Profiled, Running, TextReport, Workspace, artifacts, each_jvm,
    fixture_classes, jdks, mayfly, skip, workspace_root,
};
use serde_json::Value;

const ITEM: &str = "managed.Managed$Item";
const MODULES: [&str; 2] = ["java.management", "java.management.rmi"];

/// Whether the JVM can be asked by JMX from outside; if not, says so.
fn has_jmx(jvm: &Jvm) -> bool {
    let modules = jvm.modules();
    let missing = MODULES.iter().find(|needed| !modules.iter().any(|module| module == *needed));
    if let Some(module) = missing {
        skip(&format!("the MBean on {jvm}"), &format!("it lacks {module}"));
    }
    missing.is_none()
}

/// Starts the program; its connector's URL.
fn started(run: &Profiled) -> (Running, String) {
    let mut running = run.start();
    let url = running.wait_for_line("READY").trim_start_matches("READY").trim().to_owned();
    (running, url)
}

fn does(running: &mut Running, line: &str) -> String {
    running.send_line(line);
    let seen = if line.starts_with("memory") { running.wait_for_line("MEMORY") } else { String::new() };
    running.wait_for_line(&format!("DID {line}"));
    seen
}

/// What the client was answered, a line per word.
fn ask(jvm: &Jvm, url: &str, words: &[&str]) -> Vec<String> {
    let args: Vec<_> = std::iter::once(url).chain(words.iter().copied()).collect();
    let outcome = Launch::new(jvm, "managed.Client").args(&args).run().ok();
    let lines: Vec<_> = outcome.stdout.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), words.len(), "on {jvm}: {}{}", outcome.stdout, outcome.stderr);
    lines
}

#[test]
fn a_jmx_client_steers_profiling() {
    each_jvm(|jvm| {
        if !has_jmx(jvm) {
            return;
        }
        for (options, args) in [("#mbean", &[][..]), ("", &["register"])] {
            let folder = Workspace::new();
            let property = format!("-Dmayfly.mbean.folder={}", folder.path().display());
            let options = format!("#delayprofiling#include-managed.{options}");
            let run =
                Profiled::new(jvm, "managed.Managed", &options).with(|l| l.jvm_args(&[&property]).args(args));
            let (mut running, url) = started(&run);
            does(&mut running, "make 5");
            assert_eq!(
                ask(jvm, &url, &["get:Active", "start", "get:Active"])[2],
                "get:Active true",
                "on {jvm}"
            );
            does(&mut running, "make 7");
            let answers = ask(jvm, &url, &["report", "snapshot:one.mayfly", "reset", "get:Resets", "pause"]);
            let file = folder.path().canonicalize().expect("a folder").join("one.mayfly");
            assert_eq!(answers[1], format!("snapshot:one.mayfly {}", file.display()), "on {jvm}");
            assert_eq!(answers[3], "get:Resets 1");
            assert_eq!(JsonReport::of(&file).allocated()[ITEM].objects, 7, "on {jvm}");
            assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
            does(&mut running, "make 11");
            let status = &ask(jvm, &url, &["get:Active", "get:Status"]);
            assert_eq!(status[0], "get:Active false", "on {jvm}");
            for part in ["profiling=paused", "resets=1", "loaded=launched", "options=#delayprofiling"] {
                assert!(status[1].contains(part), "no {part} on {jvm}: {}", status[1]);
            }
            running.finish().ok();
            let report = &TextReport::all(&run.log())[0];
            assert_eq!(report.reason, "API request");
            assert_eq!(report.allocated_counts()[ITEM].objects, 7, "on {jvm}");
        }
    });
}

#[test]
fn snapshots_go_into_their_folder_alone_and_replace_nothing() {
    each_jvm(|jvm| {
        if !has_jmx(jvm) {
            return;
        }
        let folder = Workspace::new();
        let inner = folder.file("snapshots");
        fs::create_dir(&inner).expect("a folder");
        fs::write(inner.join("there"), "old").expect("a file");
        std::os::unix::fs::symlink(folder.file("elsewhere"), inner.join("link")).expect("a link");
        let property = format!("-Dmayfly.mbean.folder={}", inner.display());
        let run = Profiled::new(jvm, "managed.Managed", "#mbean").with(|l| l.jvm_args(&[&property]));
        let (running, url) = started(&run);
        let names = ["../out", "/tmp/out", "a/b", "..", ".hidden", "", "a\u{e4}", "there", "link"];
        let words: Vec<_> = names.iter().map(|name| format!("snapshot:{name}")).collect();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        for answer in ask(jvm, &url, &words) {
            assert!(answer.contains(" REFUSED java."), "on {jvm}: {answer}");
        }
        running.finish().ok();
        assert_eq!(fs::read_to_string(inner.join("there")).expect("still there"), "old");
        assert!(!folder.file("elsewhere").exists() && !folder.file("out").exists());
        // Without a folder none is written.
        let run = Profiled::new(jvm, "managed.Managed", "#mbean");
        let (running, url) = started(&run);
        assert!(ask(jvm, &url, &["snapshot:a"])[0].contains("no folder for snapshots is set"));
        running.finish().ok();
    });
}

#[test]
fn without_the_agent_the_bean_says_so_and_without_being_asked_nothing_is_loaded() {
    each_jvm(|jvm| {
        let launch = Launch::new(jvm, "managed.Managed").jvm_args(&["-Xlog:class+load"]).args(&["nothing"]);
        let outcome = launch.run().ok();
        let loaded = |name: &str| outcome.stdout.lines().any(|line| line.contains(name));
        assert!(loaded("managed.Managed "), "on {jvm}: {}", outcome.stdout);
        assert!(!loaded("java.lang.management") && !loaded("javax.management"), "on {jvm}");
        if !has_jmx(jvm) {
            return;
        }
        let mut running = Launch::new(jvm, "managed.Managed").args(&["register"]).start();
        let url = running.wait_for_line("READY").trim_start_matches("READY").trim().to_owned();
        let answers = ask(jvm, &url, &["get:Loaded", "get:Active", "get:Status", "start", "get:Resets"]);
        assert_eq!(answers[..3], ["get:Loaded false", "get:Active false", "get:Status {}"], "on {jvm}");
        assert!(answers[3].contains("no agent is in this JVM"), "on {jvm}: {}", answers[3]);
        assert_eq!(answers[4], "get:Resets -1");
        running.finish().ok();
    });
}

/// `java -version` with the agent, and no API on the class path.
fn version(jvm: &Jvm, option: &str) -> Outcome {
    let empty = Workspace::new();
    let outcome = Command::new(jvm.java())
        .arg(artifacts().agent_flag(option))
        .args(["-Xlog:class+load", "-cp", &empty.path().display().to_string(), "-version"])
        .output()
        .expect("java starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Outcome { stdout: text(&outcome.stdout), stderr: text(&outcome.stderr), status: outcome.status }.ok()
}

#[test]
fn an_mbean_that_cannot_be_registered_is_told_and_the_program_runs() {
    each_jvm(|jvm| {
        // The JVM adds jars to the class path of a running program, and no folders.
        let classes = fixture_classes().display();
        let refused = [
            ("#mbean", "not on the class path"),
            ("#mbean-/nonexistent.jar", "can't read /nonexistent.jar; name mayfly-api.jar"),
            (&format!("#mbean-{classes}"), &format!("can't read {classes}; name mayfly-api.jar")),
        ];
        for (option, why) in refused {
            let stderr = version(jvm, option).stderr;
            assert!(stderr.contains(why), "{option} on {jvm}: {stderr}");
        }
    });
}

#[test]
fn an_mbean_comes_from_a_jar_that_is_named() {
    let Some(jdk) = jdks(11).into_iter().find(|jdk| jdk.javac().is_some()) else {
        return skip("the MBean from a jar", "no JDK with javac");
    };
    let folder = Workspace::new();
    let jar = folder.file("api.jar");
    let build = workspace_root().join("profiler-java/api/build");
    let built = Command::new(build).arg(&jar).env("JAVA_HOME", &jdk.home).output().expect("bash starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    each_jvm(|jvm| {
        if !has_jmx(jvm) {
            return;
        }
        let outcome = version(jvm, &format!("#mbean-{}", jar.display()));
        assert!(!outcome.stderr.contains("mayfly: #mbean"), "on {jvm}: {}", outcome.stderr);
        let from = format!("source: file:{}", jar.display());
        let loaded = outcome
            .stdout
            .lines()
            .any(|line| line.contains("io.mayfly.ProfilerMXBean ") && line.contains(&from));
        assert!(loaded, "on {jvm}: {}", outcome.stdout);
    });
}

fn numbers(line: &str) -> Vec<i64> {
    line.split(' ').skip(1).map(|word| word.parse().unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

#[test]
fn a_process_tells_its_memory_to_itself_and_to_others() {
    const MIB: i64 = 1 << 20;
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "managed.Managed", "#gc-every-1g#trackcollections")
            .with(|l| l.args(&["nothing"]));
        let (mut running, _) = started(&run);
        let pid = running.pid();
        let memory = numbers(&does(&mut running, "memory own"));
        let [resident, all, used, committed] = memory[..] else { panic!("{memory:?}") };
        let now = running.resident_bytes() as i64;
        assert!((resident - now).abs() < 32 * MIB && all > resident, "on {jvm}: {memory:?}, {now}");
        assert!(used > 8 * MIB && committed >= used, "on {jvm}: {memory:?}");
        let other = numbers(&does(&mut running, &format!("memory {}", std::process::id())));
        assert!(other[0] > MIB && other[1] > other[0] && other[2..] == [-1, -1], "on {jvm}: {other:?}");
        assert!(does(&mut running, "memory 2147483646").contains("there is no process"));
        let json = |words: &[&str]| -> Value {
            serde_json::from_str(&mayfly(words.iter().copied()).ok().stdout).expect("JSON")
        };
        let status = json(&["status", "--json", &pid.to_string()]);
        let listed = json(&["ps", "--json"]);
        let row =
            listed["jvms"].as_array().expect("rows").iter().find(|row| row["pid"] == pid).expect("its row");
        for memory in [&status["memory"], &row["memory"]] {
            let told = memory["resident_bytes"].as_i64().expect("a number");
            assert!((told - now).abs() < 32 * MIB, "on {jvm}: {memory}, {now}");
            assert!(memory["virtual_bytes"].as_i64().expect("a number") > told, "on {jvm}: {memory}");
            let committed = memory["heap_committed_bytes"].as_i64().expect("the counters have it");
            assert!(committed >= 8 * MIB, "on {jvm}: {memory}");
            let metaspace = memory["metaspace_committed_bytes"].as_i64().expect("the counters have it");
            let used = memory["metaspace_used_bytes"].as_i64().expect("the counters have it");
            assert!((100_000..=metaspace).contains(&used), "on {jvm}: {memory}");
        }
        let text = mayfly(["status", &pid.to_string()]).ok().stdout;
        let parts = [" resident, ", "; heap: ", "Java heap ", "metaspace "];
        assert!(parts.iter().all(|part| text.contains(part)), "on {jvm}: {text}");
        running.finish().ok();
    });
}
