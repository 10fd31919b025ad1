//! `mayfly check` on recordings made here: exit codes, and what it writes.
//!
//! Not here: the judgements, tested with `mayfly-verdicts`, and real programs (`tests/tests/e2e/check.rs`).

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use mayfly_profile::{
    ClassCounts, ClassId, Frame, FrameId, Progress, RunInfo, Section, SiteCounts, SiteId, Tally, Tracking,
    Trust, Update,
};
use mayfly_recording::RecordingWriter;
use quick_junit::{NonSuccessKind, Report, TestCaseStatus};
use serde_json::Value;

/// 100 sessions of 16 bytes; a name that would be markup, or end a line.
const SESSION: &str = "com.acme.Session";
const ODD: &str = "a|<b>\n::error::x";

/// The recording of a program of which `counted` of 10,000 bytes were counted.
fn recording(counted: u64, ended: bool) -> Vec<u8> {
    recording_of(100, counted, ended)
}

/// The same of one that makes so many sessions.
fn recording_of(sessions: u64, counted: u64, ended: bool) -> Vec<u8> {
    let end = ended.then_some(Update::End);
    written(updates(sessions, counted).into_iter().chain(end))
}

fn written(updates: impl Iterator<Item = Update>) -> Vec<u8> {
    let mut writer = RecordingWriter::new();
    updates.flat_map(|update| writer.encode(&update).expect("fits a frame")).collect()
}

/// Without an end.
fn updates(sessions: u64, counted: u64) -> Vec<Update> {
    let run = RunInfo { tracking: Tracking::EveryObject, stacks: true, ..RunInfo::default() };
    let frame = Frame {
        class: "com.acme.Pool".into(),
        method: "open".into(),
        file: Some("Pool.java".into()),
        line: Some(7),
    };
    let class = |id, name: &str| Update::Class { id, name: name.to_owned() };
    let counts = |id, objects| ClassCounts { id, allocated: Tally::of(objects, 16), lifetimes: None };
    let progress = Progress {
        duration_ms: 1_000,
        trust: Trust { accounted_bytes: counted, jvm_allocated_bytes: Some(10_000), ..Trust::default() },
        classes: vec![counts(ClassId(0), sessions), counts(ClassId(1), 1)],
        sites: vec![SiteCounts { id: SiteId(0), allocated: Tally::of(100, 16), ..SiteCounts::default() }],
        ..Progress::default()
    };
    vec![
        Update::Start(Box::new(run)),
        class(ClassId(0), SESSION),
        class(ClassId(1), ODD),
        Update::Frame { id: FrameId(0), frame },
        Update::Site { id: SiteId(0), class: ClassId(0), stack: vec![FrameId(0)] },
        Update::from(progress),
    ]
}

struct Place(tempfile::TempDir);

impl Place {
    fn with(recording: &[u8], budget: &str) -> Self {
        let place = Self(tempfile::tempdir().expect("temporary folder"));
        fs::write(place.file("r.mayfly"), recording).expect("write");
        fs::write(place.file("budget.toml"), budget).expect("write");
        place
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn check(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(cargo_bin("mayfly"));
        command.current_dir(self.0.path()).arg("check").args(arguments).output().expect("runs")
    }

    /// Exit code, standard output, standard error.
    fn checked(&self, options: &[&str]) -> (i32, String, String) {
        let output = self.check(&[&["--budget", "budget.toml"], options, &["r.mayfly"]].concat());
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code().expect("ends by itself"), text(output.stdout), text(output.stderr))
    }
}

const KEPT: &str = "[[class]]\nname = 'com.acme.Session'\nbytes = 1600\n";
const EXCEEDED: &str = "[total]\nobjects = 101\n\n[[class]]\nname = 'com.acme.Session'\nbytes = 1599\n";

#[test]
fn exit_codes_say_what_came_out() {
    let whole = recording(10_000, true);
    for (recording, budget, code) in [
        (&whole, KEPT, 0),
        (&whole, EXCEEDED, 1),
        (&recording(9_000, true), KEPT, 2),
        (&recording(9_000, true), EXCEEDED, 1),
        (&recording(9_000, true), "[total]\nbytes = 3000\n", 0),
        (&recording(10_000, false), KEPT, 2),
        (&whole, "[total]\nlive = 1\n", 2),
        (&whole, "[total]\nbytes_per_operation = '1g'\n", 2),
        (&b"no recording".to_vec(), KEPT, 4),
    ] {
        let (found, out, err) = Place::with(recording, budget).checked(&[]);
        assert_eq!(found, code, "{budget}\n{out}\n{err}");
    }
}

#[test]
fn limits_per_operation_are_by_the_programs_own_count_unless_another_is_named() {
    let told = [Update::from(Section::Operations(10)), Update::End];
    let reporting = written(updates(100, 10_000).into_iter().chain(told));
    let limit = |objects: &str| format!("[total]\nobjects_per_operation = {objects}\n");
    let code = |recording: &[u8], budget: &str, options: &[&str]| {
        let (code, out, err) = Place::with(recording, budget).checked(options);
        (code, out + &err)
    };
    // 101 objects.
    for (budget, options, expected) in [
        (limit("10.1"), &[][..], 0),
        (limit("10.0"), &[], 1),
        ("operations = 20\n".to_owned() + &limit("5.05"), &[], 0),
        ("operations = 5\n".to_owned() + &limit("10.1"), &[], 1),
        (limit("5.05"), &["--operations", "20"], 0),
    ] {
        let (code, said) = code(&reporting, &budget, options);
        assert_eq!(code, expected, "{budget} {options:?}\n{said}");
    }
    let (code, said) = code(&recording(10_000, true), &limit("1000"), &[]);
    assert_eq!(code, 2, "{said}");
    let both = said.contains("--operations") && said.contains("Mayfly.operations");
    assert!(both && said.contains("the number of operations is not given"), "{said}");
}

#[test]
fn an_unknown_key_is_refused_with_its_line() {
    let (code, out, err) =
        Place::with(&recording(10_000, true), "[total]\nbytes = 1\nbites = 2\n").checked(&[]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("budget.toml: line 3: unknown field `bites`"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}

#[test]
fn a_budget_that_is_not_there_is_no_budget_that_is_kept() {
    let place = Place::with(&recording(10_000, true), KEPT);
    let output = place.check(&["--budget", "typo.toml", "r.mayfly"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_worst_of_several_recordings_decides() {
    let place = Place::with(&recording(10_000, true), KEPT);
    fs::write(place.file("untrusted.mayfly"), recording(100, true)).expect("write");
    let output = place.check(&["--budget", "budget.toml", "r.mayfly", "untrusted.mayfly"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn offenders_are_named_with_their_stacks() {
    let (_, out, _) = Place::with(&recording(10_000, true), EXCEEDED).checked(&[]);
    assert!(out.starts_with("r.mayfly exceeds 1 of 2 limits of budget.toml\n"), "{out}");
    assert!(out.contains("kept      total: objects"), "{out}");
    assert!(
        out.contains("1.56 KiB, at most 1.56 KiB") && out.contains("at com.acme.Pool.open(Pool.java:7)"),
        "{out}"
    );
}

#[test]
fn annotations_point_at_the_line_of_the_budget() {
    let (_, out, _) = Place::with(&recording(10_000, true), EXCEEDED).checked(&["--annotations"]);
    let lines: Vec<_> = out.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(lines.len(), 1, "{out}");
    assert!(
        lines[0].starts_with("::error file=budget.toml,line=6,title=class com.acme.Session%3A bytes::"),
        "{out}"
    );
    assert!(lines[0].contains("%0A  at com.acme.Pool.open(Pool.java:7)"), "{out}");
    let (_, out, _) = Place::with(&recording(10_000, false), KEPT).checked(&["--annotations"]);
    assert!(out.lines().any(|line| line.starts_with("::error file=budget.toml,line=1,")), "{out}");
}

#[test]
fn no_name_of_the_program_makes_an_annotation_or_markup() {
    let budget = "[[class]]\nname = \"a|<b>\\n::error::x\"\nbytes = 1\n";
    let place = Place::with(&recording(10_000, true), budget);
    let (code, out, _) = place.checked(&["--markdown", "out.md"]);
    assert_eq!(code, 1, "{out}");
    assert!(!out.lines().any(|line| line.trim_start().starts_with("::")), "{out}");
    let markdown = place.read("out.md");
    assert!(!markdown.contains("<b>") && markdown.contains(r"a\|&lt;b&gt;"), "{markdown}");
}

#[test]
fn junit_has_a_case_for_each_limit() {
    let place = Place::with(&recording(10_000, true), EXCEEDED);
    place.checked(&["--junit", "out.xml"]);
    let report = Report::deserialize_from_str(&place.read("out.xml")).expect("JUnit XML");
    assert_eq!((report.tests, report.failures, report.errors), (2, 1, 0));
    let cases = &report.test_suites[0].test_cases;
    assert!(matches!(cases[0].status, TestCaseStatus::Success { .. }));
    assert!(
        matches!(&cases[1].status, TestCaseStatus::NonSuccess { kind: NonSuccessKind::Failure, .. }),
        "{cases:?}"
    );
}

#[test]
fn junit_shows_what_can_not_be_told_as_errors() {
    let counts = |recording: &[u8]| {
        let place = Place::with(recording, EXCEEDED);
        place.checked(&["--junit", "out.xml"]);
        let report = Report::deserialize_from_str(&place.read("out.xml")).expect("JUnit XML");
        (report.tests, report.failures, report.errors)
    };
    assert_eq!(counts(&recording(10_000, false)), (2, 0, 2));
    assert_eq!(counts(&recording(100, true)), (2, 1, 1), "what was counted exceeds one");
}

#[test]
fn bmf_has_its_shape_and_nothing_that_is_not_trusted() {
    let place = Place::with(&recording(10_000, true), EXCEEDED);
    place.checked(&["--bmf", "out.json"]);
    let json: Value = serde_json::from_str(&place.read("out.json")).expect("JSON");
    assert_eq!(json["total"]["objects"]["value"], 101.0);
    assert_eq!(json["class com.acme.Session"]["bytes"]["value"], 1600.0);
    for measures in json.as_object().expect("benchmarks").values() {
        for metric in measures.as_object().expect("measures").values() {
            let metric = metric.as_object().expect("a metric");
            assert!(metric["value"].is_number());
            assert!(metric.keys().all(|key| ["value", "lower_value", "upper_value"].contains(&key.as_str())));
        }
    }
    let place = Place::with(&recording(100, true), EXCEEDED);
    place.checked(&["--bmf", "out.json"]);
    assert_eq!(place.read("out.json").trim(), "{}");
}

#[test]
fn a_written_budget_is_kept_by_its_recording() {
    let place = Place::with(&recording(10_000, true), "");
    let output = place.check(&["--write", "budget.toml", "r.mayfly"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let limits = place.read("budget.toml").matches(" = ").count()
        - 1
        - place.read("budget.toml").matches("name = ").count();
    assert!(said.contains(&format!("budget.toml has {limits} limits now")), "{said}");
    let (code, out, err) = place.checked(&[]);
    assert_eq!(code, 0, "{}\n{out}{err}", place.read("budget.toml"));
}

#[test]
fn older_recordings_are_a_budget() {
    let place = Place::with(&recording(10_000, true), "");
    for (name, sessions) in [("more", 120), ("old-1", 100), ("old-2", 101), ("old-3", 99)] {
        fs::write(place.file(name), recording_of(sessions, 10_000, true)).expect("write");
    }
    fs::write(place.file("cut"), recording_of(100, 10_000, false)).expect("write");
    let three = ["old-1", "old-2", "old-3"];
    for (file, baseline, code, words) in [
        ("r.mayfly", &three[..], 0, "keeps"),
        ("more", &three[..], 1, "exceeds"),
        ("r.mayfly", &three[..1], 0, "keeps"),
        ("more", &three[..1], 2, "how much runs differ one recording"),
        ("r.mayfly", &["cut"][..], 2, "has no end"),
    ] {
        let output = place.check(&[&["--junit", "out.xml", file, "--baseline"][..], baseline].concat());
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{file} {baseline:?}: {said}");
        let unbroken = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(unbroken.contains(words), "{words} in {said}");
    }
    assert!(place.read("out.xml").contains("total: bytes"));
}
