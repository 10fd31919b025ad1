//! `mayfly heap` on a small dump made here: what each question prints, as text and JSON, and what it makes of damage.
//!
//! Not here: dumps of real JVMs (end-to-end tests), and running JVMs.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::read::GzDecoder;
use mayfly_heap::dump::{
    ClassFacts, Encoder, Facts, FieldFacts, FrameFacts, Number, Reference, RootReference,
};
use serde_json::Value;

const OBJECT: Number = Number(1);
const WEAK: Number = Number(5);
const MAP: Number = Number(6);
const NODE: Number = Number(7);
const TABLE: Number = Number(8);
const CACHE: Number = Number(9);
const SESSION: Number = Number(10);
const BYTES: Number = Number(11);
const STRING: Number = Number(3);

fn field(name: &'static str) -> FieldFacts<'static> {
    FieldFacts { name, descriptor: "Ljava/lang/Object;", is_static: false }
}

fn tell_classes(encoder: &mut Encoder) {
    let class = |name| ClassFacts { name, superclass: OBJECT, mirror_size: 96, ..ClassFacts::default() };
    let entries = [FieldFacts { name: "ENTRIES", descriptor: "Ljava/util/Map;", is_static: true }];
    for class in [
        ClassFacts { superclass: Number::NONE, ..class("java.lang.Object") },
        class("java.lang.Class"),
        ClassFacts { fields: &[field("value")], ..class("java.lang.String") },
        ClassFacts { fields: &[field("referent")], ..class("java.lang.ref.Reference") },
        ClassFacts { superclass: Number(4), ..class("java.lang.ref.WeakReference") },
        ClassFacts { fields: &[field("table")], ..class("java.util.HashMap") },
        ClassFacts {
            fields: &[field("key"), field("value"), field("next")],
            ..class("java.util.HashMap$Node")
        },
        class("[Ljava.util.HashMap$Node;"),
        ClassFacts { fields: &entries, ..class("app.Cache") },
        ClassFacts { fields: &[field("user"), field("data")], ..class("app.Session") },
        class("[B"),
    ] {
        encoder.class(&class);
    }
}

/// A string and its bytes.
fn tell_string(encoder: &mut Encoder, text: &str) -> Number {
    let string = encoder.object(STRING, 24);
    let bytes = encoder.object(BYTES, 24);
    encoder.edge(string, Reference::Field(0), bytes);
    encoder.text(string, &text.encode_utf16().collect::<Vec<_>>());
    string
}

/// `Cache.ENTRIES` is a map of `entries` sessions, each with a kilobyte; one more session is held weakly by a local variable,
/// one strongly.
fn tell_objects(encoder: &mut Encoder, entries: u32) {
    let map = encoder.object(MAP, 48);
    encoder.edge(CACHE, Reference::StaticField(0), map);
    let table = encoder.object(TABLE, 80);
    encoder.edge(map, Reference::Field(0), table);
    for slot in 0..entries {
        let node = encoder.object(NODE, 32);
        encoder.edge(table, Reference::Element(slot * 3), node);
        let key = tell_string(encoder, "guest");
        encoder.edge(node, Reference::Field(0), key);
        let session = tell_session(encoder);
        encoder.edge(node, Reference::Field(1), session);
        let user = tell_string(encoder, &format!("user {slot}"));
        encoder.edge(session, Reference::Field(0), user);
    }
    let frame = FrameFacts { thread: 1, depth: 0, method: 7 };
    let session = tell_session(encoder);
    encoder.root(RootReference::StackLocal { frame, slot: 2 }, session);
    let weak = encoder.object(WEAK, 48);
    encoder.root(RootReference::StackLocal { frame, slot: 3 }, weak);
    let lost = encoder.object(BYTES, 64);
    encoder.edge(weak, Reference::Field(0), lost);
    for class in 1..=11 {
        encoder.root(RootReference::SystemClass, Number(class));
    }
    encoder.thread(1, Number::NONE, "main");
    encoder.method(7, "app.Main", "run");
}

fn tell_session(encoder: &mut Encoder) -> Number {
    let session = encoder.object(SESSION, 24);
    let data = encoder.object(BYTES, 1024);
    encoder.edge(session, Reference::Field(1), data);
    session
}

fn dump(entries: u32) -> Vec<u8> {
    let mut encoder = Encoder::new(&Facts { text_limit: Some(100), ..Facts::default() });
    tell_classes(&mut encoder);
    tell_objects(&mut encoder, entries);
    encoder.finish().expect("few objects")
}

struct Place(tempfile::TempDir);

impl Place {
    /// With `a.mayheap`, and `b.mayheap` in which there is one entry more.
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("temporary folder"));
        fs::write(place.path("a.mayheap"), dump(2)).expect("write");
        fs::write(place.path("b.mayheap"), dump(3)).expect("write");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn heap(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(cargo_bin("mayfly"));
        command.current_dir(self.0.path()).arg("heap").args(arguments).output().expect("runs")
    }

    /// What it prints, with exit code 0.
    fn text(&self, arguments: &[&str]) -> String {
        let output = self.heap(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*said), (Some(0), ""), "{arguments:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let json: Value = serde_json::from_str(&self.text(&[arguments, &["--json"]].concat())).expect("JSON");
        assert_eq!(json["schema"], "mayfly-heap/1");
        json
    }

    /// Its one line on stderr, with this exit code and nothing on stdout.
    fn refusal(&self, arguments: &[&str], code: i32) -> String {
        let output = self.heap(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{arguments:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        said
    }
}

/// Every question, on `a.mayheap`.
const QUESTIONS: &[&[&str]] = &[
    &["histogram", "a.mayheap"],
    &["histogram", "a.mayheap", "--sort", "count", "--limit", "2"],
    &["roots", "a.mayheap"],
    &["roots", "a.mayheap", "--kind", "stack local"],
    &["paths", "a.mayheap", "--to", "app.Session", "-n", "5"],
    &["paths", "a.mayheap", "--to", "app.Session", "-n", "5", "--exclude", "java.util.HashMap"],
    &["paths", "a.mayheap", "--to", "java.util.HashMap.Node"],
    &["retained", "a.mayheap", "--limit", "4"],
    &["retained", "a.mayheap", "--by", "class", "--limit", "4"],
    &["retained", "a.mayheap", "--by", "loader"],
    &["retained", "a.mayheap", "--of", "app.Session", "--members"],
    &["size", "a.mayheap", "--of", "app.Session"],
    &["size", "a.mayheap", "--of", "java.util.HashMap", "--skip", "app.Session"],
    &["reachable", "a.mayheap", "--from", "java.util.HashMap"],
    &["reachable", "a.mayheap", "--from", "java.util.HashMap$Node", "--within", "app.Session"],
    &["reachable", "a.mayheap", "--from", "app.Session", "--objects", "--limit", "3"],
    &["holders", "a.mayheap", "--of", "app.Session"],
    &["holders", "a.mayheap", "--of", "app.Session", "--direct", "--by", "java.util.HashMap.Node"],
    &["distribution", "a.mayheap"],
    &["distribution", "a.mayheap", "--from", "class app.Cache"],
    &["strings", "a.mayheap"],
    &["strings", "a.mayheap", "--search", "user"],
    &["strings", "a.mayheap", "--search", "user 1", "--exact", "--held-by", "app.Session"],
    &["instances", "a.mayheap", "app.Session", "--deep", "--fields"],
    &["instances", "a.mayheap", "java.lang.ref.Reference", "--subclasses"],
    &["growth", "a.mayheap", "b.mayheap"],
    &["diff", "a.mayheap", "b.mayheap"],
    &["diff", "a.mayheap", "b.mayheap", "a.mayheap", "--sort", "count", "--limit", "1"],
];

#[test]
fn every_question_has_a_stable_answer() {
    let place = Place::new();
    let mut answers = String::new();
    for question in QUESTIONS {
        answers += &format!("$ mayfly heap {}\n{}\n", question.join(" "), place.text(question));
    }
    insta::assert_snapshot!("heap_answers", answers);
}

/// A place with a dump that is large enough for an index, questions to it, and their answers without one.
fn indexed() -> (Place, Vec<Vec<&'static str>>, Vec<String>) {
    let place = Place::new();
    fs::write(place.path("a.mayheap"), dump(40_000)).expect("write");
    let one_file = |question: &&&[&str]| !question.contains(&"b.mayheap");
    let questions: Vec<_> = QUESTIONS.iter().filter(one_file).map(|question| question.to_vec()).collect();
    let without = |question: &Vec<_>| place.text(&[&question[..], &["--no-index"]].concat());
    let answers = questions.iter().map(without).collect();
    assert!(!place.path(INDEX).exists(), "--no-index");
    (place, questions, answers)
}

const INDEX: &str = "a.mayheap.mayidx";

/// Each question finds what the ones before it have kept, and the second time its own.
#[test]
fn an_index_changes_no_answer() {
    let (place, questions, answers) = indexed();
    for _ in 0..2 {
        for (question, answer) in questions.iter().zip(&answers) {
            assert_eq!(&place.text(question), answer, "{question:?}");
        }
    }
    let kept = fs::metadata(place.path(INDEX)).expect("an index").len();
    assert_eq!(place.text(&questions[6]), answers[6]);
    assert_eq!(fs::metadata(place.path(INDEX)).expect("still there").len(), kept, "nothing was to be added");
}

/// The second question finds all that the first one found.
#[test]
fn the_first_question_keeps_all_that_it_finds() {
    let (place, questions, _) = indexed();
    for question in questions {
        // There is none of a question that needs no graph.
        let _ = fs::remove_file(place.path(INDEX));
        let asked = || {
            place.text(&question);
            fs::metadata(place.path(INDEX)).map_or(0, |index| index.len())
        };
        assert_eq!(asked(), asked(), "{question:?}");
    }
}

#[test]
fn an_index_that_is_not_this_dumps_or_damaged_is_made_anew() {
    let (place, questions, answers) = indexed();
    let keeps = |question: &[&str]| ["histogram", "paths", "retained", "holders"].contains(&question[0]);
    let ask = |what: &str| {
        let keeping = questions.iter().zip(&answers).filter(|(question, _)| keeps(question)).step_by(2);
        for (question, answer) in keeping {
            assert_eq!(&place.text(question), answer, "{what}: {question:?}");
        }
        fs::read(place.path(INDEX)).expect("an index")
    };
    let whole = ask("made");
    for at in (0..6).map(|part| part * whole.len() / 6) {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        fs::write(place.path(INDEX), &damaged).expect("write");
        // Nobody believes a byte of it afterwards.
        assert_ne!(ask("damaged"), damaged, "at {at}");
        fs::write(place.path(INDEX), &whole[..at]).expect("write");
        ask("cut off");
    }
    fs::write(place.path("a.mayheap"), dump(40_001)).expect("write");
    let of_other = ["histogram", "a.mayheap", "--limit", "1"];
    assert_eq!(place.text(&of_other), place.text(&[&of_other[..], &["--no-index"]].concat()));
    assert_ne!(place.text(&questions[0]), answers[0], "another dump");
}

/// In a shared folder anybody can put something beside a dump.
#[test]
fn what_another_put_in_the_place_of_an_index_is_neither_waited_for_nor_believed() {
    use std::os::unix::fs::{MetadataExt, chown};

    use rustix::fs::{CWD, Mode, mkfifoat};

    let (place, questions, answers) = indexed();
    mkfifoat(CWD, place.path(INDEX), Mode::RUSR | Mode::WUSR).expect("a pipe");
    for (question, answer) in questions.iter().zip(&answers).take(4) {
        assert_eq!(&place.text(question), answer, "{question:?}");
    }
    mkfifoat(CWD, place.path("pipe.hprof"), Mode::RUSR | Mode::WUSR).expect("a pipe");
    let mut refused = Command::new(cargo_bin("mayfly"));
    refused.args(["heap", "histogram"]).arg(place.path("pipe.hprof"));
    assert_eq!(refused.output().expect("runs").status.code(), Some(4));
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let retained = questions.iter().position(|question| question[0] == "retained").expect("asked");
    place.text(&questions[retained]);
    chown(place.path(INDEX), Some(65_534), None).expect("root may");
    assert_eq!(place.text(&questions[retained]), answers[retained]);
    assert_eq!(fs::metadata(place.path(INDEX)).expect("there").uid(), 0, "it is made anew");
}

#[test]
fn a_question_is_answered_where_no_index_can_be_written() {
    let (place, questions, answers) = indexed();
    fs::create_dir(place.path(INDEX)).expect("a folder in its place");
    for (question, answer) in questions.iter().zip(&answers).take(8) {
        assert_eq!(&place.text(question), answer, "{question:?}");
    }
}

#[test]
fn every_answer_is_json_when_asked() {
    let place = Place::new();
    for question in QUESTIONS {
        let json = place.json(question);
        assert_eq!(json["query"], question[0], "{question:?}");
        assert!(!json["source"].is_null(), "{question:?}");
    }
}

#[test]
fn json_names_what_text_shows() {
    let place = Place::new();
    let json = place.json(&["histogram", "a.mayheap", "--limit", "1"]);
    assert_eq!(json["total"], serde_json::json!({"objects": 31, "bytes": 4_696}));
    assert_eq!(
        json["rows"],
        serde_json::json!([{"class": "[B", "readable_class": "byte[]", "objects": 8, "bytes": 3_232}])
    );
    assert_eq!(json["source"]["format"], "mayfly");
    let json = place.json(&["paths", "a.mayheap", "--to", "java.util.HashMap"]);
    let path = &json["paths"][0];
    assert_eq!((&path["root"]["kind"], &path["root"]["field"]), (&"static field".into(), &"ENTRIES".into()));
    assert_eq!((&path["root"]["declared_by"], &path["strength"]), (&"app.Cache".into(), &"strong".into()));
    let json = place.json(&["paths", "a.mayheap", "--to", "app.Session", "--exclude", "java.util.HashMap"]);
    let root = &json["paths"][0]["root"];
    assert_eq!(
        (&root["thread"], &root["method"], &root["slot"]),
        (&"main".into(), &"app.Main.run".into(), &2.into())
    );
}

/// An object that only a weak reference holds has no strong path; the answer says what there is.
#[test]
fn a_weak_path_is_shown_when_asked_for() {
    let place = Place::new();
    let lost = place.json(&["instances", "a.mayheap", "[B"])["rows"]
        .as_array()
        .and_then(|rows| rows.iter().find(|row| row["bytes"] == 64))
        .and_then(|row| row["object"].as_str().map(str::to_owned))
        .expect("an array of 64 bytes");
    let none = place.text(&["paths", "a.mayheap", "--to", &lost]);
    assert!(none.contains("there is one by a weak reference (--weak)"), "{none}");
    let path = place.text(&["paths", "a.mayheap", "--to", &lost, "--weak"]);
    assert!(path.contains("java.lang.ref.WeakReference@") && path.contains("-referent->"), "{path}");
}

#[test]
fn what_is_asked_wrongly_is_said_in_one_line() {
    let place = Place::new();
    for (question, words) in [
        (&["paths", "a.mayheap", "--to", "app.Sesion"][..], "did you mean app.Session?"),
        (&["paths", "a.mayheap", "--to", "Session"], "did you mean app.Session?"),
        (&["size", "a.mayheap", "--of", "0xffff"], "no object 0xffff"),
        (&["instances", "a.mayheap", "app.Cache@c"], "is of class java.util.HashMap"),
        (&["roots", "a.mayheap", "--kind", "monitor"], "there are 'system class', 'stack local'"),
        (&["histogram", "a.mayheap", "--output", "b.mayheap"], "there already"),
    ] {
        let said = place.refusal(question, 2);
        assert!(said.contains(words), "{question:?}: {said}");
    }
}

#[test]
fn a_class_without_objects_and_a_missing_field_are_told_apart_from_a_missing_class() {
    let place = Place::new();
    for question in [
        &["size", "a.mayheap", "--of", "app.Cache"][..],
        &["retained", "a.mayheap", "--of", "app.Cache"],
        &["retained", "a.mayheap", "--of", "app.Cache", "--members"],
        &["reachable", "a.mayheap", "--from", "app.Cache"],
        &["holders", "a.mayheap", "--of", "app.Cache"],
        &["distribution", "a.mayheap", "--from", "app.Cache"],
        &["paths", "a.mayheap", "--to", "app.Cache"],
    ] {
        let said = place.refusal(question, 2);
        assert!(said.contains("no object of app.Cache") && said.contains("\"class app.Cache\""), "{said}");
    }
    let excluding = |what| ["paths", "a.mayheap", "--to", "java.util.HashMap", "--exclude", what];
    let none = place.text(&excluding("app.Cache"));
    assert!(none.contains("no path along strong references"), "its static is the only way: {none}");
    let said = place.refusal(&excluding("app.Cache.ENTRYS"), 2);
    assert!(said.contains("app.Cache declares no field ENTRYS"), "{said}");
    let said = place.refusal(&excluding("app.Cash.ENTRIES"), 2);
    assert!(said.contains("no class app.Cash.ENTRIES"), "{said}");
}

/// What gzip packed, in one member or in several, as the JVM does; damage is told with its place.
#[test]
fn packed_dumps_answer_the_same() {
    let place = Place::new();
    let packed = |bytes: &[u8]| {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gz, bytes).expect("packed");
        gz.finish().expect("packed")
    };
    let whole = dump(2);
    let (first, second) = whole.split_at(whole.len() / 2);
    fs::write(place.path("a.mayheap.gz"), packed(&whole)).expect("write");
    fs::write(place.path("parts"), [packed(first), packed(second)].concat()).expect("write");
    for file in ["a.mayheap.gz", "parts"] {
        for question in ["histogram", "retained", "strings"] {
            assert_eq!(place.text(&[question, file]), place.text(&[question, "a.mayheap"]), "{file}");
        }
    }
    let gz = packed(&whole);
    fs::write(place.path("cut.gz"), &gz[..gz.len() - 9]).expect("write");
    let mut damaged = gz.clone();
    let last = damaged.len() - 6;
    damaged[last] ^= 1;
    fs::write(place.path("damaged.gz"), damaged).expect("write");
    fs::write(place.path("foreign.gz"), packed(b"not a heap")).expect("write");
    // 200 MiB of nothing, of which the first bytes tell enough.
    fs::write(place.path("bomb.gz"), packed(&vec![0; 200 << 20])).expect("write");
    let foreign = "not a heap dump";
    let cases = [("cut.gz", "byte "), ("damaged.gz", "byte "), ("foreign.gz", foreign), ("bomb.gz", foreign)];
    for (file, words) in cases {
        let said = place.refusal(&["histogram", file], 4);
        assert!(said.contains(words) && said.contains(file), "{said}");
    }
}

/// A file alone is shown in short, with questions to ask next, which can be asked.
#[test]
fn a_dump_without_a_question_is_shown_in_short() {
    let place = Place::new();
    let text = place.text(&["a.mayheap"]);
    assert!(text.starts_with("a.mayheap: mayfly, "), "{text}");
    assert!(text.contains("total of 8 classes") && text.contains("what to ask next:"), "{text}");
    let next: Vec<_> =
        text.lines().filter_map(|line| line.split_once(" heap ")).map(|(_, ask)| ask).collect();
    assert!(next.contains(&"paths a.mayheap --to app.Session"), "{text}");
    for ask in next {
        place.text(&ask.split(' ').collect::<Vec<_>>());
    }
    assert_eq!(place.json(&["a.mayheap"])["rows"], place.json(&["histogram", "a.mayheap"])["rows"]);
    assert!(place.refusal(&["a.mayheap", "--all"], 2).contains("running JVM"));
    assert_eq!(place.text(&["a.mayheap", "--output", "columns"]), "");
}

/// The same heap as XML answers the same, but for classes as objects, which XML does not know.
#[test]
fn converted_to_xml_it_answers_the_same() {
    let place = Place::new();
    assert_eq!(place.text(&["convert", "a.mayheap", "a.xml"]), "");
    assert!(place.refusal(&["convert", "a.mayheap", "a.xml"], 2).contains("there already"));
    assert!(place.refusal(&["convert", "a.mayheap", "a.hprof"], 2).contains(".xml"));
    let xml = fs::read_to_string(place.path("a.xml")).expect("written");
    assert!(xml.starts_with("<insane>\n") && xml.ends_with("</insane>\n"), "{xml}");
    for question in [
        &["size", "", "--of", "app.Session"][..],
        &["reachable", "", "--from", "java.util.HashMap"],
        &["instances", "", "app.Session", "--deep", "--fields"],
        &["strings", ""],
        &["strings", "", "--search", "user 1", "--exact", "--held-by", "app.Session"],
        &["holders", "", "--of", "app.Session", "--direct", "--by", "java.util.HashMap$Node"],
    ] {
        let ask = |file: &'static str| {
            let arguments: Vec<_> =
                question.iter().map(|&word| if word.is_empty() { file } else { word }).collect();
            place.text(&arguments)
        };
        assert_eq!(ask("a.xml"), ask("a.mayheap"), "{question:?}");
    }
    let path = place.text(&["paths", "a.xml", "--to", "java.util.HashMap.Node"]);
    assert!(path.starts_with("static app.Cache.ENTRIES->\njava.util.HashMap@c-table->\n"), "{path}");
}

/// And as INSANE's binary form, which has no texts and other ids; back from there it is the same heap.
#[test]
fn converted_to_sbih_and_back_it_answers_the_same() {
    let place = Place::new();
    for (from, to) in [
        ("a.mayheap", "a.xml"),
        ("a.mayheap", "a.insane"),
        ("a.xml", "b.insane"),
        ("a.insane", "b.xml"),
        ("b.xml", "c.insane"),
    ] {
        assert_eq!(place.text(&["convert", from, to]), "", "{from} {to}");
    }
    let bytes = |name| fs::read(place.path(name)).expect("written");
    assert!(bytes("a.insane").starts_with(b"SBIH"));
    assert_eq!(bytes("c.insane"), bytes("b.insane"), "there, back, and there again");
    for question in [
        &["histogram", ""][..],
        &["size", "", "--of", "app.Session"],
        &["reachable", "", "--from", "java.util.HashMap"],
        &["distribution", ""],
        &["retained", "", "--by", "class"],
    ] {
        let ask = |file: &'static str| {
            let arguments: Vec<_> =
                question.iter().map(|&word| if word.is_empty() { file } else { word }).collect();
            place.text(&arguments)
        };
        for file in ["a.insane", "b.insane", "b.xml"] {
            assert_eq!(ask(file), ask("a.xml"), "{question:?} {file}");
        }
    }
    let path = place.text(&["paths", "a.insane", "--to", "app.Session", "-n", "2"]);
    assert!(path.contains("static app.Cache.ENTRIES->\njava.util.HashMap@"), "{path}");
    for question in [
        &["holders", "a.insane", "--of", "app.Session"][..],
        &["instances", "a.insane", "[B"],
        &["roots", "a.insane"],
    ] {
        assert!(!place.text(question).is_empty());
    }
    let said = place.refusal(&["strings", "a.insane", "--search", "user"], 2);
    assert!(said.contains("does not hold the text") && said.contains("converted from"), "{said}");
    let cut = bytes("a.insane");
    fs::write(place.path("cut.insane"), &cut[..cut.len() - 3]).expect("write");
    assert!(place.refusal(&["histogram", "cut.insane"], 4).contains("byte "));
}

#[test]
fn columns_are_written_and_compared() {
    let place = Place::new();
    assert_eq!(place.text(&["histogram", "a.mayheap", "--output", "a.txt"]), "");
    assert_eq!(place.text(&["histogram", "b.mayheap", "--output", "b.txt"]), "");
    let columns = fs::read_to_string(place.path("a.txt")).expect("written");
    assert!(columns.starts_with("                4696                  31 TOTAL\n"), "{columns}");
    assert_eq!(place.text(&["diff", "a.txt", "b.txt"]), place.text(&["diff", "a.mayheap", "b.mayheap"]));
}

#[test]
fn what_is_no_summary_is_told_what_would_be_one() {
    let place = Place::new();
    fs::write(place.path("foreign"), "quite another text\n").expect("write");
    let said = place.refusal(&["diff", "foreign", "a.mayheap"], 4);
    assert!(said.contains("foreign") && said.contains("jcmd GC.class_histogram"), "{said}");
}

#[test]
fn unreadable_files_are_one_line_and_code_4() {
    let place = Place::new();
    let whole = dump(2);
    fs::write(place.path("cut.mayheap"), &whole[..whole.len() - 20]).expect("write");
    let mut damaged = whole;
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x55;
    fs::write(place.path("damaged.mayheap"), damaged).expect("write");
    fs::write(place.path("foreign"), "not a heap").expect("write");
    fs::write(place.path("empty"), "").expect("write");
    for (file, words) in [
        ("cut.mayheap", "byte "),
        ("damaged.mayheap", "byte "),
        ("foreign", "foreign"),
        ("empty", "empty"),
        ("missing", "missing"),
        (".", "can't read ."),
    ] {
        for question in
            [&["histogram", file][..], &["retained", file], &["strings", file], &["diff", file, file]]
        {
            let said = place.refusal(question, 4);
            assert!(said.contains(words), "{question:?}: {said}");
        }
    }
}

/// Bytes and objects by class of a page, and the paths that they are on.
fn of_page(place: &Place, name: &str) -> (BTreeMap<String, [u64; 2]>, Vec<String>) {
    let page = fs::read_to_string(place.path(name)).expect("a page");
    let packed = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split('<').next()).expect("data");
    let packed = BASE64.decode(packed).expect("base 64");
    let data: Value = serde_json::from_reader(GzDecoder::new(&*packed)).expect("gzipped JSON");
    let number = |value: &Value| value.as_i64().expect("a number");
    let mut sums = BTreeMap::<String, [u64; 2]>::new();
    let mut paths = Vec::new();
    for cell in data["cells"].as_array().expect("a list") {
        let (mut node, mut path) = (number(&cell[0]) as usize, Vec::new());
        let class = (-1 - number(&data["tree"]["frame"][node - 1])) as usize;
        let sum =
            sums.entry(data["classes"][class]["name"].as_str().expect("a name").to_owned()).or_default();
        sum.iter_mut().zip([0, 1]).for_each(|(sum, at)| *sum += cell[1][at].as_u64().expect("a number"));
        while node > 0 {
            if let Ok(frame) = usize::try_from(number(&data["tree"]["frame"][node - 1])) {
                path.insert(0, data["frames"][frame].as_str().expect("a name"));
            }
            node -= number(&data["tree"]["up"][node - 1]) as usize;
        }
        paths.push(path.join(">"));
    }
    (sums, paths)
}

#[test]
fn pages_have_all_objects_by_who_retains_them_and_by_package() {
    let place = Place::new();
    assert_eq!(place.text(&["histogram", "a.mayheap", "--html", "histogram.html"]), "");
    let (found, packages) = of_page(&place, "histogram.html");
    let expected = place.json(&["histogram", "a.mayheap"]);
    let rows = expected["rows"].as_array().expect("rows").iter();
    let expected: BTreeMap<_, _> = rows
        .map(|row| {
            (
                row["class"].as_str().expect("a name").to_owned(),
                [&row["bytes"], &row["objects"]].map(|n| n.as_u64().expect("a number")),
            )
        })
        .collect();
    assert_eq!(found, expected);
    assert!(
        packages.iter().any(|path| path == "java>java.util") && packages.contains(&"arrays".to_owned()),
        "{packages:?}"
    );

    assert_eq!(place.text(&["retained", "a.mayheap", "--html", "retained.html"]), "");
    let (found, paths) = of_page(&place, "retained.html");
    let reachable = &place.json(&["retained", "a.mayheap"])["reachable_bytes"];
    assert_eq!(Some(found.values().map(|sum| sum[0]).sum::<u64>()), reachable.as_u64());
    // The map retains its table, nodes and sessions; each session its data.
    let path = "java.util.HashMap>java.util.HashMap$Node[]>java.util.HashMap$Node>app.Session>byte[]";
    assert!(paths.iter().any(|found| *found == format!("class app.Cache>{path}")), "{paths:?}");
    let page = fs::read_to_string(place.path("retained.html")).expect("a page");
    assert!(
        page.contains("<h1>a.mayheap</h1>") && page.contains("<li>mayfly</li>"),
        "it says of which file it is"
    );
    // The session that a local variable holds.
    assert!(paths.iter().any(|found| found == "app.Session>byte[]"), "{paths:?}");
    assert!(
        place.refusal(&["retained", "a.mayheap", "--html", "/nowhere/x.html"], 2).contains("/nowhere/x.html")
    );
}
