//! `mayfly report` on recordings made here: what it prints, and what it makes of damage.
//!
//! Not here: the text itself, tested with `mayfly-report`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use assert_cmd::cargo::cargo_bin;
use mayfly_profile::{
    BlameRules, BucketBounds, ClassCounts, ClassEstimate, ClassFilter, ClassId, Dropped, EngineKind,
    Estimate, Following, Frame, FrameId, Gc, JvmInfo, LifetimeCounts, Lifetimes, OwnCost, Progress, Refusals,
    Remainder, RunInfo, SiteCounts, SiteId, Tally, Tracking, Trust, Update, View,
};
use mayfly_recording::RecordingWriter;
use serde_json::Value;

const REQUEST: &str = "org.server.Server$Request";

fn run_info(tracking: Tracking, options: &str, view: View) -> RunInfo {
    let jvm = JvmInfo {
        pid: 4711,
        version: "17.0.15+6".to_owned(),
        gc: Gc::G1,
        command: "org.server.Server 100".to_owned(),
    };
    RunInfo {
        jvm,
        engine: EngineKind::Exact,
        options: options.to_owned(),
        started_unix_ms: 1_700_000_000_000,
        buckets: BucketBounds::new(vec![5, 15]).expect("ascending"),
        tracking,
        lifetimes: tracking != Tracking::Off,
        stacks: tracking != Tracking::Off,
        view,
    }
}

fn frame(method: &str, line: Option<u32>) -> Frame {
    Frame { class: REQUEST.into(), method: method.into(), file: Some("Server.java".into()), line }
}

fn names() -> Vec<Update> {
    let class = |id, name: &str| Update::Class { id, name: name.to_owned() };
    vec![
        class(ClassId(0), REQUEST),
        class(ClassId(1), "[B"),
        class(ClassId(2), "java.lang.String"),
        Update::Frame { id: FrameId(0), frame: frame("getNextRequest", Some(29)) },
        Update::Frame { id: FrameId(1), frame: frame("run", None) },
        Update::Site { id: SiteId(0), class: ClassId(0), stack: vec![FrameId(0), FrameId(1)] },
        Update::Site { id: SiteId(1), class: ClassId(0), stack: vec![FrameId(1)] },
    ]
}

fn trust() -> Trust {
    Trust {
        accounted_bytes: 9_900,
        jvm_allocated_bytes: Some(10_000),
        remainder: vec![Remainder::exact("before the agent could count", 100)],
        refusals: vec![Refusals { reason: "method would pass 64 KB".to_owned(), methods: 2 }],
        dropped: vec![Dropped { cause: "memory limit".to_owned(), objects: 3 }],
        sample_interval: Some(512),
        following: Following { whole_collections: 2, thinned_to_one_in: 4, ..Following::default() },
        cost: OwnCost { cpu_ms: 12, native_bytes: 4096, rewrite_ms: 7 },
    }
}

/// So many objects of 1 MiB sampled: each stands for itself.
fn estimate(allocated: usize, unseen: usize) -> ClassEstimate {
    let sum = |objects| {
        let mut sum = Estimate::default();
        (0..objects).for_each(|_| sum.add(Estimate::of_sample(1 << 20, 512)));
        sum
    };
    ClassEstimate { allocated: sum(allocated), unseen: sum(unseen) }
}

/// 100 requests of 16 bytes: 60 dead after 1 s, 10 after 7 s, 10 after 20 s, 20 alive; 2 arrays; 1 string.
fn progress(tracked: bool) -> Update {
    let collected = vec![Tally::of(60, 16), Tally::of(10, 16), Tally::of(10, 16)];
    let mut lifetimes = Lifetimes { died_before_first_gc: 60, ..Lifetimes::default() };
    for (ms, gcs, bytes, weight) in [(1_000, 1, 2_000, 60), (7_000, 4, 9_000, 10), (20_000, 8, 9_900, 10)] {
        lifetimes.ms.record_deaths(ms - 500, ms, weight);
        lifetimes.gcs.record_deaths(gcs, gcs + 1, weight);
        lifetimes.bytes.record_deaths(bytes - 500, bytes, weight);
    }
    lifetimes.ms.record_living(5_000, 20);
    lifetimes.gcs.record_living(3, 20);
    lifetimes.bytes.record_living(8_000, 20);
    let requests = LifetimeCounts { live: Tally::of(20, 16), collected: collected.clone(), lifetimes };
    let unborn = LifetimeCounts { collected: vec![Tally::default(); 3], ..LifetimeCounts::default() };
    let class = |id, allocated, lifetimes: LifetimeCounts| ClassCounts {
        id,
        allocated,
        lifetimes: tracked.then_some(lifetimes),
    };
    let site = |id, objects, dead: Vec<Tally>| SiteCounts {
        id,
        allocated: Tally::of(objects, 16),
        live: Some(Tally::of(10, 16)),
        collected: dead,
        byte_seconds: objects as f64 * 16.0,
        error: 0.0,
    };
    let mut arrays = Tally::of(1, 24);
    arrays.add(Tally::of(1, 1_040));
    Update::from(Progress {
        duration_ms: 31_500,
        gcs: 9,
        trust: trust(),
        classes: vec![
            class(ClassId(0), Tally::of(100, 16), requests),
            class(ClassId(1), arrays, unborn.clone()),
            class(ClassId(2), Tally::of(1, 24), unborn),
        ],
        sites: if tracked {
            vec![site(SiteId(0), 90, collected), site(SiteId(1), 10, vec![Tally::default(); 3])]
        } else {
            vec![]
        },
        estimates: vec![(ClassId(0), estimate(2, 0)), (ClassId(1), estimate(3, 1))],
    })
}

fn recording(tracking: Tracking, options: &str) -> Vec<u8> {
    recording_of(run_info(tracking, options, View::default()))
}

fn recording_of(run: RunInfo) -> Vec<u8> {
    let tracking = run.tracking;
    let mut writer = RecordingWriter::new();
    let start = [Update::Start(Box::new(run))];
    let updates = start.into_iter().chain(names()).chain([progress(tracking != Tracking::Off), Update::End]);
    updates.flat_map(|update| writer.encode(&update).expect("fits a frame")).collect()
}

struct Place(tempfile::TempDir);

impl Place {
    fn with(bytes: &[u8]) -> Self {
        let place = Self(tempfile::tempdir().expect("temporary folder"));
        fs::write(place.file(), bytes).expect("write");
        place
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("r.mayfly")
    }

    fn report(&self, options: &[&str]) -> Output {
        report(&self.file(), options)
    }

    /// The JSON report; no word on stderr.
    fn json(&self, options: &[&str]) -> Value {
        let output = self.report(&[&["--json"], options].concat());
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
        serde_json::from_slice(&output.stdout).expect("JSON")
    }
}

fn report(file: &Path, options: &[&str]) -> Output {
    Command::new(cargo_bin("mayfly")).arg("report").args(options).arg(file).output().expect("runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn classes(json: &Value) -> Vec<&str> {
    json["classes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|class| class["name"].as_str().expect("a name"))
        .collect()
}

#[test]
fn json_of_every_object() {
    let place = Place::with(&recording(Tracking::EveryObject, "#trackcollections#trace"));
    insta::assert_json_snapshot!(place.json(&[]));
}

#[test]
fn json_of_counts_only() {
    let place = Place::with(&recording(Tracking::Off, ""));
    insta::assert_json_snapshot!(place.json(&[]));
}

#[test]
fn json_says_what_is_estimated() {
    let json = Place::with(&recording(Tracking::ByteSample(524_288), "#sample-512k#trace")).json(&[]);
    assert_eq!(json["tracking"]["objects"], "byte_sample");
    assert_eq!(json["tracking"]["interval_bytes"], 524_288);
    let request = &json["classes"][0];
    assert_eq!(request["allocated"]["estimated"], false);
    for estimated in
        [&request["live"], &request["collected"][2], &request["lifetime"], &json["sites"][0]["allocated"]]
    {
        assert_eq!(estimated["estimated"], true);
    }
}

#[test]
fn a_limit_leaves_totals_alone() {
    let place = Place::with(&recording(Tracking::EveryObject, "#trackcollections#trace"));
    let (all, limited) = (place.json(&[]), place.json(&["--limit", "1"]));
    assert_eq!(classes(&limited), [REQUEST]);
    assert_eq!(limited["sites"].as_array().map(Vec::len), Some(1));
    assert_eq!(limited["buckets"], all["buckets"]);
    assert_eq!(limited["buckets"][0]["objects"], 60);
}

#[test]
fn classes_are_chosen_by_prefix_or_name() {
    let place = Place::with(&recording(Tracking::EveryObject, "#trackcollections#trace"));
    assert_eq!(classes(&place.json(&["--include", "[,java."])), ["[B", "java.lang.String"]);
    assert_eq!(classes(&place.json(&["--exclude", "org.server.Server"])), ["[B", "java.lang.String"]);
    assert_eq!(classes(&place.json(&["--exact-match", "--exclude", "org.server.Server,[B"])).len(), 2);
    let arrays = place.json(&["--include", "[B"]);
    assert_eq!(arrays["sites"], serde_json::json!([]));
    assert_eq!(arrays["trust"], place.json(&[])["trust"]);
}

#[test]
fn filters_of_the_run_hold_until_others_are_given() {
    let filter = ClassFilter { include: vec!["java.".to_owned()], ..ClassFilter::default() };
    let view = View { classes: filter, ..View::default() };
    let place =
        Place::with(&recording_of(run_info(Tracking::EveryObject, "#trackcollections#include-java.", view)));
    assert_eq!(classes(&place.json(&[])), ["java.lang.String"]);
    assert_eq!(classes(&place.json(&["--include", "[B"])), ["[B"]);
}

#[test]
fn a_name_that_no_class_has_is_no_answer_of_nothing() {
    let place = Place::with(&recording(Tracking::EveryObject, "#trackcollections#trace"));
    for arguments in [
        &["--include", "nosuch."][..],
        &["--full", "--exclude", "org.,java.,["],
        &["--json", "--include", "x"],
    ] {
        let refused = place.report(arguments);
        let said = text(&refused.stderr);
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{arguments:?}: {said}");
        assert!(said.contains("none of its 3 classes is shown"), "{said}");
    }
}

#[test]
fn a_recording_without_a_first_step_says_that_nothing_was_recorded() {
    let mut writer = RecordingWriter::new();
    let start = Update::Start(Box::new(run_info(Tracking::EveryObject, "", View::default())));
    let report = Place::with(&writer.encode(&start).expect("fits")).report(&[]);
    let (screen, said) = (text(&report.stdout), text(&report.stderr));
    assert!(
        screen.contains("nothing was recorded") && said.contains("nothing was recorded"),
        "{screen}{said}"
    );
    // Which it was the file does not say.
    assert!(screen.contains("disk was full") && said.contains("disk was full"), "{screen}{said}");
    assert!(!screen.contains("was allocated") && !screen.contains("of its own"), "{screen}");
}

#[test]
fn a_recording_of_a_format_that_no_release_wrote_is_refused_by_name() {
    let mut old = recording(Tracking::EveryObject, "#trackcollections");
    old[8..10].copy_from_slice(&1_u16.to_le_bytes());
    let refused = Place::with(&old).report(&[]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(4), "{said}");
    assert!(said.contains("the recording has format 1"), "{said}");
}

#[test]
fn text_is_the_default_and_goes_where_told() {
    let place = Place::with(&recording(Tracking::EveryObject, "#trackcollections#trace"));
    let to_stdout = place.report(&[]);
    assert_eq!(to_stdout.status.code(), Some(0));
    let screen = text(&to_stdout.stdout);
    assert!(screen.contains("\nFound:\n") && screen.contains("/mayfly report --full "), "{screen}");
    assert!(screen.lines().count() <= 40, "{screen}");
    assert_eq!(to_stdout.stdout, place.report(&["--text"]).stdout);
    let file = place.0.path().join("report.txt");
    let to_file = place.report(&["-o", file.to_str().expect("UTF-8")]);
    assert_eq!((to_file.status.code(), to_file.stdout.len()), (Some(0), 0));
    assert_eq!(fs::read(file).expect("written"), to_stdout.stdout);
}

#[test]
fn full_text_and_a_limit_have_the_rows_of_each_section() {
    let place = Place::with(&recording(Tracking::EveryObject, "#trackcollections#trace"));
    let full = text(&place.report(&["--full"]).stdout);
    let row = "1600:100:(16) - org.server.Server$Request";
    assert!(full.contains(row) && full.contains("- java.lang.String\n"), "{full}");
    let limited = text(&place.report(&["--limit", "1"]).stdout);
    assert!(limited.contains(row) && !limited.contains("- java.lang.String\n"), "{limited}");
    assert!(!text(&place.report(&[]).stdout).contains("Allocated objects:"));
}

#[test]
fn a_full_report_that_nobody_reads_is_announced_with_what_shows_less() {
    let announced = |classes: u32, options: &[&str]| {
        let run = run_info(Tracking::Off, "", View::default());
        let class = |id| Update::Class { id: ClassId(id), name: format!("a.Class{id}") };
        let counts = |id| ClassCounts { id: ClassId(id), allocated: Tally::of(1, 16), lifetimes: None };
        let progress = Progress {
            duration_ms: 1_000,
            classes: (0..classes).map(counts).collect(),
            ..Progress::default()
        };
        let updates = [Update::Start(Box::new(run))].into_iter().chain((0..classes).map(class));
        let updates = updates.chain([Update::from(progress), Update::End]);
        let mut writer = RecordingWriter::new();
        let bytes: Vec<u8> =
            updates.flat_map(|update| writer.encode(&update).expect("fits a frame")).collect();
        text(&Place::with(&bytes).report(options).stderr)
    };
    let said = announced(3_000, &["--full"]);
    assert!(said.contains(" lines follow; --limit 20 shows"), "{said}");
    assert_eq!((announced(300, &["--full"]), announced(3_000, &["--limit", "20"])), Default::default());
}

#[test]
fn blame_follows_the_recorded_rules_or_new_ones() {
    let blame = "Allocation Classes:";
    let place = Place::with(&recording(Tracking::EveryObject, "#trackcollections#trace"));
    assert!(text(&place.report(&["--full"]).stdout).contains(blame));
    assert!(!text(&place.report(&["--full", "--no-blame"]).stdout).contains(blame));
    assert!(!text(&place.report(&["--full", "--trace-ignore", "org."]).stdout).contains(blame));
    let rules = BlameRules { ignore: vec!["org.".to_owned()], ..BlameRules::default() };
    let view = View { rules, ..View::default() };
    let ignoring = Place::with(&recording_of(run_info(
        Tracking::EveryObject,
        "#trackcollections#trace#traceignore-org.",
        view,
    )));
    assert!(!text(&ignoring.report(&["--full"]).stdout).contains(blame));
    assert!(text(&ignoring.report(&["--full", "--trace-ignore", "java."]).stdout).contains(blame));
}

#[test]
fn a_recording_may_come_from_standard_input() {
    let bytes = recording(Tracking::EveryObject, "#trackcollections#trace");
    let place = Place::with(&bytes);
    let mut command = assert_cmd::Command::new(cargo_bin("mayfly"));
    let output = command.args(["report", "--json", "-"]).write_stdin(bytes).output().expect("runs");
    assert_eq!(output.stdout, place.report(&["--json"]).stdout);
}

#[test]
fn a_reader_that_closes_early_is_no_failure() {
    let place = Place::with(&recording(Tracking::EveryObject, "#trackcollections#trace"));
    let mut mayfly = Command::new(cargo_bin("mayfly"));
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output =
        mayfly.args(["report", "--json"]).arg(place.file()).stdout(writer).stderr(Stdio::piped()).output();
    let output = output.expect("runs");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
}

#[test]
fn a_recording_cut_off_anywhere_is_read_as_far_as_it_goes() {
    let whole = recording(Tracking::EveryObject, "#trackcollections#trace");
    let place = Place::with(&whole);
    for length in (0..whole.len()).step_by(whole.len() / 60).chain([11, 12, 13, whole.len() - 1]) {
        fs::write(place.file(), &whole[..length]).expect("write");
        let output = place.report(&["--json"]);
        let said = text(&output.stderr);
        assert_eq!(said.lines().count(), 1, "cut at {length}: {said}");
        if length < 12 {
            assert_eq!((output.status.code(), output.stdout.len()), (Some(4), 0), "cut at {length}");
        } else {
            assert_eq!(output.status.code(), Some(0), "cut at {length}");
            assert!(said.starts_with("mayfly: warning: "), "cut at {length}: {said}");
            let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(json["complete"], false, "cut at {length}");
        }
    }
}

#[test]
fn what_is_no_readable_recording_is_one_line_and_code_4() {
    let mut newer = recording(Tracking::Off, "");
    newer[8] = 99;
    for (bytes, word) in
        [(&b"PK\x03\x04 a jar, really"[..], "not a Mayfly recording"), (&newer, "newer"), (b"", "empty")]
    {
        let place = Place::with(bytes);
        refused(&place.report(&[]), &[word, "r.mayfly"]);
    }
    refused(&report(Path::new("/nowhere/r.mayfly"), &[]), &["/nowhere/r.mayfly"]);
    refused(&report(Path::new("/"), &["--json"]), &["/"]);
}

fn refused(output: &Output, words: &[&str]) {
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(4), 0), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("mayfly: can't read recording "), "{said}");
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
}

#[test]
fn an_output_that_cannot_be_written_is_code_2() {
    let place = Place::with(&recording(Tracking::Off, ""));
    let output = place.report(&["-o", "/nowhere/report.txt"]);
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1));
    assert!(said.contains("/nowhere/report.txt"), "{said}");
}
