//! InMemProfiler's options with their documented meaning, on real runs. Parsing is tested in the agent.

use mayfly_tests::{Count, Counts, Jvm, Profiled, TextReport, Workspace, any_jvm, each_jvm};

const ITEM: &str = "threads.Threads$Item"; // 16 bytes
const CELLS: &str = "[Lthreads.Threads$Cell;"; // 24 bytes

/// What the report at exit lists as allocated.
fn allocated(jvm: &Jvm, options: &str) -> Counts {
    let run = Profiled::new(jvm, "threads.Threads", options).with(|l| l.args(&["2", "1000"]));
    run.run();
    run.text().allocated_counts()
}

fn classes(counts: &Counts) -> Vec<&str> {
    counts.keys().map(String::as_str).collect()
}

#[test]
fn include_exclude_and_exactmatch() {
    any_jvm(|jvm| {
        let all = allocated(jvm, "");
        assert!(all.len() > 100, "on {jvm}: {} classes without a filter", all.len());
        let included = allocated(jvm, "#include-threads.Threads");
        assert!(
            included.contains_key(ITEM) && included.keys().all(|c| c.starts_with("threads.Threads")),
            "{included:?}"
        );
        let arrays = allocated(jvm, "#include-[Lthreads");
        assert_eq!(classes(&arrays), [CELLS], "on {jvm}");
        let excluded = allocated(jvm, "#include-threads.#exclude-threads.Threads$I");
        assert!(
            !excluded.contains_key(ITEM) && excluded.contains_key("threads.Threads$Sink"),
            "{excluded:?}"
        );
        let exact = allocated(jvm, "#include-threads.Threads$Item,threads.Threads$Sin#exactmatch");
        assert_eq!(classes(&exact), [ITEM], "on {jvm}");
    });
}

#[test]
fn largerthan_keeps_its_own_size() {
    any_jvm(|jvm| {
        let filter = "#include-threads.,[Lthreads";
        let kept = allocated(jvm, &format!("{filter}#largerthan-16"));
        assert_eq!(kept.get(ITEM), Some(&Count { objects: 2000, bytes: 32_000 }), "on {jvm}");
        let dropped = allocated(jvm, &format!("{filter}#largerthan-17"));
        assert_eq!(classes(&dropped), [CELLS], "on {jvm}");
    });
}

#[test]
fn outputlimit_leaves_totals_alone() {
    any_jvm(|jvm| {
        let report = |options: &str| {
            let run = Profiled::new(jvm, "exitlive.ExitLive", options);
            run.run();
            run.text()
        };
        let limited = report("#trackcollections#include-exitlive,[Lexitlive,java.lang.String#outputlimit-1");
        assert_eq!(limited.live.len(), 1, "on {jvm}: {:?}", limited.live);
        let live = limited.live_summary.expect("a summary").objects;
        assert!(live > limited.live[0].row.objects, "on {jvm}: the total has {live} objects");
    });
}

#[test]
fn every_scales_what_it_tracks_and_says_so() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "exitlive.ExitLive", "#trackcollections#every-10#include-exitlive");
        run.run();
        let json = run.json();
        let node = "exitlive.ExitLive$Node";
        let tracked = json.live()[node].objects + json.collected()[node].objects;
        assert_eq!(json.allocated()[node].objects, 401_000, "counting stays exact, on {jvm}");
        assert!(tracked.abs_diff(401_000) <= 10, "on {jvm}: {tracked} tracked, scaled");
        assert!(run.log().contains("1 object in 10"), "on {jvm}: the text does not say that it is sampled");
        assert_eq!(json.class(node).map(|c| &c["live"]["estimated"]), Some(&true.into()), "on {jvm}");
    });
}

#[test]
fn an_unbiased_byte_sample_finds_the_totals_again() {
    // The sampler must see the thread's first allocation buffer too, however large it is.
    let large_buffers = ["-XX:+UseSerialGC", "-XX:-ResizeTLAB", "-XX:TLABSize=4m", "-Xmn256m"];
    // 24-byte objects, taken with p = 1 - e^(-24/4096): the estimate's variance is n (1 - p) / p, about 2 %.
    let taken = 1.0 - f64::exp(-24.0 / 4096.0);
    let deviation = (401_000.0 * (1.0 - taken) / taken).sqrt();
    each_jvm(|jvm| {
        for jvm_args in [[].as_slice(), &large_buffers] {
            let run = Profiled::new(jvm, "exitlive.ExitLive", "#sample-4k#include-exitlive")
                .with(|l| l.jvm_args(jvm_args));
            run.run();
            let json = run.json();
            let node = "exitlive.ExitLive$Node";
            let tracked = (json.live()[node].objects + json.collected()[node].objects) as f64;
            // One sound run in two million lies farther away than 5 standard deviations; one with a bias of 13 % mostly does.
            assert!(
                (tracked - 401_000.0).abs() < 5.0 * deviation,
                "{jvm_args:?} on {jvm}: {tracked} for 401,000, deviation {deviation:.0}"
            );
        }
    });
}

#[test]
fn periodic_reports_reset_as_often_as_asked() {
    any_jvm(|jvm| {
        let run = Profiled::new(jvm, "demo.Demo", "#periodic-1,2#include-demo").with(|l| l.args(&["5"]));
        let stdout = run.run().stdout;
        let log = run.log();
        let served =
            |report: &TextReport| report.allocated_counts().get("demo.Demo$Request").map_or(0, |c| c.objects);
        let reports: Vec<_> = TextReport::all(&log).iter().map(|r| (r.reason.clone(), served(r))).collect();
        let (exit, periodic) = reports.split_last().expect("a report at the end");
        assert!(periodic.len() >= 3, "on {jvm}: {reports:?}");
        assert!(periodic.iter().all(|(reason, _)| reason == "Periodic output"), "{reports:?}");
        // The first two are followed by a reset each; what comes later goes on from them. What is made between a report and
        // its reset is in neither: on a busy machine more than a hundredth. A second of the program is a fifth.
        let made: u64 =
            stdout.split(' ').nth(1).and_then(|made| made.parse().ok()).expect("served N requests");
        let told = periodic[0].1 + periodic[1].1 + exit.1;
        assert!(told <= made && made - told < made / 10, "on {jvm}: {told} of {made}: {reports:?}");
        assert!(reports[2..].is_sorted_by_key(|(_, served)| *served), "on {jvm}: {reports:?}");
    });
}

#[test]
fn the_output_folder_is_made_with_or_without_a_slash() {
    any_jvm(|jvm| {
        for name in ["logs/", "logs"] {
            let workspace = Workspace::new();
            let launch =
                mayfly_tests::Launch::new(jvm, "exits.Exits").args(&["return"]).folder(workspace.path());
            launch.agent(format!("#live-0#output-{name}")).run().ok();
            let log = std::fs::read_to_string(workspace.file("logs/mayfly.log")).unwrap_or_default();
            assert_eq!(TextReport::at_exit(&log).reason, "JVM Shutdown", "{name} on {jvm}");
        }
    });
}

#[test]
fn delayed_profiling_counts_nothing_until_it_is_started() {
    any_jvm(|jvm| assert_eq!(allocated(jvm, "#delayprofiling"), Counts::new(), "on {jvm}"));
}
