//! Very many threads that live at once: counted exactly, at a bounded price each.

use std::io::Write;

use mayfly_tests::{Jvm, Launch, Profiled, check_all, each_jvm, jvms, skip};

/// Objects of 50 of 1,000 classes in each of 5,000 threads.
const PLATFORM: &[&str] = &["platform", "5000", "1000", "50"];
const VIRTUAL: &[&str] = &["virtual", "100000"];
/// A fixed heap, so that what differs is native memory.
const JVM_ARGS: &[&str] = &["-XX:+UseSerialGC", "-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch"];
const OPTIONS: [&str; 2] = ["", "#trackcollections#include-crowd"];

/// Resident bytes while all threads wait, and what the program wrote.
fn resident(launch: &Launch) -> (u64, String) {
    let mut running = launch.start();
    running.wait_for_line("READY");
    running.wait_until_idle();
    let resident = running.resident_bytes();
    running.send_line("GO");
    (resident, running.finish().ok().stdout)
}

/// Bytes per thread that the agent adds, by options; told even if all is well.
fn price_per_thread(jvm: &Jvm, args: &[&str]) -> Vec<i64> {
    let threads: i64 = args[1].parse().expect("a number of threads");
    let (plain, stdout) = resident(&Launch::new(jvm, "crowd.Crowd").jvm_args(JVM_ARGS).args(args));
    let price = |options: &&str| {
        let run = Profiled::new(jvm, "crowd.Crowd", options).with(|l| l.jvm_args(JVM_ARGS).args(args));
        let (profiled, profiled_stdout) = resident(run.launch());
        assert_eq!(profiled_stdout, stdout, "{args:?} {options:?} on {jvm}");
        check_all(jvm, &stdout, &run.json().allocated())
            .unwrap_or_else(|why| panic!("{args:?} {options:?} on {jvm}:\n{why}"));
        let each = (profiled as i64 - plain as i64) / threads;
        let _ = writeln!(
            std::io::stderr(),
            "{args:?} with {options:?} on {jvm}: {each} bytes of the agent per thread"
        );
        each
    };
    OPTIONS.iter().map(price).collect()
}

#[test]
fn five_thousand_platform_threads() {
    each_jvm(|jvm| {
        for each in price_per_thread(jvm, PLATFORM) {
            // Counters alone reserve 2 MiB; only pages of classes that a thread allocates may take memory.
            assert!(each < 192 << 10, "{each} bytes per thread on {jvm}");
        }
    });
}

#[test]
fn a_hundred_thousand_virtual_threads() {
    if jvms().iter().all(|jvm| jvm.feature < 21) {
        return skip("virtual threads", "no JVM 21 or newer found");
    }
    each_jvm(|jvm| {
        if jvm.feature >= 21 {
            // A page for each would be a table of counters for each.
            for each in price_per_thread(jvm, VIRTUAL) {
                assert!(each < 2 << 10, "{each} bytes per virtual thread on {jvm}");
            }
        }
    });
}
