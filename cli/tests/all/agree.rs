//! A text, a page, a view and a JSON of one recording: each number that has the same name is the same.
//!
//! Not here: totals by class of the formats of other tools (`formats.rs`).

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::read::GzDecoder;
use mayfly_live::{Look, State, draw};
use mayfly_profile::{LiveCounts, Section, Tracking, Update};
use mayfly_recording::RecordingReader;
use mayfly_report::{count, readable_class, size};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::Value;

use crate::recorded::{CLASSES, Recording, updates};

/// Of each class so many were born since the last collection.
const BORN_SINCE: u64 = 7;

/// As a new agent writes it: by a collector that says what it leaves, with what was judged.
fn recording() -> Recording {
    let judged = |update: Update| match update {
        Update::Start(mut run) => {
            run.jvm.pid = 4711;
            vec![Update::Start(run)]
        }
        step @ Update::Step(_) => {
            let Some(progress) = step.progress().cloned() else { return vec![step] };
            let classes = progress.classes.iter().filter_map(|class| {
                let mut live = class.lifetimes.as_ref()?.live;
                live.objects -= BORN_SINCE;
                live.bytes -= BORN_SINCE * live.largest;
                Some((class.id, live))
            });
            let sites = progress.sites.iter().filter_map(|site| Some((site.id, site.live?)));
            let as_of_ms = Some(progress.duration_ms - 50);
            let live = LiveCounts { as_of_ms, classes: classes.collect(), sites: sites.collect() };
            vec![Update::Step(vec![Section::Progress(Box::new(progress)), Section::Live(live)])]
        }
        update => vec![update],
    };
    Recording::with(updates(Tracking::EveryObject, 0).into_iter().flat_map(judged))
}

/// What the page's script has.
fn data(page: &str) -> Value {
    let data =
        page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).expect("data");
    serde_json::from_reader(GzDecoder::new(&*BASE64.decode(data).expect("base 64"))).expect("gzipped JSON")
}

/// The first screen of the live view.
fn view(recording: &Recording) -> String {
    let mut reader = RecordingReader::new();
    let mut state = State::new();
    let bytes = fs::read(recording.file()).expect("written");
    reader.push(&bytes);
    while let Some(update) = reader.next_update().expect("whole") {
        state.apply(update);
    }
    state.refresh();
    let (columns, rows) = (150, 60);
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a grid");
    let look = Look { unicode: true, colour: false };
    terminal.draw(|frame| draw(frame, &state, &look)).expect("drawn");
    let buffer = terminal.backend().buffer();
    let line = |y| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>() + "\n";
    (0..rows).map(line).collect()
}

/// The end of the first line that begins so.
fn line<'t>(text: &'t str, begin: &str) -> &'t str {
    let found = text.lines().find(|line| line.trim_start().starts_with(begin));
    found.unwrap_or_else(|| panic!("no line {begin} in\n{text}"))
}

#[test]
fn what_collections_left_is_one_number() {
    let recording = recording();
    let json: Value = serde_json::from_str(&recording.text(&["--json"], &[])).expect("JSON");
    let [last, most] =
        ["last_bytes", "most_bytes"].map(|key| json["live_after_gc"][key].as_u64().expect("known"));
    let after = |gc: &Value| gc["heap"]["after_bytes"].as_u64().expect("published");
    let collections = json["collections"].as_array().expect("a list");
    assert_eq!(collections.last().map(after), Some(last), "the JVM's own");
    assert_eq!(collections.iter().map(after).max(), Some(most));
    let words = format!("last {}, at most {}", size(last), size(most));
    for form in ["--text", "--full"] {
        let text = recording.text(&[form], &[]);
        assert!(line(&text, "live after GC").ends_with(&words), "{form}: {text}");
    }
    let kind = json["live_after_gc"]["last_kind"].as_str().expect("known");
    let timeline = data(&recording.text(&["--html"], &[]))["timeline"].clone();
    assert!(timeline["left_by"].as_str().expect("known").starts_with(kind), "{kind}: {timeline}");
    let steps = timeline["steps"].clone();
    let left: Vec<_> = steps.as_array().expect("steps").iter().filter_map(|step| step[3].as_u64()).collect();
    assert_eq!((left.last(), left.iter().max()), (Some(&last), Some(&most)), "the page");
    let view = view(&recording);
    assert!(line(&view, "live (GC)").contains(&format!(" {} ", size(last))), "{view}");
}

#[test]
fn what_is_live_of_a_class_is_one_number_and_what_was_born_since_is_none_of_it() {
    let recording = recording();
    let json: Value = serde_json::from_str(&recording.text(&["--json"], &[])).expect("JSON");
    assert_eq!(json["live_as_of_s"].as_f64(), Some(59.95));
    let page = data(&recording.text(&["--html"], &[]));
    let (full, text, view) =
        (recording.text(&["--full"], &[]), recording.text(&["--text"], &[]), view(&recording));
    let live_rows =
        full.split("Live objects:").nth(1).and_then(|rest| rest.split("summary").next()).expect("rows");
    let column =
        page["values"].as_array().expect("a list").iter().position(|name| name == "live").expect("live");
    for (number, class) in json["classes"].as_array().expect("a list").iter().enumerate() {
        let name = class["name"].as_str().expect("a name");
        let numbers = |key: &str| ["bytes", "objects"].map(|of| class[key][of].as_u64().expect("known"));
        let ([bytes, objects], [_, since]) = (numbers("live"), numbers("not_judged"));
        assert_eq!(since, BORN_SINCE);
        assert!(live_rows.contains(&format!(":{bytes}:{objects}:")), "{name}: {live_rows}");
        // Long names are cut on a screen.
        let begin = if CLASSES[1] == name { "a.</script>" } else { name };
        let readable = readable_class(begin);
        let row = |text: &str| {
            text.lines()
                .find(|line| line.contains(&size(bytes)) && line.contains(&readable))
                .map(str::to_owned)
        };
        let is_row = |line: &str| line.contains(&size(bytes)) && line.contains(&readable);
        assert!(text.lines().any(is_row), "{name} {}: {text}", size(bytes));
        assert!(row(&view).is_some(), "{name} {}: {view}", size(bytes));
        let cells = page["cells"].as_array().expect("a list").iter().filter(|cell| {
            let node = cell[0].as_u64().expect("a node") as usize;
            page["tree"]["frame"][node - 1].as_i64() == Some(-1 - number as i64)
        });
        assert_eq!(
            cells.map(|cell| cell[1][column].as_u64().expect("a number")).sum::<u64>(),
            bytes,
            "{name}"
        );
    }
    assert!(full.contains("Still there after the GC at 60.0 s"), "{full}");
    assert!(full.contains(&format!("not judged yet: {} objects", 3 * BORN_SINCE)), "{full}");
}

#[test]
fn the_histogram_of_lifetimes_is_the_same_in_text_view_and_page() {
    let recording = recording();
    let (full, view) = (recording.text(&["--full"], &[]), view(&recording));
    let table =
        full.split("alive for sure for").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("rows");
    let rows: Vec<_> =
        table.lines().skip(1).filter(|line| line.contains(" B") || line.contains("iB")).collect();
    let numbers = |line: &str| {
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        words[words.len().saturating_sub(4)..].to_vec().join(" ")
    };
    for begin in ["dead by 1st GC", "live", "not judged yet"] {
        let row = rows
            .iter()
            .find(|row| row.trim_start().starts_with(begin))
            .unwrap_or_else(|| panic!("{begin}: {table}"));
        let told = numbers(row);
        let told = told.split_once(|c: char| !(c.is_ascii_digit() || c == '.')).map_or(&*told, |_| &*told);
        let bytes: String = told
            .split_whitespace()
            .rev()
            .take(2)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(
            view.lines().any(|line| line.contains(begin) && line.trim_end().ends_with(&bytes)),
            "{begin} {bytes}:\n{view}"
        );
    }
    // Six of ten die at once, in each second and class.
    let first = rows.iter().find(|row| row.contains("dead by 1st GC")).expect("a row");
    assert!(first.contains(&count(3 * 60 * 60)), "{first}");
    let page = data(&recording.text(&["--html"], &[]));
    let spans = page["spans"].as_array().expect("a list");
    let young = |span: u64| spans[span as usize][0] == 0 && !spans[span as usize][1].is_null();
    let lives = page["cells"].as_array().expect("a list").iter().flat_map(|cell| {
        let lives: Vec<_> = cell[2].as_array().expect("lives").iter().filter_map(Value::as_u64).collect();
        lives.chunks(3).map(|life| (life[0], life[1])).collect::<Vec<_>>()
    });
    let dead: u64 = lives.filter(|&(span, _)| young(span)).map(|(_, objects)| objects).sum();
    assert_eq!(dead, 3 * 60 * 60, "the page");
}

#[test]
fn collections_and_their_pauses_are_counted_alike() {
    let recording = recording();
    let json: Value = serde_json::from_str(&recording.text(&["--json"], &[])).expect("JSON");
    assert_eq!(json["gcs"].as_u64(), Some(60));
    let text = recording.text(&["--text"], &[]);
    assert!(text.contains(" 60 GCs"), "{text}");
    assert!(view(&recording).contains(" 60 GCs"));
    let page = data(&recording.text(&["--html"], &[]));
    assert_eq!(page["timeline"]["paused"][0].as_u64(), Some(60));
    assert!(page["timeline"]["fewer"].is_null(), "each has its times");
}

#[test]
fn who_calls_is_the_same_in_text_and_json() {
    let recording = recording();
    let json: Value = serde_json::from_str(&recording.text(&["--json"], &[])).expect("JSON");
    let text = recording.text(&["--ways"], &[]);
    let mut frames = json["own_ways"].as_array().expect("a list").clone();
    assert!(!frames.is_empty(), "{json}");
    while let Some(way) = frames.pop() {
        let name =
            way["frame"].as_str().and_then(|frame| frame.split('(').next()).expect("a frame").to_owned();
        let through = size(way["bytes"].as_u64().expect("bytes"));
        let is_row = |line: &str| line.contains(&name) && line.contains(&format!("{through}  "));
        assert!(text.lines().any(is_row), "{name} {through}:\n{text}");
        frames.extend(way["callees"].as_array().expect("a list").clone());
    }
}
