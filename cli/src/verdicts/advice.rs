//! What is advised, as all forms take it.

use mayfly_profile::Gc;
use mayfly_verdicts::advise::{Advice, Humongous, Pool, Premature, Promoted, Removed, Tried};

/// A prediction is believed if that of the present settings is off by no more than this share of what the JVM promoted.
pub(crate) const BELIEVED: f64 = 0.3;

/// Everything that is advised.
#[derive(Debug)]
pub(crate) struct Advised {
    /// As the command line names it.
    pub(crate) recording: String,
    /// The collector of its JVM.
    pub(crate) gc: Gc,
    /// About the young generation; or why not.
    pub(crate) advice: Result<Advice, String>,
    /// What the JVM's own log says of the present settings.
    pub(crate) log: Option<Promoted>,
    /// Sites whose objects die just after promotion.
    pub(crate) premature: Vec<Premature>,
    /// Sites whose objects could be used again.
    pub(crate) pools: Vec<Pool>,
    /// Classes with objects of half a region or more.
    pub(crate) humongous: Vec<Humongous>,
    /// Bytes of a region.
    pub(crate) region: u64,
    /// Classes that the JIT compiler removes.
    pub(crate) removed: Vec<Removed>,
}

impl Advised {
    /// What was predicted for the present settings, divided by what the JVM's log says.
    pub(crate) fn self_check(&self) -> Option<f64> {
        let (advice, log) = (self.advice.as_ref().ok()?, self.log?);
        (log.bytes > 0).then(|| advice.present.prediction.promoted.1 / log.bytes as f64)
    }

    /// The young generation to try: none unless the JVM's log agrees with what is predicted of the present one.
    pub(crate) fn suggestion(&self) -> Option<&Tried> {
        let is_believed = self.self_check().is_some_and(|share| (share - 1.0).abs() <= BELIEVED);
        self.advice.as_ref().ok()?.suggestion().filter(|_| is_believed)
    }

    /// Flags of the young generation to try.
    pub(crate) fn flags(&self) -> Option<String> {
        let advice = self.advice.as_ref().ok()?;
        let (now, young) = (advice.present.young, self.suggestion()?.young);
        let mut flags = Vec::new();
        if young.size != now.size {
            flags.push(format!("-Xmn{}m", young.size.div_ceil(1 << 20)));
        }
        if young.threshold != now.threshold {
            flags.push(format!("-XX:MaxTenuringThreshold={}", young.threshold));
        }
        Some(flags.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use mayfly_verdicts::advise::{Prediction, Young};

    use super::*;

    fn tried(size: u64, promoted: f64) -> Tried {
        let prediction = Prediction {
            promoted: (promoted, promoted, promoted),
            threshold: 1.0,
            collections: 10.0,
            copied: 0.0,
        };
        Tried { young: Young::serial(size, 8, 15), prediction }
    }

    /// 8 MB promote 100 MB as predicted, and `measured` by the JVM's log; 16 MB would promote 10 MB.
    fn advised(measured: Option<u64>) -> Advised {
        let others = vec![tried(16 << 20, 10e6)];
        let advice = Advice { present: tried(8 << 20, 100e6), others, suggested: Some(0), allocated: 1e9 };
        Advised {
            recording: "run.mayfly".to_owned(),
            gc: Gc::Serial,
            advice: Ok(advice),
            log: measured.map(|bytes| Promoted { bytes, young: 10, full: 0 }),
            premature: Vec::new(),
            pools: Vec::new(),
            humongous: Vec::new(),
            region: 1 << 20,
            removed: Vec::new(),
        }
    }

    #[test]
    fn a_flag_is_suggested_only_if_the_jvm_bears_the_prediction_out() {
        assert_eq!(advised(Some(90_000_000)).flags().as_deref(), Some("-Xmn16m"));
        for measured in [None, Some(0), Some(50_000_000), Some(150_000_000)] {
            assert_eq!(advised(measured).flags(), None, "{measured:?}");
            assert!(advised(measured).suggestion().is_none());
        }
    }
}
