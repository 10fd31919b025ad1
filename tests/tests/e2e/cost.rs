//! `mayfly cost` runs a program in turn without and with Mayfly, and compares what is comparable.

use std::fs;
use std::process::Command;

use mayfly_tests::{Running, Workspace, any_jvm, artifacts, fixture_classes, mayfly, schema_faults};
use serde_json::Value;

/// What a program of the fixtures costs.
fn cost(java: &str, options: &[&str], program: &[&str]) -> mayfly_tests::Outcome {
    let classes = fixture_classes().display().to_string();
    let launch = ["--", java, "-Xmx64m", "-cp", &classes];
    mayfly([&["cost"], options, &launch, program].concat())
}

#[test]
fn every_way_is_run_in_each_round_and_what_it_writes_is_shown_once() {
    any_jvm(|jvm| {
        let java = jvm.java().display().to_string();
        let outcome = cost(&java, &["--all", "--json", "--rounds", "2"], &["exits.Exits", "return"]);
        assert_eq!(outcome.code(), Some(0), "on {jvm}: {}", outcome.stderr);
        assert_eq!(outcome.stderr.matches("start return").count(), 1, "on {jvm}: {}", outcome.stderr);
        let json: Value = serde_json::from_str(&outcome.stdout).expect("JSON alone");
        assert_eq!(schema_faults(&json), [""; 0], "on {jvm}");
        let ways = json["ways"].as_array().expect("ways");
        let names: Vec<_> = ways.iter().filter_map(|way| way["way"].as_str()).collect();
        let flags = [" --sampled", " --counts-only", "", " --every-object"];
        assert_eq!(names[0], "without Mayfly");
        assert_eq!(names[1..], flags.iter().map(|flag| format!("mayfly run{flag}")).collect::<Vec<_>>());
        for way in ways {
            let [cpu, elapsed] =
                ["cpu_s", "elapsed_s"].map(|key| way[key]["least"].as_f64().expect("seconds"));
            assert!(cpu > 0.0 && elapsed > 0.0 && cpu < 60.0, "on {jvm}: {way:#}");
            // A JVM alone has some 20 MiB.
            let peak = way["peak_bytes"]["median"].as_f64().expect("bytes");
            assert!(peak > 4e6 && peak < 1e9, "on {jvm}: {way:#}");
        }
        assert!(ways[0]["more_cpu_share"].is_null(), "on {jvm}");
        // It rewrites each class, in a program that does nothing else.
        let more = ways[4]["more_cpu_share"]["median"].as_f64().expect("a share");
        assert!(more > 0.0, "on {jvm}: {json:#}");
    });
}

#[test]
fn runs_that_fail_are_not_compared_and_a_service_is_ended() {
    any_jvm(|jvm| {
        let java = jvm.java().display().to_string();
        let failed = cost(&java, &[], &["exits.Exits", "exit"]);
        assert_eq!((failed.code(), &*failed.stdout), (Some(2), ""), "on {jvm}: {}", failed.stderr);
        assert!(
            failed.stderr.contains("ended with 3 when it ran without Mayfly"),
            "on {jvm}: {}",
            failed.stderr
        );
        // The first run is shown; of one that fails later, what it wrote last is.
        let script = "test -e $0 && { echo no disk >&2; exit 7; }; touch $0";
        let workspace = Workspace::new();
        let marker = workspace.file("ran");
        let late = mayfly(["cost", "--", "sh", "-c", script, &marker.display().to_string()]);
        assert_eq!((late.code(), &*late.stdout), (Some(2), ""), "on {jvm}: {}", late.stderr);
        let wanted = "no disk\nmayfly: sh ended with 7 when it ran without Mayfly: only runs that succeed are measured; see what it wrote, above\n";
        assert!(late.stderr.ends_with(wanted), "on {jvm}: {}", late.stderr);
        // A launcher by another name, as `javac` is one, and a script that becomes the JVM; of one that stays nobody knows.
        for (script, is_known) in [("exec \"$@\"", true), ("\"$@\"; true", false)] {
            let classes = fixture_classes().display().to_string();
            let program = ["sh", "-c", script, "sh", &java, "-cp", &classes, "exits.Exits", "return"];
            let outcome = mayfly([&["cost", "--json", "--rounds", "1", "--"][..], &program].concat());
            let json: Value = serde_json::from_str(&outcome.stdout).expect("JSON alone");
            let peak = &json["ways"][0]["peak_bytes"]["median"];
            assert_eq!(peak.as_f64().is_some_and(|peak| peak > 4e6), is_known, "{script} on {jvm}: {json:#}");
        }
        let service = cost(&java, &["--for", "1s", "--rounds", "1"], &["shop.Shop"]);
        assert_eq!(service.code(), Some(0), "on {jvm}: {}", service.stderr);
        for line in [
            "Each run was ended after 1 s",
            "CPU time in the second half of each run, once it is up: mayfly run --sampled ",
        ] {
            assert!(service.stdout.contains(line), "on {jvm}: {}", service.stdout);
        }
    });
}

/// By a scheduler, or by whom it takes too long: the time of a run is not over then.
#[test]
fn who_ends_the_command_ends_it_and_not_just_one_run() {
    any_jvm(|jvm| {
        let mut command = Command::new(&artifacts().cli);
        command.args(["cost", "--for", "10m", "--rounds", "9", "--"]).arg(jvm.java());
        command.arg("-cp").arg(fixture_classes()).arg("shop.Shop");
        let mut running = Running::of(command);
        let pid = running.pid();
        let children = format!("/proc/{pid}/task/{pid}/children");
        running
            .wait_until("no run began", || fs::read_to_string(&children).is_ok_and(|pids| !pids.is_empty()));
        let told = Command::new("kill").args(["-TERM", &pid.to_string()]).status();
        assert!(told.is_ok_and(|status| status.success()), "SIGTERM on {jvm}");
        let outcome = running.finish();
        assert_eq!((outcome.code(), &*outcome.stdout), (Some(2), ""), "on {jvm}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("ended with 143"), "on {jvm}: {}", outcome.stderr);
    });
}
