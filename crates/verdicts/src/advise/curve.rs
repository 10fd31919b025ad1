//! What share of all allocated bytes is alive when so many bytes more have been allocated.
//!
//! By class, weighted with what each allocates: that is exact where lifetimes are of a sample.

use mayfly_profile::{Ages, Cohorts, Profile, Survival};

/// Classes with less than this share of all bytes are taken together.
const LEAST_SHARE: f64 = 0.001;
/// Points of an integral.
const STEPS: usize = 32;

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

/// Survival of bytes.
#[derive(Clone, Debug)]
pub struct Curve {
    parts: Vec<(f64, Survival)>,
    /// Bytes that were allocated.
    pub allocated: f64,
}

impl Curve {
    /// Of the bytes of `profile`; `None` if no ages by bytes are recorded.
    pub fn of(profile: &Profile) -> Option<Self> {
        let bytes = |class: &mayfly_profile::ClassProfile| profile.allocated_bytes(class) as f64;
        let allocated: f64 = profile.classes.iter().map(bytes).sum();
        let (mut parts, mut rest, mut rest_bytes) = (Vec::new(), Ages::default(), 0.0);
        for class in &profile.classes {
            let Some(ages) = class.byte_ages.as_ref().map(|ages| &ages.bytes) else { continue };
            match Survival::of(ages, Cohorts::default()).filter(|_| bytes(class) >= LEAST_SHARE * allocated) {
                Some(survival) => parts.push((bytes(class), survival)),
                None => {
                    rest.merge(ages);
                    rest_bytes += bytes(class);
                }
            }
        }
        parts.extend(Survival::of(&rest, Cohorts::default()).map(|survival| (rest_bytes, survival)));
        let known: f64 = parts.iter().map(|(bytes, _)| bytes).sum();
        if known <= 0.0 {
            return None;
        }
        // What was not followed lives as the rest does.
        parts.iter_mut().for_each(|(bytes, _)| *bytes /= known);
        Some(Self { parts, allocated })
    }

    /// The share alive at an age.
    pub fn alive(&self, age: f64, bound: Bound) -> f64 {
        let of = |survival: &Survival| match bound {
            Bound::Least => survival.alive_between(age).0,
            // What may have died at once did: births are put on this clock by milliseconds, in which a young generation may be filled.
            Bound::Likely => survival.alive_at(age).min(survival.alive_between(f64::MIN_POSITIVE).0),
            Bound::Most => survival.alive_between(age).1,
        };
        self.parts.iter().map(|(share, survival)| share * of(survival)).sum()
    }

    /// Bytes alive of those that were allocated between two ages ago.
    pub fn alive_bytes(&self, from: f64, to: f64, bound: Bound) -> f64 {
        let step = (to - from) / STEPS as f64;
        (0..STEPS).map(|at| self.alive(from + (at as f64 + 0.5) * step, bound) * step).sum()
    }
}
