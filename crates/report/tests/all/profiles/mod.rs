//! Hand-made profiles with numbers that can be checked by hand.

use std::collections::BTreeMap;

use mayfly_profile::{
    BucketBounds, ClassEstimate, ClassProfile, Dropped, EngineKind, Estimate, Following, Frame, Gc, JvmInfo,
    Lifetimes, OwnCost, Profile, Refusals, Remainder, RunInfo, SiteProfile, Tally, Tracking, Trust,
};

pub(crate) fn run(tracking: Tracking) -> RunInfo {
    RunInfo {
        jvm: JvmInfo {
            pid: 4711,
            version: "17.0.15+6-Debian".into(),
            gc: Gc::G1,
            command: "org.server.Server --requests 100".into(),
        },
        engine: EngineKind::Exact,
        lifetimes: tracking != Tracking::Off,
        tracking,
        buckets: BucketBounds::new(vec![5, 15, 60]).expect("ascending"),
        ..Default::default()
    }
}

pub(crate) fn trust() -> Trust {
    Trust {
        accounted_bytes: 1_997_000_000,
        jvm_allocated_bytes: Some(1_997_400_000),
        remainder: vec![Remainder::exact("before the agent could count", 390_000)],
        refusals: vec![Refusals { reason: "method would pass 64 KB".into(), methods: 3 }],
        dropped: vec![],
        sample_interval: None,
        following: Following {
            whole_collections: 9,
            most_bytes_between: 65 << 20,
            most_ms_between: 310,
            thinned_to_one_in: 16,
            sweeps: 12,
            asked: 34_000,
            sweep_ms: 250,
            longest_sweep_ms: 40,
        },
        cost: OwnCost { cpu_ms: 120, native_bytes: 14 << 20, rewrite_ms: 340 },
    }
}

/// A class of which `live` and `collected` objects of `size` bytes were tracked; those of bucket i lived up to
/// `lives_ms[i]`, the living have lived for a minute.
pub(crate) fn class(name: &str, size: u64, live: u64, collected: [u64; 4]) -> ClassProfile {
    let lives_ms = [120, 7_000, 40_000, 90_000];
    let mut lifetimes = Lifetimes::default();
    for (&objects, ms) in collected.iter().zip(lives_ms) {
        lifetimes.ms.record_deaths(ms * 9 / 10, ms, objects);
        lifetimes.gcs.record_deaths(ms / 5_000, ms / 5_000 + 1, objects);
        lifetimes.bytes.record_deaths(ms * 900, ms * 1_000, objects);
        lifetimes.record_cohort(objects / 50 + 1);
    }
    lifetimes.ms.record_living(60_000, live);
    lifetimes.gcs.record_living(12, live);
    lifetimes.bytes.record_living(60_000_000, live);
    lifetimes.died_before_first_gc = collected[0];
    let dead: u64 = collected.iter().sum();
    ClassProfile {
        name: name.into(),
        allocated: Tally::of(live + dead, size),
        live: Some(Tally::of(live, size)),
        collected: collected.map(|objects| Tally::of(objects, size)).to_vec(),
        lifetimes: (dead + live > 0).then_some(lifetimes),
        ..ClassProfile::default()
    }
}

pub(crate) fn counted(name: &str, objects: u64, bytes: u64, largest: u64) -> ClassProfile {
    ClassProfile { name: name.into(), allocated: Tally { objects, bytes, largest }, ..Default::default() }
}

/// Four classes, lifetimes in all four buckets.
pub(crate) fn with_lifetimes() -> Profile {
    Profile {
        run: run(Tracking::EveryObject),
        duration_ms: 83_000,
        gcs: 14,
        resets: 0,
        classes: vec![
            class("[B", 1_000, 1_200, [98_000, 500, 200, 100]),
            class("org.server.Server$Request", 32, 0, [90_000, 10_000, 0, 0]),
            class("org.server.Cache$Entry", 48, 4_000, [0, 0, 0, 1_000]),
            class("org.server.Server", 16, 1, [0; 4]),
        ],
        sites: vec![],
        estimates: BTreeMap::new(),
        trust: trust(),
        complete: true,
        ..Profile::default()
    }
}

pub(crate) fn only_counts() -> Profile {
    Profile {
        run: run(Tracking::Off),
        duration_ms: 4_000,
        gcs: 2,
        resets: 0,
        classes: vec![
            counted("[B", 93, 24_584, 1_080),
            counted("[Ljava.lang.Object;", 14, 7_840, 1_040),
            counted("java.lang.String", 510, 12_240, 24),
        ],
        sites: vec![],
        estimates: BTreeMap::new(),
        trust: trust(),
        complete: true,
        ..Profile::default()
    }
}

pub(crate) fn frame(class: &str, method: &str, line: Option<u32>) -> Frame {
    Frame { class: class.into(), method: method.into(), file: Some("Server.java".into()), line }
}

fn site(class: &str, stack: Vec<Frame>, size: u64, live: u64, collected: [u64; 4]) -> SiteProfile {
    let tallies = class_tallies(size, live, collected);
    SiteProfile { class: class.into(), stack: stack.into(), byte_seconds: 1.0, ..tallies }
}

fn class_tallies(size: u64, live: u64, collected: [u64; 4]) -> SiteProfile {
    let class = class("", size, live, collected);
    SiteProfile {
        allocated: class.allocated,
        live: class.live,
        collected: class.collected,
        ..Default::default()
    }
}

/// Two classes with two sites each; requests come through App and, two in five of them, through App$Storage.
pub(crate) fn with_sites() -> Profile {
    let server = || frame("org.server.ServerThread", "run", Some(19));
    let app = || frame("com.yourorg.App", "handle", Some(7));
    let storage = || frame("com.yourorg.App$Storage", "store", None);
    Profile {
        run: RunInfo { stacks: true, ..run(Tracking::EveryObject) },
        duration_ms: 83_000,
        gcs: 14,
        resets: 0,
        classes: vec![
            class("org.server.Server$Request", 32, 100, [700, 200, 0, 0]),
            class("[C", 24, 3, [7, 0, 0, 0]),
        ],
        sites: vec![
            site("org.server.Server$Request", vec![app(), server()], 32, 50, [500, 50, 0, 0]),
            site("org.server.Server$Request", vec![storage(), app(), server()], 32, 50, [200, 150, 0, 0]),
            site("[C", vec![app(), app(), server()], 24, 0, [7, 0, 0, 0]),
            site("[C", vec![server()], 24, 3, [0; 4]),
        ],
        estimates: BTreeMap::new(),
        trust: trust(),
        complete: true,
        ..Profile::default()
    }
}

pub(crate) fn sampled(mut profile: Profile, tracking: Tracking) -> Profile {
    profile.run.tracking = tracking;
    profile.trust.dropped = vec![Dropped { cause: "memory limit".into(), objects: 12_345 }];
    profile.complete = false;
    profile
}

/// Strings of which 960 MB were executed and 50 MiB allocated, beside arrays of 240 MB and few objects that are kept.
/// In the order of a profile's classes: by what was allocated.
pub(crate) fn optimised_away() -> Profile {
    let mut strings = Estimate::default();
    (0..100).for_each(|_| strings.add(Estimate::of_sample(24, 512 << 10)));
    let main = |method| vec![frame("a.Main", method, None), frame("a.Main", "main", None)];
    let site = |class: &str, method, objects, size| SiteProfile {
        class: class.into(),
        stack: main(method).into(),
        allocated: Tally::of(objects, size),
        ..Default::default()
    };
    let mut profile = Profile {
        run: RunInfo { stacks: true, ..run(Tracking::Off) },
        classes: vec![
            counted("[B", 10_000_000, 240_000_000, 24),
            counted("java.lang.String", 40_000_000, 960_000_000, 24),
            counted("a.Kept", 1_000_000, 16_000_000, 16),
        ],
        sites: vec![site("[B", "buffers", 10_000_000, 24), site("java.lang.String", "join", 40_000_000, 24)],
        ..only_counts()
    };
    profile
        .estimates
        .insert("java.lang.String".into(), ClassEstimate { allocated: strings, ..Default::default() });
    let mut kept = Estimate::default();
    (0..30).for_each(|_| kept.add(Estimate::of_sample(16, 512 << 10)));
    profile.estimates.insert("a.Kept".into(), ClassEstimate { allocated: kept, ..Default::default() });
    let mut arrays = Estimate::default();
    (0..458).for_each(|_| arrays.add(Estimate::of_sample(24, 512 << 10)));
    profile.estimates.insert("[B".into(), ClassEstimate { allocated: arrays, ..Default::default() });
    profile.trust.sample_interval = Some(512 << 10);
    profile.trust.accounted_bytes = 1_216_000_000;
    profile.trust.jvm_allocated_bytes = Some(310_000_000);
    profile
}
