//! Requests whose objects are still there: ids of a tracer's thread context (OTEP 4947), and of the API.

use std::collections::BTreeMap;

use mayfly_tests::{JsonReport, Jvm, Profiled, Workspace, each_jvm, mayfly, native_library, skip};

const EVERY: &str = "#trackcollections#trace";
/// Objects that threads keep which come and go.
const OF_THREADS: u64 = 1_000;

/// Trace, span and class, with objects.
type Rows = BTreeMap<[String; 3], u64>;

/// The program's lines `TRACE trace span class objects`.
fn expected(stdout: &str) -> Rows {
    let lines = stdout.lines().filter_map(|line| line.strip_prefix("TRACE "));
    let row = |line: &str| {
        let [trace, span, class, objects] =
            line.split(' ').map(str::to_owned).collect::<Vec<_>>().try_into().expect(line);
        ([trace, span, class], objects.parse().expect("a number"))
    };
    lines.map(row).collect()
}

/// Rows of the report with these classes.
fn rows(json: &JsonReport, is_wanted: impl Fn(&str) -> bool) -> Rows {
    let mut rows = Rows::new();
    for row in json.0["traces"]["rows"].as_array().expect("rows") {
        let text = |key: &str| row[key].as_str().expect(key).to_owned();
        if is_wanted(&text("class")) {
            let key = ["trace_id", "span_id", "class"].map(text);
            *rows.entry(key).or_default() += row["live"]["objects"].as_u64().expect("objects");
        }
    }
    rows
}

/// All of what `Traced` keeps in the name of requests is there under its ids, and nothing else.
fn holds(jvm: &Jvm, argument: &str, run: &Profiled) {
    let outcome = run.run();
    let json = run.json();
    let expected = expected(&outcome.stdout);
    assert_eq!(rows(&json, |class| class == "traced.Traced$Kept"), expected, "{argument} on {jvm}");
    let others = rows(&json, |class| class.ends_with("Untraced") || class.ends_with("Dropped"));
    assert_eq!(others, Rows::new(), "{argument} on {jvm}");
    let of_threads = rows(&json, |class| class.ends_with("OfThread"));
    assert!(of_threads.values().all(|&objects| objects == 1), "{argument} on {jvm}: {of_threads:?}");
    for [trace, span, _] in of_threads.keys() {
        let at = |hex: &str| u16::from_str_radix(&hex[hex.len() - 4..], 16).expect("digits");
        assert!(
            at(trace) == at(span) && (1_000..2_000).contains(&at(trace)),
            "{argument} on {jvm}: {trace} {span}"
        );
    }
    let traces = &json.0["traces"];
    let number = |pointer: &str| traces.pointer(pointer).and_then(|n| n.as_u64()).expect("a number");
    assert_eq!(number("/traces"), 5 + OF_THREADS, "{argument} on {jvm}");
    // Threads keep something of the JDK's beside their own object: what `ArrayList` grew into, say.
    assert!(number("/live/objects") >= 15 + OF_THREADS, "{argument} on {jvm}");
    assert_eq!((number("/unknown/objects"), number("/forgotten_threads")), (0, 0), "{argument} on {jvm}");
}

#[test]
fn objects_carry_the_ids_of_the_tracers_thread_context() {
    let folder = Workspace::new();
    let library = match native_library("traced/tracer.c", folder.path()) {
        Ok(library) => library,
        Err(missing) => return skip("a tracer's thread context", missing),
    };
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "traced.Traced", EVERY)
            .with(|launch| launch.args(&[library.to_str().expect("UTF-8")]));
        holds(jvm, "a tracer", &run);
        let text = run.log();
        assert!(text.contains("Requests whose objects are still there: 1005 traces, "), "on {jvm}:\n{text}");
    });
}

#[test]
fn objects_carry_the_ids_that_the_program_tells() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "traced.Traced", EVERY).with(|launch| launch.args(&["api"]));
        holds(jvm, "the API", &run);
        // Of the others' objects the stack may be that of another, as each place has a sample: the first one's is always taken.
        let first = "4bf92f3577b34da6a3ce929d0e0e0001";
        let recording = run.recording();
        let report = |words: &[&str]| {
            mayfly(
                [&["report"], words]
                    .concat()
                    .into_iter()
                    .map(Into::into)
                    .chain([recording.clone().into()])
                    .collect::<Vec<std::ffi::OsString>>(),
            )
        };
        let text = report(&["--trace", first]).ok().stdout;
        assert!(text.starts_with("Requests whose objects are still there: 1 trace, "), "on {jvm}:\n{text}");
        assert!(
            text.contains("f067aa0ba9020001") && text.contains("traced.Traced.main("),
            "on {jvm}:\n{text}"
        );
        let screen = report(&[]).ok().stdout;
        assert!(
            screen.contains("Requests whose objects are still there: 1005 traces"),
            "on {jvm}:\n{screen}"
        );
        let none = report(&["--trace", "ffff"]);
        assert!(none.stderr.contains("no object of trace ffff is still there"), "on {jvm}:\n{}", none.stderr);
    });
}

#[test]
fn virtual_threads_keep_what_they_told_wherever_they_run() {
    each_jvm(|jvm| {
        if jvm.feature < 21 {
            return skip("ids of virtual threads", "there are none before JDK 21");
        }
        let run = Profiled::new(jvm, "traced.Virtual", EVERY);
        let outcome = run.run();
        assert_eq!(
            rows(&run.json(), |class| class == "traced.Virtual$Kept"),
            expected(&outcome.stdout),
            "on {jvm}"
        );
    });
}

/// Of samples too: each array is so large that the JVM samples it.
#[test]
fn samples_carry_ids() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "traced.Arrays", "#engine-sampled#sample-1k");
        let outcome = run.run();
        let json = run.json();
        let (found, expected) = (rows(&json, |class| class == "[B"), expected(&outcome.stdout));
        for (row, &objects) in &found {
            let made = expected.get(row).copied().unwrap_or_else(|| panic!("{row:?} on {jvm}: nobody's"));
            assert!(objects <= made + 1, "{row:?} on {jvm}: {objects} of {made}");
        }
        // Some JVMs leave out the last samples of a program that ends at once.
        assert!(found.values().sum::<u64>() >= 40, "on {jvm}: {found:?}");
    });
}

#[test]
fn without_ids_there_is_no_such_table() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "exitlive.ExitLive", EVERY);
        run.run();
        assert_eq!(run.json().0.get("traces"), None, "on {jvm}");
        assert!(!run.log().contains("Requests whose"), "on {jvm}");
    });
}
