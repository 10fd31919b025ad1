//! `mayfly check` and `mayfly run --budget` on real programs.

use std::ffi::OsString;
use std::fs;

use mayfly_tests::{Outcome, Profiled, Workspace, any_jvm, fixture_classes, mayfly, schema_faults};
use serde_json::Value;

const NODE: &str = "exitlive.ExitLive$Node";

/// The same as JSON.
fn checked_json(run: &Profiled, budget: &str) -> Value {
    let outcome = checked_as(run, budget, &["--json"]);
    serde_json::from_str(&outcome.stdout).expect("JSON")
}

/// The check of a recording of `ExitLive`, which makes 401,000 nodes of 24 bytes and keeps 1,000.
fn checked(run: &Profiled, budget: &str) -> Outcome {
    checked_as(run, budget, &[])
}

fn checked_as(run: &Profiled, budget: &str, options: &[&str]) -> Outcome {
    let workspace = Workspace::new();
    let file = workspace.file("budget.toml");
    fs::write(&file, budget).expect("a budget can be written");
    let words = ["check".into(), "--budget".into(), file.into_os_string(), run.recording().into_os_string()];
    mayfly(words.into_iter().chain(options.iter().map(OsString::from)))
}

#[test]
fn limits_are_kept_to_the_object() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "exitlive.ExitLive", "#trackcollections#trace");
        run.run();
        let code = |keys: &str| {
            let outcome = checked(&run, &format!("trust = 0.5\n[[class]]\nname = '{NODE}'\n{keys}\n"));
            (outcome.code(), format!("{keys} on {jvm}: {}{}", outcome.stdout, outcome.stderr))
        };
        for (keys, expected) in [
            ("objects = 401000\nbytes = 9624000\nlive = 1000\nlive_bytes = 24000", 0),
            ("objects = 400999", 1),
            ("bytes = 9623999", 1),
            ("live = 999", 1),
            ("operations_per_moon = 1", 2),
        ] {
            let (code, said) = code(keys);
            assert_eq!(code, Some(expected), "{said}");
        }
        let json = checked_json(&run, &format!("trust = 0.5\n[[class]]\nname = '{NODE}'\nlive = 0\n"));
        assert_eq!(schema_faults(&json), [""; 0], "on {jvm}");
        assert_eq!(json["recordings"][0]["limits"][0]["measured"], 1000.0, "on {jvm}: {json}");
        let (_, said) = code("live = 0");
        assert!(said.contains("at exitlive.ExitLive.main(ExitLive.java"), "{said}");
    });
}

#[test]
fn what_a_sample_can_not_tell_is_not_kept() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "exitlive.ExitLive", "#sample-16m#trace");
        run.run();
        let outcome = checked(&run, &format!("trust = 0.5\n[[class]]\nname = '{NODE}'\nlive = 1\n"));
        assert_eq!(outcome.code(), Some(2), "on {jvm}: {}{}", outcome.stdout, outcome.stderr);
        let trusted = checked(&run, "trust = 1.0\n[total]\nbytes = '1g'\n");
        assert_ne!(trusted.code(), Some(1), "on {jvm}: {}", trusted.stdout);
    });
}

#[test]
fn a_run_is_checked_where_it_ends() {
    any_jvm(|jvm| {
        let workspace = Workspace::new();
        let budget = workspace.file("budget.toml");
        let run = |limit: &str| {
            fs::write(&budget, format!("trust = 0.5\n[[class]]\nname = '{NODE}'\n{limit}\n"))
                .expect("written");
            let words: [OsString; 11] = [
                "run".into(),
                "--every-object".into(),
                "--budget".into(),
                budget.clone().into(),
                "-o".into(),
                workspace.file("%p.mayfly").into(),
                "--".into(),
                jvm.java().into(),
                "-cp".into(),
                fixture_classes().into(),
                "exitlive.ExitLive".into(),
            ];
            mayfly(words)
        };
        for (limit, code) in [("live = 1000", 0), ("live = 999", 1), ("p99_s = 0", 2), ("alive = 1", 2)] {
            let outcome = run(limit);
            let said = format!("{limit} on {jvm}: {}", outcome.stderr);
            assert_eq!(outcome.code(), Some(code), "{said}");
            // Standard output stays the program's; a budget that is none is refused before it runs.
            let program = if limit == "alive = 1" { "" } else { "DONE\n" };
            assert!(outcome.stdout.ends_with(program) && !outcome.stdout.contains("kept"), "{said}");
            assert_eq!(outcome.stdout.is_empty(), program.is_empty(), "{said}");
        }
    });
}
