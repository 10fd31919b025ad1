//! A recording whose numbers differ by second, class and stack, and totals by class of what is said of it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogHistogram, IntervalLogIterator, LogEntry};
use mayfly_formats::readable_class;
use mayfly_profile::{
    BucketBounds, ByteAges, ClassCounts, ClassId, Collection, Flag, FlagValue, Frame, FrameId, Gc, GcKind,
    GenerationUse, JvmInfo, LifetimeCounts, LifetimeHistograms, Lifetimes, Load, Progress, RunInfo, Section,
    SiteCounts, SiteId, SiteLifetimes, Stamp, Tally, Tracking, Trust, Update,
};
use mayfly_recording::RecordingWriter;
use serde_json::Value;

/// A class whose name would end the page's script and begin another.
pub(crate) const HOSTILE: &str = "a.</script><script>document.title='taken_over'</script>";
pub(crate) const CLASSES: [&str; 3] = ["[Ljava.lang.Object;", HOSTILE, "[B"];
const METHODS: [&str; 3] = ["main", "serve", "load"];

fn run(tracking: Tracking) -> RunInfo {
    let tracked = tracking != Tracking::Off;
    let buckets = BucketBounds::new(vec![5, 30]).expect("ascending");
    // Its collections say what they left.
    let jvm = JvmInfo { gc: Gc::Serial, ..JvmInfo::default() };
    RunInfo { jvm, buckets, tracking, lifetimes: tracked, stacks: tracked, ..RunInfo::default() }
}

fn names() -> Vec<Update> {
    let class =
        |(id, name): (usize, &&str)| Update::Class { id: ClassId(id as u32), name: (*name).to_owned() };
    let frame = |(id, method): (usize, &&str)| {
        let frame = Frame {
            class: "a.Main".into(),
            method: (*method).into(),
            file: Some("Main.java".into()),
            line: Some(7),
        };
        Update::Frame { id: FrameId(id as u32), frame }
    };
    let site = |id: u32| Update::Site {
        id: SiteId(id),
        class: ClassId(id % 3),
        stack: vec![FrameId(2 - id % 2), FrameId(0)],
    };
    let classes = CLASSES.iter().enumerate().map(class);
    classes.chain(METHODS.iter().enumerate().map(frame)).chain((0..6).map(site)).collect()
}

/// Each second a class gets 100 objects, the hostile one so many `more`, which stay; of ten nine die: six at once, two after some seconds, one after half a minute.
fn step(second: u64, tracked: bool, more: u64) -> Update {
    let (mut classes, mut sites) = (Vec::new(), Vec::new());
    for id in 0..3u32 {
        let size = 16 + 24 * u64::from(id);
        let born = (100 + if id == 1 { more } else { 0 }) * second;
        let dead = [60 * second, 20 * second.saturating_sub(4), 10 * second.saturating_sub(35)];
        let live = born - dead.iter().sum::<u64>();
        let mut lifetimes = Lifetimes { died_before_first_gc: dead[0], ..Lifetimes::default() };
        for (at, (after, by)) in [(0, 900), (3_000, 5_000), (34_000, 36_000)].into_iter().enumerate() {
            lifetimes.ms.record_deaths(after, by, dead[at]);
            lifetimes.gcs.record_deaths(at as u64 * 3, at as u64 * 3 + 1, dead[at]);
        }
        lifetimes.ms.record_living(second * 500, live);
        lifetimes.gcs.record_living(second, live);
        let collected = dead.map(|objects| Tally::of(objects, size)).to_vec();
        let tracked = tracked.then(|| LifetimeCounts { live: Tally::of(live, size), collected, lifetimes });
        classes.push(ClassCounts { id: ClassId(id), allocated: Tally::of(born, size), lifetimes: tracked });
        // Of the bytes arrays some have no stack.
        let of_sites = if id == 2 { [born / 2, born / 4] } else { [born / 2, born / 2] };
        for (site, objects) in [id, id + 3].into_iter().zip(of_sites) {
            let dead = dead.map(|dead| Tally::of(dead * objects / born, size));
            let gone = dead.iter().map(|tally| tally.objects).sum::<u64>();
            sites.push(SiteCounts {
                id: SiteId(site),
                allocated: Tally::of(objects, size),
                live: Some(Tally::of(objects - gone, size)),
                collected: dead.to_vec(),
                byte_seconds: gone as f64 * size as f64,
                error: 0.0,
            });
        }
    }
    let sites = if tracked { sites } else { Vec::new() };
    Update::from(Progress {
        duration_ms: second * 1_000,
        gcs: second as u32,
        classes,
        sites,
        trust: Trust { accounted_bytes: 100 * second * (16 + 40 + 64), ..Trust::default() },
        ..Progress::default()
    })
}

/// The same deaths and living, by site and by bytes.
fn lifetimes(second: u64) -> Update {
    let (mut classes, mut sites) = (Vec::new(), Vec::new());
    for id in 0..3u32 {
        let size = 16 + 24 * u64::from(id);
        let dead = [60 * second, 20 * second.saturating_sub(4), 10 * second.saturating_sub(35)];
        let live = 100 * second - dead.iter().sum::<u64>();
        let mut ages = ByteAges::default();
        for site in [id, id + 3] {
            let part = if id == 2 && site == 5 { 4 } else { 2 };
            let mut lifetimes = SiteLifetimes::default();
            for (at, (after, by)) in [(0, 900), (3_000, 5_000), (34_000, 36_000)].into_iter().enumerate() {
                let tally = Tally::of(dead[at] / part, size);
                lifetimes.ms.record_dead(after, by, Load::held(tally, (after, by)));
                if site == id {
                    ages.ms.record_deaths(after, by, dead[at] * size);
                    ages.gcs.record_deaths(at as u64 * 3, at as u64 * 3 + 1, dead[at] * size);
                }
            }
            let age = second * 500;
            lifetimes.ms.record_living(age, Load::held(Tally::of(live / part, size), (age, age + 500)));
            lifetimes.died_young = Tally::of(dead[0] / part, size);
            lifetimes.survived = Tally::of((100 * second - dead[0]) / part, size);
            sites.push((SiteId(site), lifetimes));
        }
        ages.ms.record_living(second * 500, live * size);
        ages.gcs.record_living(second, live * size);
        classes.push((ClassId(id), ages));
    }
    let stamp = Stamp { ms: second * 1_000, alive: (second * 1_000 - 500, second << 20) };
    Update::from(Section::Lifetimes(Box::new(LifetimeHistograms { stamp, classes, sites })))
}

/// One each second: every tenth is of the whole heap.
fn collection(second: u64) -> Update {
    let full = second.is_multiple_of(10);
    let used = |before, after| GenerationUse { before: Some(before), after, capacity: Some(8 << 20) };
    Update::from(Section::Collections(vec![Collection {
        number: second as u32 - 1,
        at_ms: second * 1_000 - 50,
        pause_us: if full { 20_000 } else { 1_500 },
        bytes: second * 9_600,
        kind: if full { GcKind::Full } else { GcKind::Young },
        cause: if full { "System.gc()" } else { "Allocation Failure" }.into(),
        young: Some(used(1 << 20, 1 << 16)),
        old: Some(used(second << 10, (second + 1) << 10)),
        tenuring: None,
        large_freed: None,
    }]))
}

fn flags() -> Update {
    let flag = |name: &str, value| Flag { name: name.into(), value };
    Update::from(Section::Flags(vec![
        flag("MaxHeapSize", FlagValue::Number(64 << 20)),
        flag("UseSerialGC", FlagValue::Switch(true)),
    ]))
}

/// The whole stream; its program makes so many more of the hostile class each second.
pub(crate) fn updates(tracking: Tracking, more: u64) -> Vec<Update> {
    let start = [Update::Start(Box::new(run(tracking))), flags()];
    let tracked = tracking != Tracking::Off;
    let steps = (1..=60).flat_map(|second| {
        [Some(step(second, tracked, more)), tracked.then(|| lifetimes(second)), Some(collection(second))]
            .into_iter()
            .flatten()
    });
    start.into_iter().chain(names()).chain(steps).chain([Update::End]).collect()
}

pub(crate) struct Recording(tempfile::TempDir);

impl Recording {
    pub(crate) fn of(tracking: Tracking) -> Self {
        Self::with_more(tracking, 0)
    }

    /// One whose program makes so many more of the hostile class each second.
    pub(crate) fn with_more(tracking: Tracking, more: u64) -> Self {
        Self::with(updates(tracking, more))
    }

    /// One of these updates.
    pub(crate) fn with(updates: impl IntoIterator<Item = Update>) -> Self {
        let place = Self(tempfile::tempdir().expect("temporary folder"));
        let mut writer = RecordingWriter::new();
        let bytes: Vec<u8> =
            updates.into_iter().flat_map(|update| writer.encode(&update).expect("fits a frame")).collect();
        fs::write(place.file(), bytes).expect("write");
        place
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.path().join("r.mayfly")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn report(&self, options: &[&str]) -> Output {
        Command::new(cargo_bin("mayfly")).arg("report").args(options).arg(self.file()).output().expect("runs")
    }

    pub(crate) fn read(&self, format: &[&str], part: &[&str]) -> Vec<u8> {
        let output = self.report(&[format, part].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*said), (Some(0), ""), "{format:?} {part:?}");
        output.stdout
    }

    pub(crate) fn text(&self, format: &[&str], part: &[&str]) -> String {
        String::from_utf8(self.read(format, part)).expect("UTF-8")
    }
}

/// Where `scripts/fetch-readers` puts it; `None` if it is not there, which is said.
pub(crate) fn fetched(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("cli/ lies in the workspace");
    let found = Some(root.join("target/readers").join(name)).filter(|path| path.exists());
    if found.is_none() {
        skip(name, "not in target/readers: scripts/fetch-readers");
    }
    found
}

/// Python with the packages that were fetched.
pub(crate) fn python() -> Option<Command> {
    let packages = fetched("python/whole")?;
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", packages.parent().expect("a folder"));
    Some(python)
}

pub(crate) fn skip(what: &str, why: &str) {
    // Past the capture of tests that pass.
    let _ = writeln!(std::io::stderr(), "skip: {what}: {why}");
}

/// Totals by class, as Java spells it; classes with nothing left out.
pub(crate) type Totals = BTreeMap<String, u64>;

pub(crate) fn totals(rows: impl IntoIterator<Item = (String, u64)>) -> Totals {
    let mut totals = Totals::new();
    for (class, amount) in rows.into_iter().filter(|&(_, amount)| amount > 0) {
        *totals.entry(readable_class(&class)).or_default() += amount;
    }
    totals
}

pub(crate) fn of_json(text: &str, value: &str) -> Totals {
    let json: Value = serde_json::from_str(text).expect("JSON");
    let rows = json["classes"].as_array().expect("a list").iter().map(|class| {
        let amount = match value {
            "bytes" => class["allocated"]["bytes"].as_u64(),
            "objects" => class["allocated"]["objects"].as_u64(),
            "live" => class["live"]["bytes"].as_u64(),
            "live-objects" => class["live"]["objects"].as_u64(),
            _ => {
                let held = &class["byte_seconds"];
                let sum =
                    held["dead"].as_f64().zip(held["living"].as_f64()).map(|(dead, living)| dead + living);
                sum.map(|sum| sum.round() as u64)
            }
        };
        (class["name"].as_str().expect("a name").to_owned(), amount.expect("a number"))
    });
    totals(rows)
}

/// Histograms of a log by tag.
pub(crate) fn of_hdr(log: &str) -> Vec<(String, Histogram<u64>)> {
    let intervals =
        IntervalLogIterator::new(log.as_bytes()).filter_map(|entry| match entry.expect("an entry") {
            LogEntry::Interval(interval) => Some(interval),
            _ => None,
        });
    let read = |interval: IntervalLogHistogram<'_>| {
        let bytes = BASE64.decode(interval.encoded_histogram()).expect("base 64");
        let histogram = Deserializer::new().deserialize(&mut &*bytes).expect("a histogram");
        (interval.tag().expect("a tag").as_str().to_owned(), histogram)
    };
    intervals.map(read).collect()
}
