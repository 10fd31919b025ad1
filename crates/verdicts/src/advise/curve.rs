//! What share of all allocated bytes is alive when so many bytes more have been allocated.
//!
//! By class, weighted with what each allocates: that is exact where lifetimes are of a sample.

use mayfly_profile::{Ages, Cohorts, Profile, Survival};

use super::first_survivors::FirstSurvivors;

/// Classes with less than this share of all bytes are taken together.
const LEAST_SHARE: f64 = 0.001;
/// Points of an integral.
const STEPS: usize = 32;
/// What died before a collection saw it alive is taken to have died at once if it did by the age of the youngest so large a share of these.
/// Births are stamped late on the clock of bytes, so that of the first half a megabyte nothing is known; the likeliest curve lets
/// all of them live for that long.
const YOUNGEST: f64 = 0.1;

/// Which of the curves that the collections leave possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Everything died as soon as it may have.
    Least,
    /// The likeliest.
    Likely,
    /// Everything died as late as it may have.
    Most,
}

/// Survival of the bytes of a class.
#[derive(Clone, Debug)]
struct Lives {
    /// Of all bytes.
    share: f64,
    survival: Survival,
    /// Of its own bytes, those that did not die at once.
    outlives_birth: f64,
}

impl Lives {
    /// `None` if nothing is known.
    fn of(ages: &Ages, share: f64) -> Option<Self> {
        let survival = Survival::of(ages, Cohorts::default())?;
        let outlives_birth = youngest(ages).map_or(1.0, |age| survival.alive_at(age));
        Some(Self { share, survival, outlives_birth })
    }
}

/// The age by which a tenth of those that no collection saw alive had been looked at; `None` without such.
fn youngest(ages: &Ages) -> Option<f64> {
    // They come first, by age.
    let unseen = || ages.deaths().take_while(|&(after, _, _)| after == 0);
    let all: f64 = unseen().map(|(_, _, bytes)| bytes as f64).sum();
    let mut sum = 0.0;
    let reaches = |&(_, _, bytes): &(u64, u64, u64)| {
        sum += bytes as f64;
        sum >= YOUNGEST * all
    };
    unseen().find(reaches).map(|(_, by, _)| by as f64)
}

/// Survival of bytes.
#[derive(Clone, Debug)]
pub struct Curve {
    parts: Vec<Lives>,
    /// Bytes that were allocated.
    pub allocated: f64,
    first_survivors: FirstSurvivors,
}

impl Curve {
    /// Of the bytes of `profile`; `None` if no ages by bytes are recorded.
    pub fn of(profile: &Profile) -> Option<Self> {
        let bytes = |class: &mayfly_profile::ClassProfile| profile.allocated_bytes(class) as f64;
        let allocated: f64 = profile.classes.iter().map(bytes).sum();
        let (mut parts, mut rest, mut rest_bytes) = (Vec::new(), Ages::default(), 0.0);
        for class in &profile.classes {
            let Some(ages) = class.byte_ages.as_ref().map(|ages| &ages.bytes) else { continue };
            match Lives::of(ages, bytes(class)).filter(|_| bytes(class) >= LEAST_SHARE * allocated) {
                Some(lives) => parts.push(lives),
                None => {
                    rest.merge(ages);
                    rest_bytes += bytes(class);
                }
            }
        }
        parts.extend(Lives::of(&rest, rest_bytes));
        let known: f64 = parts.iter().map(|lives| lives.share).sum();
        if known <= 0.0 {
            return None;
        }
        // What was not followed lives as the rest does.
        parts.iter_mut().for_each(|lives| lives.share /= known);
        let mut curve = Self { parts, allocated, first_survivors: FirstSurvivors::default() };
        let expected = |bytes| curve.alive_bytes(0.0, bytes, Bound::Likely);
        curve.first_survivors = FirstSurvivors::of(&profile.collections, expected);
        Some(curve)
    }

    /// The share alive at an age.
    pub fn alive(&self, age: f64, bound: Bound) -> f64 {
        let of = |Lives { survival, outlives_birth, .. }: &Lives| match bound {
            Bound::Least => survival.alive_between(age).0,
            Bound::Likely => survival.alive_at(age).min(*outlives_birth),
            Bound::Most => survival.alive_between(age).1,
        };
        self.parts.iter().map(|lives| lives.share * of(lives)).sum()
    }

    /// How many times as many bytes survive their first collection as [`Self::alive_bytes`] says, of what was allocated between two points of the
    /// clock: by what collections of the recording kept there; 1 if none can tell.
    pub(super) fn survives(&self, from: f64, to: f64) -> f64 {
        self.first_survivors.share(from, to)
    }

    /// Bytes alive of those that were allocated between two ages ago.
    pub fn alive_bytes(&self, from: f64, to: f64, bound: Bound) -> f64 {
        let step = (to - from) / STEPS as f64;
        (0..STEPS).map(|at| self.alive(from + (at as f64 + 0.5) * step, bound) * step).sum()
    }
}
