//! Who recorded a profile, and which recordings a merged one was made of.
//!
//! Not here: the sources of a profile (`derived/sources`), how profiles become one (`derived/merge`), and who gives a recording its labels (the agent).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::tally::Tally;

/// What tells one recording of many from the others, by name: host, process, application, what the user named.
pub type Labels = BTreeMap<String, String>;

/// Labels that have a name in OpenTelemetry's resources, and that name.
pub const LABEL_ATTRIBUTES: [(&str, &str); 7] = [
    ("application", "service.name"),
    ("version", "service.version"),
    ("environment", "deployment.environment.name"),
    ("pod", "k8s.pod.name"),
    ("host", "host.name"),
    ("process", "service.instance.id"),
    ("pid", "process.pid"),
];

/// One recording of those that a profile was merged from: its labels, its totals, and how far it can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its labels, with those that follow from what it says of its JVM.
    pub labels: Labels,
    /// Wall-clock start, in milliseconds since the Unix epoch.
    pub started_unix_ms: u64,
    /// Profiled time, in milliseconds.
    pub duration_ms: u64,
    /// Collections.
    pub gcs: u32,
    /// Whether the agent closed it (`false`: the JVM was killed, or is still running).
    pub complete: bool,
    /// All objects of all classes.
    pub allocated: Tally,
    /// Of the tracked ones, those that its last collection left; `None` where that is not known.
    pub live: Option<Tally>,
    /// Bytes counted, and put down to causes.
    pub accounted_bytes: u64,
    /// Bytes that its JVM counted, if it does.
    pub jvm_allocated_bytes: Option<u64>,
}

impl Source {
    /// Bytes counted, of those that the JVM counted.
    pub fn coverage(&self) -> Option<f64> {
        let all = self.jvm_allocated_bytes.filter(|&bytes| bytes > 0)?;
        Some(self.accounted_bytes as f64 / all as f64)
    }

    /// In this order sources stand, whatever the order in which they were merged.
    pub(crate) fn order(&self) -> impl Ord + '_ {
        let totals = (self.allocated.bytes, self.allocated.objects, self.allocated.largest);
        let live = self.live.map(|live| (live.bytes, live.objects, live.largest));
        let trust = (self.accounted_bytes, self.jvm_allocated_bytes);
        let times = (self.started_unix_ms, self.duration_ms, self.gcs, self.complete);
        (&self.labels, times, totals, live, trust)
    }
}
