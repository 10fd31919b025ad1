//! The agent brought in by the program itself: `Mayfly.load()`, `Mayfly.start(options)` and `System.load`, without `-agentpath` and without an
//! attach.

use mayfly_tests::{JsonReport, Jvm, Launch, Running, Workspace, any_jvm, artifacts, each_jvm, mayfly};

const ITEM: &str = "inside.Inside$Item";
/// As many as it makes.
const ITEMS: f64 = 404_000.0;

/// JDK 24 and newer warn of Java code that loads a library, and would for good refuse it.
fn allowed(jvm: &Jvm) -> &'static [&'static str] {
    if jvm.feature >= 22 { &["--enable-native-access=ALL-UNNAMED"] } else { &[] }
}

fn launch(jvm: &Jvm, args: &[&str]) -> Launch {
    let library = format!("-Dmayfly.agent={}", artifacts().agent.display());
    Launch::new(jvm, "inside.Inside").jvm_args(&[&library]).jvm_args(allowed(jvm)).args(args)
}

/// Ends the program and gives what it wrote: nothing to stderr.
fn ends(mut running: Running, jvm: &Jvm) -> String {
    running.send_line("");
    let outcome = running.finish().ok();
    assert_eq!(outcome.stderr, "", "on {jvm}");
    assert!(outcome.stdout.ends_with("READY\nDONE 4000\n"), "on {jvm}: {}", outcome.stdout);
    outcome.stdout
}

/// 43 MiB, of which one object in 64 KiB is picked.
fn items_are_estimated(report: &JsonReport, jvm: &Jvm) {
    let objects = report.class(ITEM).and_then(|class| class["allocated"]["objects"].as_f64());
    let objects = objects.unwrap_or_else(|| panic!("no {ITEM} on {jvm}: {}", report.0));
    assert!((ITEMS / 2.0..ITEMS * 2.0).contains(&objects), "{objects} on {jvm}");
}

#[test]
fn a_program_begins_and_is_reached_from_outside() {
    each_jvm(|jvm| {
        let workspace = Workspace::new();
        let recording = workspace.file("run.mayfly");
        let options = format!("#sample-64k#recording-{}", recording.display());
        let mut running = launch(jvm, &["start", &options]).start();
        running.wait_for_line("READY");
        let status = mayfly(["status", "--json", &running.pid().to_string()]).ok().stdout;
        let status: serde_json::Value = serde_json::from_str(&status).expect("JSON");
        assert_eq!(status["profiling"]["state"], "on", "on {jvm}: {status}");
        assert_eq!(status["agent"], "attached", "on {jvm}: {status}");
        mayfly(["stop", &running.pid().to_string()]).ok();
        items_are_estimated(&JsonReport::of(&recording), jvm);
        let stdout = ends(running, jvm);
        let began = "active false\nstart true\nload false start false\nactive true loaded true\n";
        assert!(stdout.starts_with(began), "on {jvm}: {stdout}");
    });
}

/// The program ends it: the recording is whole, nothing more comes into it, and it may begin again.
#[test]
fn a_program_ends_what_it_began() {
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let [first, second] = ["first.mayfly", "second.mayfly"].map(|name| workspace.file(name));
        let [begin, again] =
            [&first, &second].map(|file| format!("#sample-64k#recording-{}", file.display()));
        let mut running = launch(jvm, &["stop", &begin, &again]).start();
        running.wait_for_line("READY");
        running.send_line("");
        let stdout = running.finish().ok().stdout;
        let said = "start true\nREADY\nstop true false\nactive false\nagain true true\nDONE 4000\n";
        assert_eq!(stdout, said, "on {jvm}");
        let report = JsonReport::of(&first);
        items_are_estimated(&report, jvm);
        assert_eq!((&report.0["complete"], report.class(ITEM).is_some()), (&true.into(), true), "on {jvm}");
        assert_eq!(JsonReport::of(&second).0["complete"], true, "on {jvm}");
    });
}

/// At its end the recording is closed, too.
#[test]
fn the_load_of_the_library_alone_begins() {
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let recording = workspace.file("run.mayfly");
        let options = format!("-Dmayfly.options=#sample-64k#recording-{}", recording.display());
        let library = artifacts().agent.display().to_string();
        let mut running = launch(jvm, &["library", &library]).jvm_args(&[&options]).start();
        running.wait_for_line("READY");
        ends(running, jvm);
        items_are_estimated(&JsonReport::of(&recording), jvm);
    });
}

/// The library would be unloaded with it, under the agent's threads.
#[test]
fn it_goes_on_when_the_class_loader_is_gone_that_loaded_it() {
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let recording = workspace.file("run.mayfly");
        let options = format!("#sample-64k#recording-{}", recording.display());
        let mut running = launch(jvm, &["loader", &options]).start();
        running.wait_for_line("READY");
        let stdout = ends(running, jvm);
        assert!(stdout.starts_with("start true\nunloaded true\n"), "on {jvm}: {stdout}");
        items_are_estimated(&JsonReport::of(&recording), jvm);
    });
}

#[test]
fn a_profiled_jvm_stays_as_it_is() {
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let recording = workspace.file("run.mayfly");
        let options = format!("#recording-{}", recording.display());
        let library = artifacts().agent.display().to_string();
        for args in [&["start", "#sample-64k"][..], &["library", &library]] {
            let mut running = launch(jvm, args).agent(&options).start();
            running.wait_for_line("READY");
            running.send_line("");
            let outcome = running.finish().ok();
            if args[0] == "start" {
                let kept = "active true\nstart false\nload false start false\nactive true loaded true\n";
                assert!(outcome.stdout.starts_with(kept), "on {jvm}: {}", outcome.stdout);
            }
            let items = JsonReport::of(&recording).allocated()[ITEM].objects;
            assert_eq!(items, 404_000, "exact, on {jvm}");
        }
    });
}

#[test]
fn what_cannot_begin_says_why_and_another_call_may() {
    any_jvm(|jvm| {
        for (options, why) in [
            ("#nonsense", "nonsense"),
            ("#engine-exact", "-agentpath"),
            ("#recording-/proc/none/x", "/proc/none"),
        ] {
            let mut running = launch(jvm, &["start", options]).start();
            running.wait_for_line("READY");
            let stdout = ends(running, jvm);
            let refused =
                stdout.lines().find(|line| line.starts_with("refused Mayfly: profiling can't begin: "));
            assert!(refused.is_some_and(|line| line.contains(why)), "on {jvm}: {stdout}");
            assert!(
                stdout.contains("load true start false\nactive true loaded true\n"),
                "on {jvm}: {stdout}"
            );
        }
    });
}
