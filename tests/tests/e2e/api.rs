//! The Java API: start, pause, reset, report, isActive, operations; and nothing at all without the agent.

use mayfly_tests::{Jvm, Launch, Profiled, TextReport, each_jvm};

/// Objects of `A` and `B` that each report shows.
fn reports(log: &str) -> Vec<(String, u64, u64)> {
    let of = |report: &TextReport| {
        let counts = report.allocated_counts();
        let objects = |class: &str| counts.get(class).map_or(0, |count| count.objects);
        (report.reason.clone(), objects("api.Api$A"), objects("api.Api$B"))
    };
    TextReport::all(log).iter().map(of).collect()
}

fn expected() -> Vec<(String, u64, u64)> {
    let api = |a, b| ("API request".to_owned(), a, b);
    vec![api(0, 0), api(7, 3), api(7, 3), api(2, 0), ("JVM Shutdown".to_owned(), 2, 0)]
}

#[test]
fn each_call_does_what_it_says() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "api.Api", "#delayprofiling#include-api.");
        let stdout = run.run().stdout;
        assert_eq!(stdout, "active false\nactive true\nactive false\nDONE\n", "on {jvm}");
        assert_eq!(reports(&run.log()), expected(), "on {jvm}");
    });
}

#[test]
fn tracked_objects_obey_the_same_calls() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "api.Api", "#delayprofiling#include-api.#trackcollections");
        run.run();
        let json = run.json();
        let objects = |counts: mayfly_tests::Counts| counts.get("api.Api$A").map_or(0, |count| count.objects);
        // The last of the two hangs on a static field.
        assert_eq!((objects(json.not_seen_dead()), objects(json.collected())), (1, 1), "on {jvm}");
    });
}

#[test]
fn a_call_counts_none_of_its_own_objects() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "api.Api", "#delayprofiling");
        run.run();
        let first = &TextReport::all(&run.log())[0];
        assert_eq!(first.allocated, [], "on {jvm}: nothing was on yet");
    });
}

#[test]
fn without_the_agent_the_calls_do_nothing() {
    each_jvm(|jvm| {
        let outcome = Launch::new(jvm, "api.Api").run().ok();
        assert_eq!(outcome.stdout, "active false\nactive false\nactive false\nDONE\n", "on {jvm}");
        assert_eq!(outcome.stderr, "", "on {jvm}");
        let outcome = Launch::new(jvm, "api.Operations").run().ok();
        assert_eq!((&*outcome.stdout, &*outcome.stderr), ("DONE\n", ""), "on {jvm}");
    });
}

/// Those of two threads, on both engines; not those while paused, or before a reset.
#[test]
fn operations_that_a_program_reports_are_counted() {
    each_jvm(|jvm| {
        for (options, orders) in
            [("", Some(4_000)), ("#trackcollections", Some(4_000)), ("#engine-sampled", None)]
        {
            let run = Profiled::new(jvm, "api.Operations", &format!("#delayprofiling{options}"));
            assert_eq!(run.run().stdout, "DONE\n", "{options} on {jvm}");
            let json = run.json();
            assert_eq!(json.0["operations"], 4_000, "{options} on {jvm}");
            if let Some(orders) = orders {
                let made = json.allocated()["api.Operations$Order"].objects;
                assert_eq!(made, orders, "{options} on {jvm}");
            }
            let log = run.log();
            let lines: Vec<_> = log.lines().filter(|line| line.contains("operations: 4,000 (")).collect();
            assert_eq!(lines.len(), 2, "that of the program and that at the end, {options} on {jvm}: {log}");
        }
    });
}

#[test]
fn a_program_that_reports_no_operations_has_none() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "api.Api", "#delayprofiling");
        run.run();
        assert!(run.json().0["operations"].is_null() && !run.log().contains("operations:"), "on {jvm}");
    });
}

/// Of 1,010 items: a header and a `long` each.
fn item_bytes(jvm: &Jvm) -> u64 {
    1_010 * if jvm.compact_headers { 16 } else { 24 }
}

/// Exact numbers, of threads that came and went, too; and what is live after a collection.
#[test]
fn a_program_can_ask_for_its_own_numbers() {
    each_jvm(|jvm| {
        let stdout = Profiled::new(jvm, "api.Numbers", "#trackcollections").run().stdout;
        let lifetimes = "live 10 dead 1000\nyoung 1.0\noldest true p50 0.0\n";
        let numbers = format!("objects true\nbytes true\njvm true\nitems 1010 {}\n", item_bytes(jvm));
        let rest = "all true\nfollows true true\nunknown null\n";
        assert_eq!(stdout, format!("{numbers}{lifetimes}{rest}"), "on {jvm}");
    });
}

#[test]
fn without_lifetimes_they_are_not_known() {
    each_jvm(|jvm| {
        let stdout = Profiled::new(jvm, "api.Numbers", "").run().stdout;
        let items = format!("items 1010 {}\nlive -1 dead -1\nyoung NaN\n", item_bytes(jvm));
        assert!(stdout.contains(&items), "on {jvm}:\n{stdout}");
        assert!(stdout.contains("follows false false\n"), "on {jvm}:\n{stdout}");
    });
}

#[test]
fn without_the_agent_there_are_no_numbers() {
    each_jvm(|jvm| {
        let outcome = Launch::new(jvm, "api.Numbers").run().ok();
        assert_eq!(outcome.stdout, "nothing profiles true true\n", "on {jvm}");
    });
}
