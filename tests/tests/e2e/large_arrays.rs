//! Large arrays with G1, which frees those of primitives in any young collection: also if they are followed, and then they are known to be
//! gone.

use std::fs;

use mayfly_tests::{Jvm, Launch, Profiled, Workspace, each_jvm};

const FLAGS: [&str; 4] = ["-XX:+UseG1GC", "-XX:G1HeapRegionSize=1m", "-Xms128m", "-Xmx128m"];
const RASTERS: &str = "300";
/// Those that the program keeps.
const KEPT: u64 = 4;

/// How many regions large arrays have after each collection, as the JVM's log says.
fn left(log: &str) -> Vec<u64> {
    let line = |line: &str| line.split_once("Humongous regions: ")?.1.split_once("->")?.1.trim().parse().ok();
    log.lines().filter_map(line).collect()
}

/// Regions that are left in use on average beyond those that are kept, and collections.
fn run(jvm: &Jvm, with: impl FnOnce(&[&str]) -> Launch) -> (f64, usize) {
    let place = Workspace::new();
    let file = place.file("gc.log");
    let log = format!("-Xlog:gc+heap:file={}:none", file.display());
    with(&[&FLAGS[..], &[&log]].concat()).args(&[RASTERS]).run().ok();
    let left = left(&fs::read_to_string(&file).expect("the JVM's log"));
    assert!(left.len() >= 5, "on {jvm}: {left:?}");
    let beyond: u64 = left.iter().map(|regions| regions.saturating_sub(KEPT)).sum();
    (beyond as f64 / left.len() as f64, left.len())
}

#[test]
fn the_collector_frees_them_as_early_as_without_us() {
    each_jvm(|jvm| {
        let (alone, collections) = run(jvm, |flags| Launch::new(jvm, "large.Rasters").jvm_args(flags));
        for options in ["#track-balanced#trace", "#trackcollections#trace", "#engine-sampled"] {
            let profiled = Profiled::new(jvm, "large.Rasters", options);
            let (with_us, more) = run(jvm, |flags| profiled.launch().clone().jvm_args(flags));
            assert!(
                with_us <= alone + 2.0,
                "{options} on {jvm}: {with_us} regions are left, {alone} without us"
            );
            assert!(
                more <= 2 * collections,
                "{options} on {jvm}: {more} collections, {collections} without us"
            );
        }
    });
}

/// Each object is followed: what is kept is all that is live, and the others died before their second collection.
#[test]
fn what_was_freed_early_is_known_to_be_dead() {
    each_jvm(|jvm| {
        let profiled = Profiled::new(jvm, "large.Rasters", "#trackcollections#trace")
            .with(|l| l.jvm_args(&FLAGS).args(&[RASTERS]));
        profiled.run();
        let json = profiled.json();
        let ints = json.class("[I").expect("rasters");
        let large = 175_000 * 4;
        let live = ints["live"]["bytes"].as_u64().expect("known");
        assert!((KEPT * large..(KEPT + 2) * large).contains(&live), "on {jvm}: {ints:#}");
    });
}
