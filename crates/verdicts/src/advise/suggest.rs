//! Which young generation to try: the smallest that saves most of what can be saved.

use mayfly_profile::{Gc, Profile};

use super::curve::Curve;
use super::predict::{Prediction, Young, predict};

/// Sizes tried: so many times the present one.
const FACTORS: [u64; 5] = [1, 2, 4, 8, 16];
/// Below this share of what was allocated, promotion is nothing to speak of.
const WORTH: f64 = 0.01;
/// A suggestion has to save this share of what is promoted now, and is the smallest that saves this share of the best.
const SAVES: f64 = 0.3;
const NEARLY: f64 = 0.9;
/// HotSpot's largest.
const MAX_THRESHOLD: u8 = 15;

/// A young generation that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// Which.
    pub young: Young,
    /// What it would do.
    pub prediction: Prediction,
}

/// What to do about the young generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// What the present one does.
    pub present: Tried,
    /// Others, smaller ones first.
    pub others: Vec<Tried>,
    /// Which of the others to try; `None`: there is nothing to gain.
    pub suggested: Option<usize>,
    /// Bytes allocated while it was recorded.
    pub allocated: f64,
}

/// Why there is no advice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Declined {
    /// The collector's young generation follows other rules.
    #[error(
        "the young generation of {0} is not predicted: it adapts by rules that differ from release to release"
    )]
    Collector(&'static str),
    /// The recording has no ages by bytes.
    #[error(
        "the recording does not tell how many bytes lived for how long: record with #trackcollections or #sample"
    )]
    NoAges,
}

impl Advice {
    /// The suggestion.
    pub fn suggestion(&self) -> Option<&Tried> {
        self.others.get(self.suggested?)
    }
}

/// Predicts for the present young generation and for others of at most `room` bytes.
///
/// # Errors
/// [`Declined`].
pub fn advise(profile: &Profile, present: Young, room: u64) -> Result<Advice, Declined> {
    let gc = profile.run.jvm.gc;
    if !matches!(gc, Gc::Serial | Gc::G1) {
        return Err(Declined::Collector(gc.name()));
    }
    let curve = Curve::of(profile).ok_or(Declined::NoAges)?;
    let tried = |young| Tried { young, prediction: predict(&curve, young) };
    let mut others: Vec<Tried> = candidates(present, room).into_iter().map(tried).collect();
    others.sort_by_key(|tried| (tried.young.size, tried.young.threshold));
    let present = tried(present);
    Ok(Advice {
        suggested: best(&present, &others, curve.allocated),
        present,
        others,
        allocated: curve.allocated,
    })
}

fn candidates(present: Young, room: u64) -> Vec<Young> {
    let scaled = |factor: u64| Young {
        size: present.size * factor,
        eden: present.eden * factor,
        survivor: present.survivor * factor,
        desired: present.desired * factor,
        ..present
    };
    let mut all: Vec<_> = FACTORS[1..].iter().map(|&factor| scaled(factor)).collect();
    if present.threshold < MAX_THRESHOLD {
        let raised = |young: Young| Young { threshold: MAX_THRESHOLD, ..young };
        all.extend(FACTORS.iter().map(|&factor| raised(scaled(factor))));
    }
    all.retain(|young| young.size <= room);
    all
}

fn best(present: &Tried, others: &[Tried], allocated: f64) -> Option<usize> {
    let promoted = |tried: &Tried| tried.prediction.promoted.1;
    let now = promoted(present);
    if now < WORTH * allocated {
        return None;
    }
    let saved = |tried: &Tried| now - promoted(tried);
    let most = others.iter().map(saved).fold(0.0, f64::max);
    if most < SAVES * now {
        return None;
    }
    others.iter().position(|tried| saved(tried) >= NEARLY * most)
}
