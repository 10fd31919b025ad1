//! A sparse log-linear histogram: 16 exact values, then 8 steps per octave (at most 6.25 % off).

use serde::{Deserialize, Serialize};

const EXACT: u64 = 16;
const STEPS_PER_OCTAVE: u64 = 8;
/// The step of `u64::MAX`.
const LAST_STEP: u16 = (EXACT + 60 * STEPS_PER_OCTAVE - 1) as u16;

/// Weighted counts of `u64` values, in steps of at most 12.5 %. Empty steps take no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(u16, u64)>", into = "Vec<(u16, u64)>")]
pub struct LogHistogram {
    /// (step, weight), steps strictly ascending.
    steps: Vec<(u16, u64)>,
}

impl LogHistogram {
    /// Counts `value` `weight` times.
    pub fn record(&mut self, value: u64, weight: u64) {
        if weight == 0 {
            return;
        }
        let step = step_of(value);
        match self.steps.binary_search_by_key(&step, |&(s, _)| s) {
            Ok(at) => self.steps[at].1 = self.steps[at].1.saturating_add(weight),
            Err(at) => self.steps.insert(at, (step, weight)),
        }
    }

    /// Sum of all weights.
    pub fn count(&self) -> u64 {
        self.steps.iter().fold(0, |sum, &(_, weight)| sum.saturating_add(weight))
    }

    /// Adds every count of `other`.
    pub fn merge(&mut self, other: &Self) {
        for &(step, weight) in &other.steps {
            self.record(lower_bound(step), weight);
        }
    }

    /// The value below or at which a share `q` (0 to 1) of the counts lies: middle of its step. `None` if empty.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let rank = (q.clamp(0.0, 1.0) * self.count() as f64).ceil().max(1.0) as u64;
        let mut seen = 0u64;
        for &(step, weight) in &self.steps {
            seen = seen.saturating_add(weight);
            if seen >= rank {
                let low = lower_bound(step);
                let high = lower_bound(step + 1);
                return Some(if high - low <= 1 {
                    low as f64
                } else {
                    low as f64 + (high - low) as f64 / 2.0
                });
            }
        }
        None
    }
}

impl TryFrom<Vec<(u16, u64)>> for LogHistogram {
    type Error = &'static str;

    fn try_from(steps: Vec<(u16, u64)>) -> Result<Self, Self::Error> {
        let ascending = steps.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let in_range = steps.iter().all(|&(step, weight)| step <= LAST_STEP && weight > 0);
        if ascending && in_range {
            Ok(Self { steps })
        } else {
            Err("histogram steps out of order or out of range")
        }
    }
}

impl From<LogHistogram> for Vec<(u16, u64)> {
    fn from(histogram: LogHistogram) -> Self {
        histogram.steps
    }
}

fn step_of(value: u64) -> u16 {
    if value < EXACT {
        return value as u16;
    }
    let octave = u64::from(value.ilog2()); // at least 4
    let within = (value >> (octave - 3)) & (STEPS_PER_OCTAVE - 1);
    (EXACT + (octave - 4) * STEPS_PER_OCTAVE + within) as u16
}

fn lower_bound(step: u16) -> u64 {
    let step = u64::from(step);
    if step < EXACT {
        return step;
    }
    let octave = (step - EXACT) / STEPS_PER_OCTAVE + 4;
    let within = (step - EXACT) % STEPS_PER_OCTAVE;
    if octave > 63 { u64::MAX } else { (STEPS_PER_OCTAVE + within) << (octave - 3) }
}
