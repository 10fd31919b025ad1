//! What a young generation promotes, for lives of known laws.

use mayfly_profile::{
    ByteAges, ClassProfile, Collection, Gc, GcKind, GenerationUse, Profile, Tally, Tenuring,
};
use mayfly_verdicts::advise::{Curve, Declined, Young, advise, predict};

const MIB: u64 = 1 << 20;
/// Allocated in all.
const ALL: u64 = 1000 * MIB;

/// A quarter of all bytes live for about so many, which `lives` says of shares; the others die at once.
fn profile(gc: Gc, lives: impl Fn(f64) -> u64) -> Profile {
    let mut kept = ByteAges::default();
    for at in 0..1000 {
        let life = lives((f64::from(at) + 0.5) / 1000.0);
        kept.bytes.record_deaths(life - life / 50, life, ALL / 4 / 1000);
    }
    let mut garbage = ByteAges::default();
    garbage.bytes.record_deaths(0, 1000, ALL / 4 * 3);
    let class = |name: &str, bytes: u64, ages| ClassProfile {
        name: name.to_owned(),
        allocated: Tally::of(bytes / 1000, 1000),
        byte_ages: Some(ages),
        ..ClassProfile::default()
    };
    let mut profile = Profile { complete: true, ..Profile::default() };
    profile.run.jvm.gc = gc;
    profile.classes = vec![class("a.Kept", ALL / 4, kept), class("a.Garbage", ALL / 4 * 3, garbage)];
    profile
}

fn roomy(eden: u64, threshold: u8) -> Young {
    Young { size: 3 * eden, eden, survivor: eden, desired: eden / 2, threshold }
}

/// Ages are kept in steps of 6.25 %, which near the end of an eden are more of what survives.
#[track_caller]
fn about(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 0.15 * expected + 2e6, "{value:e}, expected {expected:e}");
}

#[test]
fn what_lives_for_so_long_outlives_two_edens_and_most_of_a_third() {
    let profile = profile(Gc::Serial, |_| 23 * MIB / 2);
    let curve = Curve::of(&profile).expect("ages");
    let promoted = |young| predict(&curve, young).promoted.1;
    // Of an eden's 1 MiB that is kept all survive two collections, and seven eighths of it the third.
    about(promoted(roomy(4 * MIB, 0)), ALL as f64 / 4.0);
    about(promoted(roomy(4 * MIB, 1)), ALL as f64 / 4.0);
    about(promoted(roomy(4 * MIB, 2)), ALL as f64 / 4.0 * 0.875);
    about(promoted(roomy(4 * MIB, 3)), 0.0);
    about(promoted(roomy(4 * MIB, 15)), 0.0);
    // Half a MiB is desired, and more survives the first collection: the threshold falls to one.
    let tight = Young { survivor: 2 * MIB, desired: MIB / 2, ..roomy(4 * MIB, 15) };
    let prediction = predict(&curve, tight);
    about(prediction.promoted.1, ALL as f64 / 4.0);
    assert!((prediction.threshold - 1.0).abs() < 0.1, "{prediction:?}");
    // No room: what does not fit is promoted at once.
    about(promoted(Young { survivor: MIB / 4, desired: MIB / 4, ..roomy(4 * MIB, 15) }), ALL as f64 / 4.0);
}

/// A class of which three quarters of the bytes die at once and the others live exponentially, 16 MiB on average, as collections see it that
/// come each 6.5 MiB. Births are stamped by a clock that stands still for 256 KiB and is as much late.
fn looked_at_by_collections() -> Profile {
    const BETWEEN: u64 = 13 * MIB / 2;
    const STEP: u64 = 256 << 10;
    let mut ages = ByteAges::default();
    let mut random = 42_u64;
    for object in 0..ALL / 1000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = ((random >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let born = object * 1000;
        let life = if object % 4 == 0 { (-share.ln() * 16.0 * MIB as f64) as u64 } else { 0 };
        let stamp = (born / STEP * STEP).saturating_sub(STEP);
        let gone = (born + life + 1).next_multiple_of(BETWEEN);
        let seen = (gone - BETWEEN).saturating_sub(stamp);
        if gone > ALL {
            ages.bytes.record_living(seen, 1000);
        } else {
            let seen = if gone - BETWEEN > born { seen } else { 0 };
            ages.bytes.record_deaths(seen, gone - stamp, 1000);
        }
    }
    let class = ClassProfile {
        name: "[B".to_owned(),
        allocated: Tally::of(ALL / 1000, 1000),
        byte_ages: Some(ages),
        ..ClassProfile::default()
    };
    let mut profile = Profile { complete: true, classes: vec![class], ..Profile::default() };
    profile.run.jvm.gc = Gc::Serial;
    profile
}

/// Of the quarter 0.818 of an eden's bytes survive their first collection and 0.545 the second; the threshold falls to one; the survivor space
/// holds 0.75 MiB of the first, and of these two thirds are promoted at the second.
#[test]
fn what_is_born_within_a_step_of_the_clock_does_not_seem_to_live_on() {
    let curve = Curve::of(&looked_at_by_collections()).expect("ages");
    let young = Young::serial(8 * MIB, 8, 15);
    let (eden, survivor) = (6.5 / 16.0, 0.75);
    let first = 4.0 * (1.0 - f64::exp(-eden));
    let second = first * f64::exp(-eden);
    let promoted = (first - survivor) + survivor / first * second;
    let predicted = predict(&curve, young).promoted.1 / MIB as f64;
    let expected = promoted * ALL as f64 / young.eden as f64;
    assert!((predicted / expected - 1.0).abs() < 0.1, "{predicted} MiB, by hand {expected}");
}

/// A collection of the whole heap after so many bytes, and a young one 10 MiB later that keeps so many.
fn looked_at(bytes: u64, number: u32, kept: u64) -> [Collection; 2] {
    let generation = |before, after| Some(GenerationUse { before: Some(before), after, capacity: None });
    let full =
        Collection { number, bytes, kind: GcKind::Full, young: generation(MIB, 0), ..Collection::default() };
    let young = Collection {
        number: number + 1,
        bytes: bytes + 10 * MIB,
        kind: GcKind::Young,
        young: generation(10 * MIB, kept),
        old: generation(MIB, MIB),
        tenuring: Some(Tenuring { age_bytes: vec![kept], ..Tenuring::default() }),
        ..Collection::default()
    };
    [full, young]
}

/// A quarter lives on. In the first half twice as much survives, as what is dead keeps it; in the second half as it lives.
#[test]
fn what_survives_and_when_is_told_by_collections() {
    let mut profile = profile(Gc::Serial, |_| ALL);
    // Of 10 MiB two and a half live.
    let told = [(100, 20), (400, 20), (600, 10), (900, 10)];
    let looked_at = |(number, (at, quarters))| looked_at(at * MIB, number, quarters * MIB / 4);
    profile.collections = (0..).step_by(2).zip(told).flat_map(looked_at).collect();
    let curve = Curve::of(&profile).expect("ages");
    let predicted = predict(&curve, roomy(4 * MIB, 0));
    about(predicted.promoted.1, ALL as f64 / 4.0 * 1.5);
}

#[test]
fn the_smallest_young_generation_that_saves_most_is_suggested() {
    let profile = profile(Gc::Serial, |share| (-(1.0 - share).ln() * 16.0 * MIB as f64) as u64 + 100);
    let present = Young::serial(8 * MIB, 8, 15);
    let advice = advise(&profile, present, 256 * MIB).expect("Serial");
    let suggested = advice.suggestion().expect("much is promoted");
    assert!([64, 128].contains(&(suggested.young.size / MIB)), "{suggested:?}");
    assert!(suggested.prediction.promoted.1 < 0.1 * advice.present.prediction.promoted.1);
    let (least, likely, most) = advice.present.prediction.promoted;
    assert!(least <= likely && likely <= most, "{least} {likely} {most}");
    // No more than there is room for.
    let little = advise(&profile, present, 16 * MIB).expect("Serial");
    assert!(little.others.iter().all(|tried| tried.young.size <= 16 * MIB));
}

#[test]
fn nothing_is_to_be_gained_where_all_dies_young_or_lives_for_good() {
    for lives in [10_000, ALL] {
        let advice = advise(&profile(Gc::Serial, |_| lives), Young::serial(8 * MIB, 8, 15), 256 * MIB);
        assert_eq!(advice.expect("Serial").suggestion(), None, "{lives}");
    }
}

#[test]
fn other_collectors_and_recordings_without_ages_are_declined() {
    let present = Young::serial(8 * MIB, 8, 15);
    for gc in [Gc::Parallel, Gc::Zgc, Gc::Shenandoah, Gc::Unknown] {
        let declined = advise(&profile(gc, |_| MIB), present, 256 * MIB);
        assert_eq!(declined, Err(Declined::Collector(gc.name())));
    }
    let mut blank = profile(Gc::G1, |_| MIB);
    blank.classes.iter_mut().for_each(|class| class.byte_ages = None);
    assert_eq!(advise(&blank, present, 256 * MIB), Err(Declined::NoAges));
}

#[test]
fn spaces_are_serials() {
    let young = Young::serial(8 * MIB, 8, 15);
    assert_eq!((young.survivor, young.eden), (768 << 10, 6656 << 10));
}
