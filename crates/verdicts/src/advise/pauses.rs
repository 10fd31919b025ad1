//! For how long a program would stand still with more room: from what its own collections did, on any collector with generations.
//!
//! A collection costs something whatever it finds, and something for each byte that it copies. Twice the room, half as many collections:
//! that is sure. How many bytes each then copies is not: at least as many as now, at most as many as are allocated between two.

use mayfly_profile::{Collection, GcCause, GcKind, GcWork, Profile};

/// Fewer collections tell nothing of the next ones.
const LEAST: usize = 8;
/// Those that copy much must copy so many times as much as those that copy little, to tell what copying costs.
const APART: f64 = 1.3;
/// HotSpot's largest number of collections in the young generation.
const AGES: f64 = 15.0;
/// The part of a young generation that a survivor space has, by default.
const SURVIVORS: f64 = 8.0;
/// Collections of one cause are worth a flag of their own if they take this share of the time, or one of them so many microseconds.
pub(super) const WORTH: f64 = 0.01;
const LONG_US: u64 = 100_000;

/// Collections, and for how long the program stands still for them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// How many.
    pub collections: f64,
    /// In microseconds: at least, at most.
    pub pause_us: (f64, f64),
}

/// What young collections did, each on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct YoungWork {
    /// How many there were.
    pub collections: f64,
    /// For how long the program stood still for one, in microseconds.
    pub pause_us: f64,
    /// Of that what does not depend on how much is copied: at least, at most.
    fixed_us: (f64, f64),
    /// Bytes that stayed in the young generation.
    survivors: f64,
    /// Bytes that were promoted.
    promoted: f64,
}

impl YoungWork {
    /// Of the program's own young collections; `None` if there were too few, or they do not say what they copied.
    pub fn of(profile: &Profile) -> Option<Self> {
        let young = profile.own_collections().filter(|gc| gc.kind == GcKind::Young);
        let young: Vec<Copied> = young.map(Copied::of).collect::<Option<_>>()?;
        if young.len() < LEAST {
            return None;
        }
        let mean = |value: fn(&Copied) -> f64| young.iter().map(value).sum::<f64>() / young.len() as f64;
        Some(Self {
            collections: young.len() as f64,
            pause_us: mean(|one| one.pause_us),
            fixed_us: fixed(young.clone(), mean(|one| one.pause_us)),
            survivors: mean(|one| one.survivors),
            promoted: mean(|one| one.promoted),
        })
    }

    /// With a young generation so many times as large, of so many bytes then.
    pub fn with(&self, times: f64, size: u64) -> Cost {
        let now = (self.survivors + self.promoted).max(1.0);
        // What is promoted now may stay in the survivor space instead, and be copied again and again.
        let stays = (AGES * times * self.promoted).min(size as f64 / SURVIVORS);
        let most = (times * now).min(self.survivors + stays + times * self.promoted).max(now);
        let pause = |fixed: f64, copied: f64| fixed + (self.pause_us - fixed) * copied / now;
        let collections = self.collections / times;
        Cost {
            collections,
            pause_us: (collections * self.pause_us, collections * pause(self.fixed_us.0, most)),
        }
    }

    /// As it is.
    pub fn present(&self) -> Cost {
        let us = self.collections * self.pause_us;
        Cost { collections: self.collections, pause_us: (us, us) }
    }
}

/// What one collection did.
#[derive(Clone, Copy, Debug)]
struct Copied {
    pause_us: f64,
    survivors: f64,
    promoted: f64,
}

impl Copied {
    fn of(gc: &Collection) -> Option<Self> {
        Some(Self {
            pause_us: gc.pause_us as f64,
            survivors: gc.young?.after as f64,
            promoted: gc.promoted()? as f64,
        })
    }

    fn bytes(&self) -> f64 {
        self.survivors + self.promoted
    }
}

/// What a collection costs that copies nothing, at least and at most: by those that copied little and those that copied much.
fn fixed(mut young: Vec<Copied>, mean: f64) -> (f64, f64) {
    young.sort_by(|a, b| a.bytes().total_cmp(&b.bytes()));
    let (little, much) = young.split_at(young.len() / 2);
    let middle = |half: &[Copied], value: fn(&Copied) -> f64| {
        let mut values: Vec<_> = half.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let [(bytes, us), (more_bytes, more_us)] =
        [little, much].map(|half| (middle(half, Copied::bytes), middle(half, |one| one.pause_us)));
    if more_bytes < APART * bytes.max(1.0) {
        return (0.0, mean);
    }
    let per_byte = ((more_us - us) / (more_bytes - bytes)).max(0.0);
    let fixed = (us - per_byte * bytes).clamp(0.0, mean);
    (fixed, fixed)
}

/// Collections of some causes, if they cost enough for a flag of their own.
pub(super) fn worth(work: &GcWork, chosen: impl Fn(&GcCause) -> bool) -> Option<Cost> {
    let (count, us) = work.pauses_by(&chosen);
    let longest = work.causes.iter().filter(|cause| chosen(cause)).map(|cause| cause.longest_us).max()?;
    let share = us as f64 / 1_000.0 / (work.span_ms as f64).max(1.0);
    let is_worth = share >= WORTH || longest >= LONG_US;
    is_worth.then(|| Cost { collections: f64::from(count), pause_us: (us as f64, us as f64) })
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Gc, GenerationUse};

    use super::*;

    /// Half a millisecond each, and a millisecond for a MB copied.
    fn profile(copied: impl Fn(u64) -> u64, promoted: u64, number: u64) -> Profile {
        let gc = |at: u64| Collection {
            kind: GcKind::Young,
            pause_us: 500 + (copied(at) + promoted) / 1000,
            young: Some(GenerationUse {
                before: Some(4_000_000),
                after: copied(at),
                ..GenerationUse::default()
            }),
            old: Some(GenerationUse { before: Some(0), after: promoted, ..GenerationUse::default() }),
            ..Collection::default()
        };
        let mut profile = Profile { collections: (0..number).map(gc).collect(), ..Profile::default() };
        profile.run.jvm.gc = Gc::Serial;
        profile
    }

    #[test]
    fn twice_the_room_halves_what_each_collection_costs_whatever_it_finds() {
        // From 100 to 300 KB: 200 on average, so 0.5 and 0.2 ms.
        let work = YoungWork::of(&profile(|at| 100_000 + at % 21 * 10_000, 0, 210)).expect("enough");
        assert!((work.pause_us - 700.0).abs() < 5.0, "{work:?}");
        let double = work.with(2.0, 8 << 20);
        assert_eq!(double.collections, 105.0);
        let (least, most) = double.pause_us;
        // Each copies as much as now; as nothing is promoted, none copies more.
        assert!((least - 105.0 * 700.0).abs() < 600.0 && (most - least).abs() < 1_000.0, "{double:?}");
        assert_eq!(work.present().pause_us.0, 210.0 * work.pause_us);
    }

    #[test]
    fn what_is_promoted_may_be_copied_again_and_again_instead() {
        let work = YoungWork::of(&profile(|at| 100_000 + at % 21 * 10_000, 50_000, 210)).expect("enough");
        let (least, most) = work.with(4.0, 16 << 20).pause_us;
        assert!(most > 1.5 * least, "{least} to {most}");
        // But never more bytes than are copied now, all in all.
        let copying = 210.0 * (work.pause_us - 500.0);
        assert!(most <= 210.0 / 4.0 * 500.0 + copying * 1.05, "{most}");
    }

    #[test]
    fn where_all_copy_alike_nothing_tells_what_copying_costs() {
        let work = YoungWork::of(&profile(|_| 200_000, 100_000, 20)).expect("enough");
        let (least, most) = work.with(4.0, 16 << 20).pause_us;
        assert!(least < 0.3 * most, "from a quarter to as much as now: {least} to {most}");
        assert!(most <= work.present().pause_us.1 * 1.001);
    }

    #[test]
    fn a_few_collections_and_silent_ones_tell_nothing() {
        assert_eq!(YoungWork::of(&profile(|_| 1, 1, LEAST as u64 - 1)), None);
        let mut silent = profile(|_| 1, 1, 20);
        silent.collections[3].young = None;
        assert_eq!(YoungWork::of(&silent), None);
    }
}
