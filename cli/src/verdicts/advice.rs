//! What is advised, as all forms take it.

use mayfly_profile::Gc;
use mayfly_verdicts::advise::{Advice, Humongous, Pool, Premature, Promoted, Removed};

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

    /// Flags of a young generation.
    pub(crate) fn flags(&self) -> Option<String> {
        let advice = self.advice.as_ref().ok()?;
        let (now, young) = (advice.present.young, advice.suggestion()?.young);
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
