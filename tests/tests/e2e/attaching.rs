//! Loading the agent into JVMs that were started without it: what it serves then, what it refuses, what is said if it can't
//! get in; and that the program does not notice.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use mayfly_tests::{
    JsonReport, Jvm, Launch, Outcome, Running, Workspace, any_jvm, artifacts, control_socket, each_jvm,
    fixture_classes, jvms, mayfly, skip,
};
use serde_json::Value;

fn started(jvm: &Jvm, jvm_args: &[&str]) -> Running {
    Launch::new(jvm, "steered.Steered").jvm_args(jvm_args).start().when_ready()
}

fn ask(command: &str, pid: u32) -> Outcome {
    mayfly([command, &pid.to_string()])
}

fn status(pid: u32) -> Value {
    let outcome = mayfly(["status", "--json", &pid.to_string()]).ok();
    serde_json::from_str(&outcome.stdout).expect("JSON")
}

/// What `mayfly heap` counts of the program's items.
fn items_on_heap(pid: u32) -> Option<u64> {
    let outcome = mayfly(["heap", &pid.to_string(), "--json"]).ok();
    let summary: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let mut rows = summary["rows"].as_array().into_iter().flatten();
    rows.find(|row| row["class"] == "steered.Steered$Item")?["objects"].as_u64()
}

/// Since JDK 21 the JVM warns on stderr that an agent was loaded; nothing else may have been added.
#[track_caller]
fn is_unharmed(mut running: Running) {
    running.send_line("keep 12");
    running.wait_for_line("DID keep 12");
    let outcome = running.finish().ok();
    assert!(outcome.stdout.starts_with("READY\n"), "{}", outcome.stdout);
    assert!(outcome.stdout.ends_with("DID keep 12\nMADE 12 KEPT 12\nDONE\n"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("Full thread dump"), "{}", outcome.stdout);
    let others: Vec<_> = outcome.stderr.lines().filter(|line| !line.starts_with("WARNING: ")).collect();
    assert_eq!(others, Vec::<&str>::new());
}

#[test]
fn it_gets_into_a_running_jvm_and_tells_what_it_can_do() {
    each_jvm(|jvm| {
        let mut running = started(jvm, &[]);
        let pid = running.pid();
        let before = ask("status", pid);
        assert_eq!(before.code(), Some(3), "on {jvm}: status attaches nothing");
        assert!(before.stderr.contains("runs without the agent"), "on {jvm}: {}", before.stderr);
        ask("attach", pid).ok();
        let found = status(pid);
        assert_eq!((&found["agent"], &found["profiling"]), (&"attached".into(), &Value::Null), "on {jvm}");
        assert_eq!(found["jvm"]["command"], "steered.Steered", "on {jvm}");
        for command in ["pause", "resume", "reset", "snapshot"] {
            let refused = ask(command, pid);
            assert_eq!(refused.code(), Some(3), "{command} on {jvm}");
            assert!(refused.stderr.contains("does not profile"), "{command} on {jvm}: {}", refused.stderr);
        }
        assert_eq!(items_on_heap(pid), None, "on {jvm}: none are there yet");
        running.send_line("keep 500");
        running.wait_for_line("DID keep 500");
        assert_eq!(items_on_heap(pid), Some(500), "on {jvm}");
        let again = ask("attach", pid).ok();
        assert!(again.stderr.contains("attached"), "on {jvm}: {}", again.stderr);
        let socket = control_socket(pid).expect("a socket");
        let outcome = running.finish().ok();
        assert_eq!(outcome.stdout, "READY\nDID keep 500\nMADE 500 KEPT 500\nDONE\n", "on {jvm}");
        assert!(!socket.exists(), "on {jvm}");
    });
}

#[test]
fn an_agent_that_was_launched_is_left_as_it_is() {
    each_jvm(|jvm| {
        let mut running = Launch::new(jvm, "steered.Steered").agent("").start();
        running.wait_for_line("READY");
        ask("attach", running.pid()).ok();
        assert_eq!(status(running.pid())["agent"], "launched", "on {jvm}");
        // The JVM's own way in leads to the same library, which notices.
        if let Some(said) = load_by_jcmd(jvm, running.pid(), &artifacts().agent) {
            assert!(said.contains("return code: 0"), "on {jvm}: {said}");
            assert_eq!(status(running.pid())["agent"], "launched", "on {jvm}");
        }
        let stderr = running.finish().ok().stderr;
        let noticed = stderr.contains("mayfly: the agent is in this JVM already; nothing was changed");
        assert!(noticed || jcmd(jvm).is_none(), "on {jvm}: {stderr}");
    });
}

/// A service with a capability, as systemd gives one: its own user may not look into `/proc/PID`.
#[test]
fn a_jvm_with_a_capability_is_reached_by_its_user() {
    let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let with_capability = ["--inh-caps=+net_bind_service", "--ambient-caps=+net_bind_service"];
    let as_nobody = |args: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(nobody).arg(&artifacts().cli).args(args);
        command
    };
    let can = as_nobody(&["--version"]).output().is_ok_and(|output| output.status.success());
    let java = |jvm: &Jvm| {
        let mut command = Command::new("setpriv");
        command.args(nobody).args(with_capability).arg(jvm.java()).args(["-version"]);
        command.output().is_ok_and(|output| output.status.success())
    };
    any_jvm(|jvm| {
        if !can || !java(jvm) {
            return skip("a JVM with a capability", "needs root, setpriv, and files that others may read");
        }
        let under: Vec<_> = nobody.into_iter().chain(with_capability).collect();
        for agent in [None, Some("")] {
            let launch = Launch::new(jvm, "steered.Steered").under("setpriv", &under);
            let launch = agent.map_or(launch.clone(), |options| launch.agent(options));
            let mut running = launch.start().when_ready();
            running.does("keep 500");
            let pid = running.pid().to_string();
            let listed = Running::of(as_nobody(&["ps"])).finish().ok().stdout;
            let agent_is = if agent.is_some() { "launched" } else { "unknown" };
            let row = listed.lines().find(|line| line.starts_with(&pid)).unwrap_or_default();
            assert!(row.contains("Steered") && row.contains(agent_is), "{listed}");
            let heap = Running::of(as_nobody(&["heap", &pid])).finish().ok().stdout;
            assert!(heap.contains("steered.Steered$Item"), "{heap}");
            Running::of(as_nobody(&["attach", &pid])).finish().ok();
            Running::of(as_nobody(&["status", &pid])).finish().ok();
            running.finish().ok();
        }
    });
}

#[test]
fn a_second_copy_of_the_library_is_refused() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let copy = workspace.file("libmayfly.so");
        fs::copy(&artifacts().agent, &copy).expect("copied");
        let mut running = Launch::new(jvm, "steered.Steered").agent("").start();
        running.wait_for_line("READY");
        match load_by_jcmd(jvm, running.pid(), &copy) {
            Some(said) => assert!(said.contains("return code: 103"), "on {jvm}: {said}"),
            None => skip(&format!("a second copy on {jvm}"), "this JVM comes without jcmd"),
        }
        assert_eq!(status(running.pid())["agent"], "launched", "on {jvm}: the first goes on");
        running.finish().ok();
    });
}

#[test]
fn several_at_once_get_one_agent_while_the_program_allocates() {
    each_jvm(|jvm| {
        let mut running = started(jvm, &["-Xmx64m"]);
        for _ in 0..2 {
            running.send_line("spin");
            running.wait_for_line("DID spin");
        }
        let pid = running.pid();
        thread::scope(|scope| {
            let all: Vec<_> = (0..4).map(|_| scope.spawn(move || ask("attach", pid))).collect();
            for one in all {
                one.join().expect("no panic").ok();
            }
        });
        assert_eq!(status(pid)["agent"], "attached", "on {jvm}");
        running.send_line("make 1000");
        running.wait_for_line("DID make 1000");
        running.finish().ok();
    });
}

#[test]
fn where_it_may_not_get_in_the_reason_is_said_and_nothing_is_printed_there() {
    each_jvm(|jvm| {
        for (option, reason) in [
            ("-XX:+DisableAttachMechanism", "runs with -XX:+DisableAttachMechanism"),
            ("-XX:-EnableDynamicAgentLoading", "runs with -XX:-EnableDynamicAgentLoading"),
        ] {
            for more in ["-XX:+UsePerfData", "-XX:-UsePerfData"] {
                let running = started(jvm, &[option, more]);
                let outcome = ask("attach", running.pid());
                assert_eq!(outcome.code(), Some(3), "{option} on {jvm}: {}", outcome.stderr);
                assert!(outcome.stderr.contains(reason), "{option} on {jvm}: {}", outcome.stderr);
                is_unharmed(running);
            }
        }
    });
}

#[test]
fn neither_signals_nor_counters_switched_off_keep_it_out() {
    each_jvm(|jvm| {
        for option in ["-Xrs", "-XX:-UsePerfData", "-XX:+PerfDisableSharedMem"] {
            let running = started(jvm, &[option]);
            ask("attach", running.pid()).ok();
            let found = status(running.pid());
            assert_eq!(found["agent"], "attached", "{option} on {jvm}");
            is_unharmed(running);
        }
    });
}

#[test]
fn a_library_that_can_not_be_loaded_is_an_error_with_the_systems_words() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let (broken, foreign) = (workspace.file("libmayfly.so"), workspace.file("libmayfly-arm.so"));
        let mut bytes = fs::read(&artifacts().agent).expect("there");
        fs::write(&broken, &bytes[..4096]).expect("written");
        let text = workspace.file("libmayfly-text.so");
        fs::write(&text, "no library").expect("written");
        // e_machine of an ELF file: aarch64.
        bytes[18..20].copy_from_slice(&183u16.to_le_bytes());
        fs::write(&foreign, &bytes).expect("written");
        let running = started(jvm, &[]);
        for (library, reason) in [
            (&broken, "is damaged or cut off"),
            (&text, "is damaged or cut off"),
            (&foreign, "for aarch64"),
            // It needs the C library alone, so that every loader takes it.
            (&jvm.home.join("lib/libjsig.so"), "refuses the attach: "),
        ] {
            let output = Command::new(&artifacts().cli)
                .args(["attach", &running.pid().to_string()])
                .env("MAYFLY_AGENT", library)
                .output()
                .expect("mayfly starts");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "on {jvm}: {stderr}");
            assert!(stderr.contains(reason), "on {jvm}: {stderr}");
        }
        is_unharmed(running);
    });
}

/// A JVM that sees other process numbers and another `/tmp` than we do, as in a container.
#[test]
fn it_gets_into_other_namespaces() {
    // Nothing of ours is visible in there: classes and, for the launched one, the agent are copied in.
    let script = "mount -t tmpfs t /mnt && cp -r \"$1\" /mnt/classes && cp \"$2\" /mnt/libmayfly.so && \
                  mount -t tmpfs t /tmp && shift 2 && exec \"$@\"";
    if !has_namespaces() {
        return skip("other namespaces", "unshare --mount --pid does not work here (needs root)");
    }
    each_jvm(|jvm| {
        if is_hidden(jvm) {
            return skip(
                &format!("other namespaces on {jvm}"),
                "it lies where the namespace has its own files",
            );
        }
        for launched in [false, true] {
            let mut command = Command::new("unshare");
            command.args(NAMESPACES).args(["sh", "-c", script, "sh"]);
            command.arg(fixture_classes()).arg(&artifacts().agent).arg(jvm.java());
            command.args(launched.then_some("-agentpath:/mnt/libmayfly.so"));
            command.args(["-cp", "/mnt/classes", "steered.Steered"]);
            let mut running = Running::of(command);
            running.wait_for_line("READY");
            let pid = only_child(running.pid());
            if !launched {
                ask("attach", pid).ok();
                let left: Vec<_> = fs::read_dir(format!("/proc/{pid}/root/tmp"))
                    .expect("its folder")
                    .flatten()
                    .map(|entry| entry.file_name().to_string_lossy().into_owned())
                    .filter(|name| name.contains("libmayfly") || name.contains("attach"))
                    .collect();
                assert_eq!(left, Vec::<String>::new(), "on {jvm}: the copy is gone");
            }
            let found = status(pid);
            let agent = if launched { "launched" } else { "attached" };
            assert_eq!((&found["agent"], &found["jvm"]["pid"]), (&agent.into(), &1.into()), "on {jvm}");
            let list: Value = serde_json::from_str(&mayfly(["ps", "--json"]).ok().stdout).expect("JSON");
            let row = list["jvms"].as_array().into_iter().flatten().find(|row| row["pid"] == pid);
            assert_eq!(row.map(|row| &row["agent"]), Some(&agent.into()), "on {jvm}");
            running.finish().ok();
        }
    });
}

/// A container's file systems, made with `sh`: what is given first is our classes, what second the agent.
struct Container {
    name: &'static str,
    /// Before the program.
    script: &'static str,
    /// Begins the profile, or says this.
    refused: Option<&'static str>,
    /// From the launch on.
    launched: bool,
}

const COPY: &str =
    "mount -t tmpfs t /mnt && cp -r \"$1\" /mnt/classes && cp \"$2\" /mnt/libmayfly.so && shift 2";
const CONTAINERS: [Container; 6] = [
    Container { name: "plain", script: "mount -t tmpfs t /tmp", refused: None, launched: false },
    Container {
        name: "a read-only root",
        script: "mount -t tmpfs t /tmp && mount -t tmpfs t /dev/shm && mount -o remount,bind,ro /",
        refused: None,
        launched: false,
    },
    Container {
        name: "/tmp noexec",
        script: "mount -t tmpfs -o noexec t /tmp && mount -t tmpfs t /dev/shm",
        refused: None,
        launched: false,
    },
    Container {
        name: "noexec everywhere",
        script: "mount -t tmpfs -o noexec t /tmp && mount -t tmpfs -o noexec t /dev/shm && mount -t tmpfs -o noexec t /var/tmp",
        refused: Some("noexec"),
        launched: false,
    },
    Container {
        name: "a read-only /tmp",
        script: "mount -t tmpfs -o ro t /tmp && mount -t tmpfs t /dev/shm",
        refused: Some("/tmp of JVM"),
        launched: false,
    },
    Container {
        name: "a read-only /tmp, launched",
        script: "mount -t tmpfs -o ro t /tmp && mount -t tmpfs t /dev/shm",
        refused: None,
        launched: true,
    },
];

/// What its items were estimated at by a profile that is begun now, with a program that runs as this user in a container.
fn profiled_in(jvm: &Jvm, container: &Container, user: Option<&str>) {
    let what = format!("{} as {user:?} on {jvm}", container.name);
    let script = format!("{COPY} && {} && exec \"$@\"", container.script);
    let mut command = Command::new("unshare");
    command.args(NAMESPACES).args(["sh", "-c", &script, "sh"]).arg(fixture_classes()).arg(&artifacts().agent);
    if let Some(user) = user {
        command.args(["setpriv", "--reuid", user, "--regid", user, "--clear-groups"]);
    }
    command.arg(jvm.java()).args(container.launched.then_some("-agentpath:/mnt/libmayfly.so=#heapsummary"));
    command.args(["-cp", "/mnt/classes", "steered.Steered"]);
    let mut running = Running::of(command).when_ready();
    let pid = only_child(running.pid());
    let started = mayfly(["start", &pid.to_string(), "#sample-16k"]);
    if let Some(part) = container.refused {
        assert_eq!(started.code(), Some(3), "{what}: {}", started.stderr);
        let line = started.stderr.lines().next().unwrap_or_default();
        assert!(line.contains(part) && line.contains("-agentpath"), "{what}: {}", started.stderr);
    } else {
        started.ok();
        running.does("make 1000000");
        let workspace = Workspace::new();
        let path = workspace.file("recording.mayfly");
        mayfly(["snapshot", &pid.to_string(), "-o", &path.display().to_string()]).ok();
        assert!(JsonReport::of(&path).class("steered.Steered$Item").is_some(), "{what}");
        ask("stop", pid).ok();
    }
    running.finish().ok();
}

/// Each on one of the JVMs.
#[test]
fn it_begins_in_containers_of_all_kinds_or_says_what_is_missing() {
    if !has_namespaces() {
        return skip("containers", "unshare --mount --pid does not work here (needs root)");
    }
    for (turn, container) in CONTAINERS.iter().enumerate() {
        let able: Vec<_> = jvms().iter().filter(|jvm| !is_hidden(jvm)).collect();
        let Some(jvm) = able.get(turn % able.len().max(1)) else {
            return skip("containers", "the JVMs lie where the namespace has its own files");
        };
        // Where nothing can be copied: as our own user it would load our library from where it lies.
        let user = (turn % 2 == 0 || container.refused.is_some()).then_some("65534");
        profiled_in(jvm, container, user);
    }
}

/// Whether a JVM lies where namespaces have files of their own.
fn is_hidden(jvm: &Jvm) -> bool {
    jvm.home.starts_with("/tmp") || jvm.home.starts_with("/mnt")
}

const NAMESPACES: [&str; 4] = ["--mount", "--pid", "--fork", "--mount-proc"];

fn has_namespaces() -> bool {
    let works = Command::new("unshare").args(NAMESPACES).args(["sh", "-c", "mount -t tmpfs t /mnt"]).output();
    works.is_ok_and(|output| output.status.success())
}

fn only_child(pid: u32) -> u32 {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).expect("it runs");
    children.trim().parse().unwrap_or_else(|_| panic!("not one child: {children:?}"))
}

fn jcmd(jvm: &Jvm) -> Option<PathBuf> {
    Some(jvm.home.join("bin/jcmd")).filter(|jcmd| jcmd.is_file())
}

/// What the JVM says when its own tool loads a library; `None` if it comes without the tool.
fn load_by_jcmd(jvm: &Jvm, pid: u32, library: &Path) -> Option<String> {
    let output = Command::new(jcmd(jvm)?)
        .args([&pid.to_string(), "JVMTI.agent_load"])
        .arg(library)
        .output()
        .expect("jcmd starts");
    Some(String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}
