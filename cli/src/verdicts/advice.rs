//! What is advised, as all forms take it.

use mayfly_profile::Gc;
use mayfly_verdicts::advise::{Advice, Humongous, MadeAnew, Pool, Premature, Promoted, Removed, Tried};

/// A prediction is believed if that of the present settings is off by no more than this share of what the JVM promoted.
pub(crate) const BELIEVED: f64 = 0.3;
/// Or by so many bytes: next to nothing is promoted.
const TOO_FEW_TO_COMPARE: f64 = (1 << 20) as f64;

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
    /// That is not of a log, but of the recorded collections.
    pub(crate) is_recorded: bool,
    /// Sites whose objects die just after promotion.
    pub(crate) premature: Vec<Premature>,
    /// What is made again and again, and could be made once.
    pub(crate) made_anew: Vec<MadeAnew>,
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
    /// Whether there is something to try, or it is told that there is nothing.
    pub(crate) fn is_told(&self) -> bool {
        let code = [
            self.made_anew.is_empty(),
            self.premature.is_empty(),
            self.pools.is_empty(),
            self.humongous.is_empty(),
        ];
        self.is_believed() || code.contains(&false)
    }

    /// What was predicted for the present settings, divided by what the JVM's log says.
    pub(crate) fn self_check(&self) -> Option<f64> {
        let (advice, log) = (self.advice.as_ref().ok()?, self.log?);
        (log.bytes > 0).then(|| advice.present.prediction.promoted.1 / log.bytes as f64)
    }

    /// Whether the JVM's log agrees with what is predicted of the present settings.
    pub(crate) fn is_believed(&self) -> bool {
        let (Ok(advice), Some(log)) = (&self.advice, self.log) else { return false };
        let off = (advice.present.prediction.promoted.1 - log.bytes as f64).abs();
        off <= (BELIEVED * log.bytes as f64).max(TOO_FEW_TO_COMPARE)
    }

    /// The young generation to try: none unless [`Self::is_believed`].
    pub(crate) fn suggestion(&self) -> Option<&Tried> {
        self.advice.as_ref().ok()?.suggestion().filter(|_| self.is_believed())
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

    use super::super::advice_text::advice_text;
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
            is_recorded: false,
            premature: Vec::new(),
            made_anew: Vec::new(),
            pools: Vec::new(),
            humongous: Vec::new(),
            region: 1 << 20,
            removed: Vec::new(),
        }
    }

    #[test]
    fn a_flag_is_suggested_only_if_the_jvm_bears_the_prediction_out() {
        assert_eq!(advised(Some(90_000_000)).flags().as_deref(), Some("-Xmn16m"));
        assert!(advised(Some(90_000_000)).is_told());
        for measured in [None, Some(0), Some(50_000_000), Some(150_000_000)] {
            assert_eq!(advised(measured).flags(), None, "{measured:?}");
            assert!(advised(measured).suggestion().is_none());
            assert!(!advised(measured).is_told(), "nor is it told that there is nothing: {measured:?}");
        }
    }

    #[test]
    fn that_there_is_nothing_to_gain_is_said_only_if_the_jvm_bears_the_prediction_out() {
        let text = |promoted: f64, measured| {
            let advice =
                Advice { present: tried(8 << 20, promoted), others: vec![], suggested: None, allocated: 1e9 };
            advice_text(&Advised { advice: Ok(advice), ..advised(measured) })
        };
        for (promoted, measured) in [(100e6, Some(90_000_000)), (3e4, Some(0)), (0.0, Some(20_000))] {
            assert!(text(promoted, measured).contains("Nothing to gain"), "{promoted} {measured:?}");
        }
        // H2, of which 602 MiB were promoted and no collection of the whole heap had looked at what was.
        for (promoted, measured) in [(18e6, Some(602 << 20)), (18e6, None), (100e6, Some(50_000_000))] {
            let text = text(promoted, measured);
            assert!(text.contains("can't be told") && !text.contains("Nothing to gain"), "{text}");
        }
    }
}
