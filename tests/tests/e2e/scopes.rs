//! Scopes: what is allocated in them, counted exactly, and what survives them.

use mayfly_tests::{Jvm, Launch, Profiled, each_jvm, turns_of};
use serde_json::Value;

const MAIN: &str = "scopes.Scopes";

fn run(jvm: &Jvm, options: &str, what: &str) -> (String, Profiled) {
    let run = Profiled::new(jvm, MAIN, options).with(|l| l.args(&[what]));
    let stderr = run.run().stderr;
    (stderr, run)
}

/// The scope of these names.
#[track_caller]
pub(crate) fn scope<'r>(json: &'r Value, path: &[&str]) -> &'r Value {
    let scopes = json["scopes"].as_array().unwrap_or_else(|| panic!("no scopes in {json}"));
    let found = scopes.iter().find(|scope| scope["path"] == serde_json::json!(path));
    found.unwrap_or_else(|| panic!("no {path:?} in {scopes:#?}"))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Entries, and those not left.
pub(crate) fn entries(scope: &Value) -> (u64, u64) {
    (number(&scope["entries"]), number(&scope["open"]))
}

/// Objects and bytes of a class, in a scope.
pub(crate) fn made(scope: &Value, class: &str) -> (u64, u64) {
    let classes = scope["classes"].as_array().expect("classes");
    let found = classes.iter().find(|row| row["name"] == class);
    found.map_or((0, 0), |row| (number(&row["allocated"]["objects"]), number(&row["allocated"]["bytes"])))
}

/// Objects of a class of these fixtures in a scope: 16 bytes each with headers of 8 bytes and of 12, as each has an int.
#[track_caller]
fn objects(scope: &Value, class: &str) -> u64 {
    let (objects, bytes) = made(scope, class);
    assert_eq!(bytes, 16 * objects, "{class}");
    objects
}

/// In no scope is anything of the class.
#[track_caller]
fn check_outside(json: &Value, class: &str) {
    let scopes = json["scopes"].as_array().expect("scopes");
    let inside = scopes.iter().find(|scope| made(scope, class) != (0, 0));
    assert_eq!(inside.map(|scope| &scope["path"]), None, "{class}");
}

#[test]
fn what_is_allocated_in_a_scope_is_counted_exactly() {
    each_jvm(|jvm| {
        for options in ["#include-scopes.,[B", "#trackcollections#trace#include-scopes.,[B"] {
            let (_, run) = run(jvm, options, "counts");
            let json = run.json();
            let whole = |class: &str| json.allocated()[class].objects;
            let json = &json.0;
            let request = scope(json, &["request"]);
            assert_eq!(entries(request), (200, 0), "{options} on {jvm}");
            assert_eq!(objects(request, "scopes.Scopes$InRequest"), 2000);
            let arrays = made(request, "[B");
            assert!(arrays.0 >= 200 && arrays.1 >= 200 * 1016, "{arrays:?}");
            let query = scope(json, &["request", "query"]);
            assert_eq!((entries(query), objects(query, "scopes.Scopes$InQuery")), ((200, 0), 800));
            let sum = |scope: &Value, key: &str| number(&scope[key]["bytes"]);
            assert_eq!(
                sum(request, "allocated_with_inner"),
                sum(request, "allocated") + sum(query, "allocated")
            );
            let per_entry = request["bytes_per_entry"].as_f64().expect("entries");
            assert!((per_entry * 200.0 - sum(request, "allocated_with_inner") as f64).abs() < 1e-3);
            assert_eq!(entries(scope(json, &["outer"])), (1, 0));
            assert_eq!(entries(scope(json, &["outer", "left inside"])), (1, 0));
            let forgotten = scope(json, &["forgotten"]);
            assert_eq!((entries(forgotten), objects(forgotten, "scopes.Scopes$Forgotten")), ((1, 1), 1));
            check_outside(json, "scopes.Scopes$Outside");
            // What scopes count is part of all that is counted.
            assert_eq!((whole("scopes.Scopes$InRequest"), whole("scopes.Scopes$InQuery")), (2000, 800));
            assert_eq!(whole("scopes.Scopes$Outside"), 22);
            let text = run.log();
            assert!(text.contains("request > query: entered 200 times\n"), "{text}");
            assert!(text.contains("forgotten: entered 1 times, 1 of these entries not left\n"), "{text}");
            let is_said = text.contains("what survives scopes is not known");
            assert_eq!(is_said, !options.contains("track"), "{text}");
            assert_eq!(request["outcome"].is_null(), is_said, "{request}");
        }
    });
}

#[test]
fn tasks_that_were_handed_over_belong_to_their_scope() {
    each_jvm(|jvm| {
        let (_, run) = run(jvm, "#trackcollections#include-scopes.", "tasks");
        let json = &run.json().0;
        let request = scope(json, &["request"]);
        assert_eq!(entries(request), (50, 0), "on {jvm}");
        assert_eq!(objects(request, "scopes.Scopes$InTask"), 300);
        let query = scope(json, &["request", "query"]);
        assert_eq!((entries(query), objects(query, "scopes.Scopes$InQuery")), ((150, 0), 150));
        check_outside(json, "scopes.Scopes$Outside");
    });
}

#[test]
fn a_virtual_thread_takes_its_scope_along() {
    each_jvm(|jvm| {
        if jvm.feature < 21 {
            return;
        }
        for options in ["#include-scopes.", "#trackcollections#include-scopes."] {
            let (_, run) = run(jvm, options, "virtual");
            let json = &run.json().0;
            let scope = scope(json, &["virtual"]);
            assert_eq!(
                (entries(scope), objects(scope, "scopes.Scopes$InVirtual")),
                ((100, 0), 600),
                "on {jvm}"
            );
            check_outside(json, "scopes.Scopes$Outside");
        }
    });
}

/// Objects of a class that died inside, of which that is in doubt, that survived, and the live ones of these.
pub(crate) fn outcome(scope: &Value, class: &str) -> [u64; 4] {
    let classes = scope["classes"].as_array().expect("classes");
    let row = classes.iter().find(|row| row["name"] == class).unwrap_or_else(|| panic!("no {class}"));
    let outcome = &row["outcome"];
    let objects = |key: &str| number(&outcome[key]["objects"]);
    let sum = ["died_inside", "in_doubt", "survived", "undecided", "not_looked_after"].map(objects);
    assert_eq!(sum.iter().sum::<u64>(), objects("tracked"), "{outcome}");
    assert_eq!(outcome["tracked"], row["allocated"], "{row}");
    ["died_inside", "in_doubt", "survived", "live"].map(objects)
}

#[test]
fn survivors_are_those_that_a_collection_saw_after_the_end() {
    each_jvm(|jvm| {
        for collector in ["-XX:+UseSerialGC", "-XX:+UseG1GC"] {
            let options = "#trackcollections#include-scopes.";
            let run =
                Profiled::new(jvm, MAIN, options).with(|l| l.jvm_args(&[collector]).args(&["survivors"]));
            run.run();
            let json = &run.json().0;
            let request = scope(json, &["request"]);
            assert_eq!(entries(request), (5, 0), "{collector} on {jvm}");
            assert_eq!(outcome(request, "scopes.Scopes$Brief"), [100, 0, 0, 0], "{collector} on {jvm}");
            assert_eq!(outcome(request, "scopes.Scopes$Result"), [0, 40, 0, 0], "{collector} on {jvm}");
            assert_eq!(outcome(request, "scopes.Scopes$Cached"), [0, 0, 50, 25], "{collector} on {jvm}");
            assert!(request["outlived"].is_object(), "{request}");
            let text = run.log();
            let row =
                text.lines().find(|line| line.ends_with("  scopes.Scopes$Cached") && line.contains("800"));
            let numbers: Vec<_> =
                row.unwrap_or_else(|| panic!("{text}")).split_whitespace().take(4).collect();
            assert_eq!(numbers, ["800", "50", "400", "25"], "{text}");
            assert!(text.contains("mayfly heap paths app.mayheap --to scopes.Scopes$Cached"), "{text}");
        }
    });
}

/// Of 12 million arrays 123,500 are made in requests, and 3,500 of these stay: a share of all would have a dozen of them.
#[test]
fn what_survives_a_request_is_known_however_much_is_made_elsewhere() {
    const SERVE: &str = "scopes.Requests.serve";
    let ways = ["#track-balanced#trace", "#sample-8k#sample-rate-500..2000#trace#scope-survivors"];
    let each = |jvm: &Jvm, way: &str| {
        let run = Profiled::new(jvm, "scopes.Requests", &format!("{way}#scope-{SERVE}"));
        assert_eq!(run.run().stdout.trim(), "3500", "on {jvm}");
        let json = &run.json().0;
        let scope = scope(json, &[SERVE]);
        assert_eq!(entries(scope), (3_000, 0), "on {jvm}");
        let class = |name: &str| {
            let classes = scope["classes"].as_array().expect("classes");
            classes.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name}"))
        };
        let is_about = |name: &str, truth: u64| {
            let survived = &class(name)["outcome"]["survived"];
            let (objects, error) = (number(&survived["objects"]), number(&survived["error_objects"]));
            assert!(objects.abs_diff(truth) <= 3 * error, "{survived}, not {truth} of {name} on {jvm}");
            assert!(5 * error <= truth, "{survived} of {name} on {jvm}");
        };
        is_about("scopes.Requests$Kept", 3_000);
        is_about("[B", 3_500);
        // Four threads served one each, and the main thread the others.
        let later = &scope["later_entries"];
        assert_eq!(later["entries"], 2_995, "on {jvm}: {later}");
        let left = |name: &str| number(&class(name)["survived_later"]["objects"]);
        assert_eq!(left("scopes.Requests$Setting"), 0, "on {jvm}");
        assert!(
            left("scopes.Requests$Kept").abs_diff(2_995) < 400,
            "on {jvm}: {}",
            class("scopes.Requests$Kept")
        );
    };
    each_jvm(|jvm| turns_of(jvm, 0, &ways).for_each(|way| each(jvm, way)));
}

#[test]
fn an_entry_that_goes_on_after_collections_ends_then() {
    each_jvm(|jvm| {
        let (_, run) = run(jvm, "#trackcollections#include-scopes.", "late");
        let json = &run.json().0;
        let request = scope(json, &["request"]);
        assert_eq!(entries(request), (1, 0), "on {jvm}");
        assert_eq!(outcome(request, "scopes.Scopes$Cached"), [0, 0, 6, 6], "on {jvm}");
    });
}

const HANDLE: &str = "scopes.Methods$Handler.handle";

#[test]
fn calls_of_a_method_are_scopes_by_option() {
    each_jvm(|jvm| {
        for trace in ["", "#trackcollections#trace"] {
            let scopes = "#scope-scopes.Methods$Handler.handle#scope-scopes.Methods.onlyReturns\
                          #scope-scopes.Methods.twoWords#scope-scopes.Methods$Service.servedByDefault\
                          #scope-scopes.Methods$Service.serve#scope-scopes.Methods.none#scope-scopes.NoSuch.call";
            let options = format!("#include-scopes.{scopes}{trace}");
            let run = Profiled::new(jvm, MAIN, &options).with(|l| l.args(&["methods"]));
            let stderr = run.run().stderr;
            let json = &run.json().0;
            let handle = scope(json, &[HANDLE]);
            // Of the 30 calls of each overload; the last goes four deeper, which is one entry.
            assert_eq!(
                (entries(handle), objects(handle, "scopes.Methods$InHandler")),
                ((61, 0), 100),
                "on {jvm}"
            );
            let returns = scope(json, &["scopes.Methods.onlyReturns"]);
            assert_eq!((entries(returns), objects(returns, "scopes.Methods$InStatic")), ((5, 0), 7));
            let words = scope(json, &["scopes.Methods.twoWords"]);
            assert_eq!((entries(words), objects(words, "scopes.Methods$InStatic")), ((5, 0), 5));
            let default = scope(json, &["scopes.Methods$Service.servedByDefault"]);
            assert_eq!((entries(default), objects(default, "scopes.Methods$InStatic")), ((1, 0), 1));
            check_outside(json, "scopes.Methods$Outside");
            let said = |text: &str| assert!(stderr.contains(text), "{stderr}");
            said("#scope-scopes.Methods$Service.serve: no scope: the method is abstract");
            said("#scope-scopes.Methods.none: no scope: the class has no method of that name");
            said("#scope-scopes.NoSuch.call: nobody entered it: no class scopes.NoSuch was loaded");
            assert!(!stderr.contains("onlyReturns: nobody"), "{stderr}");
            assert!(!stderr.contains("none: nobody"), "why not was said: {stderr}");
            said("@Scoped scopes.Methods.annotatedNative: no scope: the method is native");
            let checkout = scope(json, &["checkout"]);
            assert_eq!((entries(checkout), objects(checkout, "scopes.Methods$InAnnotated")), ((4, 0), 12));
            let unnamed = scope(json, &["scopes.Methods.annotatedWithoutName"]);
            assert_eq!((entries(unnamed), objects(unnamed, "scopes.Methods$InAnnotated")), ((1, 0), 1));
        }
    });
}

/// However full the stack is, who was let into a scope gets out of it.
#[test]
fn a_scope_in_which_the_stack_overflows_is_left() {
    each_jvm(|jvm| {
        let options = "#include-scopes.#scope-scopes.Overflow.request";
        for mode in ["-Xint", "-XX:TieredStopAtLevel=1", "-XX:+TieredCompilation"] {
            let run = Profiled::new(jvm, "scopes.Overflow", options)
                .with(|l| l.jvm_args(&[mode, "-Xss512k"]).args(&["40"]));
            assert_eq!(run.run().stdout, "40 overflows\n", "{mode} on {jvm}");
            let json = &run.json().0;
            let request = scope(json, &["scopes.Overflow.request"]);
            assert_eq!(entries(request), (40, 0), "{mode} on {jvm}");
            assert!(objects(request, "scopes.Overflow$InScope") > 40 * 100, "{mode} on {jvm}");
            check_outside(json, "scopes.Overflow$Outside");
        }
    });
}

#[test]
fn without_the_agent_scopes_are_nothing() {
    each_jvm(|jvm| {
        let outcome = Launch::new(jvm, MAIN).args(&["counts"]).run().ok();
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("DONE\n", ""), "on {jvm}");
    });
}
