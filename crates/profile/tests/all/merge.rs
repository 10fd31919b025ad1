//! Merging and comparing profiles: laws that hold for any order and any grouping, in every field.

use mayfly_profile::{
    Ages, BucketBounds, ByteAges, ClassCounts, ClassEstimate, ClassFilter, ClassId, ClassProfile, Dropped,
    EngineKind, Estimate, Following, Frame, FrameId, Gc, Held, HolderRow, Holders, JvmInfo, LifetimeCounts,
    LifetimeHistograms, Lifetimes, Link, LinkKind, LiveAsOf, LiveCounts, Load, OwnCost, Profile,
    ProfileBuilder, Progress, Refusals, Remainder, RetentionRow, RunInfo, ScopeProfile, Section, Share,
    SiteCounts, SiteId, SiteLifetimes, SiteProfile, Stack, Tally, TraceContext, TracedObjects, Traces,
    Tracking, Trust, Update, View,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

fn tally() -> impl Strategy<Value = Tally> {
    let some = (0..1_000_000u64, 0..1u64 << 40, 0..1u64 << 20);
    let most = (Just(u64::MAX), Just(u64::MAX - 1), Just(u64::MAX));
    prop_oneof![9 => some.boxed(), 1 => most.boxed()].prop_map(|(objects, bytes, largest)| Tally {
        objects,
        bytes,
        largest,
    })
}

/// So many different intervals that two or three of them together become coarser.
fn lifetimes() -> impl Strategy<Value = Lifetimes> {
    vec((0..1u64 << 30, 0..1u64 << 30, 1..9u64), 0..900).prop_map(|deaths| {
        let mut known = Lifetimes::default();
        for (age, width, weight) in deaths {
            known.ms.record_deaths(age, age + width, weight);
            known.gcs.record_deaths(age % 50, age % 50 + 1, weight);
            known.bytes.record_living(width, weight);
            known.died_before_first_gc += weight;
            known.record_cohort(weight);
        }
        known
    })
}

/// So many different intervals that some become coarser.
fn site_lifetimes() -> impl Strategy<Value = SiteLifetimes> {
    vec((0..1u64 << 30, 0..1u64 << 30, 1..9u64), 0..90).prop_map(|deaths| {
        let mut lifetimes = SiteLifetimes::default();
        for (age, width, objects) in deaths {
            let load = Load::held(Tally::of(objects, 16), (age, age + width));
            lifetimes.ms.record_dead(age, age + width, load);
            lifetimes.bytes.record_living(width, load);
            lifetimes.died_young.add(Tally::of(objects, 16));
        }
        lifetimes
    })
}

fn byte_ages() -> impl Strategy<Value = ByteAges> {
    lifetimes().prop_map(|known| ByteAges { ms: known.ms, gcs: known.gcs, bytes: known.bytes })
}

fn tracking() -> impl Strategy<Value = Tracking> {
    prop_oneof![
        4 => Just(Tracking::EveryObject),
        1 => (1..4u64).prop_map(Tracking::EveryNth),
        1 => (1..4u64).prop_map(Tracking::ByteSample),
        1 => Just(Tracking::Balanced),
        1 => Just(Tracking::Off),
    ]
}

fn run() -> impl Strategy<Value = RunInfo> {
    let bounds = || {
        vec(1..7u64, 1..5).prop_map(|mut bounds| {
            bounds.sort_unstable();
            bounds.dedup();
            BucketBounds::new(bounds).expect("ascending")
        })
    };
    let jvm = (1..3u32, 0..3usize, "[ab]?").prop_map(|(pid, gc, version)| JvmInfo {
        pid,
        command: version.clone(),
        version,
        gc: Gc::ALL[gc],
    });
    let view = (0..2u64, "a?").prop_map(|(min_bytes, prefix)| View {
        classes: ClassFilter { include: vec![prefix], ..ClassFilter::default() },
        min_bytes,
        ..View::default()
    });
    let flags = (prop::bool::weighted(0.8), prop::bool::weighted(0.8), prop::bool::weighted(0.8));
    (jvm, "[ab]?", 0..9u64, bounds(), tracking(), flags, view).prop_map(
        |(jvm, options, started_unix_ms, buckets, tracking, (exact, lifetimes, stacks), view)| RunInfo {
            jvm,
            engine: if exact { EngineKind::Exact } else { EngineKind::Sampled },
            options,
            started_unix_ms,
            buckets,
            lifetimes: lifetimes && tracking != Tracking::Off,
            stacks: stacks && tracking != Tracking::Off,
            tracking,
            view,
        },
    )
}

fn trust() -> impl Strategy<Value = Trust> {
    let remainder = vec(("[ab]", -9_000i64..9_000, option::of(0..900u64), any::<bool>()), 0..4);
    let counts = || vec(("[ab]", 0..900u64), 0..3);
    let following = (0..9u32, 0..9u64, 0..9u64, 0..4u64, 0..9u32, 0..9u64, 0..9u64, 0..9u64);
    let whole = (0..1u64 << 40, option::weighted(0.8, 0..1u64 << 40), option::weighted(0.8, 1..4u64));
    (whole, remainder, counts(), counts(), following, (0..9u64, 0..9u64, 0..9u64)).prop_map(
        |((accounted_bytes, jvm_allocated_bytes, sample_interval), parts, refusals, dropped, f, cost)| {
            Trust {
                accounted_bytes,
                jvm_allocated_bytes,
                remainder: parts
                    .into_iter()
                    .map(|(cause, bytes, error_bytes, named)| Remainder { cause, bytes, error_bytes, named })
                    .collect(),
                refusals: refusals
                    .into_iter()
                    .map(|(reason, methods)| Refusals { reason, methods })
                    .collect(),
                dropped: dropped.into_iter().map(|(cause, objects)| Dropped { cause, objects }).collect(),
                sample_interval,
                following: Following {
                    whole_collections: f.0,
                    most_bytes_between: f.1,
                    most_ms_between: f.2,
                    thinned_to_one_in: f.3,
                    sweeps: f.4,
                    asked: f.5,
                    sweep_ms: f.6,
                    longest_sweep_ms: f.7,
                },
                cost: OwnCost { cpu_ms: cost.0, native_bytes: cost.1, rewrite_ms: cost.2 },
            }
        },
    )
}

/// Whole numbers, so that their sums are exact.
fn estimate() -> impl Strategy<Value = ClassEstimate> {
    let part =
        || (0..1_000u32, 0..100u32).prop_map(|(bytes, error)| Estimate::of_bytes(bytes.into(), error.into()));
    (part(), part()).prop_map(|(allocated, unseen)| ClassEstimate { allocated, unseen })
}

/// What is known of the objects of a row, if it is.
fn kept_and_dead() -> impl Strategy<Value = Option<(Tally, Vec<Tally>)>> {
    option::weighted(0.9, (tally(), vec(tally(), 5)))
}

fn frame() -> impl Strategy<Value = Frame> {
    ("[ab]", option::of("[ab]"), option::of(0..2u32)).prop_map(|(class, file, line)| Frame {
        method: class.as_str().into(),
        class: class.into(),
        file: file.map(Into::into),
        line,
    })
}

fn profile() -> impl Strategy<Value = Profile> {
    let ages = || option::weighted(0.7, byte_ages());
    let classes =
        btree_map("[a-d]", (tally(), kept_and_dead(), option::weighted(0.7, lifetimes()), ages()), 0..4);
    let sites = btree_map(
        ("[a-d]", vec(frame(), 0..2)),
        (tally(), kept_and_dead(), 0..99u32, 0..9u32, option::weighted(0.8, site_lifetimes())),
        0..4,
    );
    let operations = prop_oneof![Just(0), 1..1u64 << 40, Just(u64::MAX)];
    let numbers = (0..1u64 << 40, 0..99u32, 0..3u32, operations, any::<bool>());
    (run(), trust(), numbers, classes, sites, btree_map("[a-d]", estimate(), 0..3)).prop_map(
        |(run, trust, (duration_ms, gcs, resets, operations, complete), classes, sites, estimates)| {
            let buckets = run.buckets.len();
            let known = |judged: Option<(Tally, Vec<Tally>)>| {
                let (live, mut dead) = judged.filter(|_| run.lifetimes)?;
                dead.truncate(buckets);
                Some((live, dead))
            };
            let classes = classes.into_iter().map(|(name, (allocated, judged, lifetimes, ages))| {
                let (live, collected) = known(judged).unzip();
                let lifetimes = lifetimes.filter(|_| live.is_some());
                let byte_ages = ages.filter(|_| live.is_some());
                ClassProfile {
                    name,
                    allocated,
                    live,
                    unjudged: live.unwrap_or_default(),
                    collected: collected.unwrap_or_default(),
                    lifetimes,
                    byte_ages,
                    between_samples: None,
                }
            });
            let sites =
                sites.into_iter().map(|((class, stack), (allocated, judged, seconds, error, lives))| {
                    let (live, collected) = known(judged).unzip();
                    let byte_seconds = live.map_or(0.0, |_| f64::from(seconds));
                    let (collected, error) = (collected.unwrap_or_default(), f64::from(error) / 8.0);
                    let lifetimes = lives.filter(|_| live.is_some()).map(Box::new);
                    let stack = stack.into();
                    let unjudged = live.unwrap_or_default();
                    SiteProfile {
                        class,
                        stack,
                        allocated,
                        live,
                        unjudged,
                        collected,
                        byte_seconds,
                        error,
                        lifetimes,
                        between_samples: allocated.objects.is_multiple_of(3).then_some(allocated.objects),
                    }
                });
            let classes: Vec<ClassProfile> = classes.collect();
            let mut shares = std::collections::BTreeMap::new();
            if run.tracking == Tracking::Balanced && run.lifetimes {
                for class in classes.iter().filter(|class| class.allocated.objects % 2 == 1) {
                    let mut share = Share::default();
                    share.record(class.allocated.objects % 1000 + 2, None);
                    shares.insert(class.name.clone(), share);
                }
            }
            let sites = if run.stacks { sites.collect() } else { Vec::new() };
            let estimates = if trust.sample_interval.is_some() { estimates } else { Default::default() };
            let part = Default::default();
            let scopes = (0..gcs % 3).map(|at| ScopeProfile {
                path: vec![format!("scope {at}")],
                entries: u64::from(gcs),
                outlived: (gcs % 2 == 0).then(Ages::default),
                threads: (gcs % 4 > 0).then_some(u64::from(gcs)),
                ..ScopeProfile::default()
            });
            let scopes = scopes.collect();
            let soft = classes.iter().filter(|class| class.allocated.objects % 3 == 1);
            let soft_classes = soft.map(|class| class.name.clone()).collect();
            let held = classes.iter().filter(|class| class.allocated.objects % 3 == 2);
            let retention = held.map(|class| held_by(class, gcs)).collect();
            let on_heap =
                [("a.Counted".to_owned(), u64::from(gcs))].into_iter().take(gcs as usize % 2).collect();
            Profile {
                run,
                duration_ms,
                gcs,
                resets,
                operations,
                classes,
                sites,
                estimates,
                shares,
                soft_classes,
                retention,
                on_heap,
                scopes,
                trust,
                complete,
                part,
                rotation: None,
                collections: vec![],
                flags: vec![],
                history: vec![],
                live_as_of: [LiveAsOf::End, LiveAsOf::NoCollection, LiveAsOf::Ms(7)][gcs as usize % 3],
                labels: [("host".to_owned(), format!("h{}", gcs % 2)), ("app".to_owned(), "a".to_owned())]
                    .into(),
                sources: vec![],
                census: None,
                readings: Default::default(),
                traces: (gcs % 3 > 0).then(|| traces(gcs)),
                holders: (gcs % 3 < 2).then(|| holders(gcs)),
                oldest_of_all: None,
                apart: Default::default(),
            }
        },
    )
}

/// Sites of several runs, and some that only one has.
fn holders(gcs: u32) -> Holders {
    let held = Held { number: u64::from(gcs), bytes: 4096 };
    let row =
        |at: u32| HolderRow { class: format!("a.C{at}"), stack: Stack::NONE, held, born_ms: u64::from(gcs) };
    let rows = [gcs % 2, 2 + gcs % 5, 9].into_iter().map(row).collect();
    Holders { rows, others: held, unknown: u64::from(gcs % 4) }
}

/// Who holds a class's objects, which another run has otherwise.
fn held_by(class: &ClassProfile, gcs: u32) -> RetentionRow {
    let link = |class: &str, by| Link { class: class.to_owned(), by, holders: gcs, room: None, expiry: None };
    let path = vec![link("[La.B;", LinkKind::Element), link("a.B", LinkKind::StaticField("ALL".to_owned()))];
    RetentionRow { class: class.name.clone(), stack: Stack::NONE, looked: gcs % 3, path }
}

/// Spans of several runs, and some that only one has.
fn traces(gcs: u32) -> Traces {
    let row = |at: u8| {
        let context = TraceContext::new([at; 16], [1; 8]).expect("ids");
        let (class, stack) = (format!("a.C{at}"), Stack::NONE);
        TracedObjects { context, class, stack, live: Tally::of(u64::from(gcs), 16), born_ms: u64::from(gcs) }
    };
    let mut traces = Traces { traces: 3, others: Tally::of(u64::from(gcs), 8), ..Traces::default() };
    traces.rows = [gcs % 2, 2 + gcs % 5, 9].into_iter().map(|at| row(at as u8 + 1)).collect();
    traces
}

/// Everything but errors that add up by their squares, which are compared here, up to their rounding.
fn without_errors(mut a: Profile, like: &Profile) -> Profile {
    for (site, like) in a.sites.iter_mut().zip(&like.sites) {
        assert!((site.error - like.error).abs() <= 1e-9 * like.error.max(1.0), "{site:?} {like:?}");
        site.error = like.error;
    }
    for (part, like) in a.trust.remainder.iter_mut().zip(&like.trust.remainder) {
        let (error, likes) = (part.error_bytes, like.error_bytes);
        assert!(error.unwrap_or(0).abs_diff(likes.unwrap_or(0)) <= 2, "{part:?} {like:?}");
        assert_eq!(error.is_some(), likes.is_some());
        part.error_bytes = likes;
    }
    a
}

fn assert_same(a: Profile, b: &Profile) {
    assert_eq!(&without_errors(a, b), b);
}

fn dead_of(profile: &Profile) -> u128 {
    let dead = profile.classes.iter().flat_map(|class| &class.collected);
    dead.map(|tally| u128::from(tally.bytes)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn no_order_and_no_grouping_matters(a in profile(), b in profile(), c in profile()) {
        let merged = a.clone().merge(b.clone()).merge(c.clone());
        assert_same(b.clone().merge(a.clone()).merge(c.clone()), &merged);
        assert_same(a.clone().merge(c.clone()).merge(b.clone()), &merged);
        assert_same(a.clone().merge(b.clone().merge(c.clone())), &merged);
        assert_same(c.merge(b).merge(a), &merged);
    }

    /// One stream in which as many loaders have each class, and the parts of it as streams of their own.
    #[test]
    fn a_merge_of_parts_is_the_recording_of_the_whole(
        parts in vec(btree_map(0..4u32, vec((0..1u64 << 20, 0..1u64 << 20, 1..5u64, 0..3u64), 1..6), 1..4), 2..6),
        turned in any::<bool>(),
    ) {
        let whole = stream(&parts.iter().enumerate().collect::<Vec<_>>());
        let mut each: Vec<_> = (0..parts.len()).map(|at| stream(&[(at, &parts[at])])).collect();
        if turned {
            each.reverse();
        }
        let rest = each.split_off(each.len() / 2);
        let all = |parts: Vec<Profile>| parts.into_iter().reduce(Profile::merge);
        let merged = [all(each), all(rest)].into_iter().flatten().reduce(Profile::merge).expect("parts");
        prop_assert_eq!(merged.sources.len(), parts.len());
        prop_assert_eq!(merged.duration_ms, whole.duration_ms * parts.len() as u64);
        let like = Profile {
            sources: merged.sources.clone(),
            labels: Default::default(),
            live_as_of: LiveAsOf::Each,
            duration_ms: merged.duration_ms,
            gcs: whole.gcs * parts.len() as u32,
            trust: Trust { accounted_bytes: whole.trust.accounted_bytes * parts.len() as u64, ..merged.trust.clone() },
            ..whole
        };
        assert_same(merged, &like);
    }

    /// Whatever is merged is the same when it was written down and read again.
    #[test]
    fn a_merge_that_is_told_again_is_the_same(a in profile(), b in profile()) {
        let merged = a.merge(b);
        let mut builder = ProfileBuilder::new();
        merged.updates().into_iter().for_each(|update| builder.apply(update).expect("fits"));
        let again = builder.profile_with_history();
        prop_assert!(again.history.is_empty());
        prop_assert_eq!(again.sources, merged.sources);
        prop_assert_eq!(again.labels, merged.labels);
        prop_assert_eq!(again.live_as_of, merged.live_as_of);
        prop_assert_eq!(again.classes.len(), merged.classes.len());
        for (again, class) in again.classes.iter().zip(&merged.classes) {
            prop_assert_eq!((&again.name, again.allocated, &again.collected), (&class.name, class.allocated, &class.collected));
        }
    }
}

/// Deaths by class, of each part: after, width, objects, living.
type Deaths = std::collections::BTreeMap<u32, Vec<(u64, u64, u64, u64)>>;

/// What a stream makes of some parts, each of whose classes has ids of its own.
fn stream(parts: &[(usize, &Deaths)]) -> Profile {
    let run =
        RunInfo { tracking: Tracking::EveryObject, lifetimes: true, stacks: true, ..RunInfo::default() };
    let buckets = run.buckets.len();
    let mut builder = ProfileBuilder::new();
    let mut apply = |update| builder.apply(update).expect("fits");
    apply(Update::Start(Box::new(run)));
    let (mut progress, mut live) =
        (Progress { duration_ms: 1_000, gcs: 3, ..Progress::default() }, LiveCounts::default());
    (live.as_of_ms, progress.trust.accounted_bytes) = (Some(900), 77);
    let mut histograms = LifetimeHistograms::default();
    for (part, classes) in parts {
        for (class, deaths) in *classes {
            let number = *part as u32 * 16 + class;
            let (id, frame, site) = (ClassId(number), FrameId(number), SiteId(number));
            apply(Update::Class { id, name: format!("a.C{class}") });
            apply(Update::Frame {
                id: frame,
                frame: Frame {
                    class: "a.Main".into(),
                    method: format!("m{class}").into(),
                    ..Frame::default()
                },
            });
            apply(Update::Site { id: site, class: id, stack: vec![frame] });
            let (mut counts, mut known, mut collected) =
                (Tally::default(), Lifetimes::default(), vec![Tally::default(); buckets]);
            let (mut lives, mut living) = (SiteLifetimes::default(), Tally::default());
            for &(after, width, dead, alive) in deaths {
                counts.add(Tally::of(dead + alive, 16));
                living.add(Tally::of(alive, 16));
                collected[after as usize % buckets].add(Tally::of(dead, 16));
                known.ms.record_deaths(after, after + width, dead);
                known.ms.record_living(after, alive);
                lives.ms.record_dead(
                    after,
                    after + width,
                    Load::held(Tally::of(dead, 16), (after, after + width)),
                );
            }
            let tracked =
                LifetimeCounts { live: living, collected: collected.clone(), lifetimes: known.clone() };
            progress.classes.push(ClassCounts { id, allocated: counts, lifetimes: Some(tracked) });
            progress.sites.push(SiteCounts {
                id: site,
                allocated: counts,
                live: Some(living),
                collected,
                byte_seconds: 2.0,
                error: 0.0,
            });
            live.classes.push((id, living));
            live.sites.push((site, living));
            histograms.classes.push((id, ByteAges { ms: known.ms, ..ByteAges::default() }));
            histograms.sites.push((site, lives));
        }
    }
    [
        Update::from(progress),
        Update::from(Section::Live(live)),
        Update::from(Section::Lifetimes(Box::new(histograms))),
        Update::End,
    ]
    .into_iter()
    .for_each(apply);
    builder.profile()
}

fn class(name: &str, objects: u64, live: Option<u64>, dead: &[u64]) -> ClassProfile {
    ClassProfile {
        name: name.into(),
        allocated: Tally::of(objects, 16),
        live: live.map(|objects| Tally::of(objects, 16)),
        collected: dead.iter().map(|&objects| Tally::of(objects, 16)).collect(),
        ..ClassProfile::default()
    }
}

fn profile_of(bounds: &[u64], classes: Vec<ClassProfile>) -> Profile {
    let run = RunInfo {
        buckets: BucketBounds::new(bounds.to_vec()).expect("ascending"),
        tracking: Tracking::EveryObject,
        lifetimes: true,
        ..RunInfo::default()
    };
    Profile { run, classes, complete: true, ..Profile::default() }
}

#[test]
fn only_common_buckets_are_left_and_nobody_is_lost() {
    let a = profile_of(&[5, 15, 60], vec![class("a", 100, Some(10), &[40, 30, 15, 5])]);
    let b = profile_of(&[5, 20, 60], vec![class("a", 20, Some(0), &[1, 2, 3, 14])]);
    let dead = dead_of(&a) + dead_of(&b);
    let merged = a.clone().merge(b);
    assert_eq!(merged.run.buckets, BucketBounds::new(vec![5, 60]).expect("ascending"));
    assert_eq!(merged.classes, [class("a", 120, Some(10), &[41, 50, 19])]);
    assert_eq!(dead_of(&merged), dead);
    let none_common = merged.merge(profile_of(&[7], vec![class("a", 1, Some(0), &[1, 0])]));
    assert_eq!(none_common.run.buckets.ranges().collect::<Vec<_>>(), [(0, None)]);
    assert_eq!(none_common.classes, [class("a", 121, Some(10), &[111])]);
    assert_eq!(dead_of(&none_common), dead + 16);
}

#[test]
fn what_had_no_collection_is_not_judged_and_hides_nothing_of_the_others() {
    let collected = profile_of(&[5], vec![class("a", 3, Some(1), &[2, 0])]);
    let collected = Profile { live_as_of: LiveAsOf::Ms(700), ..collected };
    let mut short = profile_of(&[5], vec![class("a", 4, None, &[0, 0])]);
    short.classes[0].unjudged = Tally::of(4, 16);
    let short = Profile { live_as_of: LiveAsOf::NoCollection, ..short };
    let merged = collected.merge(short.clone());
    let row = &merged.classes[0];
    assert_eq!(
        (row.live, row.unjudged, merged.live_as_of),
        (Some(Tally::of(1, 16)), Tally::of(4, 16), LiveAsOf::Each)
    );
    let nothing_collected = short.clone().merge(short);
    let row = &nothing_collected.classes[0];
    assert_eq!(
        (row.live, row.unjudged, nothing_collected.live_as_of),
        (None, Tally::of(8, 16), LiveAsOf::NoCollection)
    );
}

#[test]
fn each_recording_stays_a_source_with_its_labels_and_totals() {
    let labelled = |host: &str, objects| {
        let labels = [("host".to_owned(), host.to_owned()), ("app".to_owned(), "shop".to_owned())].into();
        Profile { labels, ..profile_of(&[5], vec![class("a", objects, Some(1), &[2, 0])]) }
    };
    let merged = labelled("b", 3).merge(labelled("a", 4)).merge(labelled("c", 5));
    let sources: Vec<_> = merged
        .sources
        .iter()
        .map(|source| (source.labels["host"].as_str(), source.allocated.objects))
        .collect();
    assert_eq!(sources, [("a", 4), ("b", 3), ("c", 5)]);
    assert_eq!(merged.labels, [("app".to_owned(), "shop".to_owned())].into());
    assert!(!labelled("a", 4).is_merged() && merged.is_merged());
}

#[test]
fn what_one_did_not_follow_is_not_known_of_both() {
    let followed = profile_of(&[5], vec![class("a", 3, Some(1), &[2, 0]), class("b", 1, Some(1), &[0, 0])]);
    let unfollowed_class = profile_of(&[5], vec![class("a", 2, None, &[])]);
    let merged = followed.clone().merge(unfollowed_class);
    assert_eq!(merged.classes, [class("a", 5, None, &[]), class("b", 1, Some(1), &[0, 0])]);
    assert!(merged.run.lifetimes);
    let counted = Profile { classes: vec![class("a", 2, None, &[])], ..Profile::default() };
    let merged = followed.merge(counted);
    assert_eq!(merged.classes, [class("a", 5, None, &[]), class("b", 1, None, &[])]);
    assert_eq!((merged.run.lifetimes, merged.run.tracking, merged.complete), (false, Tracking::Off, false));
}
