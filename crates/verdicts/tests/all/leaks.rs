//! Leaks by growth over dumps, and by who survives.

use mayfly_profile::{ClassProfile, Fates, Frame, Lifetimes, Load, Profile, SiteProfile, Tally, Trust};
use mayfly_verdicts::leaks::{Growth, Keeper, Shape, Suspicion, growing, is_of_expiry, recorded};

fn growth(objects: &[u64], soft: &[u64]) -> Growth {
    Growth {
        objects: objects.to_vec(),
        bytes: objects.iter().map(|number| number * 1_000).collect(),
        soft: soft.to_vec(),
        heap_bytes: 10 << 20,
        expiry: None,
    }
}

#[track_caller]
fn reason(suspicion: &Suspicion, name: &str, word: &str) {
    assert_eq!(suspicion.name(), name, "{suspicion:?}");
    assert!(suspicion.reason().unwrap_or_default().contains(word), "{word} in {suspicion:?}");
}

#[test]
fn steady_growth_is_a_leak_and_all_else_says_why_it_is_none() {
    assert_eq!(growing(&growth(&[100, 200, 300, 400], &[0; 4])), Suspicion::Leak);
    // A loaded machine does not do the same in each interval.
    assert_eq!(growing(&growth(&[100, 300, 350, 420], &[0; 4])), Suspicion::Leak);
    for (objects, soft, name, word) in [
        (&[100, 200, 300, 300][..], &[0; 4][..], "harmless", "each dump"),
        (&[100, 300, 100, 400], &[0; 4], "harmless", "each dump"),
        (&[100, 101, 102, 103], &[0; 4], "harmless", "too little"),
        (&[100, 200, 250, 275], &[0; 4], "unsure", "ever more slowly"),
        (&[100, 200], &[0; 2], "unsure", "take 4 or more"),
        (&[100, 200, 300, 400], &[1, 100, 200, 300], "unsure", "softly"),
    ] {
        reason(&growing(&growth(objects, soft)), name, word);
    }
}

#[test]
fn what_has_a_field_for_its_expiry_is_no_leak_yet() {
    let expiry = |field: &str| is_of_expiry(field).then(|| field.to_owned());
    for field in ["expiredSessions", "byExpiration", "evictionLock", "lock_evict", "idleTTL", "ttlMillis"] {
        let growth = Growth { expiry: expiry(field), ..growth(&[100, 200, 300, 400], &[0; 4]) };
        reason(&growing(&growth), "unsure", field);
    }
    for field in ["sessions", "settled", "reviction", "table", ""] {
        assert_eq!(expiry(field), None);
    }
    // What is harmless anyway stays so.
    let full = Growth { expiry: expiry("expiry"), ..growth(&[100, 200, 200, 200], &[0; 4]) };
    reason(&growing(&full), "harmless", "each dump");
}

/// Of a hundred collections; `alive` says of each birth how long it lives.
fn shape(births: impl Iterator<Item = u64>, life: impl Fn(u64) -> u64) -> Shape {
    let (mut living, mut dead) = (Vec::new(), Vec::new());
    for birth in births {
        let life = life(birth);
        if birth + life > 100 { living.push((100 - birth, 10)) } else { dead.push((life - 1, 10)) }
    }
    Shape::of(100.0, living.into_iter(), dead.into_iter())
}

#[test]
fn survivors_of_every_age_are_a_leak_and_others_are_not() {
    let forever = |_: u64| 1_000;
    assert_eq!(shape(0..100, forever).suspicion(1.0), Suspicion::Leak);
    // One in ten stays.
    assert_eq!(
        shape(0..100, |birth| if birth % 10 == 0 { 1_000 } else { 3 }).suspicion(1.0),
        Suspicion::Leak
    );
    let harmless = [
        ("a constant table", shape(0..5, forever)),
        ("a cache that is full since the middle", shape(0..50, forever)),
        ("sessions", shape(0..100, |_| 20)),
        ("an LRU cache of a third of the time", shape(0..100, |_| 33)),
        ("a batch each 30", shape(0..100, |birth| 30 - birth % 30)),
    ];
    for (what, shape) in harmless {
        assert_eq!(shape.suspicion(1.0).name(), "harmless", "{what}: {shape:?}");
    }
    // Of those that got old most die, of the others it is not known yet.
    let mortal = shape(0..100, |birth| if birth < 45 { 52 } else { 1_000 });
    assert_ne!(mortal.suspicion(1.0), Suspicion::Leak, "{mortal:?}");
    // Few objects that stand for many say little.
    assert_ne!(shape(0..100, forever).suspicion(1_000.0), Suspicion::Leak);
}

/// A site whose living objects were born in each hundredth of the time in `born`; all allocation is even.
fn site(method: &str, born: std::ops::Range<u64>) -> SiteProfile {
    let mut fates = Fates::default();
    for birth in born.clone() {
        let (load, age) = (Load { objects: 100, bytes: 10_000, byte_ms: (0, 0) }, 100 - birth);
        fates.bytes.record_living(age << 20, load);
        fates.ms.record_living(age * 100, load);
    }
    let objects = 100 * (born.end - born.start);
    let frame = Frame { class: "a.Main".into(), method: method.into(), file: None, line: None };
    SiteProfile {
        class: "a.Name".into(),
        stack: vec![frame].into(),
        allocated: Tally::of(objects, 100),
        live: Some(Tally::of(objects, 100)),
        fates: Some(fates.into()),
        ..SiteProfile::default()
    }
}

/// A run of a hundred collections in which one class stays, from these sites.
fn keepers(sites: Vec<SiteProfile>) -> Vec<Keeper> {
    let mut lifetimes = Lifetimes::default();
    for age in 0..100 {
        lifetimes.gcs.record_living(age, 100);
        lifetimes.bytes.record_living(age << 20, 100);
    }
    let mut profile = Profile { complete: true, gcs: 100, duration_ms: 10_000, sites, ..Profile::default() };
    (profile.run.lifetimes, profile.run.stacks) = (true, true);
    profile.trust = Trust { accounted_bytes: 1, jvm_allocated_bytes: Some(1), ..Trust::default() };
    let live = Some(Tally::of(10_000, 100));
    let class =
        ClassProfile { name: "a.Name".into(), live, lifetimes: Some(lifetimes), ..ClassProfile::default() };
    profile.classes = vec![class];
    recorded(&profile, 0.9).expect("judged")
}

#[test]
fn what_each_phase_of_a_program_keeps_is_no_leak_though_its_class_grows_all_the_time() {
    // As a compiler does: names by the parser, then by who writes files.
    let phases = keepers(vec![site("parse", 0..45), site("check", 45..70), site("write", 70..100)]);
    assert_eq!(phases, []);
    let leak = keepers(vec![site("keep", 0..100)]);
    assert_eq!(leak.iter().map(|one| one.method.as_deref()).collect::<Vec<_>>(), [Some("a.Main.keep")]);
}
