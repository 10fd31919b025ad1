//! Counts are exact whatever thread allocates, and whether or not it still runs.

use mayfly_tests::{Jvm, Profiled, check_all, each_jvm, jvms, skip};

fn counts_exactly(jvm: &Jvm, args: &[&str]) {
    for options in ["", "#trace"] {
        let run = Profiled::new(jvm, "threads.Threads", options).with(|l| l.args(args));
        let outcome = run.run();
        if let Err(mismatch) = check_all(jvm, &outcome.stdout, &run.json().allocated()) {
            panic!("{args:?} with {options:?} on {jvm}:\n{mismatch}");
        }
    }
}

#[test]
fn four_threads_at_once() {
    each_jvm(|jvm| counts_exactly(jvm, &["4", "100000"]));
}

#[test]
fn many_short_lived_threads() {
    each_jvm(|jvm| counts_exactly(jvm, &["1000", "200"]));
}

#[test]
fn virtual_threads() {
    if jvms().iter().all(|jvm| jvm.feature < 21) {
        return skip("virtual threads", "no JVM 21 or newer found");
    }
    each_jvm(|jvm| {
        if jvm.feature >= 21 {
            counts_exactly(jvm, &["200", "2000", "virtual"]);
        }
    });
}

#[test]
fn four_threads_tracked() {
    each_jvm(|jvm| {
        let options = "#trackcollections#include-threads.Threads$Item";
        let run = Profiled::new(jvm, "threads.Threads", options).with(|l| l.args(&["4", "100000"]));
        run.run();
        let json = run.json();
        let objects =
            |counts: mayfly_tests::Counts| counts.get("threads.Threads$Item").map_or(0, |c| c.objects);
        assert_eq!(objects(json.allocated()), 400_000, "allocated on {jvm}");
        assert_eq!(objects(json.live()) + objects(json.collected()), 400_000, "live and collected on {jvm}");
    });
}
