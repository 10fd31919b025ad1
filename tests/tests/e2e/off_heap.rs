//! Memory outside of the heap: against arithmetic and the JVM's own beans, and when it grows beside a flat heap.

use std::collections::BTreeMap;

use mayfly_tests::{JsonReport, Jvm, Profiled, each_jvm, each_jvm_at_once, mayfly};

/// The program's lines `WHAT key value`.
fn lines<'a>(stdout: &'a str, what: &'a str) -> Vec<(&'a str, u64)> {
    let lines = stdout.lines().filter_map(|line| line.strip_prefix(what)?.trim().split_once(' '));
    lines.map(|(key, value)| (key, value.parse().expect("a number"))).collect()
}

#[test]
fn buffers_mapped_files_and_arenas_are_counted_as_the_beans_do() {
    each_jvm(|jvm| {
        for options in ["#trackcollections", "#engine-sampled"] {
            let run = Profiled::new(jvm, "offheap.OffHeap", options).with(|launch| launch.args(&["hold"]));
            let outcome = run.run();
            let json = run.json();
            let (expected, beans) = (lines(&outcome.stdout, "EXPECT"), lines(&outcome.stdout, "READING"));
            assert_eq!((expected.len(), &expected), (4, &beans), "{options} on {jvm}: the beans agree");
            for (key, value) in expected {
                assert_eq!(json.0["readings"][key].as_u64(), Some(value), "{key}, {options} on {jvm}");
            }
            let resident = json.0["readings"]["resident_bytes"].as_u64().expect("Linux says it");
            assert!((10 << 20..4 << 30).contains(&resident), "{options} on {jvm}: {resident}");
            let buffers = json.0["readings"]["direct_buffers"].as_u64().expect("known");
            let text = run.log();
            let line = format!(
                "\n    {buffers} direct buffers; mapped files: 6.00 MiB in 3 mappings; the process has "
            );
            assert!(text.contains(&line), "{options} on {jvm}:\n{text}");
        }
    });
}

/// Number and bytes of what is there, by the program's method that made it.
fn made(json: &JsonReport) -> BTreeMap<String, (u64, u64)> {
    let mut made = BTreeMap::new();
    for row in json.0["off_heap"]["made"]["rows"].as_array().expect("followed") {
        let frames = row["stack"].as_array().expect("a stack").iter().filter_map(|frame| frame.as_str());
        let own =
            frames.filter_map(|frame| frame.split_once("offheap.OffHeap.")).map(|(_, rest)| rest).next();
        let method =
            own.unwrap_or("?").split(|c: char| !c.is_alphanumeric()).next().unwrap_or("?").to_owned();
        let number = |key: &str| row[key].as_u64().expect("a number");
        let sum: &mut (u64, u64) = made.entry(method).or_default();
        *sum = (sum.0 + number("number"), sum.1 + number("bytes"));
    }
    made
}

#[test]
fn what_is_outside_of_the_heap_is_told_by_who_made_it() {
    const MIB: u64 = 1 << 20;
    let holds = |jvm: &Jvm, options: &str| {
        let run = Profiled::new(jvm, "offheap.OffHeap", options).with(|launch| launch.args(&["hold"]));
        let outcome = run.run();
        let json = run.json();
        let mut expected: BTreeMap<String, (u64, u64)> =
            [("large", (40, 40 * MIB)), ("small", (7, 7 * 65_536)), ("map", (3, 6 * MIB))]
                .map(|(method, held)| (method.to_owned(), held))
                .into();
        let direct = lines(&outcome.stdout, "EXPECT").first().expect("a line").1;
        if direct > 47 {
            expected.insert("segment".to_owned(), (direct - 47, (direct - 47) * MIB));
        }
        let mut made = made(&json);
        // The JDK has some of its own.
        made.remove("?");
        assert_eq!(made, expected, "{options} on {jvm}: {}", json.0["off_heap"]["made"]);
        assert_eq!(json.0["off_heap"]["made"]["unknown_number"].as_u64(), Some(0), "{options} on {jvm}");
        let text = run.log();
        assert!(text.contains("\nOutside of the heap, by who made it: "), "{options} on {jvm}:\n{text}");
    };
    each_jvm(|jvm| {
        for options in ["#trackcollections#trace-all", "#track-balanced#trace"] {
            holds(jvm, options);
        }
    });
}

#[test]
fn a_program_without_buffers_has_none_and_mappings_of_the_jvm_are_not_its_own() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "readings.Readings", "");
        run.run();
        let json = run.json();
        for key in ["mapped_buffers", "mapped_bytes"] {
            assert_eq!(json.0["readings"][key].as_u64(), Some(0), "{key} on {jvm}");
        }
        assert!(json.0["off_heap"]["growth"].is_null(), "on {jvm}: {}", json.0["off_heap"]);
    });
}

#[test]
fn direct_buffers_that_grow_beside_a_flat_heap_are_found_first() {
    each_jvm_at_once(|jvm| {
        let run = Profiled::new(jvm, "offheap.OffHeap", "#engine-sampled").with(|launch| {
            launch.args(&["leak", "8000"]).jvm_args(&[
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-XX:MaxDirectMemorySize=1g",
            ])
        });
        run.run();
        let file = run.recording();
        let file = file.to_str().expect("UTF-8");
        let screen = mayfly(["report", "--text", file]).stdout;
        let found = screen.split("Found:\n").nth(1).expect("findings").lines().next().expect("a finding");
        assert!(
            found.starts_with("  ! growing outside of the heap: direct buffers, "),
            "on {jvm}:\n{screen}"
        );
        let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(", while the heap stays at "), "on {jvm}:\n{screen}");
        assert!(!screen.contains("no GC of the whole heap"), "on {jvm}:\n{screen}");
        let growth = &run.json().0["off_heap"]["growth"];
        let rate = growth["bytes_per_s"].as_f64().expect("it grows");
        // Twenty a second, less what the collections and the machine take.
        assert!((4.0..=21.0).contains(&(rate / 1_048_576.0)), "on {jvm}: {growth}");
        assert_eq!(growth["heap_is_flat"].as_bool(), Some(true), "on {jvm}: {growth}");
        let leaks = mayfly(["leaks", "--json", file]).stdout;
        let leaks: serde_json::Value = serde_json::from_str(&leaks).expect("JSON");
        let first = &leaks["suspects"][0];
        assert_eq!(first["class"].as_str(), Some("java.nio.DirectByteBuffer"), "on {jvm}: {leaks}");
        assert_eq!(first["verdict"].as_str(), Some("unsure"), "of eight seconds, on {jvm}: {leaks}");
        let page = mayfly(["report", "--html", file]).stdout;
        assert!(
            page.contains("Outside of the heap") && page.contains("growing outside of the heap"),
            "on {jvm}"
        );
    });
}
