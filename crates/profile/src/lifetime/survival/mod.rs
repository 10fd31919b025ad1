//! Quantiles of lifetimes from intervals and living objects, with their bands: the survival function that makes what was
//! seen most likely, whatever its shape. Where every age at death is known it is that of Kaplan and Meier.
//!
//! The band of a quantile holds all ages that a likelihood-ratio test at 5 % does not rule out. Twice the log of the ratio
//! is compared with the 95 % point of χ²₁, 3.84, right for known ages (Thomas and Grunkemeier 1975; Owen 1988). For
//! ages known by one inspection only the right value is smaller, 2.27 (Banerjee and Wellner, Ann. Statist. 29, 2001): there
//! the band is wider than need be.
//!
//! Objects are in the risk set from their birth on. Those born before the agent, before a reset or while profiling was paused
//! are in none, so nothing is known of the lifetimes of objects born then. Not here: how intervals come about
//! (`mayfly-tracking`).

mod cells;
mod npmle;
mod scores;

use crate::lifetime::ages::Ages;
use crate::lifetime::cohorts::Cohorts;
use cells::{Cells, Observations};
use npmle::{Fit, best, best_with};
pub use scores::Scores;

/// Standard deviations at both sides that hold 95 % of a normal distribution; their square is the 95 % point of χ²₁.
const DEVIATIONS: f64 = 1.959_963_984_540_054;
/// Log-likelihood is sought up to so much.
const GAP: f64 = 0.002;
/// More objects than this make no band narrower: what else they have in common is not known.
const MOST_INDEPENDENT: f64 = 10_000.0;

/// A quantile of lifetimes, in the unit of its clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantile {
    /// The estimate; `None` if so many are still living that it was not reached.
    pub point: Option<f64>,
    /// The quantile lies above this (95 %). With no point: what is known all the same.
    pub low: f64,
    /// The quantile is at most this (95 %); `None` if nothing rules out any age.
    pub high: Option<f64>,
}

impl Quantile {
    /// What is left of it where ages at death are upper bounds: nothing is known from below.
    pub fn from_above(self) -> Self {
        Self { low: 0.0, ..self }
    }

    /// Whether the band has no end, or reaches over more than a factor of 1.5 and more than `resolution` of its clock.
    pub fn is_rough(&self, resolution: f64) -> bool {
        self.high.is_none_or(|high| high > 1.5 * self.low && high - self.low > resolution)
    }
}

/// The estimated distribution of lifetimes on one clock.
#[derive(Clone, Debug)]
pub struct Survival {
    observations: Observations,
    cells: Cells,
    best: Fit,
    /// Share gone by each end.
    gone: Vec<f64>,
    /// By how much ages may be wrong, in the unit of the clock.
    clock_step: f64,
}

impl Survival {
    /// The estimate from `ages`, of which `cohorts` says how many are independent. `None` if nothing is known.
    pub fn of(ages: &Ages, cohorts: Cohorts) -> Option<Self> {
        Self::from_observations(Observations::of(ages), cohorts.effective_share())
    }

    /// The estimate from ages whose weights are no numbers of objects, as of bytes: so many independent ones are behind them.
    pub fn resting_on(ages: &Ages, independent: f64) -> Option<Self> {
        let observations = Observations::of(ages);
        let share = independent / observations.weight;
        Self::from_observations(observations, share)
    }

    /// The same, read from a clock of such steps: bands are wider by one at both ends.
    pub fn with_clock_step(self, clock_step: f64) -> Self {
        Self { clock_step, ..self }
    }

    /// The age by which a share `q` (above 0, below 1) is gone; `None` if it was not reached.
    pub fn point(&self, q: f64) -> Option<f64> {
        let (after, by) = self.cell_of(q)?;
        let (from, to) = (self.gone[after], self.gone[by]);
        let (after, by) = (self.observations.ends[after].middle, self.observations.ends[by].middle);
        Some(after + (by - after) * ((q - from) / (to - from)).clamp(0.0, 1.0))
    }

    /// The age by which a share `q` (above 0, below 1) is gone, with its band of 95 %.
    pub fn quantile(&self, q: f64) -> Quantile {
        self.quantile_within(q, DEVIATIONS)
    }

    /// The same with a band of another level, in standard deviations: 1.96 for 95 %; 4.42 misses in one of 100,000 cases.
    pub fn quantile_within(&self, q: f64, deviations: f64) -> Quantile {
        // A log-likelihood this much below the largest rules out.
        let limit = deviations * deviations / 2.0;
        let ends = self.observations.ends.len();
        let cell = self.cell_of(q);
        let low = last(cell.map_or(ends, |(after, _)| after + 1), |end| self.rules_out(end, q, limit));
        let high = cell.and_then(|(_, by)| first(by, ends, |end| self.rules_out(end, q, limit)));
        Quantile {
            point: self.point(q),
            low: low.map_or(0.0, |end| (self.observations.ends[end].above - self.clock_step).max(0.0)),
            high: high.map(|end| self.observations.ends[end].most + self.clock_step),
        }
    }

    /// How many independent objects it rests on.
    pub fn independent(&self) -> f64 {
        self.observations.weight
    }

    /// Of the ages at which objects were looked at, the one by which the share gone is nearest to `q`; `None` where all still live.
    pub fn looked_at_near(&self, q: f64) -> Option<f64> {
        let distance = |end: usize| (self.gone[end] - q).abs();
        let ends = (0..self.gone.len()).filter(|&end| self.gone[end] > 0.0);
        ends.min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
            .map(|end| self.observations.ends[end].middle)
    }

    /// The share gone by an age: the middle of what the ends next to it allow.
    pub fn gone_by(&self, age: f64) -> f64 {
        let (before, behind) = self.ends_around(age);
        let least = before.map_or(0.0, |end| self.gone[end]);
        let most = behind.map_or(1.0, |end| self.gone_at_most(end));
        (least + most) / 2.0
    }

    /// The scores of the objects of `group`, by this estimate of all.
    pub fn scores_of(&self, group: &Self) -> Scores {
        let ends = group.observations.ends.iter();
        let alive: Vec<f64> = ends.map(|end| 1.0 - self.gone_by(end.middle)).collect();
        // Nobody outlives all time.
        let at = |end: usize| alive.get(end).copied().unwrap_or(0.0);
        Scores::of(group.observations.rows().map(|(after, by, number)| (at(after), at(by), number)))
    }

    /// The share that is alive at an age. Where a death may lie anywhere in an interval it is taken to be as likely all over it.
    pub fn alive_at(&self, age: f64) -> f64 {
        1.0 - self.gone_in_cells(|after, by| ((age - after) / (by - after)).clamp(0.0, 1.0))
    }

    /// Between what it lies: as if each died as soon as its interval allows, and as late.
    pub fn alive_between(&self, age: f64) -> (f64, f64) {
        let whole = |holds: bool| if holds { 1.0 } else { 0.0 };
        let least = 1.0 - self.gone_in_cells(|after, _| whole(age > after));
        (least, 1.0 - self.gone_in_cells(|_, by| whole(age >= by)))
    }

    /// The mass of all cells, each with the part of it that `part` says of its ends. Whoever is alive at the last end has none.
    fn gone_in_cells(&self, part: impl Fn(f64, f64) -> f64) -> f64 {
        let ends = &self.observations.ends;
        let masses = self.best.cumulative.windows(2).map(|pair| pair[1] - pair[0]);
        let cells = self.cells.bounds.iter().zip(masses);
        let gone = cells.filter(|((_, by), _)| *by < ends.len());
        gone.map(|(&(after, by), mass)| mass * part(ends[after].middle, ends[by].middle)).sum()
    }

    /// By how much the log-likelihood falls if exactly a share (above 0, below 1) is gone by an age. 0: that can't be told
    /// from what is most likely.
    pub fn loss(&self, age: f64, share: f64) -> f64 {
        let (before, behind) = self.ends_around(age);
        // As many at least are gone at the end behind, and as many at most at the end before.
        let too_few = before.filter(|&end| share < self.gone[end]);
        let too_many = behind.filter(|&end| share > self.gone_at_most(end));
        too_few.or(too_many).map_or(0.0, |end| {
            let fit = self.with_share(end, share, |_, gap| gap <= GAP);
            (self.best.log_likelihood - fit.log_likelihood).max(0.0)
        })
    }

    /// The end at this age twice, or the last end that lies before it for sure and the first one behind.
    fn ends_around(&self, age: f64) -> (Option<usize>, Option<usize>) {
        let ends = &self.observations.ends;
        if let Some(at) = ends.iter().position(|end| end.above < age && age <= end.most) {
            return (Some(at), Some(at));
        }
        let before = ends.partition_point(|end| end.most <= age).checked_sub(1);
        let behind = Some(ends.partition_point(|end| end.above < age)).filter(|&end| end < ends.len());
        (before, behind)
    }

    /// The share gone by an end at most: all of a cell that it lies in.
    fn gone_at_most(&self, end: usize) -> f64 {
        let opened = self.cells.bounds.partition_point(|&(after, _)| after < end);
        self.best.cumulative[opened]
    }

    fn from_observations(mut observations: Observations, effective_share: f64) -> Option<Self> {
        if observations.ends.is_empty() {
            return None;
        }
        observations.scale(effective_share.min(MOST_INDEPENDENT / observations.weight));
        let cells = observations.cells(None);
        let best = best(&cells, GAP);
        let mut gone = vec![0.0; observations.ends.len()];
        let mut cell = 0;
        for (end, gone) in gone.iter_mut().enumerate() {
            while cells.bounds.get(cell).is_some_and(|&(_, by)| by <= end) {
                cell += 1;
            }
            *gone = best.cumulative[cell];
        }
        Some(Self { observations, cells, best, gone, clock_step: 0.0 })
    }

    /// The ends of the cell in which the share gone reaches `q`; `None` if only beyond all ends.
    fn cell_of(&self, q: f64) -> Option<(usize, usize)> {
        let q = q.min(1.0) - 1e-9;
        let cell = self.best.cumulative.partition_point(|&share| share <= q).checked_sub(1)?;
        self.cells.bounds.get(cell).copied().filter(|&(_, by)| by < self.gone.len())
    }

    /// Whether what was seen is less likely, by `limit` of its log, if exactly `q` were gone by this end.
    fn rules_out(&self, end: usize, q: f64, limit: f64) -> bool {
        let (lowest, highest) = (self.best.log_likelihood, self.best.log_likelihood + self.best.gap);
        let fit = self.with_share(end, q, |reached, gap| {
            highest - reached <= limit || lowest - (reached + gap) > limit || gap <= GAP
        });
        lowest - (fit.log_likelihood + fit.gap) > limit
    }

    /// The most likely estimate of those that have a share `q` gone by an end, as far as is `enough`.
    fn with_share(&self, end: usize, q: f64, enough: impl Fn(f64, f64) -> bool) -> Fit {
        let cells = self.observations.cells(Some(end));
        let start: Vec<_> = cells.bounds.iter().map(|&(after, by)| self.mass(after, by)).collect();
        best_with(&cells, q, &start, enough)
    }

    /// Estimated share that died between two ends.
    fn mass(&self, after: usize, by: usize) -> f64 {
        self.gone.get(by).copied().unwrap_or(1.0) - self.gone[after]
    }
}

/// The last index below `limit` of which `holds`, which does up to some index. Looks near the limit first.
fn last(limit: usize, holds: impl Fn(usize) -> bool) -> Option<usize> {
    let found = first(0, limit, |back| holds(limit - 1 - back))?;
    Some(limit - 1 - found)
}

/// The first index from `from` to below `limit` of which `holds`, which does from some index on. Looks near `from` first.
fn first(from: usize, limit: usize, holds: impl Fn(usize) -> bool) -> Option<usize> {
    let (mut fails_below, mut step) = (from, 1);
    while fails_below < limit {
        let probe = (fails_below + step - 1).min(limit - 1);
        if holds(probe) {
            let (mut low, mut high) = (fails_below, probe);
            while low < high {
                let middle = usize::midpoint(low, high);
                if holds(middle) { high = middle } else { low = middle + 1 }
            }
            return Some(high);
        }
        fails_below = probe + 1;
        step *= 2;
    }
    None
}

#[cfg(test)]
mod tests;
