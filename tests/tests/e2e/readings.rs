//! What a report has of the JVM's own numbers, against its beans.

use mayfly_tests::{Profiled, any_jvm, each_jvm};

/// The program's lines `READING key value`.
fn readings(stdout: &str) -> impl Iterator<Item = (&str, u64)> {
    let lines = stdout.lines().filter_map(|line| line.strip_prefix("READING ")?.split_once(' '));
    lines.map(|(key, value)| (key, value.parse().expect("a number")))
}

#[test]
fn numbers_of_the_jvm_are_those_of_its_beans() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "readings.Readings", "");
        let outcome = run.run();
        let json = run.json();
        let mut known = 0;
        for (key, value) in readings(&outcome.stdout) {
            let shown = json.0["readings"][key].as_u64().unwrap_or_else(|| panic!("no {key} on {jvm}"));
            assert!(shown.abs_diff(value) <= value / 20, "{key} on {jvm}: {shown}, of the bean {value}");
            known += 1;
        }
        assert_eq!(known, 2, "on {jvm}");
        assert!(run.log().contains("\n  metaspace used after the last GC: "), "on {jvm}:\n{}", run.log());
    });
}

#[test]
fn what_the_jvm_does_not_publish_is_left_out() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "readings.Readings", "").with(|l| l.jvm_args(&["-XX:-UsePerfData"]));
        run.run();
        for key in ["metaspace_used_bytes", "classes_loaded"] {
            assert_eq!(run.json().0["readings"].get(key), None, "on {jvm}");
        }
        assert!(!run.log().contains("metaspace"), "on {jvm}:\n{}", run.log());
    });
}
