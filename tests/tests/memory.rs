//! The agent's memory does not grow with objects that have died, and stays within its limit.

use mayfly_tests::{Profiled, Running, each_jvm};

const MIB: u64 = 1 << 20;

/// Resident bytes after each round.
fn churn(running: &mut Running, rounds: u64) -> Vec<u64> {
    let mut resident = Vec::new();
    for _ in 0..rounds {
        running.wait_for_line("READY");
        // Sweeping is done beside the program; this one allocates faster than it.
        running.wait_until_idle();
        resident.push(running.resident_bytes());
        running.send_line("GO");
    }
    resident
}

#[test]
fn dead_tracked_objects_leave_nothing_behind() {
    each_jvm(|jvm| {
        // A small heap whose size does not change: what grows is the agent's.
        let run = Profiled::new(jvm, "churn.Churn", "#trackcollections#include-churn")
            .with(|l| l.jvm_args(&["-XX:+UseSerialGC", "-Xms32m", "-Xmx32m", "-XX:+AlwaysPreTouch"]));
        let mut running = run.start();
        let resident = churn(&mut running, 17);
        running.finish().ok();
        let (early, late) = (resident[4], resident[16]);
        // 2.4 million objects lie between the two; at 4 bytes each this would fail.
        assert!(late < early + 10 * MIB, "on {jvm}: resident memory by round {resident:?}");
        let collected = run.json().collected()["churn.Churn$Dust"].objects;
        assert_eq!(collected, 3_400_000, "collected on {jvm}");
    });
}

#[test]
fn beyond_the_limit_objects_are_dropped_and_counted() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "exitlive.ExitLive", "#trackcollections#memlimit-1m")
            .with(|l| l.jvm_args(&["-Xmn512m", "-Xmx1g"]));
        run.run();
        let json = run.json();
        assert_eq!(json.allocated()["exitlive.ExitLive$Node"].objects, 401_000, "counting goes on, on {jvm}");
        let dropped = json.0["trust"]["dropped"].as_array().expect("trust.dropped");
        let objects: u64 = dropped.iter().filter_map(|entry| entry["objects"].as_u64()).sum();
        // 401,000 live handles can't be held in 1 MiB.
        assert!(objects > 100_000, "on {jvm}: dropped {dropped:?}");
    });
}
