//! Medians, spreads, percentiles and geometric means of measured values. No confidence intervals: the rounds are too few for them.

/// Middle and extremes of some measured values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    /// The middle value; mean of the two middle ones for an even number.
    pub(crate) median: f64,
    /// The smallest.
    pub(crate) min: f64,
    /// The largest.
    pub(crate) max: f64,
}

impl Summary {
    /// Summary of `values`, in any order; `None` if there are none, or one is not a number.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| value.is_nan()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 };
        Some(Self { median, min: sorted[0], max: sorted[sorted.len() - 1] })
    }

    /// `median (min–max)` with this many decimals.
    pub(crate) fn show(&self, decimals: usize) -> String {
        format!("{:.decimals$} ({:.decimals$}–{:.decimals$})", self.median, self.min, self.max)
    }
}

/// Ratio of each value to the one of the same round in `base`: what interleaving is for. Rounds that miss either are left out.
pub(crate) fn paired_ratios(values: &[Option<f64>], base: &[Option<f64>]) -> Vec<f64> {
    values
        .iter()
        .zip(base)
        .filter_map(|(value, base)| Some((*value)? / (*base).filter(|&base| base > 0.0)?))
        .collect()
}

/// Geometric mean; `None` if there are no values, or one is not above zero.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let usable = !values.is_empty() && values.iter().all(|&value| value > 0.0 && value.is_finite());
    usable.then(|| (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

/// The value that so large a part of them is no greater than, of values in order; 0 of none.
pub(crate) fn percentile(values: &[f64], part: f64) -> f64 {
    let at = (values.len() as f64 * part).ceil() as usize;
    values.get(at.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let values: Vec<_> = (1..=200).map(f64::from).collect();
        assert_eq!((percentile(&values, 0.5), percentile(&values, 0.99)), (100.0, 198.0));
        assert_eq!((percentile(&[7.0], 0.99), percentile(&[], 0.5)), (7.0, 0.0));
    }

    #[test]
    fn median_of_an_odd_number_is_the_middle_one() {
        assert_eq!(Summary::of(&[9.0, 1.0, 4.0]), Some(Summary { median: 4.0, min: 1.0, max: 9.0 }));
    }

    #[test]
    fn median_of_an_even_number_lies_between_the_middle_ones() {
        assert_eq!(Summary::of(&[8.0, 1.0, 2.0, 4.0]), Some(Summary { median: 3.0, min: 1.0, max: 8.0 }));
    }

    #[test]
    fn nothing_and_nan_have_no_summary() {
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn summary_is_shown_with_its_spread() {
        assert_eq!(Summary { median: 1.25, min: 1.0, max: 2.0 }.show(1), "1.2 (1.0–2.0)");
    }

    #[test]
    fn ratios_pair_values_of_one_round_and_skip_failed_rounds() {
        let values = [Some(2.0), None, Some(9.0), Some(4.0)];
        let base = [Some(1.0), Some(1.0), None, Some(2.0)];
        assert_eq!(paired_ratios(&values, &base), [2.0, 2.0]);
    }

    #[test]
    fn geometric_mean_weighs_double_and_half_alike() {
        let mean = geometric_mean(&[2.0, 0.5, 1.0]).expect("all positive");
        assert!((mean - 1.0).abs() < 1e-12, "{mean}");
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
    }
}
