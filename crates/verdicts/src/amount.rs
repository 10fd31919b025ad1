//! A number with its band: exact, or estimated from so many independent samples.
//!
//! Not here: what is counted (`counted`, `measure`).

use statrs::distribution::{ChiSquared, ContinuousCDF};

/// What a band of 95 % leaves out at each side.
const TAIL: f64 = 0.025;

/// A number, and between what it lies (95 %). Exact where all three are one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amount {
    /// The number, or its estimate.
    pub value: f64,
    /// It is at least this.
    pub low: f64,
    /// It is at most this.
    pub high: f64,
}

impl Amount {
    /// A number without error.
    pub fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    /// A sum of this variance, estimated from samples of which one stands for `weight`. Few samples follow Poisson's law
    /// (Garwood's interval); of none, up to 3.7 may have been missed.
    pub fn estimated(value: f64, variance: f64, weight: f64) -> Self {
        if value <= 0.0 {
            return Self { value: 0.0, low: 0.0, high: weight * quantile(2.0, 1.0 - TAIL) / 2.0 };
        }
        if variance <= 0.0 {
            return Self::exact(value);
        }
        let samples = value * value / variance;
        if samples < 1.0 {
            // What was seen stands for less than what may have been missed: that much besides, as of one sample.
            return Self {
                value,
                low: 0.0,
                high: value + variance.sqrt() * (quantile(4.0, 1.0 - TAIL) / 2.0 - 1.0),
            };
        }
        let share = |degrees: f64, q: f64| quantile(degrees, q) / 2.0 / samples;
        let (low, high) = (share(2.0 * samples, TAIL), share(2.0 * samples + 2.0, 1.0 - TAIL));
        Self { value, low: value * low, high: value * high }
    }

    /// Whether it is known without error.
    pub fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// Divided by a number above zero.
    pub fn per(self, operations: f64) -> Self {
        Self { value: self.value / operations, low: self.low / operations, high: self.high / operations }
    }
}

/// Where χ² of so many degrees of freedom reaches a share `q`.
fn quantile(degrees: f64, q: f64) -> f64 {
    ChiSquared::new(degrees).map_or(0.0, |law| law.inverse_cdf(q))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sample_does_not_mean_none() {
        let none = Amount::estimated(0.0, 0.0, 512.0);
        assert_eq!((none.value, none.low), (0.0, 0.0));
        // -ln 0.025.
        assert!((none.high / 512.0 - 3.689).abs() < 0.01, "{none:?}");
    }

    #[test]
    fn ten_samples_have_poissons_band() {
        // Garwood's interval of 10 is [4.80, 18.39].
        let ten = Amount::estimated(10.0, 10.0, 1.0);
        assert!((ten.low - 4.795).abs() < 0.01 && (ten.high - 18.39).abs() < 0.01, "{ten:?}");
    }

    #[test]
    fn without_variance_it_is_exact() {
        assert!(Amount::estimated(3.0, 0.0, 1.0).is_exact());
        assert_eq!(Amount::exact(6.0).per(3.0), Amount::exact(2.0));
    }
}
