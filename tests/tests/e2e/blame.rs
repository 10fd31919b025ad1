//! Allocation sites and allocation classes: the worked example of InMemProfiler's site.

use std::collections::BTreeMap;

use mayfly_tests::{Jvm, Profiled, each_jvm};

const BUFFERS: &str = "[B";
const THREAD: &str = "org.server.Server$ServerThread";
const APP: &str = "com.yourorg.App";
const STORAGE: &str = "com.yourorg.App$Storage";

/// Objects of the buffers' class charged to each class; only large ones are looked at.
fn blamed(jvm: &Jvm, options: &str) -> BTreeMap<String, u64> {
    let options = format!("#trace#include-[B#largerthan-65536{options}");
    let run = Profiled::new(jvm, "org.server.Server", &options);
    run.run();
    run.text().blamed(BUFFERS)
}

fn charge(blamed: &BTreeMap<String, u64>, class: &str) -> u64 {
    blamed.get(class).copied().unwrap_or(0)
}

#[test]
fn without_a_filter_the_string_builder_is_blamed_for_everything() {
    each_jvm(|jvm| {
        let blamed = blamed(jvm, "");
        assert_eq!(charge(&blamed, "java.lang.StringBuilder"), 1520, "on {jvm}: {blamed:?}");
        assert_eq!(charge(&blamed, THREAD), 1520, "on {jvm}: {blamed:?}");
        assert_eq!(blamed.values().max(), Some(&1520), "on {jvm}: {blamed:?}");
    });
}

#[test]
fn ignoring_java_leaves_the_server_thread_on_top() {
    each_jvm(|jvm| {
        let expected = [(THREAD, 1520), ("org.logging.Logger", 500), (APP, 620), (STORAGE, 300)];
        let expected = expected.map(|(class, objects)| (class.to_owned(), objects)).into();
        assert_eq!(blamed(jvm, "#traceignore-java"), expected, "on {jvm}");
    });
}

#[test]
fn ignoring_server_and_logging_leaves_the_application_charged_for_its_storage_too() {
    each_jvm(|jvm| {
        let expected = [(APP.to_owned(), 620), (STORAGE.to_owned(), 300)].into();
        assert_eq!(blamed(jvm, "#traceignore-java,sun,org.server,org.logging"), expected, "on {jvm}");
    });
}

#[test]
fn a_target_charges_each_buffer_once() {
    each_jvm(|jvm| {
        let options = "#traceignore-java,sun,org.server,org.logging#tracetarget-com.yourorg";
        let expected = [(APP.to_owned(), 320), (STORAGE.to_owned(), 300)].into();
        assert_eq!(blamed(jvm, options), expected, "on {jvm}");
    });
}

#[test]
fn a_site_is_the_whole_stack_above_the_constructor() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "org.server.Server", "#trace#include-org.server.Server$Request");
        run.run();
        let text = run.text();
        let requests = &text.allocated[0];
        assert_eq!((requests.row.objects, requests.row.bytes), (100, 1600), "on {jvm}");
        assert_eq!(requests.sites.len(), 1, "on {jvm}: {:?}", requests.sites);
        let site = &requests.sites[0];
        assert_eq!((site.row.percent, site.row.objects), (100, 100), "on {jvm}");
        assert_eq!(site.stack.len(), 2, "on {jvm}: {:?}", site.stack);
        assert!(site.stack[0].starts_with("org.server.Server$Request.getNextRequest("), "{:?}", site.stack);
        assert!(site.stack[1].starts_with("org.server.Server$ServerThread.run("), "{:?}", site.stack);
    });
}

#[test]
fn detailed_stacks_tell_lines_and_noblame_leaves_allocation_classes_out() {
    each_jvm(|jvm| {
        let options = "#trace#detailedtrace#noblame#include-org.server.Server$Request";
        let run = Profiled::new(jvm, "org.server.Server", options);
        run.run();
        let text = run.text();
        let requests = &text.allocated[0];
        let frame = &requests.sites[0].stack[0];
        let line = frame.rsplit_once("(Server.java:").and_then(|(_, line)| line.strip_suffix(')'));
        assert!(line.is_some_and(|line| line.parse::<u32>().is_ok()), "on {jvm}: {frame}");
        assert_eq!(requests.blamed, [], "on {jvm}");
    });
}

#[test]
fn the_recording_tells_the_same_sites() {
    each_jvm(|jvm| {
        let run = Profiled::new(jvm, "org.server.Server", "#trace#include-org.server.Server$Request");
        run.run();
        let json = run.json();
        let sites = json.0["sites"].as_array().expect("sites");
        assert_eq!(sites.len(), 1, "on {jvm}: {sites:?}");
        assert_eq!(sites[0]["class"], "org.server.Server$Request", "on {jvm}");
        assert_eq!(sites[0]["allocated"]["objects"], 100, "on {jvm}");
        assert_eq!(sites[0]["stack"].as_array().map(Vec::len), Some(2), "on {jvm}");
    });
}
