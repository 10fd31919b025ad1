//! What samples tell agrees with exact counts, where both are of the same objects.

use mayfly_profile::{
    BYTES_BETWEEN_SAMPLES, BetweenSamples, ClassCounts, ClassEstimate, ClassId, Dropped, Estimate, Frame,
    FrameId, LifetimeCounts, Lifetimes, Profile, ProfileBuilder, Progress, Readings, Remainder, RunInfo,
    Section, SiteCounts, SiteId, SiteProfile, Tally, Tracking, Trust, Update, Variances,
};
use proptest::prelude::*;

const INTERVAL: u64 = 512 << 10;

/// One class `a.A` and its sites, as a stream tells of them.
#[derive(Clone, Debug)]
struct Recorded {
    tracking: Tracking,
    allocated: Tally,
    live: Tally,
    dead: Tally,
    /// The living and the dead of each site.
    sites: Vec<(Tally, Tally)>,
    estimate: ClassEstimate,
    dropped: u64,
    /// By how many bytes the JVM's counter differs, when all that is known is taken off; `None`: it has no counter.
    rest: Option<i64>,
    readings: Readings,
    /// How far apart samples were, by site.
    between_samples: Vec<u64>,
}

impl Recorded {
    /// Uniform objects, so many of them allocated by exact count, and the estimates of a sample.
    fn of(size: u64, allocated: u64, live: u64, dead: u64) -> Self {
        let mut estimate = ClassEstimate::default();
        let one = Estimate::of_sample(size, INTERVAL);
        for _ in 0..((live + dead) * size + one.bytes() / 2) / one.bytes().max(1) {
            estimate.allocated.add(one);
        }
        Self {
            tracking: Tracking::ByteSample(INTERVAL),
            allocated: Tally::of(allocated, size),
            live: Tally::of(live, size),
            dead: Tally::of(dead, size),
            sites: Vec::new(),
            estimate,
            dropped: 0,
            rest: None,
            readings: Readings::default(),
            between_samples: Vec::new(),
        }
    }

    fn profile(&self) -> Profile {
        let counts =
            LifetimeCounts { live: self.live, collected: vec![self.dead], lifetimes: Lifetimes::default() };
        let site = |(id, &(live, dead)): (usize, &(Tally, Tally))| {
            let mut allocated = live;
            allocated.add(dead);
            let collected = vec![dead];
            let byte_seconds = dead.bytes as f64;
            SiteCounts {
                id: SiteId(id as u32),
                allocated,
                live: Some(live),
                collected,
                byte_seconds,
                error: 0.0,
            }
        };
        let rest =
            |bytes| Remainder { cause: "the rest".into(), bytes, error_bytes: Some(INTERVAL), named: false };
        let progress = Progress {
            trust: Trust {
                jvm_allocated_bytes: self.rest.map(|_| 1 << 40),
                remainder: self.rest.map(rest).into_iter().collect(),
                sample_interval: Some(INTERVAL),
                dropped: (self.dropped > 0)
                    .then(|| Dropped { cause: "no room".into(), objects: self.dropped })
                    .into_iter()
                    .collect(),
                ..Trust::default()
            },
            classes: vec![ClassCounts { id: ClassId(0), allocated: self.allocated, lifetimes: Some(counts) }],
            sites: self.sites.iter().enumerate().map(site).collect(),
            estimates: vec![(ClassId(0), self.estimate)],
            ..Progress::default()
        };
        let run = RunInfo { tracking: self.tracking, lifetimes: true, stacks: true, ..RunInfo::default() };
        let mut updates =
            vec![Update::Start(Box::new(run)), Update::Class { id: ClassId(0), name: "a.A".into() }];
        for id in 0..self.sites.len() as u32 {
            let frame = Frame { class: format!("s.S{id}").into(), ..Frame::default() };
            updates.push(Update::Frame { id: FrameId(id), frame });
            updates.push(Update::Site { id: SiteId(id), class: ClassId(0), stack: vec![FrameId(id)] });
        }
        updates.push(Update::from(Section::Readings(self.readings.clone())));
        updates.push(Update::from(progress));
        let of_sites = self.between_samples.iter().zip(0..).map(|(&between, id)| (SiteId(id), between));
        let of_class = self.sites.iter().zip(&self.between_samples);
        let (bytes, times) = of_class.fold((0, 0), |(bytes, times), ((live, dead), between)| {
            (bytes + live.bytes + dead.bytes, times + (live.bytes + dead.bytes) * between)
        });
        let classes = times.checked_div(bytes).map(|mean| (ClassId(0), mean)).into_iter().collect();
        let between = BetweenSamples { classes, sites: of_sites.collect() };
        updates.extend(Section::between_samples(between).map(Update::from));
        fold(updates)
    }
}

fn fold(updates: Vec<Update>) -> Profile {
    let mut builder = ProfileBuilder::new();
    updates.into_iter().for_each(|update| builder.apply(update).expect("the stream is whole"));
    builder.profile()
}

fn lifetimes(profile: &Profile) -> (Tally, Tally) {
    let class = &profile.classes[0];
    (class.live.unwrap_or_default(), class.collected[0])
}

fn site<'a>(profile: &'a Profile, class: &str) -> &'a SiteProfile {
    let is_it = |site: &&SiteProfile| site.stack.first().is_some_and(|frame| &*frame.class == class);
    profile.sites.iter().find(is_it).expect("the site is there")
}

#[test]
fn one_sample_of_a_rare_class_stands_for_no_more_than_there_are() {
    // A sample of 48 bytes stands for 10,923 objects; 164 were counted.
    let profile = Recorded::of(48, 164, 10_923, 0).profile();
    assert_eq!(lifetimes(&profile), (Tally::of(164, 48), Tally::default()));
    let class = &profile.classes[0];
    let samples = profile.samples_behind(class, lifetimes(&profile).0).expect("samples were drawn");
    assert!((samples - 1.0).abs() < 0.01, "{samples}");
}

#[test]
fn the_living_and_the_dead_are_as_many_as_were_allocated() {
    let (live, dead) = lifetimes(&Recorded::of(64, 240_000, 10_906, 250_000).profile());
    assert_eq!((live.objects + dead.objects, live.bytes + dead.bytes), (240_000, 240_000 * 64));
    assert_eq!(live.objects, 10_032, "in proportion");
    let (live, dead) = lifetimes(&Recorded::of(64, 240_000, 10_906, 200_000).profile());
    assert_eq!(live.objects + dead.objects, 240_000, "also where too few were picked");
}

#[test]
fn what_the_jit_removed_is_not_put_to_the_living() {
    let profile = Recorded::of(64, 10_000_000, 50_000, 50_000).profile();
    assert_eq!(lifetimes(&profile), (Tally::of(50_000, 64), Tally::of(50_000, 64)));
}

#[test]
fn what_the_counter_of_the_jvm_says_was_allocated_the_jit_did_not_remove() {
    let mut told = Recorded::of(64, 10_000_000, 50_000, 50_000);
    told.rest = Some(-1_000);
    let profile = told.profile();
    let (live, dead) = lifetimes(&profile);
    assert_eq!((live.objects + dead.objects, profile.removed_by_jit().count()), (10_000_000, 0));
    told.rest = Some(-600_000_000);
    let profile = told.profile();
    assert_eq!((lifetimes(&profile).0, profile.removed_by_jit().count()), (Tally::of(50_000, 64), 1));
}

#[test]
fn what_no_hook_sees_is_picked_and_not_counted() {
    let mut told = Recorded::of(64, 1000, 800_000, 800_000);
    told.estimate.unseen = told.estimate.allocated;
    assert_eq!(lifetimes(&told.profile()).0, Tally::of(800_000, 64));
    // One stray sample does not show that there are such.
    told.estimate.unseen = Estimate::of_sample(64, INTERVAL);
    assert_eq!(lifetimes(&told.profile()).0, Tally::of(500, 64));
}

/// 2.01 GiB of a class's sites beside 1.95 GiB of the class, as native code made 1.3 MiB of it.
#[test]
fn a_little_that_no_hook_sees_does_not_leave_the_rest_to_samples() {
    let mut told = Recorded::of(64, 2_400_000, 109_060, 2_500_000);
    (0..16).for_each(|_| told.estimate.unseen.add(Estimate::of_sample(64, INTERVAL)));
    let unseen = told.estimate.unseen.bytes() / 64;
    let (live, dead) = lifetimes(&told.profile());
    let all = live.objects + dead.objects;
    assert!(all.abs_diff(2_400_000 + unseen) <= 1, "{all}, of which {unseen} were seen by no hook");
}

#[test]
fn objects_that_were_dropped_are_not_made_up_for() {
    let mut told = Recorded::of(64, 240_000, 100_000, 100_000);
    told.dropped = 1;
    assert_eq!(lifetimes(&told.profile()).0.objects, 100_000);
}

#[test]
fn numbers_of_every_object_are_left_alone() {
    let mut told = Recorded::of(64, 240_000, 10, 239_980);
    told.tracking = Tracking::EveryObject;
    assert_eq!(lifetimes(&told.profile()).1.objects, 239_980);
}

#[test]
fn sites_add_up_to_their_class() {
    let mut told = Recorded::of(64, 1000, 16_000, 48_000);
    told.sites =
        vec![(Tally::of(16_000, 64), Tally::of(8_000, 64)), (Tally::default(), Tally::of(40_000, 64))];
    let profile = told.profile();
    let (first, second) = (site(&profile, "s.S0"), site(&profile, "s.S1"));
    assert_eq!((first.live, first.collected[0]), (Some(Tally::of(250, 64)), Tally::of(125, 64)));
    assert_eq!((first.allocated, second.allocated), (Tally::of(375, 64), Tally::of(625, 64)));
    assert_eq!(first.byte_seconds, 125.0 * 64.0);
    // Three samples and five: nearly as large as the numbers.
    assert!((0.3..0.7).contains(&first.error) && (0.2..0.5).contains(&second.error), "{profile:?}");
}

/// `java.lang.Class`: the JVM makes them, and none is counted. Their sites had no bytes, and what was live of them no error.
#[test]
fn sites_of_what_is_not_counted_have_their_bytes() {
    let mut told = Recorded::of(64, 0, 160_000, 0);
    told.estimate.unseen = told.estimate.allocated;
    told.sites = vec![(Tally::of(40_000, 64), Tally::default()), (Tally::of(120_000, 64), Tally::default())];
    let profile = told.profile();
    assert_eq!(site(&profile, "s.S0").live, Some(Tally::of(40_000, 64)));
    let class = &profile.classes[0];
    let error = Variances::of(&profile).of_live(class).relative(class.live.expect("live")).1;
    assert!((0.2..0.3).contains(&error), "twenty samples: {error}");
}

/// A service's `byte[]`: of the bucket in which 41 % of it died no stack had been taken, and its sites had 59 % of its bytes.
#[test]
fn what_died_where_no_stack_was_taken_was_made_by_its_sites_all_the_same() {
    let mut told = Recorded::of(64, 1000, 0, 64_000);
    told.sites = vec![(Tally::of(16_000, 64), Tally::default()), (Tally::of(48_000, 64), Tally::default())];
    let profile = told.profile();
    let (first, second) = (site(&profile, "s.S0"), site(&profile, "s.S1"));
    assert_eq!((first.allocated, second.allocated), (Tally::of(250, 64), Tally::of(750, 64)));
    assert_eq!((first.collected[0], second.collected[0]), (Tally::of(250, 64), Tally::of(750, 64)));
}

#[test]
fn a_site_seen_when_samples_were_denser_may_have_as_much_as_one_stands_for_later() {
    let mut told = Recorded::of(64, 1_000_000, 4_000, 996_000);
    // One of the first samples, an object for each 16 KiB, and the rest as always.
    told.sites = vec![(Tally::of(256, 64), Tally::default()), (Tally::of(3_744, 64), Tally::of(996_000, 64))];
    let profile = told.profile();
    let early = site(&profile, "s.S0");
    let error = early.error * early.allocated.bytes as f64 / INTERVAL as f64;
    assert!((0.9..1.2).contains(&error), "{error} of an interval: {early:?}");
    let variances = Variances::of(&profile);
    let seen = variances.of_sites([early]).expect("a site");
    let method = (seen + variances.unseen_at(&[early])).sqrt() / INTERVAL as f64;
    assert!((0.9..1.5).contains(&method), "{method} of an interval");
    let live = Variances::of(&profile).of_live_sites([early]).bytes.sqrt() / INTERVAL as f64;
    assert!((0.9..1.2).contains(&live), "{live} of an interval");
    let other = site(&profile, "s.S1");
    assert!(other.error < 0.02, "{other:?}");
}

/// A service's start: samples were half a MiB apart, and 18 KiB later. What one of the first fell on had the error of many.
#[test]
fn a_site_of_the_start_has_the_error_of_the_samples_that_were_drawn_then() {
    const LATER: u64 = INTERVAL / 32;
    let of = |intervals: u64| Tally::of(intervals * INTERVAL / 64, 64);
    let mut told = Recorded::of(64, (of(2).objects) + of(98).objects, of(2).objects, of(98).objects);
    told.sites = vec![(of(2), Tally::default()), (Tally::default(), of(98))];
    told.readings.0.insert(BYTES_BETWEEN_SAMPLES, LATER);
    told.tracking = Tracking::ByteSample(LATER);
    told.estimate = ClassEstimate::default();
    (0..2).for_each(|_| told.estimate.allocated.add(Estimate::of_sample(64, INTERVAL)));
    (0..98 * 32).for_each(|_| told.estimate.allocated.add(Estimate::of_sample(64, LATER)));
    let errors = |told: &Recorded| {
        let profile = told.profile();
        let early = site(&profile, "s.S0");
        let variances = Variances::of(&profile);
        let live = variances.of_live_sites([early]).relative(early.live.expect("live")).1;
        (
            early.error,
            variances.of_sites([early]).expect("a site").sqrt() / early.allocated.bytes as f64,
            live,
        )
    };
    let (stated, seen, live) = errors(&told);
    assert!(stated < 0.2 && seen < 0.2 && live < 0.2, "{stated} {seen} {live}");
    told.between_samples = vec![INTERVAL, LATER];
    let profile = told.profile();
    assert_eq!(fold(profile.updates()), profile, "it is written again");
    let (stated, seen, live) = errors(&told);
    // Of two samples.
    assert!((0.6..1.0).contains(&stated), "{stated}");
    assert!((0.6..0.8).contains(&seen) && (0.6..1.0).contains(&live), "{seen} {live}");
}

#[test]
fn parts_that_are_nearly_certain_keep_their_numbers() {
    let large = Tally::of(500, 8 * INTERVAL);
    let small = Tally::of(1_000_000, 64);
    let mut told = Recorded::of(64, 0, 0, 0);
    told.live = large;
    told.dead = small;
    told.allocated = Tally { objects: 1_200_500, bytes: large.bytes + 76_800_000, largest: 8 * INTERVAL };
    (0..122).for_each(|_| told.estimate.allocated.add(Estimate::of_sample(64, INTERVAL)));
    told.estimate.allocated.add(Estimate::of_sample(500 * 8 * INTERVAL, INTERVAL));
    let (live, dead) = lifetimes(&told.profile());
    assert!(live.objects.abs_diff(500) <= 1, "{live:?}");
    assert_eq!((live.objects + dead.objects, live.bytes + dead.bytes), (1_200_500, told.allocated.bytes));
    assert!(live.bytes.abs_diff(large.bytes) < large.bytes / 100, "{live:?}");
}

fn tally() -> impl Strategy<Value = Tally> {
    prop_oneof![
        Just(Tally::default()),
        (1u64..1 << 40, 2u64..1 << 20).prop_map(|(objects, size_8)| Tally::of(objects, size_8 * 8))
    ]
}

proptest! {
    #[test]
    fn all_sums_agree_and_a_second_time_changes_nothing(
        allocated in tally(),
        sites in prop::collection::vec((tally(), tally()), 1..6),
        every_nth in any::<bool>(),
    ) {
        let mut told = Recorded::of(64, 0, 0, 0);
        told.tracking = if every_nth { Tracking::EveryNth(20) } else { Tracking::ByteSample(INTERVAL) };
        sites.iter().for_each(|&(live, dead)| { told.live.add(live); told.dead.add(dead); });
        told.allocated = allocated;
        told.sites = sites;
        let profile = told.profile();
        let (live, dead) = lifetimes(&profile);
        let picked = told.live.objects > 0 || told.dead.objects > 0;
        let removed = profile.removed_by_jit().count() > 0;
        if picked && (every_nth || !removed) {
            prop_assert_eq!(live.objects.saturating_add(dead.objects), allocated.objects);
        }
        let sum = |of: fn(&SiteProfile) -> Tally| profile.sites.iter().map(|site| of(site).objects).sum::<u64>();
        prop_assert_eq!(sum(|site| site.live.unwrap_or_default()), live.objects);
        prop_assert_eq!(sum(|site| site.collected[0]), dead.objects);
        prop_assert_eq!(sum(|site| site.allocated), live.objects + dead.objects);
        prop_assert_eq!(&fold(profile.updates()), &profile);
    }
}

/// `ArrayList$SubList` of `parse`: 8 MiB of an exact count by two of the first, dense samples had an error of 46 MiB at each of its sites.
#[test]
fn a_share_of_an_exact_count_is_no_less_sure_than_any_share() {
    let of = |objects| (Tally::default(), Tally::of(objects, 32));
    let mut told = Recorded::of(32, 265_000, 0, 60);
    told.sites = vec![of(58), of(2)];
    told.estimate.allocated = Estimate::of_bytes(60.0 * 32.0, 1_400.0);
    told.rest = Some(-1_000);
    let profile = told.profile();
    let whole = profile.classes[0].allocated.bytes as f64;
    let most = whole / 12f64.sqrt();
    for site in &profile.sites {
        let error = site.error * site.allocated.bytes as f64;
        assert!(error > 0.1 * whole && error <= 1.001 * most, "{error} of {whole}");
    }
    let variances = Variances::of(&profile);
    let all: Vec<_> = profile.sites.iter().collect();
    assert!(variances.of_sites(all).expect("sites").sqrt() <= 1.001 * most);
}

/// Threads that lived briefly make errors of classes large, and samples no rarer: of 8 KiB to 300 KiB apart it was "a sample per 512 KiB", and a leak
/// of 100 samples had 15.
#[test]
fn how_far_apart_samples_are_is_what_the_agent_drew() {
    let mut told = Recorded::of(64, 240_000, 10_906, 230_000);
    told.tracking = Tracking::ByteSample(8 << 10);
    told.estimate.allocated = told.estimate.allocated.with_error(7e6);
    assert_eq!(
        told.profile().bytes_between_samples(),
        Some(INTERVAL as f64),
        "by what classes say, at worst"
    );
    told.readings.0.insert(BYTES_BETWEEN_SAMPLES, 46 << 10);
    assert_eq!(told.profile().bytes_between_samples(), Some(46.0 * 1024.0));
}
