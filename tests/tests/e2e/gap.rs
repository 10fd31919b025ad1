//! Every way of making an object is counted once, to the object: interpreted, compiled by C1, compiled by C2.

use mayfly_tests::{Profiled, check_all, each_jvm, turns_of};

/// How often each way is taken when it must be compiled.
const HOT: &str = "100000";

fn counts_exactly(part: &str) {
    each_jvm(|jvm| {
        let modes: [(&[&str], &str); 4] = [
            (&[], "10"),
            (&[], HOT),
            (&["-XX:TieredStopAtLevel=1"], HOT),
            (&["-XX:-TieredCompilation"], HOT),
        ];
        for &(jvm_args, times) in &modes {
            let run = Profiled::new(jvm, "gap.Gap", "").with(|l| l.jvm_args(jvm_args).args(&[part, times]));
            let outcome = run.run();
            if let Err(mismatch) = check_all(jvm, &outcome.stdout, &run.json().allocated()) {
                panic!("{part} {times} {jvm_args:?} on {jvm}:\n{mismatch}");
            }
        }
    });
}

#[test]
fn places_count_arrays_for_their_classes() {
    each_jvm(|jvm| {
        let parts = ["clones", "reflective", "language", "library"];
        let runs = parts.iter().enumerate().flat_map(|(variant, part)| {
            turns_of(jvm, variant, &["10", HOT]).map(move |&times| (*part, times))
        });
        for (part, times) in runs {
            let run = Profiled::new(jvm, "gap.Gap", "#trace").with(|l| l.args(&[part, times]));
            let outcome = run.run();
            if let Err(mismatch) = check_all(jvm, &outcome.stdout, &run.json().allocated()) {
                panic!("{part} {times} with #trace on {jvm}:\n{mismatch}");
            }
        }
    });
}

/// Lambdas, references to constructors, method handles, reflection, deserialisation, clones: no `new` of the program's bytecode tells of them.
#[test]
fn what_is_made_without_a_new_has_the_stack_of_who_made_it() {
    each_jvm(|jvm| {
        let options = ["#trace", "#trackcollections#trace"];
        let parts = ["reflective", "language", "clones"];
        let runs = parts.iter().enumerate().flat_map(|(variant, part)| {
            turns_of(jvm, variant, &options).map(move |&options| (*part, options))
        });
        for (part, options) in runs {
            let run = Profiled::new(jvm, "gap.Gap", options).with(|l| l.args(&[part, "1000"]));
            let outcome = run.run();
            let json = run.json();
            if let Err(mismatch) = check_all(jvm, &outcome.stdout, &json.allocated()) {
                panic!("{part} with {options} on {jvm}:\n{mismatch}");
            }
            let sites = json.0["sites"].as_array().expect("sites");
            let of_program = |site: &&serde_json::Value| {
                let class = site["class"].as_str().unwrap_or_default();
                class.trim_start_matches(['[', 'L']).starts_with("gap.")
            };
            let is_own = |frame: &serde_json::Value| frame.as_str().is_some_and(|f| f.starts_with("gap."));
            let mut seen = 0;
            for site in sites.iter().filter(of_program) {
                let own = site["stack"].as_array().is_some_and(|stack| stack.iter().any(is_own));
                assert!(own, "{part} with {options} on {jvm}: {site}");
                seen += site["allocated"]["objects"].as_u64().unwrap_or_default();
            }
            assert!(seen >= 5_000, "{seen} objects of {part} with {options} on {jvm}");
        }
    });
}

#[test]
fn copies_by_clone() {
    counts_exactly("clones");
}

#[test]
fn reflection_handles_unsafe_and_deserialisation() {
    counts_exactly("reflective");
}

#[test]
fn interfaces_dimensions_initialisers_and_lambdas() {
    counts_exactly("language");
}

#[test]
fn copies_growth_boxes_and_strings_of_the_library() {
    counts_exactly("library");
}

#[test]
fn a_string_that_a_builder_makes_first_in_a_thread_is_counted_once() {
    const THREADS: u64 = 500;
    each_jvm(|jvm| {
        for options in ["", "#trace"] {
            let strings = |threads: u64| {
                let threads = threads.to_string();
                let run = Profiled::new(jvm, "gap.Gap", options)
                    .with(|l| l.jvm_args(&["-Xint"]).args(&["built", &threads]));
                run.run();
                run.json().allocated()["java.lang.String"].objects
            };
            let made = strings(THREADS + 1) - strings(1);
            assert!(
                (THREADS..THREADS + THREADS / 2).contains(&made),
                "{THREADS} threads made {made} strings with {options:?} on {jvm}"
            );
        }
    });
}

#[test]
fn counting_goes_on_after_the_stack_or_the_heap_ran_out() {
    each_jvm(|jvm| {
        let parts = [("overflow", ["", "#trackcollections#trace"]), ("oom", ["", "#trackcollections"])];
        let runs = parts.iter().enumerate().flat_map(|(variant, (part, options))| {
            turns_of(jvm, variant, options).map(move |&options| (*part, options))
        });
        for (part, options) in runs {
            let run = Profiled::new(jvm, "gap.Gap", options)
                .with(|l| l.jvm_args(&["-Xmx48m", "-Xss256k"]).args(&[part, "1000"]));
            let outcome = run.run();
            if let Err(mismatch) = check_all(jvm, &outcome.stdout, &run.json().allocated()) {
                panic!("{part} with {options:?} on {jvm}:\n{mismatch}");
            }
        }
    });
}

#[test]
fn tracked_objects_of_every_kind_are_live_or_collected() {
    each_jvm(|jvm| {
        let options = "#trackcollections#include-gap.,[Lgap.,[[Lgap.";
        let run = Profiled::new(jvm, "gap.Gap", options).with(|l| l.args(&["all", "1000"]));
        run.run();
        let json = run.json();
        let (live, collected) = (json.live(), json.collected());
        for (class, allocated) in json.allocated() {
            let seen = |counts: &mayfly_tests::Counts| counts.get(&class).map_or(0, |count| count.objects);
            assert_eq!(
                seen(&live) + seen(&collected),
                allocated.objects,
                "{class} on {jvm}: live + collected"
            );
        }
    });
}
