//! The fixtures tell the truth: what they state, the JVM's own histogram confirms, without any agent.
//!
//! Interpreted, under a collector that never collects: every object ever made is on the heap at the end.

use mayfly_tests::{Count, Counts, Jvm, Launch, check_all, each_jvm, skip};

const JVM_ARGS: &[&str] = &["-Xint", "-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx2g"];

/// `CENSUS class objects bytes`.
fn census(stdout: &str) -> Counts {
    let row = |line: &str| {
        let mut fields = line.strip_prefix("CENSUS ")?.split(' ');
        let class = fields.next()?.to_owned();
        Some((class, Count { objects: fields.next()?.parse().ok()?, bytes: fields.next()?.parse().ok()? }))
    };
    stdout.lines().filter_map(row).collect()
}

fn confirm(jvm: &Jvm, program: &[&str]) {
    let outcome = Launch::new(jvm, "census.Census").jvm_args(JVM_ARGS).args(program).run();
    if outcome.stderr.contains("UseEpsilonGC") || outcome.stderr.contains("java/lang/management") {
        return skip(&format!("{program:?} on {jvm}"), "this JVM lacks Epsilon or java.management");
    }
    let stdout = outcome.ok().stdout;
    check_all(jvm, &stdout, &census(&stdout))
        .unwrap_or_else(|mismatch| panic!("{program:?} on {jvm}:\n{mismatch}"));
}

#[test]
fn every_way_of_making_an_object_is_counted_right() {
    each_jvm(|jvm| {
        for part in ["clones", "reflective", "language", "library"] {
            confirm(jvm, &["gap.Gap", part, "10"]);
            confirm(jvm, &["gap.Gap", part, "2000"]);
        }
    });
}

#[test]
fn the_other_programs_count_right() {
    each_jvm(|jvm| {
        confirm(jvm, &["threads.Threads", "4", "20000"]);
        confirm(jvm, &["org.server.Server"]);
        confirm(jvm, &["exitlive.ExitLive"]);
        confirm(jvm, &["gap.Gap", "overflow", "1000"]);
    });
}
