//! The nonparametric maximum-likelihood estimate: how much mass each cell gets.
//!
//! Steps of self-consistency (Turnbull 1976; an EM algorithm) alternate with steps of the iterative convex minorant
//! (Groeneboom and Wellner 1992, with the line search of Jongbloed, J. Comput. Graph. Stat. 7, 1998), as Wellner and Zhan
//! propose (JASA 92, 1997): the first makes sure of progress, the second is fast. One step costs the observations plus the
//! cells. The likelihood is concave, so a bound on what is still to be gained says when to stop.

use super::cells::Cells;

/// A bound on the work; 10 to 40 steps are usual.
const MOST_STEPS: usize = 400;
/// Halvings of a step of the convex minorant before it is given up for this time.
const MOST_HALVINGS: usize = 6;
/// No observation is less likely than this: keeps quotients finite.
const LEAST: f64 = 1e-14;
/// Mass spread over all cells at the start: none begins at zero, where self-consistency would leave it.
const SPREAD: f64 = 0.02;

/// Cumulative shares, and how good they are.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// Share up to before each cell, and in all.
    pub(super) cumulative: Vec<f64>,
    pub(super) log_likelihood: f64,
    /// The largest log-likelihood is at most this much higher.
    pub(super) gap: f64,
}

/// The estimate of `cells`.
pub(super) fn best(cells: &Cells, gap: f64) -> Fit {
    let count = cells.bounds.len();
    let start = (0..=count).map(|cell| cell as f64 / count as f64).collect();
    Climb::new(cells, start, None).climb(|_, left| left <= gap)
}

/// The estimate of those that have `share` below the cut of `cells`, starting from the masses `start`. Stops as soon as
/// `enough` says so of a log-likelihood and its gap.
pub(super) fn best_with(cells: &Cells, share: f64, start: &[f64], enough: impl Fn(f64, f64) -> bool) -> Fit {
    let cut = cells.below_cut;
    let spread = SPREAD / start.len() as f64;
    let scaled = |masses: &[f64], share: f64| {
        let sum: f64 = masses.iter().sum::<f64>() + spread * masses.len() as f64;
        masses.iter().map(|mass| (mass + spread) * share / sum).collect::<Vec<_>>()
    };
    let masses = [scaled(&start[..cut], share), scaled(&start[cut..], 1.0 - share)].concat();
    // A side without cells keeps its share, in which nothing can have died.
    let mut cumulative = vec![if cut == 0 { share } else { 0.0 }];
    masses.iter().for_each(|mass| cumulative.push(cumulative[cumulative.len() - 1] + mass));
    cumulative[cut] = share;
    if cut < masses.len() {
        cumulative[masses.len()] = 1.0;
    }
    Climb::new(cells, cumulative, Some((cut, share))).climb(enough)
}

struct Climb<'a> {
    cells: &'a Cells,
    /// The cut and the share below it.
    pin: Option<(usize, f64)>,
    cumulative: Vec<f64>,
    /// Weight ÷ likelihood of the observations that may lie in each cell: the gain per mass moved there.
    gains: Vec<f64>,
    gradient: Vec<f64>,
    curvature: Vec<f64>,
    candidate: Vec<f64>,
    blocks: Vec<(f64, f64, usize)>,
}

impl<'a> Climb<'a> {
    fn new(cells: &'a Cells, cumulative: Vec<f64>, pin: Option<(usize, f64)>) -> Self {
        let zeros = vec![0.0; cumulative.len()];
        Self {
            cells,
            pin,
            gains: zeros.clone(),
            gradient: zeros.clone(),
            curvature: zeros.clone(),
            candidate: zeros,
            cumulative,
            blocks: Vec::new(),
        }
    }

    fn climb(mut self, enough: impl Fn(f64, f64) -> bool) -> Fit {
        let mut log_likelihood = self.log_likelihood(&self.cumulative);
        let mut gap = self.weigh();
        for _ in 0..MOST_STEPS {
            if enough(log_likelihood, gap) {
                break;
            }
            self.make_consistent();
            log_likelihood = self.log_likelihood(&self.cumulative);
            log_likelihood = self.ascend(log_likelihood);
            gap = self.weigh();
        }
        Fit { cumulative: self.cumulative, log_likelihood, gap }
    }

    fn log_likelihood(&self, cumulative: &[f64]) -> f64 {
        let likelihood = |first: usize, past: usize| (cumulative[past] - cumulative[first]).max(LEAST);
        self.cells.rows.iter().map(|row| row.weight * likelihood(row.first, row.past).ln()).sum()
    }

    /// The cells on either side of the cut, with their shares.
    fn sides(&self) -> [(usize, usize, f64); 2] {
        let count = self.cumulative.len() - 1;
        match self.pin {
            None => [(0, count, 1.0), (count, count, 0.0)],
            Some((cut, share)) => [(0, cut, share), (cut, count, 1.0 - share)],
        }
    }

    /// Sets the gains of all cells; returns the gap: by concavity, the largest gain of moving all mass.
    fn weigh(&mut self) -> f64 {
        self.gains.fill(0.0);
        for row in &self.cells.rows {
            let likelihood = (self.cumulative[row.past] - self.cumulative[row.first]).max(LEAST);
            let gain = row.weight / likelihood;
            self.gains[row.first] += gain;
            self.gains[row.past] -= gain;
        }
        let mut sum = 0.0;
        for gain in &mut self.gains {
            sum += *gain;
            *gain = sum.max(0.0);
        }
        let largest = |(from, to, share): (usize, usize, f64)| {
            share * self.gains[from..to].iter().fold(0.0, |a: f64, &b| a.max(b))
        };
        (self.sides().map(largest).iter().sum::<f64>() - self.cells.weight).max(0.0)
    }

    /// A step of self-consistency: each observation's weight is shared among its cells as the mass now is.
    fn make_consistent(&mut self) {
        for (from, to, share) in self.sides() {
            let mut below = self.cumulative[from];
            let mut sum = 0.0;
            for cell in from..to {
                let above = self.cumulative[cell + 1];
                sum += (above - below) * self.gains[cell];
                self.candidate[cell + 1] = sum;
                below = above;
            }
            if sum > 0.0 {
                let base = self.cumulative[from];
                (from + 1..to).for_each(|at| self.cumulative[at] = base + self.candidate[at] * share / sum);
            }
        }
    }

    /// A step towards the convex minorant, as long as it gains; returns the log-likelihood reached.
    fn ascend(&mut self, log_likelihood: f64) -> f64 {
        self.gradient.fill(0.0);
        self.curvature.fill(0.0);
        for row in &self.cells.rows {
            let likelihood = (self.cumulative[row.past] - self.cumulative[row.first]).max(LEAST);
            let gain = row.weight / likelihood;
            self.gradient[row.past] += gain;
            self.gradient[row.first] -= gain;
            self.curvature[row.past] += gain / likelihood;
            self.curvature[row.first] += gain / likelihood;
        }
        self.candidate.copy_from_slice(&self.cumulative);
        for (from, to, _) in self.sides() {
            self.minorant(from, to);
        }
        for _ in 0..MOST_HALVINGS {
            let reached = self.log_likelihood(&self.candidate);
            if reached > log_likelihood {
                self.cumulative.copy_from_slice(&self.candidate);
                return reached;
            }
            for (candidate, &now) in self.candidate.iter_mut().zip(&self.cumulative) {
                *candidate = f64::midpoint(*candidate, now);
            }
        }
        log_likelihood
    }

    /// Sets the candidate strictly between two ends to the isotonic regression of Newton's step (pool adjacent violators).
    fn minorant(&mut self, from: usize, to: usize) {
        if to < from + 2 {
            return;
        }
        self.blocks.clear();
        for at in from + 1..to {
            let curvature = self.curvature[at].max(f64::MIN_POSITIVE);
            let mut block = (self.cumulative[at] + self.gradient[at] / curvature, curvature, 1);
            while let Some(&(value, weight, count)) = self.blocks.last() {
                if value < block.0 {
                    break;
                }
                let sum = weight + block.1;
                block = ((value * weight + block.0 * block.1) / sum, sum, count + block.2);
                self.blocks.pop();
            }
            self.blocks.push(block);
        }
        let (least, most) = (self.cumulative[from], self.cumulative[to]);
        let mut at = from + 1;
        for &(value, _, count) in &self.blocks {
            self.candidate[at..at + count].fill(value.clamp(least, most));
            at += count;
        }
    }
}
