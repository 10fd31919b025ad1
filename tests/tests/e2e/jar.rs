//! `java -jar mayfly.jar`: the command and the agent out of the jar, here those of the build. What lies outside of the jar is nobody else's.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;

use mayfly_tests::{
    JsonReport, Jvm, Launch, Outcome, Running, Workspace, any_jvm, artifacts, fixture_classes, skip,
    workspace_root,
};

/// The jar, made once; `None`, and said, if there is no compiler.
fn jar() -> Option<&'static Path> {
    static JAR: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = || {
        let folder = Workspace::new();
        for file in [&artifacts().cli, &artifacts().agent] {
            fs::copy(file, folder.file(&file.file_name().expect("a name").to_string_lossy()))
                .expect("copied");
        }
        let jar = workspace_root().join("target/tmp/mayfly.jar");
        let natives = format!("{}={}", std::env::consts::ARCH, folder.path().display());
        let mut build = Command::new(workspace_root().join("profiler-java/mayfly/build"));
        build.arg(&jar).arg(natives);
        let built = Running::of(build).finish();
        if built.code() != Some(0) {
            skip("the jar with the command", &built.stderr);
            return None;
        }
        Some(jar)
    };
    JAR.get_or_init(made).as_deref()
}

/// Runs the jar; what it takes out of itself goes to `cache`.
fn run_jar(jvm: &Jvm, jar: &Path, cache: &Path, args: &[&str]) -> Outcome {
    start_jar(jvm, jar, cache, args).finish()
}

fn start_jar(jvm: &Jvm, jar: &Path, cache: &Path, args: &[&str]) -> Running {
    let mut command = Command::new(jvm.java());
    command.arg("-jar").arg(jar).args(args).env("MAYFLY_CACHE", cache);
    Running::of(command)
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("there").permissions().mode() & 0o777
}

/// The one folder in the cache.
fn unpacked(cache: &Path) -> PathBuf {
    let entries: Vec<_> = fs::read_dir(cache).expect("a cache").flatten().map(|entry| entry.path()).collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries.into_iter().next().expect("one")
}

#[test]
fn it_does_what_the_command_does() {
    let Some(jar) = jar() else { return };
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let (cache, recording) = (workspace.file("cache"), workspace.file("run.mayfly"));
        let mut running = Launch::new(jvm, "steered.Steered").start().when_ready();
        running.does("spin");
        let (pid, file) = (running.pid().to_string(), recording.display().to_string());
        run_jar(jvm, jar, &cache, &["record", &pid, "--for", "1s", "-o", &file]).ok();
        assert!(JsonReport::of(&recording).allocated().contains_key("[B"), "on {jvm}");
        // The JVM that only runs the command is no program to look at; the exit code is the command's.
        // Other tests' commands are.
        let asking = start_jar(jvm, jar, &cache, &["ps"]);
        let own = asking.pid().to_string();
        let listed = asking.finish().ok().stdout;
        let has = |pid: &str| listed.lines().any(|line| line.split_whitespace().next() == Some(pid));
        assert!(has(&pid) && !has(&own), "on {jvm}: {own} lists {listed}");
        assert_eq!(run_jar(jvm, jar, &cache, &["report", "/no/such"]).code(), Some(4), "on {jvm}");
        running.kill();
    });
}

/// On the class path: nothing else names a library.
#[test]
fn the_java_api_finds_the_agent_in_it() {
    let Some(jar) = jar() else { return };
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let recording = workspace.file("run.mayfly");
        let mut command = Command::new(jvm.java());
        command.arg("-cp").arg(format!("{}:{}", fixture_classes().display(), jar.display()));
        command
            .args(["inside.Inside", "start"])
            .arg(format!("#sample-64k#recording-{}", recording.display()));
        let mut running = Running::of(command);
        running.wait_for_line("READY");
        running.send_line("");
        assert!(running.finish().ok().stdout.contains("start true\n"), "on {jvm}");
        assert!(JsonReport::of(&recording).class("inside.Inside$Item").is_some(), "on {jvm}");
    });
}

#[test]
fn what_it_unpacks_is_for_its_user_alone_and_as_in_the_jar() {
    let Some(jar) = jar() else { return };
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let cache = workspace.file("cache");
        let version = || run_jar(jvm, jar, &cache, &["-V"]);
        // Several at once leave one, whole.
        thread::scope(|scope| {
            let all: Vec<_> = (0..4).map(|_| scope.spawn(version)).collect();
            for one in all {
                one.join().expect("ran").ok();
            }
        });
        let folder = unpacked(&cache);
        let (command, agent) = (folder.join("mayfly"), folder.join("libmayfly.so"));
        assert_eq!([&cache, &folder, &command, &agent].map(|path| mode(path)), [0o700, 0o700, 0o700, 0o500]);
        // What was changed is not run, but written again.
        fs::remove_file(&command).expect("removed");
        fs::write(&command, "#!/bin/sh\necho planted\n").expect("written");
        fs::set_permissions(&command, Permissions::from_mode(0o700)).expect("set");
        assert!(version().ok().stdout.starts_with("mayfly "), "on {jvm}");
        assert_eq!(fs::read(unpacked(&cache).join("mayfly")).ok(), fs::read(&artifacts().cli).ok());
    });
}

#[test]
fn a_folder_that_others_could_use_is_refused() {
    let Some(jar) = jar() else { return };
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let [open, own, link] = ["open", "own", "link"].map(|name| workspace.file(name));
        for (folder, bits) in [(&open, 0o777), (&own, 0o700)] {
            fs::create_dir(folder).expect("made");
            fs::set_permissions(folder, Permissions::from_mode(bits)).expect("set");
        }
        symlink(&own, &link).expect("linked");
        for folder in [&open, &open.join("below"), &link] {
            let refused = run_jar(jvm, jar, folder, &["-V"]);
            assert_eq!(refused.code(), Some(2), "{} on {jvm}: {}", folder.display(), refused.stdout);
            assert!(refused.stderr.contains("MAYFLY_CACHE"), "on {jvm}: {}", refused.stderr);
        }
        run_jar(jvm, jar, &own, &["-V"]).ok();
    });
}
