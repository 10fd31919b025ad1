//! A fixed stream that uses every update and every field, shared by the tests of this crate.

use mayfly_profile::{
    BlameRules, BucketBounds, ByteAges, ClassCounts, ClassEstimate, ClassFilter, ClassId, Collection,
    Dropped, EngineKind, Estimate, Flag, FlagValue, Following, Frame, FrameId, Gc, GcKind, GenerationUse,
    JvmInfo, LifetimeCounts, LifetimeHistograms, Lifetimes, Load, OwnCost, Progress, Refusals, Remainder,
    RunInfo, Section, SiteCounts, SiteId, SiteLifetimes, Stamp, Tally, Tenuring, Tracking, Trust, Update,
    View,
};
use mayfly_recording::RecordingWriter;

/// Every kind of update, every field with a value of its own.
pub(crate) fn full_stream() -> Vec<Update> {
    vec![
        Update::Start(Box::new(run())),
        Update::Class { id: ClassId(0), name: "[B".into() },
        Update::Class { id: ClassId(1), name: "org.example.Größe$Inner".into() },
        Update::Frame { id: FrameId(0), frame: frame("org.example.Main", "run", Some(("Main.java", 42))) },
        Update::Frame { id: FrameId(1), frame: frame("org.example.Main", "main", None) },
        Update::Site { id: SiteId(0), class: ClassId(1), stack: vec![FrameId(0), FrameId(1)] },
        Update::from(progress(100)),
        Update::Reset,
        Update::from(progress(7)),
        Update::End,
    ]
}

/// The full stream with how long objects lived, after each progress.
pub(crate) fn stream_with_lifetimes() -> Vec<Update> {
    let lifetimes = |update: &Update| {
        Some(Update::from(Section::Lifetimes(Box::new(lifetimes(update.progress()?.duration_ms)))))
    };
    full_stream()
        .into_iter()
        .flat_map(|update| [Some(update.clone()), lifetimes(&update)])
        .flatten()
        .collect()
}

fn lifetimes(ms: u64) -> LifetimeHistograms {
    let mut lifetimes = SiteLifetimes::default();
    for (after, by, objects) in [(0, 900, 7), (900, 1_900, 2), (0, u64::MAX, 1)] {
        let load = Load::held(Tally::of(objects, 24), (after, by.min(ms)));
        lifetimes.ms.record_dead(after, by, load);
        lifetimes.bytes.record_dead(after * 1_000, by, load);
    }
    lifetimes.ms.record_living(ms / 2, Load::held(Tally::of(3, 24), (ms / 2, ms)));
    lifetimes.died_young = Tally::of(7, 24);
    lifetimes.survived = Tally::of(5, 24);
    let mut ages = ByteAges::default();
    ages.ms.record_deaths(0, 900, 7 * 24);
    ages.gcs.record_deaths(0, 1, 7 * 24);
    ages.bytes.record_living(5_000, 3 * 24);
    let stamp = Stamp { ms, alive: (ms / 2, 9_000) };
    LifetimeHistograms { stamp, classes: vec![(ClassId(1), ages)], sites: vec![(SiteId(0), lifetimes)] }
}

/// The full stream with flags and collections: with all that is published of them, and with nothing.
pub(crate) fn stream_with_collections() -> Vec<Update> {
    let mut updates = full_stream();
    updates.insert(1, Update::from(Section::Flags(flags())));
    let end = updates.len() - 1;
    updates.insert(end, Update::from(Section::Collections(collections())));
    updates
}

/// The same with what collections freed of large objects.
pub(crate) fn stream_with_large_objects() -> Vec<Update> {
    let mut updates = stream_with_collections();
    let end = updates.len() - 1;
    updates.insert(end, Update::from(Section::LargeFreed(vec![(7, 3 << 20), (8, 0)])));
    updates
}

/// The full stream with operations: some before the reset, others after it.
pub(crate) fn stream_with_operations() -> Vec<Update> {
    let mut updates = full_stream();
    let end = updates.len() - 1;
    updates.insert(end, Update::from(Section::Operations(12_000)));
    updates.insert(end - 2, Update::from(Section::Operations(u64::MAX)));
    updates
}

fn flags() -> Vec<Flag> {
    let flag = |name: &str, value| Flag { name: name.into(), value };
    vec![
        flag("MaxHeapSize", FlagValue::Number(8 << 30)),
        flag("UseAdaptiveSizePolicy", FlagValue::Switch(true)),
    ]
}

fn collections() -> Vec<Collection> {
    let used = |before, after| GenerationUse { before, after, capacity: Some(64 << 20) };
    let tenuring =
        Tenuring { threshold: 15, desired_survivor_bytes: Some(1 << 20), age_bytes: vec![4_096, 0, 48] };
    let young = Collection {
        number: 7,
        at_ms: 1_234,
        pause_us: 5_678,
        bytes: 1 << 33,
        kind: GcKind::Young,
        cause: "Allocation Failure".into(),
        young: Some(used(Some(60 << 20), 2 << 20)),
        old: Some(used(None, 3 << 20)),
        tenuring: Some(tenuring),
        large_freed: None,
    };
    let of_kind = |(at, kind)| Collection { number: 8 + at as u32, kind, ..Collection::default() };
    std::iter::once(young).chain(GcKind::ALL.into_iter().enumerate().map(of_kind)).collect()
}

/// The bytes of a whole recording of these updates.
pub(crate) fn bytes_of(updates: &[Update]) -> Vec<u8> {
    frames_of(updates).concat()
}

/// What the writer returns per update; the first includes the file header.
pub(crate) fn frames_of(updates: &[Update]) -> Vec<Vec<u8>> {
    let mut writer = RecordingWriter::new();
    updates.iter().map(|update| writer.encode(update).expect("a small update")).collect()
}

/// A view with a value of its own in every field.
pub(crate) fn view() -> View {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    View {
        classes: ClassFilter {
            include: words(&["org.", "[B"]),
            exclude: words(&["org.x"]),
            exact_match: true,
        },
        min_bytes: 1_024,
        rows: Some(5),
        blame: false,
        rules: BlameRules { ignore: words(&["java.", "sun."]), target: words(&["org."]) },
        detailed_trace: true,
    }
}

fn run() -> RunInfo {
    RunInfo {
        jvm: JvmInfo {
            pid: 4711,
            version: "17.0.15+6".into(),
            gc: Gc::G1,
            command: "org.example.Main -v".into(),
        },
        engine: EngineKind::Exact,
        options: "#trackcollections#trace#every-20".into(),
        started_unix_ms: 1_761_000_000_123,
        buckets: BucketBounds::new(vec![5, 15, 25]).expect("ascending"),
        tracking: Tracking::EveryNth(20),
        lifetimes: true,
        stacks: true,
        view: View::default(),
    }
}

fn frame(class: &str, method: &str, place: Option<(&str, u32)>) -> Frame {
    Frame {
        class: class.into(),
        method: method.into(),
        file: place.map(|(file, _)| file.into()),
        line: place.map(|(_, line)| line),
    }
}

fn progress(scale: u64) -> Progress {
    let mut lifetimes = Lifetimes { died_before_first_gc: scale, ..Default::default() };
    lifetimes.ms.record_deaths(1_000, 1_500, scale);
    lifetimes.gcs.record_deaths(1, 2, scale);
    lifetimes.bytes.record_deaths(0, u64::MAX, scale);
    lifetimes.ms.record_living(2_000, 3);
    lifetimes.record_cohort(scale);
    let collected = vec![Tally::of(scale, 24), Tally::default(), Tally::of(1, 24), Tally::default()];
    let tracked = LifetimeCounts { live: Tally::of(3, 24), collected: collected.clone(), lifetimes };
    let estimate =
        ClassEstimate { allocated: Estimate::of_sample(scale * 24, 512 << 10), unseen: Estimate::default() };
    Progress {
        duration_ms: scale * 1_000,
        gcs: 9,
        trust: trust(),
        classes: vec![
            ClassCounts {
                id: ClassId(0),
                allocated: Tally { objects: 7, bytes: 700, largest: 512 },
                lifetimes: None,
            },
            ClassCounts { id: ClassId(1), allocated: Tally::of(scale + 4, 24), lifetimes: Some(tracked) },
        ],
        sites: vec![SiteCounts {
            id: SiteId(0),
            allocated: Tally::of(scale + 4, 24),
            live: Some(Tally::of(3, 24)),
            collected,
            byte_seconds: 36.5,
            error: 0.125,
        }],
        estimates: vec![(ClassId(1), estimate)],
    }
}

fn trust() -> Trust {
    Trust {
        accounted_bytes: 9_998,
        jvm_allocated_bytes: Some(10_000),
        remainder: vec![Remainder::exact("before the agent could count", -2)],
        refusals: vec![Refusals { reason: "method would pass 64 KB".into(), methods: 3 }],
        dropped: vec![Dropped { cause: "memory limit".into(), objects: 11 }],
        sample_interval: Some(512 << 10),
        following: Following { whole_collections: 2, thinned_to_one_in: 4, ..Following::default() },
        cost: OwnCost { cpu_ms: 120, native_bytes: 1 << 20, rewrite_ms: 300 },
    }
}
