//! Formats of other tools: whatever is asked for, and whatever part of it, totals by class are the same in all of them.
//!
//! Not here: what a part is (`mayfly-profile`), the page in a browser (`page.rs`).

use std::collections::BTreeMap;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::read::GzDecoder;
use mayfly_profile::{Tracking, readable_class};
use prost::Message;
use serde_json::Value;

use crate::recorded::{CLASSES, HOSTILE, Recording, Totals, of_hdr, of_json, python, totals};

/// The rows `bytes:objects:(share) - class` of the section of allocated objects.
fn of_text(text: &str, value: &str) -> Totals {
    let section = text.split("Allocated objects:").nth(1).expect("a section");
    let section = section.split("Allocated objects summary:").next().expect("rows");
    let rows = section.lines().filter_map(|line| {
        let (numbers, class) = line.trim().split_once(" - ")?;
        let mut numbers = numbers.split(':').filter_map(|number| number.parse().ok());
        let (bytes, objects): (u64, u64) = (numbers.next()?, numbers.next()?);
        Some((class.to_owned(), if value == "bytes" { bytes } else { objects }))
    });
    totals(rows.filter(|(class, _)| CLASSES.iter().any(|name| readable_class(name) == *class)))
}

fn of_collapsed(text: &str) -> Totals {
    totals(text.lines().map(|line| {
        let (stack, amount) = line.rsplit_once(' ').expect("a number");
        let class = stack.rsplit(';').next().expect("a class");
        (class.to_owned(), amount.parse().expect("a number"))
    }))
}

/// How tables name a value.
fn column(value: &str) -> &str {
    match value {
        "live" => "live_bytes",
        "byte-seconds" => "byte_seconds",
        other => other,
    }
}

fn of_csv(text: &str, value: &str) -> Totals {
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let column = column(value);
    let header = table.headers().expect("a header").clone();
    let column = header.iter().position(|name| name == column).expect("the column");
    let rows = table.records().map(|row| row.expect("a row"));
    totals(rows.map(|row| (row[0].to_owned(), row[column].parse().expect("a number"))))
}

fn of_speedscope(text: &str, value: &str) -> Totals {
    let json: Value = serde_json::from_str(text).expect("JSON");
    let active = json["activeProfileIndex"].as_u64().expect("an index") as usize;
    let profile = &json["profiles"][active];
    assert_eq!(profile["name"], value);
    let samples = profile["samples"].as_array().expect("samples");
    let weights = profile["weights"].as_array().expect("weights");
    assert_eq!(samples.len(), weights.len());
    let rows = samples.iter().zip(weights).map(|(stack, weight)| {
        let leaf = stack.as_array().and_then(|stack| stack.last()).and_then(Value::as_u64).expect("a frame");
        let name = json["shared"]["frames"][leaf as usize]["name"].as_str().expect("a name").to_owned();
        (name, weight.as_u64().expect("a number"))
    });
    let rows: Vec<_> = rows.collect();
    assert_eq!(profile["endValue"].as_u64(), Some(rows.iter().map(|row| row.1).sum()));
    totals(rows)
}

/// As much of `profile.proto` as is looked at here.
#[derive(Clone, PartialEq, Message)]
struct Pprof {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<Pair>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(string, repeated, tag = "6")]
    text: Vec<String>,
    #[prost(int64, tag = "14")]
    default: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Pair {
    #[prost(int64, tag = "1")]
    first: i64,
    #[prost(int64, tag = "2")]
    second: i64,
    #[prost(int64, tag = "3")]
    number: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    label: Vec<Pair>,
}

impl Pprof {
    fn read(bytes: &[u8]) -> Self {
        let mut unpacked = Vec::new();
        GzDecoder::new(bytes).read_to_end(&mut unpacked).expect("gzip");
        Self::decode(&*unpacked).expect("a profile")
    }

    fn text(&self, id: i64) -> &str {
        &self.text[id as usize]
    }

    fn label<'a>(&self, sample: &'a Sample, key: &str) -> Option<&'a Pair> {
        sample.label.iter().find(|label| self.text(label.first) == key)
    }

    fn totals(&self) -> Totals {
        let column = self.sample_type.iter().position(|kind| kind.first == self.default).expect("a default");
        let rows = self.sample.iter().map(|sample| {
            let class = self.label(sample, "class").expect("a class");
            (self.text(class.second).to_owned(), sample.value[column] as u64)
        });
        totals(rows)
    }
}

/// Samples of a metric by class.
fn of_metrics(text: &str, value: &str) -> Totals {
    let metric = match value {
        "bytes" => "mayfly_allocated_bytes_total",
        "objects" => "mayfly_allocated_objects_total",
        "live" => "mayfly_live_bytes",
        _ => "mayfly_held_byte_seconds_total",
    };
    assert!(text.ends_with("# EOF\n"));
    let rows = text.lines().filter_map(|line| {
        let (class, rest) = line.strip_prefix(metric)?.strip_prefix("{class=\"")?.split_once("\"} ")?;
        let amount = rest.split(' ').next()?.parse().expect("a whole number");
        Some((class.replace("\\\\", "\\").replace("\\\"", "\""), amount))
    });
    totals(rows)
}

/// What the page's script adds up.
fn of_html(text: &str, value: &str) -> Totals {
    let data =
        text.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).expect("data");
    let packed = BASE64.decode(data).expect("base 64");
    let data: Value = serde_json::from_reader(GzDecoder::new(&*packed)).expect("gzipped JSON");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let column = list(&data["values"]).iter().position(|name| name == value).expect("the value");
    let rows = list(&data["cells"]).into_iter().map(|cell| {
        let node = cell[0].as_u64().expect("a node") as usize;
        let class = -1 - data["tree"]["frame"][node - 1].as_i64().expect("a class");
        let name = data["classes"][class as usize]["name"].as_str().expect("a name").to_owned();
        (name, cell[1][column].as_u64().expect("a number"))
    });
    totals(rows.collect::<Vec<_>>())
}

/// Of classes, stacks and lengths of life: class and amount.
type Rows = [Vec<(String, u64)>; 3];

/// Totals by class of the tables in these folders, of each value that they have a column for, as DuckDB adds them up.
fn of_tables(recording: &Recording, folders: &[String]) -> Option<Vec<BTreeMap<String, [Totals; 3]>>> {
    let script = "
import duckdb, json, sys
def totals(folder, table, column):
    rows = duckdb.sql(f\"SELECT class, CAST(round(sum({column})) AS BIGINT) FROM '{folder}/{table}.parquet' GROUP BY class\")
    return [[name, amount] for name, amount in rows.fetchall() if amount]
print(json.dumps([{column: [totals(folder, table, column) for table in ('classes', 'sites')]
    + [totals(folder, 'lifetimes', column) if column in ('bytes', 'objects') else []]
    for column in ('bytes', 'objects', 'live_bytes', 'byte_seconds')} for folder in sys.argv[1:]]))";
    let output = python()?
        .args(["-c", script])
        .args(folders)
        .current_dir(recording.folder())
        .output()
        .expect("Python");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Vec<BTreeMap<String, Rows>> = serde_json::from_slice(&output.stdout).expect("JSON");
    let of_part = |part: BTreeMap<String, Rows>| {
        part.into_iter().map(|(column, tables)| (column, tables.map(totals))).collect()
    };
    Some(found.into_iter().map(of_part).collect())
}

#[test]
fn tables_have_the_same_totals_in_a_reader_of_others() {
    let recording = Recording::of(Tracking::EveryObject);
    let folders: Vec<_> = (0..PARTS.len()).map(|part| format!("part-{part}")).collect();
    for (folder, part) in folders.iter().zip(PARTS) {
        let path = recording.folder().join(folder);
        assert!(recording.read(&["--parquet", "-o", path.to_str().expect("UTF-8")], part).is_empty());
    }
    let Some(found) = of_tables(&recording, &folders) else { return };
    for (found, part) in found.iter().zip(PARTS) {
        let json = recording.text(&["--json"], part);
        for value in ["bytes", "objects", "live", "byte-seconds"] {
            let (expected, what) = (of_json(&json, value), format!("{value} {part:?}"));
            let [classes, sites, lives] = &found[column(value)];
            assert_eq!((classes, sites), (&expected, &expected), "{what}");
            // In a range of time who is born and who dies are not the same.
            let is_by_life = column(value) == value && !part.contains(&"--during");
            assert!(!is_by_life || lives == &expected, "by lifetime: {what}: {lives:?} for {expected:?}");
        }
    }
}

const PARTS: [&[&str]; 6] = [
    &[],
    &["--lived", "1s..10s"],
    &["--lived", "20s.."],
    &["--during", "10s..40s"],
    &["--during", "10500ms..40s", "--lived", "..2s"],
    &["--include", "a.,["],
];

#[test]
fn totals_by_class_are_the_same_in_all_formats() {
    let recording = Recording::of(Tracking::EveryObject);
    let mut seen = Vec::new();
    for part in PARTS {
        let metrics = recording.text(&["--openmetrics"], part);
        let page = recording.text(&["--html"], part);
        for value in ["bytes", "objects", "live", "byte-seconds"] {
            let expected = of_json(&recording.text(&["--json"], part), value);
            let show = |format| recording.text(&[format, "--value", value], part);
            let what = format!("{value} {part:?}");
            assert!(!expected.is_empty() || (value == "live" && part.contains(&"--lived")), "{what}");
            if ["bytes", "objects"].contains(&value) {
                assert_eq!(of_text(&recording.text(&["--full"], part), value), expected, "{what}");
            }
            assert_eq!(of_collapsed(&show("--collapsed")), expected, "collapsed {what}");
            assert_eq!(of_csv(&show("--csv"), value), expected, "CSV {what}");
            assert_eq!(of_speedscope(&show("--speedscope"), value), expected, "speedscope {what}");
            let pprof = Pprof::read(&recording.read(&["--pprof", "--value", value], part));
            assert_eq!(pprof.totals(), expected, "pprof {what}");
            assert_eq!(of_metrics(&metrics, value), expected, "OpenMetrics {what}");
            assert_eq!(of_html(&page, value), expected, "the page {what}");
            seen.push(expected);
        }
    }
    seen.dedup();
    assert!(seen.len() > 18, "parts and values differ");
}

/// Two processes order their hash tables differently.
#[test]
fn the_same_recording_gives_the_same_bytes() {
    let recording = Recording::of(Tracking::EveryObject);
    for format in ["--text", "--full", "--json", "--collapsed", "--csv", "--speedscope", "--pprof", "--html"]
    {
        let once = recording.read(&[format], &[]);
        assert!(!once.is_empty() && once == recording.read(&[format], &[]), "{format}");
    }
}

/// Options that were there before `--format` go on working.
#[test]
fn a_format_is_chosen_by_its_name_or_by_an_option_of_its_own() {
    let recording = Recording::of(Tracking::EveryObject);
    for (name, option) in [
        ("text", "--text"),
        ("full", "--full"),
        ("ways", "--ways"),
        ("json", "--json"),
        ("html", "--html"),
        ("collapsed", "--collapsed"),
        ("speedscope", "--speedscope"),
        ("pprof", "--pprof"),
        ("csv", "--csv"),
        ("hdr", "--hdr"),
        ("openmetrics", "--openmetrics"),
        ("jfr", "--jfr"),
        ("svg", "--svg"),
        ("svg-lifetimes", "--svg=lifetimes"),
    ] {
        let named = recording.read(&["--format", name], &[]);
        assert!(!named.is_empty() && named == recording.read(&[option], &[]), "{name}");
    }
    for (options, words) in [
        (&["--format", "parquet"][..], "name a folder (-o DIR)"),
        (&["--format", "csv", "--limit", "3"], "--limit means nothing in the format csv"),
        (&["--csv", "--own", "a."], "--own means nothing in the format csv"),
        (&["--value", "objects"], "--value means nothing in the format text"),
        (&["--format", "csv", "--by", "pid"], "--by means nothing in the format csv"),
        (
            &["--format", "markdown"],
            "possible values: text, full, ways, threads, loaders, traces, json, html,",
        ),
        (&["--format", "json", "--csv"], "cannot be used with"),
    ] {
        let output = recording.report(options);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{options:?}: {said}");
        assert!(said.contains(words), "{options:?}: {said}");
    }
}

#[test]
fn a_log_of_hdrhistogram_has_the_dead_of_each_class() {
    let recording = Recording::of(Tracking::EveryObject);
    for part in PARTS {
        let json: Value = serde_json::from_str(&recording.text(&["--json"], part)).expect("JSON");
        let dead = |class: &Value| {
            class["collected"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|bucket| bucket["objects"].as_u64())
                .sum()
        };
        let classes = json["classes"].as_array().expect("a list").iter();
        let expected =
            totals(classes.map(|class| {
                (class["name"].as_str().expect("a name").replace([' ', ','], "_"), dead(class))
            }));
        let log = of_hdr(&recording.text(&["--hdr"], part));
        let found = totals(log.iter().map(|(tag, histogram)| (tag.clone(), histogram.len())));
        assert_eq!(found, expected, "{part:?}");
    }
    let log = of_hdr(&recording.text(&["--hdr"], &[]));
    // Sixty of ninety dead lived for 0 to 0.9 s, the others for about 4 s and 35 s.
    for (tag, histogram) in log {
        let [half, most] = [0.5, 0.99].map(|quantile| histogram.value_at_quantile(quantile));
        assert!((400..500).contains(&half) && (33_000..37_500).contains(&most), "{tag}: {half} {most}");
    }
}

#[test]
fn pictures_are_well_formed_and_escape_names() {
    let recording = Recording::of(Tracking::EveryObject);
    for picture in ["--svg", "--svg=flame", "--svg=lifetimes"] {
        let svg = recording.text(&[picture], &[]);
        let mut open = Vec::new();
        for tag in svg.split('<').skip(1).map(|tag| tag.split('>').next().expect("an end")) {
            let name = tag.trim_start_matches('/').split([' ', '/']).next().expect("a name").to_owned();
            assert!(["svg", "title", "style", "rect", "text", "g"].contains(&&*name), "{picture}: {tag}");
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "{picture}");
            } else if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert_eq!(open, [""; 0], "{picture}");
        assert!(!svg.contains(HOSTILE) && svg.contains("<title>"), "{picture}");
    }
    let flame = recording.text(&["--svg"], &[]);
    assert!(flame.contains("byte[]: ") && flame.contains("a.Main.main: "), "{flame}");
    let bars = recording.text(&["--svg=lifetimes", "--value", "objects"], &[]);
    // Two kilobytes of objects of each class died within a second: no age is sure.
    assert!(bars.contains("0 ms to 1 ms: 10.8 k objects dead, 0 objects alive"), "{bars}");
}

#[test]
fn samples_of_pprof_carry_how_long_objects_lived() {
    let recording = Recording::of(Tracking::EveryObject);
    let pprof = Pprof::read(&recording.read(&["--pprof"], &[]));
    let lifetime = |sample: &Sample| pprof.label(sample, "lifetime").map(|label| label.number);
    let is = |sample: &Sample, state: &str| {
        pprof.label(sample, "state").is_some_and(|label| pprof.text(label.second) == state)
    };
    let of_dead: Vec<_> = pprof.sample.iter().filter(|sample| is(sample, "dead")).collect();
    let short = of_dead.iter().filter(|sample| lifetime(sample).is_some_and(|ms| ms < 5_000)).count();
    let long = of_dead.iter().filter(|sample| lifetime(sample).is_some_and(|ms| ms >= 5_000)).count();
    assert!(short > 0 && long > 0 && short + long == of_dead.len(), "{short} {long}");
    assert!(pprof.sample.iter().any(|sample| is(sample, "live")));
}

#[test]
fn a_part_says_that_it_is_one() {
    let recording = Recording::of(Tracking::EveryObject);
    let part = ["--lived", "4s..20s", "--during", "10s..20s"];
    for format in [&["--text"][..], &["--full"]] {
        let text = recording.text(format, &part);
        assert!(
            text.contains("During 10.0 s to 20.0 s: ") && text.contains("Lived 4.00 s to 20.0 s: "),
            "{text}"
        );
    }
    let json: Value = serde_json::from_str(&recording.text(&["--json"], &part)).expect("JSON");
    let part = &json["part"];
    assert_eq!(
        (&part["during_s"], &part["lived_s"]),
        (&serde_json::json!([10.0, 20.0]), &serde_json::json!([4.0, 20.0]))
    );
    // Those that died between 3 s and 5 s, and the living so far.
    assert!(part["certain"]["objects"].as_u64() < part["possible"]["objects"].as_u64(), "{part}");
    let whole: Value = serde_json::from_str(&recording.text(&["--json"], &[])).expect("JSON");
    assert_eq!(whole.get("part"), None);
}

#[test]
fn what_a_recording_does_not_hold_is_refused() {
    let counted = Recording::of(Tracking::Off);
    let followed = Recording::of(Tracking::EveryObject);
    for (recording, options, words) in [
        (&counted, &["--lived", "1s.."][..], "--lived needs lifetimes"),
        (&counted, &["--collapsed", "--value", "live"], "--value live needs lifetimes"),
        (&followed, &["--collapsed", "--value", "died-young", "--lived", "1s.."], "leave out --lived"),
        (&followed, &["--during", "60s.."], "ends after 60 s"),
        (&counted, &["--hdr"], "this format needs lifetimes"),
        (&counted, &["--svg=lifetimes"], "this format needs lifetimes"),
    ] {
        let output = recording.report(options);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{options:?}: {said}");
        assert!(said.contains(words) && said.lines().count() == 1, "{options:?}: {said}");
    }
    assert!(of_collapsed(&counted.text(&["--collapsed"], &[])).values().sum::<u64>() > 0);
}
