//! `mayfly doctor` says beforehand what the other commands would run into, and by its exit code whether a recording can be started.

use std::fs;
use std::process::Command;

use mayfly_tests::{Launch, Running, Workspace, any_jvm, artifacts, mayfly, schema_faults};
use serde_json::Value;

#[test]
fn it_tells_a_jvm_that_can_be_profiled_from_one_that_cannot() {
    any_jvm(|jvm| {
        for (flag, code, said) in [
            ("-Xmx64m", 0, "A recording can be started"),
            ("-XX:+DisableAttachMechanism", 3, "DisableAttachMechanism"),
            ("-XX:-EnableDynamicAgentLoading", 3, "EnableDynamicAgentLoading"),
        ] {
            let running = Launch::new(jvm, "steered.Steered").jvm_args(&[flag]).start().when_ready();
            let pid = running.pid().to_string();
            let doctor = mayfly(["doctor", &pid]);
            assert_eq!(doctor.code(), Some(code), "{flag} on {jvm}: {}{}", doctor.stdout, doctor.stderr);
            assert!(doctor.stdout.contains(said), "{flag} on {jvm}: {}", doctor.stdout);
            assert!(
                doctor.stdout.contains(&format!("HotSpot {}", jvm.feature)),
                "on {jvm}: {}",
                doctor.stdout
            );
            let json = mayfly(["doctor", "--json", &pid]).stdout;
            let json: Value = serde_json::from_str(&json).expect("JSON");
            assert_eq!(schema_faults(&json), [""; 0], "{flag} on {jvm}");
            assert_eq!((&json["can_record"], &json["pid"]), (&(code == 0).into(), &running.pid().into()));
            // What it says is what happens.
            let start = mayfly(["start", &pid]);
            assert_eq!(start.code(), Some(code), "{flag} on {jvm}: {}", start.stderr);
            running.finish().ok();
        }
    });
}

#[test]
fn what_is_missing_here_is_told_from_what_is_missing_there() {
    let without_agent = |args: &[&str]| {
        let mut command = Command::new(&artifacts().cli);
        command.args(args).env("MAYFLY_AGENT", "/nowhere/libmayfly.so");
        Running::of(command).finish()
    };
    assert_eq!(mayfly(["doctor"]).code(), Some(0));
    let here = without_agent(&["doctor"]);
    assert_eq!(here.code(), Some(2), "{}", here.stdout);
    assert!(
        here.stdout.contains("NO  agent") && here.stdout.contains("/nowhere/libmayfly.so"),
        "{}",
        here.stdout
    );
    let there = mayfly(["doctor", &std::process::id().to_string()]);
    assert_eq!(there.code(), Some(3), "{}", there.stdout);
    assert!(there.stdout.contains("is no JVM"), "{}", there.stdout);
}

/// As `cargo install` leaves it.
#[test]
fn a_command_without_its_library_says_where_that_is_to_be_had() {
    let alone = Workspace::new();
    let cli = alone.file("mayfly");
    fs::copy(&artifacts().cli, &cli).expect("copied");
    for args in [&["doctor"][..], &["run", "--", "java", "-version"], &["agent"]] {
        let mut command = Command::new(&cli);
        command.args(args).env_remove("MAYFLY_AGENT");
        let refused = Running::of(command).finish();
        let said = refused.stdout.clone() + &refused.stderr;
        assert_eq!(refused.code(), Some(2), "{args:?}: {said}");
        let place = alone.path().canonicalize().expect("there").join("libmayfly.so");
        assert!(said.contains(&place.display().to_string()), "{args:?}: {said}");
        assert!(said.contains("cargo build --release -p mayfly-agent"), "{args:?}: {said}");
    }
}
