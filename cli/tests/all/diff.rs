//! `mayfly diff` on recordings made here: arguments, exit codes, text and JSON.
//!
//! Not here: the judgement, tested with `mayfly-verdicts`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use mayfly_profile::{
    ClassCounts, ClassId, Frame, FrameId, Gc, JvmInfo, Progress, RunInfo, Section, SiteCounts, SiteId, Tally,
    Tracking, Trust, Update,
};
use mayfly_recording::RecordingWriter;
use serde_json::Value;

/// A program that makes so many sessions, and 1,000 orders, both of 16 bytes; half of what the JVM allocated is counted if it
/// is not `trusted`.
fn recording(sessions: u64, trusted: bool) -> Vec<u8> {
    reporting(sessions, trusted, None)
}

/// The same, of one that reports so many operations.
fn reporting(sessions: u64, trusted: bool, operations: Option<u64>) -> Vec<u8> {
    recorded_in(RunInfo::default(), sessions, trusted, operations)
}

/// The same, in a run of such a JVM.
fn recorded_in(run: RunInfo, sessions: u64, trusted: bool, operations: Option<u64>) -> Vec<u8> {
    let class = |id, name: &str| Update::Class { id, name: name.to_owned() };
    let counts = |id, objects| ClassCounts { id, allocated: Tally::of(objects, 16), lifetimes: None };
    let jvm_allocated_bytes = Some(if trusted { 100 } else { 200 });
    let progress = Progress {
        duration_ms: 1_000,
        trust: Trust { accounted_bytes: 100, jvm_allocated_bytes, ..Trust::default() },
        classes: vec![counts(ClassId(0), sessions), counts(ClassId(1), 1_000)],
        ..Progress::default()
    };
    let mut updates = vec![
        Update::Start(Box::new(run)),
        class(ClassId(0), "a.Session"),
        class(ClassId(1), "a.Order"),
        Update::from(progress),
    ];
    updates.extend(operations.map(|operations| Update::from(Section::Operations(operations))));
    updates.push(Update::End);
    let mut writer = RecordingWriter::new();
    updates.iter().flat_map(|update| writer.encode(update).expect("fits a frame")).collect()
}

struct Place(tempfile::TempDir);

impl Place {
    /// Recordings 0, 1, … of programs that make so many sessions.
    fn with(sessions: &[u64]) -> Self {
        let place = Self(tempfile::tempdir().expect("temporary folder"));
        for (at, &sessions) in sessions.iter().enumerate() {
            fs::write(place.file(&at.to_string()), recording(sessions, true)).expect("write");
        }
        place
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn diff(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(cargo_bin("mayfly"));
        command.current_dir(self.0.path()).arg("diff").args(arguments).output().expect("runs")
    }

    #[track_caller]
    fn text(&self, arguments: &[&str]) -> String {
        let output = self.diff(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }
}

const SIDES: [&str; 8] = ["--before", "0", "1", "2", "--after", "3", "4", "5"];

#[test]
fn a_change_of_several_runs_is_named_and_what_stayed_is_a_tilde() {
    let place = Place::with(&[2_000, 2_003, 1_998, 2_200, 2_202, 2_197]);
    let text = place.text(&SIDES);
    let line = text.lines().find(|line| line.ends_with("a.Session")).expect("the class");
    assert!(line.contains("+10.0 %") && !line.contains("differs"), "{text}");
    assert!(!text.contains("a.Order") && text.contains("Classes (1 ~)"), "{text}");
    assert!(text.contains("at most 5 % of these are false alarms"), "{text}");
    let full = place.text(&[&["--full"], &SIDES[..]].concat());
    let order = full.lines().find(|line| line.ends_with("a.Order")).expect("the class");
    assert!(order.contains(" ~ "), "{full}");
}

#[test]
fn single_recordings_differ_and_more_are_asked_for() {
    let text = Place::with(&[2_000, 3_000]).text(&["0", "1"]);
    assert!(
        text.contains("+50.0 % differs") && text.contains("record each side three times or more"),
        "{text}"
    );
    assert!(!text.contains("chance"), "that of sampling is not that of a change: {text}");
    let same = Place::with(&[2_000, 2_000]).text(&["0", "1"]);
    assert!(!same.contains("a.Session"), "{same}");
}

#[test]
fn sides_on_different_jvms_are_said_to_be() {
    let place = Place::with(&[2_000, 2_000]);
    let record = |name: &str, version: &str, gc| {
        let jvm = JvmInfo { version: version.to_owned(), gc, ..JvmInfo::default() };
        let run = RunInfo { jvm, ..RunInfo::default() };
        fs::write(place.file(name), recorded_in(run, 2_000, true, None)).expect("write");
    };
    let after = |version: &str, gc| {
        record("1", version, gc);
        place.text(&["0", "1"])
    };
    assert!(!after("25.0.3", Gc::Serial).contains("different JVMs"), "one side does not tell");
    record("0", "17.0.15+6", Gc::G1);
    let text = after("25.0.3", Gc::Serial);
    assert!(text.contains("JDK 17 with G1 before and JDK 25 with Serial after"), "{text}");
    assert!(after("17.0.15+6", Gc::Parallel).contains("JDK 17 with Parallel after"));
    assert!(!after("17.0.16+8", Gc::G1).contains("different JVMs"), "of one release");
}

#[test]
fn the_screen_stays_one_screen() {
    let text = Place::with(&[2_000, 90_000]).text(&["0", "1"]);
    assert!(text.lines().count() <= 41 && text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn json_has_its_documented_keys() {
    let place = Place::with(&[2_000, 2_003, 1_998, 2_200, 2_202, 2_197]);
    let json: Value = serde_json::from_str(&place.text(&[&["--json"], &SIDES[..]].concat())).expect("JSON");
    assert_eq!((&json["schema"], &json["replicated"]), (&"mayfly-diff/1".into(), &true.into()));
    let findings = json["findings"].as_array().expect("a list");
    let session = findings.iter().find(|finding| finding["class"] == "a.Session").expect("the class");
    assert_eq!(session["verdict"], "changed");
    assert_eq!(session["measure"], "allocated_bytes");
    for key in ["row", "stack", "before", "after", "growth", "chance", "false_discovery_rate"] {
        assert!(session.get(key).is_some(), "{key}: {session}");
    }
}

#[test]
fn operations_make_runs_of_different_length_comparable() {
    let place = Place::with(&[2_000, 4_000]);
    let text = place.text(&["--per", "10,20", "--full", "0", "1"]);
    let line = text.lines().find(|line| line.ends_with("a.Session")).expect("the class");
    assert!(line.contains(" ~ ") && line.contains("3.12 KiB"), "{text}");
    assert_eq!(place.diff(&["--per", "1,2,3", "0", "1"]).status.code(), Some(2));
}

/// Recordings 0 and 1 of programs that report nothing, and a and b of the same that report 10 and 20 operations.
fn some_report() -> Place {
    let place = Place::with(&[2_000, 4_000]);
    for (name, sessions, operations) in [("a", 2_000, 10), ("b", 4_000, 20)] {
        fs::write(place.file(name), reporting(sessions, true, Some(operations))).expect("write");
    }
    place
}

#[track_caller]
fn of_sessions(text: &str) -> &str {
    text.lines().find(|line| line.ends_with("a.Session")).expect("the class")
}

#[test]
fn without_a_number_given_operations_are_those_that_the_program_reported() {
    let place = some_report();
    let text = place.text(&["--full", "a", "b"]);
    let said =
        "Allocated bytes are per operation, as the program counted them: 10 a recording before, 20 after.\n";
    assert!(text.contains(said), "{text}");
    let line = of_sessions(&text);
    assert!(line.contains(" ~ ") && line.contains("3.12 KiB"), "{text}");
    let page = place.text(&["--html", "a", "b"]);
    assert!(page.contains(said.trim_end()), "the page");
    let markdown = place.text(&["--full", "--format", "markdown", "a", "b"]);
    assert!(markdown.contains(said.trim_end()), "{markdown}");
    let row = markdown.lines().find(|line| line.ends_with("| a.Session |")).expect("the class");
    assert!(row.starts_with("| 3.12 KiB |") || row.contains("| 3.12 KiB |"), "{row}");
    let json: Value = serde_json::from_str(&place.text(&["--json", "a", "b"])).expect("JSON");
    let of = |key: &str| json[key].clone();
    assert_eq!((of("per_operation"), of("operations_counted_by")), (true.into(), "program".into()));
    assert_eq!(of("operations"), serde_json::json!([10.0, 20.0]));
}

#[test]
fn a_number_given_wins_over_the_programs_own() {
    let place = some_report();
    let text = place.text(&["--per", "20,80", "--full", "a", "b"]);
    assert!(text.contains("per operation, as given: 20 a recording before, 80 after."), "{text}");
    assert!(of_sessions(&text).contains("-50.0 % differs"), "{text}");
    let whole = place.text(&["--per", "1", "--full", "a", "b"]);
    assert!(of_sessions(&whole).contains("+100.0 % differs") && !whole.contains("per operation"), "{whole}");
}

#[test]
fn where_only_some_report_operations_whole_runs_are_compared_and_that_is_said() {
    let place = some_report();
    for (before, after) in [("a", "1"), ("0", "b")] {
        let text = place.text(&["--full", before, after]);
        assert!(text.contains("only 1 of 2 recordings say how many operations the program did"), "{text}");
        assert!(of_sessions(&text).contains("+100.0 % differs"), "{text}");
        let json: Value = serde_json::from_str(&place.text(&["--json", before, after])).expect("JSON");
        assert_eq!((&json["per_operation"], &json["operations"]), (&false.into(), &Value::Null));
    }
    let none = place.text(&["--full", "0", "1"]);
    assert!(!none.contains("operation"), "{none}");
}

#[test]
fn what_the_runs_did_comes_first_and_uneven_runs_are_told_of_operations() {
    let place = Place::with(&[2_000, 30_000, 4_000, 2_200, 33_000, 4_300]);
    let text = place.text(&SIDES);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Before: 3 recordings, 46.9 KiB to 484 KiB allocated, 0:00:01 each.", "{text}");
    assert!(lines[1].starts_with("After:  3 recordings, 50.0 KiB to "), "{text}");
    assert!(text.contains("different amounts of work") && text.contains("--per N,N,..."), "{text}");
    // A difference that is not proven is named as such, and what would prove it.
    let noisy = Place::with(&[20_000, 30_000, 40_000, 9_000, 20_000, 11_000]);
    let text = noisy.text(&SIDES);
    assert!(
        text.contains("Not proven by so few runs, which differ by themselves (in all ")
            && text.contains(" a side "),
        "{text}"
    );
    let json: Value = serde_json::from_str(&noisy.text(&[&["--json"], &SIDES[..]].concat())).expect("JSON");
    let total = &json["findings"][0];
    assert_eq!((&total["verdict"], &total["unproven"]), (&"same".into(), &true.into()), "{total}");
    assert!(total["runs_needed"].as_u64().is_some_and(|runs| runs > 3), "{total}");
    assert_eq!(json["work"][0][1]["allocated_bytes"], 31_000 * 16);
}

#[test]
fn a_run_without_work_is_named_and_nothing_is_told() {
    let place = Place::with(&[90_000]);
    // No session at all, and a few orders.
    fs::write(place.file("idle"), reporting(0, true, None)).expect("write");
    let output = place.diff(&["0", "idle"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("idle seems to have done no work") && !text.contains("differs,"), "{text}");
    let json: Value = serde_json::from_slice(&place.diff(&["--json", "0", "idle"]).stdout).expect("JSON");
    assert_eq!(json["idle_recordings"], serde_json::json!([1]));
}

#[test]
fn without_trust_there_is_no_verdict() {
    let place = Place::with(&[2_000]);
    fs::write(place.file("untrusted"), recording(2_000, false)).expect("write");
    let output = place.diff(&["0", "untrusted"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
    assert!(said.contains("no verdict: untrusted: 50.00 %"), "{said}");
    assert_eq!(place.diff(&["--trust", "0.4", "0", "untrusted"]).status.code(), Some(0));
    assert_eq!(place.diff(&["0", "missing"]).status.code(), Some(4));
}

/// A program of twelve methods: six start it, six serve so many requests.
fn serving(requests: u64) -> Vec<u8> {
    let objects = |of: u64| if of < 6 { 20_000 } else { 100 * requests };
    let method = |of: u64| {
        let frame =
            Frame { class: format!("shop.Step{of}").into(), method: "run".into(), ..Frame::default() };
        [
            Update::Frame { id: FrameId(of as u32), frame },
            Update::Site { id: SiteId(of as u32), class: ClassId(0), stack: vec![FrameId(of as u32)] },
        ]
    };
    let site = |of: u64| SiteCounts {
        id: SiteId(of as u32),
        allocated: Tally::of(objects(of), 16),
        ..SiteCounts::default()
    };
    let run = RunInfo { tracking: Tracking::EveryObject, stacks: true, ..RunInfo::default() };
    let allocated = Tally::of((0..12).map(objects).sum(), 16);
    let progress = Progress {
        duration_ms: 1_000,
        trust: Trust { accounted_bytes: 100, jvm_allocated_bytes: Some(100), ..Trust::default() },
        classes: vec![ClassCounts { id: ClassId(0), allocated, lifetimes: None }],
        sites: (0..12).map(site).collect(),
        ..Progress::default()
    };
    let mut updates =
        vec![Update::Start(Box::new(run)), Update::Class { id: ClassId(0), name: "a.Token".into() }];
    updates.extend((0..12).flat_map(method));
    updates.extend([Update::from(progress), Update::End]);
    let mut writer = RecordingWriter::new();
    updates.iter().flat_map(|update| writer.encode(update).expect("fits a frame")).collect()
}

#[test]
fn more_requests_are_no_change_of_the_program() {
    let place = Place::with(&[]);
    fs::write(place.file("once"), serving(100)).expect("write");
    fs::write(place.file("twice"), serving(200)).expect("write");
    let text = place.text(&["once", "twice"]);
    let first = "The runs seem to have done different amounts of work, after 2.00 times that of before:";
    assert_eq!(text.lines().next(), Some(first), "{text}");
    assert!(text.contains("--per N,N,...") && text.contains("%, other work"), "{text}");
    let json: Value = serde_json::from_slice(&place.diff(&["--json", "once", "twice"]).stdout).expect("JSON");
    assert_eq!(json["changed_alike"]["factor"], 2.0, "{json}");
    let same = place.text(&["once", "once"]);
    assert!(same.starts_with("Before:") && !same.contains("other work"), "{same}");
    let per = place.text(&["--per", "100,200", "once", "twice"]);
    assert!(!per.contains("other work") && !per.contains("different amounts"), "{per}");
}

/// A program whose query is parsed by a library: all that passes through a frame of that passes through the others.
fn parsing(objects: u64) -> Vec<u8> {
    let frame = |id, class: &str| Update::Frame {
        id: FrameId(id),
        frame: Frame { class: class.into(), method: "m".into(), file: Some("F.java".into()), line: Some(3) },
    };
    let mut run = RunInfo { tracking: Tracking::EveryObject, stacks: true, ..RunInfo::default() };
    run.jvm.command = "shop.Main 80".into();
    let site = |id, objects| SiteCounts {
        id: SiteId(id),
        allocated: Tally::of(objects, 16),
        ..SiteCounts::default()
    };
    let sites = vec![site(0, objects), site(1, 50_000)];
    let classes =
        vec![ClassCounts { id: ClassId(0), allocated: Tally::of(objects + 50_000, 16), lifetimes: None }];
    let trust = Trust { accounted_bytes: 100, jvm_allocated_bytes: Some(100), ..Trust::default() };
    let updates = [
        Update::Start(Box::new(run)),
        Update::Class { id: ClassId(0), name: "lib.Token".into() },
        frame(0, "lib.Lexer"),
        frame(1, "lib.Parser"),
        frame(2, "shop.Query"),
        frame(3, "lib.Timer"),
        Update::Site { id: SiteId(1), class: ClassId(0), stack: vec![FrameId(3)] },
        Update::Site { id: SiteId(0), class: ClassId(0), stack: vec![FrameId(0), FrameId(1), FrameId(2)] },
        Update::from(Progress { duration_ms: 1_000, trust, classes, sites, ..Progress::default() }),
        Update::End,
    ];
    let mut writer = RecordingWriter::new();
    updates.iter().flat_map(|update| writer.encode(update).expect("fits a frame")).collect()
}

#[test]
fn of_methods_through_which_as_much_passes_the_programs_own_come_first() {
    let place = Place::with(&[]);
    for (name, objects) in [("0", 90_000), ("1", 20_000)] {
        fs::write(place.file(name), parsing(objects)).expect("write");
    }
    let text = place.text(&["0", "1"]);
    let through = text.split("Through methods").nth(1).unwrap_or_else(|| panic!("no such rows: {text}"));
    let place_of = |name: &str| through.find(name).unwrap_or_else(|| panic!("no {name}: {text}"));
    assert!(place_of("shop.Query.m") < place_of("lib.Parser.m"), "{text}");
}
