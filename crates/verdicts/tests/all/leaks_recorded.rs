//! Leaks in recordings, by who survives.

use mayfly_profile::{
    ClassProfile, Collection, Estimate, Flag, FlagValue, Frame, Gc, GcKind, GenerationUse, Lifetimes, Load,
    Point, Profile, Share, SiteLifetimes, SiteProfile, Tally, Tracking, Trust,
};
use mayfly_verdicts::leaks::{Keeper, Recorded, Suspicion, recorded};

/// Of so many seconds.
const SECONDS: u64 = 100;

/// A site of a method's line whose objects of `size` bytes are born one by one at each of `births` seconds, and live for as long as
/// `life` says; one in `thinned` of them is sampled, and stands for the others.
fn site(
    (class, method, line): (&str, &str, u32),
    (size, thinned): (u64, u64),
    births: impl Iterator<Item = u64>,
    life: impl Fn(u64) -> u64,
) -> SiteProfile {
    let mut lifetimes = SiteLifetimes::default();
    let (mut live, mut all) = (0, 0);
    for birth in births {
        let load = Load { objects: thinned, bytes: thinned * size, byte_ms: (0, 0) };
        let (age, life) = (SECONDS - birth, life(birth));
        all += thinned;
        if life >= age {
            live += thinned;
            lifetimes.ms.record_living(age * 1_000, load);
            lifetimes.bytes.record_living(age << 20, load);
        } else {
            lifetimes.ms.record_dead(life * 1_000, life * 1_000 + 500, load);
            lifetimes.bytes.record_dead(life << 20, (life << 20) + (1 << 19), load);
        }
    }
    let frame = |class: &str, method: &str, line| Frame {
        class: class.into(),
        method: method.into(),
        file: None,
        line: Some(line),
    };
    SiteProfile {
        class: class.into(),
        stack: vec![
            frame("java.util.Map", "put", 7),
            frame("a.Main", method, line),
            frame("a.Main", "main", 1),
        ]
        .into(),
        allocated: Tally::of(all, size),
        live: Some(Tally::of(live, size)),
        lifetimes: Some(lifetimes.into()),
        ..SiteProfile::default()
    }
}

/// What a recording with these sites tells, in which some class was there from the start.
fn told(tracking: Tracking, sites: Vec<SiteProfile>) -> Recorded {
    told_of(&mut profile(tracking, sites))
}

fn profile(tracking: Tracking, mut sites: Vec<SiteProfile>) -> Profile {
    let mut lifetimes = Lifetimes::default();
    lifetimes.ms.record_living(SECONDS * 1_000, 1);
    lifetimes.bytes.record_living(SECONDS << 20, 1);
    let live = Some(Tally::of(1, 100));
    let class = |site: &SiteProfile| ClassProfile {
        name: site.class.clone(),
        live: site.live,
        ..ClassProfile::default()
    };
    let mut classes: Vec<_> = sites.iter().map(class).collect();
    classes.push(ClassProfile {
        name: "a.Main".into(),
        live,
        lifetimes: Some(lifetimes),
        ..ClassProfile::default()
    });
    sites.push(site(("a.Main", "main", 1), (100, 1), 0..1, |_| 1_000));
    let duration_ms = SECONDS * 1_000;
    let mut profile = Profile { complete: true, gcs: 100, duration_ms, sites, classes, ..Profile::default() };
    (profile.run.lifetimes, profile.run.stacks, profile.run.tracking) = (true, true, tracking);
    profile
}

fn told_of(profile: &mut Profile) -> Recorded {
    profile.trust = Trust { accounted_bytes: 1, jvm_allocated_bytes: Some(1), ..Trust::default() };
    recorded(profile, 0.9).expect("judged")
}

fn keepers(sites: Vec<SiteProfile>) -> Vec<Keeper> {
    told(Tracking::EveryObject, sites).keepers
}

fn names(keepers: &[Keeper]) -> Vec<(&str, &str)> {
    keepers.iter().map(|of| (of.method.as_deref().unwrap_or_default(), of.suspicion.name())).collect()
}

/// Of 100 entries, one made each second, one had its stack taken (`AuditEntry`, on a machine that was busy).
#[test]
fn a_class_that_grows_is_named_where_too_few_stacks_were_taken() {
    let found = |error: f64, in_a_second: u64, size: u64| {
        let site = SiteProfile { error, ..site(("a.Entry", "record", 3), SIZE, 0..1, FOREVER) };
        let mut profile = profile(Tracking::EveryObject, vec![site]);
        let mut lifetimes = Lifetimes::default();
        for age in 1..=SECONDS {
            lifetimes.ms.record_living(age * 1_000, in_a_second);
            lifetimes.bytes.record_living(age << 20, in_a_second);
        }
        let live = Tally::of(SECONDS * in_a_second, size);
        let class = &mut profile.classes[0];
        (class.allocated, class.live, class.lifetimes) = (live, Some(live), Some(lifetimes));
        (profile.sites[0].allocated, profile.sites[0].live) = (live, Some(live));
        told_of(&mut profile)
    };
    let few = found(0.6, 1, SIZE.0);
    assert_eq!(
        few.keepers.iter().map(|of| (&*of.class, of.suspicion.name())).collect::<Vec<_>>(),
        [("a.Entry", "leak")]
    );
    assert_eq!(few.keepers[0].method.as_deref(), Some("a.Main.record:3"), "nothing else makes any");
    assert!(few.floor > 10.0 * found(0.0, 1, SIZE.0).floor, "{} B/s would have been seen", few.floor);
    // Listeners of 24 bytes, each with a buffer that is of another class.
    assert_eq!(found(0.6, 5, 24).keepers.len(), 1, "small, but many");
    assert_eq!(found(0.6, 1, 24).keepers.len(), 0, "2.4 KB in all");
}

const FOREVER: fn(u64) -> u64 = |_| 1_000;
/// Objects large enough to be spoken of.
const SIZE: (u64, u64) = (4_000, 1);

#[test]
fn survivors_of_every_age_are_a_leak_and_others_are_not() {
    let one = |births: std::ops::Range<u64>, life: fn(u64) -> u64| {
        keepers(vec![site(("a.Name", "keep", 3), SIZE, births, life)])
    };
    assert_eq!(names(&one(0..100, FOREVER)), [("a.Main.keep:3", "leak")]);
    // One in five stays.
    assert_eq!(
        names(&one(0..100, |birth| if birth % 5 == 0 { 1_000 } else { 3 })),
        [("a.Main.keep:3", "leak")]
    );
    // It stops only now and then.
    let pauses =
        keepers(vec![site(("a.Name", "keep", 3), SIZE, (0..100).filter(|birth| birth % 20 < 12), FOREVER)]);
    assert_eq!(names(&pauses), [("a.Main.keep:3", "leak")]);
    let harmless: [(&str, Vec<Keeper>); 6] = [
        ("a constant table", one(0..5, FOREVER)),
        ("a cache that is full since the middle", one(0..50, FOREVER)),
        ("sessions", one(0..100, |_| 20)),
        ("an LRU cache of a third of the time", one(0..100, |_| 33)),
        ("a batch each 30", one(0..100, |birth| 30 - birth % 30)),
        ("garbage", one(0..100, |_| 1)),
    ];
    for (what, keepers) in harmless {
        assert_eq!(names(&keepers), [], "{what}");
    }
    // Of those that got old most die, of the others it is not known yet.
    let mortal = one(0..100, |birth| if birth < 45 { 52 } else { 1_000 });
    assert!(mortal.iter().all(|keeper| keeper.suspicion != Suspicion::Leak), "{mortal:?}");
}

/// Clients left after 60 seconds of 100; since then the program allocates a quarter of what it did.
#[test]
fn what_grew_until_clients_left_may_leak() {
    let one = |births: std::ops::Range<u64>, life: fn(u64) -> u64| {
        let mut profile =
            profile(Tracking::EveryObject, vec![site(("a.Session", "keep", 3), SIZE, births, life)]);
        let second = |at| Point {
            span_ms: 1_000,
            allocated: if at < 60 { 4 << 20 } else { 1 << 20 },
            ..Point::default()
        };
        profile.history = (0..SECONDS).map(second).collect();
        told_of(&mut profile).keepers
    };
    let found = one(0..60, FOREVER);
    assert_eq!(names(&found), [("a.Main.keep:3", "unsure")]);
    let until = found[0].until_ms.expect("it stopped");
    assert!(
        (59_000..63_000).contains(&until) && (3_500.0..4_500.0).contains(&found[0].bytes_per_s),
        "{found:?}"
    );
    let goes_on = one(0..100, FOREVER);
    assert_eq!((names(&goes_on), goes_on[0].until_ms), (vec![("a.Main.keep:3", "leak")], None));
    assert_eq!(names(&one(0..30, FOREVER)), [], "a table that was full while they came");
    assert_eq!(names(&one(0..60, |_| 20)), [], "sessions that expire");
}

/// "No leak was found", below "the heap is full": nothing came in the last seconds, as collections took the time.
#[test]
fn what_filled_the_heap_leaks_though_nothing_is_added_since() {
    let used = |after, capacity| Some(GenerationUse { before: None, after, capacity: Some(capacity) });
    let found = |pause_ms: u64| {
        let sites = vec![site(("a.Session", "keep", 3), SIZE, 0..80, FOREVER)];
        let mut profile = profile(Tracking::EveryObject, sites);
        let second = |_| Point { span_ms: 1_000, allocated: 1 << 20, ..Point::default() };
        profile.history = (0..SECONDS).map(second).collect();
        let collection = |at: u64| Collection {
            number: at as u32,
            kind: GcKind::Full,
            at_ms: at * 1_000,
            pause_us: pause_ms * 1_000,
            old: used(at.min(78) * SIZE.0, 80 * SIZE.0),
            young: used(0, 20 * SIZE.0),
            ..Collection::default()
        };
        profile.collections = (0..SECONDS).map(collection).collect();
        let limit = Flag { name: "MaxHeapSize".to_owned(), value: FlagValue::Number(100 * SIZE.0) };
        profile.flags = vec![limit];
        profile.run.jvm.gc = Gc::Serial;
        told_of(&mut profile).keepers
    };
    let leak = found(400);
    assert_eq!(names(&leak), [("a.Main.keep:3", "leak")]);
    let until = leak[0].until_ms.expect("it stopped");
    assert!((74_000..76_000).contains(&until), "{leak:?}");
    assert_eq!(names(&found(20)), [], "the program has the room that it needs");
}

/// What work at hand holds for some seconds: all that is alive is young, and as many as are alive died before, as young.
#[test]
fn work_at_hand_is_no_leak_however_much_more_there_is_of_it_lately() {
    let ten_each = |from: u64, life: fn(u64) -> u64| {
        let births = (from..100).flat_map(|second| std::iter::repeat_n(second, 10));
        keepers(vec![site(("a.Block", "hash", 3), SIZE, births, life)])
    };
    assert_eq!(names(&ten_each(50, |_| 3)), []);
    assert_eq!(names(&ten_each(97, FOREVER)), [("a.Main.hash:3", "unsure")], "it began lately");
}

#[test]
fn what_each_phase_of_a_program_keeps_is_no_leak_though_its_class_grows_all_the_time() {
    // As a compiler does: names by the parser, then by who writes files.
    let of = |method, line, births| site(("a.Name", method, line), SIZE, births, FOREVER);
    let phases = keepers(vec![of("parse", 3, 0..45), of("check", 5, 45..70), of("write", 7, 70..100)]);
    assert!(phases.iter().all(|keeper| keeper.suspicion != Suspicion::Leak), "{phases:?}");
    // What began in the second half may be a leak, too.
    assert_eq!(names(&phases), [("a.Main.write:7", "unsure")]);
}

#[test]
fn classes_of_one_line_are_one_leak_however_much_garbage_of_them_is_made_elsewhere() {
    // Three samples each, four times what a rule by class would need; beside them a busy line.
    let every = |nth: u64, from: u64| (from..100).step_by(nth as usize);
    let kept = |class, from| site((class, "keep", 3), (16_000, 1), every(20, from), FOREVER);
    let garbage = |class| site((class, "work", 9), (16_000, 1), (0..100).chain(0..100), |_| 0);
    let sites = vec![
        kept("[B", 1),
        kept("java.lang.String", 6),
        kept("a.Node", 11),
        garbage("[B"),
        garbage("a.Node"),
    ];
    let found = keepers(sites);
    assert_eq!(names(&found), [("a.Main.keep:3", "leak")]);
    let parts: u64 = found[0].kept.iter().map(|kept| kept.live.objects).sum();
    assert_eq!((found[0].live.objects, parts), (15, 15));
    for kept in &found[0].kept {
        assert_eq!(kept.born.iter().sum::<u64>(), kept.live.objects, "sums add up");
    }
}

#[test]
fn lines_of_a_method_are_one_leak_where_none_has_enough_alone() {
    let kept =
        |line: u32| site(("a.Name", "keep", line), (16_000, 1), (u64::from(line)..100).step_by(25), FOREVER);
    assert_eq!(names(&keepers((1..=4).map(kept).collect())), [("a.Main.keep", "leak")]);
}

#[test]
fn too_few_samples_tell_nothing_and_say_what_they_could_not_see() {
    const INTERVAL: u64 = 512 << 10;
    let tracking = Tracking::ByteSample(INTERVAL);
    let stands_for = (1.0 / Estimate::probability(1_000, INTERVAL)) as u64;
    let of = |step: usize| {
        let births = (3..100).step_by(step);
        told(tracking, vec![site(("a.Name", "keep", 3), (1_000, stands_for), births, FOREVER)])
    };
    assert_eq!(names(&of(4).keepers), [("a.Main.keep:3", "leak")]);
    let few = of(20);
    assert_eq!(names(&few.keepers), [("a.Main.keep:3", "unsure")]);
    assert!(
        few.keepers[0].suspicion.reason().is_some_and(|why| why.contains("to decide, record for some ")),
        "{few:?}"
    );
    let none = of(90);
    assert_eq!(names(&none.keepers), []);
    // Sixteen samples in a hundred seconds.
    assert!((none.floor / (16.0 * INTERVAL as f64 / 100.0) - 1.0).abs() < 0.02, "{none:?}");
    assert!(!none.floor_is_small);
}

#[test]
fn growth_that_would_have_been_seen_is_none() {
    let table = site(("a.Name", "keep", 3), (100, 10_000_000), 0..1, FOREVER);
    let told = told(Tracking::EveryObject, vec![table]);
    assert_eq!(names(&told.keepers), []);
    assert!(told.floor_is_small, "{told:?}");
}

#[test]
fn as_many_soft_references_are_a_doubt() {
    let kept = |class| site((class, "keep", 3), SIZE, 0..100, FOREVER);
    let found = keepers(vec![kept("a.Page"), kept("a.SoftEntry")]);
    assert_eq!(names(&found), [("a.Main.keep:3", "unsure")]);
    // A map's node, the key and its array, the reference, and a value of three objects.
    let entry = ["a.Node", "java.lang.String", "[B", "java.lang.ref.SoftReference", "a.Page", "[I", "[J"];
    assert_eq!(names(&keepers(entry.map(kept).to_vec())), [("a.Main.keep:3", "unsure")]);
    let few = site(("a.SoftEntry", "keep", 3), SIZE, (0..100).step_by(20), FOREVER);
    let found = keepers(vec![kept("a.Page"), kept("a.Node"), few]);
    assert_eq!(names(&found), [("a.Main.keep:3", "leak")], "what is seldom held softly leaks");
}

#[test]
fn what_comes_at_once_may_be_a_pool_that_was_enlarged() {
    let enlarged = (0..75).step_by(5).chain(std::iter::repeat_n(90, 20));
    let found = keepers(vec![site(("a.Buffer", "borrow", 3), SIZE, enlarged, FOREVER)]);
    assert_eq!(names(&found), [("a.Main.borrow:3", "unsure")]);
    let Suspicion::Unsure(doubts) = &found[0].suspicion else { panic!("{found:?}") };
    assert!(format!("{doubts:?}").contains("came at once"), "{doubts:?}");
}

/// A program that allocates little, and lately mostly in one go: by bytes, many births fall together.
#[test]
fn what_comes_at_an_even_pace_on_one_clock_does_not_come_at_once() {
    let mut leak = site(("a.Buffer", "keep", 3), SIZE, 0..100, FOREVER);
    let enlarged = (0..75).step_by(5).chain(std::iter::repeat_n(90, 85));
    let by_bytes = site(("a.Buffer", "keep", 3), SIZE, enlarged, FOREVER);
    leak.lifetimes.as_mut().expect("followed").bytes = by_bytes.lifetimes.expect("followed").bytes;
    assert_eq!(names(&keepers(vec![leak])), [("a.Main.keep:3", "leak")]);
}

#[test]
fn a_leak_is_told_from_what_the_same_method_made_once() {
    let made_by = |class: &str, births: std::ops::Range<u64>, size| {
        let mut site = site((class, "main", 3), size, births, FOREVER);
        let constructor = Frame { class: class.into(), method: "<init>".into(), file: None, line: None };
        site.stack =
            std::iter::once(constructor).chain(site.stack.iter().cloned()).collect::<Vec<_>>().into();
        site
    };
    let found = keepers(vec![made_by("a.Table", 0..1, (4_000_000, 1)), made_by("a.Session", 0..100, SIZE)]);
    assert_eq!(names(&found), [("a.Main.main:3", "leak")]);
    assert_eq!((found[0].class.as_str(), found[0].live.objects), ("a.Session", 100));
}

/// Under `--scope` each entry was followed and one in sixteen of the arrays in them: the leak was said to be a thirtieth of what it is, "+-19 %".
#[test]
fn what_constructors_make_of_a_leak_counts_though_few_of_its_class_were_followed() {
    let constructor = Frame { class: "a.Entry".into(), method: "<init>".into(), file: None, line: Some(9) };
    let mut arrays = site(("[B", "keep", 3), (4_000, 16), (3..100).step_by(16), FOREVER);
    arrays.stack =
        std::iter::once(constructor).chain(arrays.stack.iter().cloned()).collect::<Vec<_>>().into();
    let mut profile =
        profile(Tracking::Balanced, vec![site(("a.Entry", "keep", 3), (400, 1), 0..100, FOREVER), arrays]);
    let mut share = Share::default();
    (0..7).for_each(|_| share.record(16, Some(16)));
    profile.shares.insert("[B".into(), share);
    let class = profile.classes.iter_mut().find(|class| class.name == "[B").expect("there");
    class.allocated = Tally::of(7 * 16, 4_000);
    let found = told_of(&mut profile).keepers;
    assert_eq!(names(&found), [("a.Main.keep:3", "leak")]);
    assert_eq!((found[0].class.as_str(), found[0].live.bytes), ("a.Entry", 100 * 400 + 7 * 16 * 4_000));
    assert!((0.3..0.7).contains(&found[0].error), "seven samples: {}", found[0].error);
}

#[test]
fn a_leak_is_its_makers_and_not_its_constructors() {
    let mut leak = site(("a.Name", "keep", 3), SIZE, 0..100, FOREVER);
    let constructor = Frame { class: "a.Name".into(), method: "<init>".into(), file: None, line: Some(1) };
    leak.stack = std::iter::once(constructor).chain(leak.stack.iter().cloned()).collect::<Vec<_>>().into();
    assert_eq!(names(&keepers(vec![leak])), [("a.Main.keep:3", "leak")]);
}

/// Under a line of `a.Main.log`.
fn by_way_of(mut site: SiteProfile, line: u32) -> SiteProfile {
    let log = Frame { class: "a.Main".into(), method: "log".into(), file: None, line: Some(line) };
    let mut frames: Vec<_> = site.stack.iter().cloned().collect();
    frames.insert(2, log);
    site.stack = frames.into();
    site
}

#[test]
fn a_builder_and_the_line_that_calls_it_make_one_leak() {
    let entry = |line| by_way_of(site(("a.Entry", "build", 3), SIZE, 0..100, FOREVER), line);
    let texts = || site(("[B", "log", 12), (16_000, 1), 0..100, FOREVER);
    let found = keepers(vec![entry(12), texts()]);
    assert_eq!(names(&found), [("a.Main.log:12", "leak")]);
    assert_eq!((found[0].class.as_str(), found[0].live.objects), ("a.Entry", 200));
    // Another line of the same method only calls.
    assert_eq!(keepers(vec![entry(13), texts()]).len(), 2);
    // So does one that hardly keeps anything.
    let few = site(("[B", "log", 12), (300, 1), 0..100, FOREVER);
    assert_eq!(
        names(&keepers(vec![entry(12), few])),
        [("a.Main.build:3", "leak"), ("a.Main.log:12", "leak")]
    );
}

#[test]
fn a_leak_is_called_by_the_programs_own_class() {
    let of = |class| site((class, "keep", 3), SIZE, 0..100, FOREVER);
    let small = |class| site((class, "keep", 3), (24, 1), 0..100, FOREVER);
    let called = |sites| keepers(sites)[0].class.clone();
    assert_eq!(called(vec![of("[B"), small("a.Visit"), small("a.Main$$Lambda/0x1")]), "a.Visit");
    // What there is once holds the others, and is not what becomes more.
    let once = site(("a.Registry", "keep", 3), (64_000, 1), 0..1, FOREVER);
    assert_eq!(called(vec![of("[B"), small("a.Visit"), once]), "a.Visit");
    assert_eq!(called(vec![of("[B"), small("java.lang.String")]), "[B");
}

/// Full collections are rare: those that died may have been old, and none is known to have been.
#[test]
fn what_died_nobody_knows_when_is_not_said_to_have_died_old() {
    let mut backlog = site(("a.Mail", "send", 3), SIZE, 35..100, FOREVER);
    let load = Load { objects: 35, bytes: 35 * 4_000, byte_ms: (0, 0) };
    let lifetimes = backlog.lifetimes.as_mut().expect("made so");
    lifetimes.ms.record_dead(1_000, 95_000, load);
    lifetimes.bytes.record_dead(1 << 20, 95 << 20, load);
    let found = keepers(vec![backlog]);
    assert_eq!(names(&found), [("a.Main.send:3", "unsure")]);
    let why = found[0].suspicion.reason().expect("said");
    assert!(why.contains("nobody saw when") && found[0].kept[0].died_old == 0, "{why}: {found:?}");
}

/// From one second to another, and how long those of a moment live.
type Made = (u64, u64, fn(u64) -> u64);

/// Made by libraries, each class in a place of its own, below a line of `a.Main`; the program is known.
fn below_one_line(parts: impl Iterator<Item = Made>) -> Vec<Keeper> {
    let part = |(nth, (from, to, life)): (usize, Made)| {
        let class = format!("org.lib.Part{nth}");
        let mut site = site((&class, "spawn", 76), (16_000, 1), (from..to).step_by(25), life);
        let library =
            Frame { class: class.as_str().into(), method: "make".into(), file: None, line: Some(9) };
        let mut frames: Vec<_> = site.stack.iter().cloned().collect();
        frames.insert(1, library);
        site.stack = frames.into();
        site
    };
    let mut profile = profile(Tracking::EveryObject, parts.enumerate().map(part).collect());
    profile.run.jvm.command = "a.Main 8080".to_owned();
    told_of(&mut profile).keepers
}

/// An actor that is started is a cell, a reference, a mailbox and a strategy: four samples of each.
#[test]
fn what_libraries_make_in_many_places_below_one_line_is_one_leak() {
    let found = below_one_line((0..5).map(|nth| (3 + 4 * nth, 100, FOREVER)));
    assert_eq!(names(&found), [("a.Main.spawn:76", "leak")]);
    assert_eq!(found[0].live.objects, 20, "all of it, and no part beside it");
    // Tables that are filled once, and work at hand beside them.
    let table = |nth: u64| (nth, 45, FOREVER);
    let at_hand = |nth: u64| (nth, 100, (|_| 20) as fn(u64) -> u64);
    let both = below_one_line((0..8).map(table).chain((3..11).map(at_hand)));
    assert!(both.iter().all(|keeper| keeper.suspicion != Suspicion::Leak), "{both:?}");
    // What a server makes as it starts, some a little later, and what is read lately.
    let started = |nth: u64| (nth % 10, if nth.is_multiple_of(3) { 55 } else { 30 }, FOREVER);
    let lately = |nth: u64| (55 + nth, 100, FOREVER);
    let both = below_one_line((0..12).map(started).chain((0..6).map(lately)));
    assert!(both.iter().all(|keeper| keeper.suspicion != Suspicion::Leak), "{both:?}");
}

/// A memo of curves by references of a class of its own, `CurveRef extends SoftReference`, was "1 leak".
#[test]
fn what_references_of_a_class_of_the_programs_hold_softly_is_a_doubt() {
    let kept = |class| site((class, "curve", 8), SIZE, 0..100, FOREVER);
    let sites = || vec![kept("[D"), kept("a.Curve"), kept("a.CurveRef")];
    assert_eq!(names(&keepers(sites())), [("a.Main.curve:8", "leak")]);
    let mut profile = profile(Tracking::EveryObject, sites());
    profile.soft_classes.insert("a.CurveRef".to_owned());
    let found = told_of(&mut profile).keepers;
    assert_eq!(names(&found), [("a.Main.curve:8", "unsure")]);
    assert!(found[0].suspicion.reason().expect("said").contains("soft references"), "{found:?}");
}

/// An `ArrayDeque` of the last twelve seconds, whose array is as old as the program, "may leak".
#[test]
fn the_array_of_a_queue_does_not_make_what_is_in_it_old() {
    let few = (0..100).step_by(2);
    let observed = site(("a.Observation", "observe", 6), (4_000, 1), few, |_| 12);
    let array = site(("[Ljava.lang.Object;", "observe", 6), (18_000, 1), 0..1, FOREVER);
    assert_eq!(names(&keepers(vec![observed, array])), []);
}
