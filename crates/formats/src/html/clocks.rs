//! How long objects lived by the clocks of collections and of allocated bytes, by class: bars of two steps per octave.
//!
//! Of the whole run, as cells know the clock of time alone. Not here: that clock (`cells`), curves (`mod`).

use std::collections::BTreeMap;

use mayfly_profile::{Ages, ClassProfile, Profile};
use serde::Serialize;

/// Bars of a class: by collections survived, by bytes allocated meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Clocks {
    gcs: Vec<Bar>,
    bytes: Vec<Bar>,
}

/// Step, dead objects and bytes, living objects and bytes.
type Bar = (u32, u64, u64, u64, u64);
/// Bars by step.
type Bars = BTreeMap<u32, [u64; 4]>;

impl Clocks {
    /// Of a class; `None` where nothing is known.
    pub(super) fn of(class: &ClassProfile) -> Option<Self> {
        let (live, lifetimes) = (class.live?, class.lifetimes.as_ref()?);
        let dead = class.dead();
        let bytes = class.byte_ages.as_ref();
        let bars = |objects: &Ages, bytes: Option<&Ages>| {
            let mut bars = Bars::new();
            let all =
                [(objects, dead.objects, live.objects), (bytes.unwrap_or(objects), dead.bytes, live.bytes)];
            for (at, (ages, dead, living)) in all.into_iter().enumerate() {
                let deaths = ages.deaths().map(|(after, _, weight)| (after, weight));
                put(&mut bars, at, dead, deaths.collect());
                put(&mut bars, at + 2, living, ages.living().collect());
            }
            bars
        };
        let gcs = bars(&lifetimes.gcs, bytes.map(|ages| &ages.gcs));
        let bytes = bars(&lifetimes.bytes, bytes.map(|ages| &ages.bytes));
        Some(Self { gcs: rows(gcs), bytes: rows(bytes) })
    }

    /// Of all classes together.
    pub(super) fn of_all(profile: &Profile) -> Self {
        let (mut gcs, mut bytes) = (Bars::new(), Bars::new());
        for class in profile.classes.iter().filter_map(Self::of) {
            for (sum, bars) in [(&mut gcs, class.gcs), (&mut bytes, class.bytes)] {
                for (step, dead, dead_bytes, living, living_bytes) in bars {
                    let bar = sum.entry(step).or_default();
                    let add = [dead, dead_bytes, living, living_bytes];
                    bar.iter_mut().zip(add).for_each(|(sum, add)| *sum = sum.saturating_add(add));
                }
            }
        }
        Self { gcs: rows(gcs), bytes: rows(bytes) }
    }
}

/// Gives `all` to the bars of these ages, by their weights.
fn put(bars: &mut Bars, at: usize, all: u64, ages: Vec<(u64, u64)>) {
    let weights: Vec<u64> = ages.iter().map(|&(_, weight)| weight).collect();
    for ((age, _), part) in ages.into_iter().zip(mayfly_profile::divide(all, &weights)) {
        if part > 0 {
            bars.entry(step(age)).or_default()[at] += part;
        }
    }
}

fn rows(bars: Bars) -> Vec<Bar> {
    bars.into_iter()
        .map(|(step, [dead, dead_bytes, living, living_bytes])| {
            (step, dead, dead_bytes, living, living_bytes)
        })
        .collect()
}

/// 0 for 0; then two per octave, the first of 1.
fn step(age: u64) -> u32 {
    if age == 0 { 0 } else { 1 + ((age as f64).log2() * 2.0).floor() as u32 }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Lifetimes, Tally};

    use super::*;

    #[test]
    fn steps_are_two_per_octave() {
        assert_eq!([0, 1, 2, 3, 4, 6, 8, 1 << 20].map(step), [0, 1, 3, 4, 5, 6, 7, 41]);
    }

    #[test]
    fn bars_of_a_class_add_up_to_its_dead_and_living() {
        let mut lifetimes = Lifetimes::default();
        lifetimes.gcs.record_deaths(0, 1, 3);
        lifetimes.gcs.record_deaths(4, 5, 1);
        lifetimes.gcs.record_living(2, 5);
        // Samples stand for twice as many.
        let class = ClassProfile {
            live: Some(Tally::of(10, 16)),
            collected: vec![Tally::of(8, 16)],
            lifetimes: Some(lifetimes),
            ..ClassProfile::default()
        };
        let clocks = Clocks::of(&class).expect("lifetimes");
        assert_eq!(clocks.gcs, [(0, 6, 96, 0, 0), (3, 0, 0, 10, 160), (5, 2, 32, 0, 0)]);
        assert_eq!(Clocks::of(&ClassProfile::default()), None);
        let profile = Profile { classes: vec![class.clone(), class], ..Profile::default() };
        assert_eq!(Clocks::of_all(&profile).gcs[0], (0, 12, 192, 0, 0));
    }
}
