//! The agent's memory does not grow with objects that have died, and stays within its limit.

use mayfly_tests::{Jvm, Launch, Profiled, Running, each_jvm, left_to_ci, skip, turns_of};

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

/// Objects with and without tracked lifetimes must agree this far where they are thinned.
const BAND: f64 = 0.25;

fn following(run: &Profiled) -> serde_json::Value {
    run.json().0["trust"]["following"].clone()
}

#[test]
fn as_room_gets_short_fewer_objects_are_tracked_and_stand_for_all() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "exitlive.ExitLive", "#trackcollections#memlimit-4m#include-exitlive")
            .with(|l| l.jvm_args(&["-XX:+UseSerialGC", "-Xmn512m", "-Xmx1g"]));
        run.run();
        let json = run.json();
        let node = "exitlive.ExitLive$Node";
        assert_eq!(json.allocated()[node].objects, 401_000, "counting goes on, on {jvm}");
        let one_in = following(&run)["thinned_to_one_in"].as_u64().expect("thinned_to_one_in");
        // 401,000 handles can't be held in 4 MiB.
        assert!(one_in >= 4, "on {jvm}: 1 in {one_in}");
        let dropped = json.0["trust"]["dropped"].as_array().map_or(0, Vec::len);
        assert_eq!(dropped, 0, "on {jvm}: {}", json.0["trust"]["dropped"]);
        let followed = json.live()[node].objects + json.collected()[node].objects;
        let ratio = followed as f64 / 401_000.0;
        assert!((1.0 - BAND..1.0 + BAND).contains(&ratio), "on {jvm}: {followed} objects stand for 401000");
        let text = run.log();
        assert!(text.contains("thinned: at worst 1 object in"), "on {jvm}: {text}");
    });
}

#[test]
fn with_enough_room_nothing_is_thinned() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "exitlive.ExitLive", "#trackcollections")
            .with(|l| l.jvm_args(&["-Xmn512m", "-Xmx1g"]));
        run.run();
        assert_eq!(following(&run)["thinned_to_one_in"], 1, "on {jvm}");
        let node = "exitlive.ExitLive$Node";
        let followed = run.json().live()[node].objects + run.json().collected()[node].objects;
        assert_eq!(followed, 401_000, "on {jvm}");
    });
}

#[test]
fn what_generational_zgc_would_keep_for_us_stays_small() {
    if left_to_ci("what generational ZGC keeps") {
        return;
    }
    const HEAP: &str = "64";
    each_jvm(|jvm| {
        let Some(zgc) = generational_zgc(jvm) else { return };
        let zgc: &[&str] = &[zgc, &["-Xmx64m"]].concat();
        let bare = Launch::new(jvm, "smallheap.SmallHeap").jvm_args(zgc).args(&[HEAP]).run();
        if bare.code() != Some(0) {
            return skip(&jvm.to_string(), "this JVM lacks the collector");
        }
        let run = Profiled::new(jvm, "smallheap.SmallHeap", "#trackcollections")
            .with(|l| l.jvm_args(zgc).args(&[HEAP]));
        let outcome = run.run();
        assert_eq!(outcome.stdout, bare.stdout, "on {jvm}");
        let one_in = following(&run)["thinned_to_one_in"].as_u64();
        // Some five million objects, of which 4 MiB may be tracked at a time.
        assert!(one_in.is_some_and(|one_in| one_in > 1), "on {jvm}: 1 in {one_in:?}");
        let node = "smallheap.SmallHeap$Node";
        let (allocated, json) = (run.json().allocated()[node].objects, run.json());
        let followed = json.live().get(node).map_or(0, |count| count.objects)
            + json.collected().get(node).map_or(0, |count| count.objects);
        let ratio = followed as f64 / allocated as f64;
        assert!((1.0 - BAND..1.0 + BAND).contains(&ratio), "on {jvm}: {followed} stand for {allocated}");
    });
}

fn generational_zgc(jvm: &Jvm) -> Option<&'static [&'static str]> {
    match jvm.feature {
        ..21 => {
            skip(&jvm.to_string(), "this JVM has no generational ZGC");
            None
        }
        21..24 => Some(&["-XX:+UseZGC", "-XX:+ZGenerational"]),
        _ => Some(&["-XX:+UseZGC"]),
    }
}

/// More than a sixteenth of the heap, in the first moments.
#[test]
fn what_a_program_holds_from_its_start_on_is_followed_by_collectors_with_generations() {
    const SHENANDOAH: &[&str] = &["-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational"];
    each_jvm(|jvm| {
        let zgc = generational_zgc(jvm).map(|zgc| (zgc, "ZGC (generational)"));
        let shenandoah = (jvm.feature >= 25).then_some((SHENANDOAH, "Shenandoah (generational)"));
        for (collector, name) in zgc.into_iter().chain(shenandoah) {
            for options in ["#sample-64k#trace", "#engine-sampled#sample-64k"] {
                let run = Profiled::new(jvm, "smallheap.Held", options)
                    .with(|launch| launch.jvm_args(&[collector, &["-Xmx256m"]].concat()));
                let outcome = run.start().finish();
                if ["not supported", "Unrecognized VM option"]
                    .iter()
                    .any(|lacks| outcome.stderr.contains(lacks))
                {
                    skip(&format!("{name} on {jvm}"), "this JVM lacks the collector");
                    break;
                }
                outcome.ok();
                let json = run.json();
                assert_eq!(json.0["jvm"]["gc"], name, "on {jvm}");
                let class = json.class("[B").expect("byte arrays");
                let number = |name: &str| class["live"][name].as_f64().expect("a number");
                let (held, error) = (number("bytes"), number("error_bytes"));
                let off = (held - 20.0 * MIB as f64).abs();
                let context = format!("{held} bytes +- {error} with {options}, {name} on {jvm}");
                // Where the machine is busy, hardly one in ten of the samples is followed: one that lives weighs as much more.
                let (least, most) = (MIB as f64 / 4.0, 4.0 * MIB as f64);
                assert!(off < 3.0 * error.max(least) && error < most, "{context}");
                let (objects, error) = (number("objects"), number("error_objects"));
                assert!((objects - 20.0).abs() <= 3.0 * error.max(2.0), "{objects} +- {error}: {context}");
            }
        }
    });
}

#[test]
fn collections_by_bytes_bound_how_far_apart_they_are() {
    each_jvm(|jvm| {
        let collectors = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
        for &gc in turns_of(jvm, 0, &collectors) {
            let run = |options| {
                let run = Profiled::new(jvm, "smallheap.SmallHeap", options)
                    .with(|l| l.jvm_args(&[gc, "-Xmx256m"]).args(&["16"]));
                run.run();
                let bytes = following(&run)["most_bytes_between"].as_u64().expect("most_bytes_between");
                (following(&run)["whole_collections"].as_u64().expect("whole_collections"), bytes)
            };
            let (collections, apart) = run("#trackcollections#gc-every-16m");
            // 480 MiB in steps of 16.
            assert!(collections >= 25, "{gc} on {jvm}: {collections} collections");
            assert!(apart <= 20 * MIB, "{gc} on {jvm}: {apart} bytes apart");
            let (_, apart) = run("#trackcollections");
            assert!(apart > 40 * MIB, "{gc} on {jvm}, not forced: {apart} bytes apart");
        }
    });
}
