//! `mayfly report --json FILE`, read as a stranger would: by the documented keys of schema `mayfly-report/1`.

use std::path::Path;

use serde_json::Value;

use crate::expect::{Count, Counts};
use crate::launch::mayfly;
use crate::running::Outcome;

/// The JSON of a recording.
#[derive(Clone, Debug)]
pub struct JsonReport(pub Value);

impl JsonReport {
    /// Has `mayfly` read a recording.
    ///
    /// # Panics
    /// If it fails, or prints something else than JSON.
    #[track_caller]
    pub fn of(recording: &Path) -> Self {
        Self::printed(&mayfly(["report".into(), "--json".into(), recording.as_os_str().to_owned()]).ok())
    }

    /// The JSON of a recording that is being written: `None` as long as its file has no whole header
    /// (made and filled are two moments).
    ///
    /// # Panics
    /// If it prints something else than JSON.
    #[track_caller]
    pub fn begun(recording: &Path) -> Option<Self> {
        let outcome = mayfly(["report".into(), "--json".into(), recording.as_os_str().to_owned()]);
        outcome.status.success().then(|| Self::printed(&outcome))
    }

    #[track_caller]
    fn printed(outcome: &Outcome) -> Self {
        match serde_json::from_str(&outcome.stdout) {
            Ok(value) => Self(value),
            Err(e) => panic!("mayfly report --json printed no JSON: {e}\n{}", outcome.stdout),
        }
    }

    /// Everything allocated, per class.
    pub fn allocated(&self) -> Counts {
        self.counts(|class| &class["allocated"])
    }

    /// What is live, per class of which that is known.
    pub fn live(&self) -> Counts {
        self.counts(|class| &class["live"])
    }

    /// What is live, or was born since the last collection, per class.
    pub fn not_seen_dead(&self) -> Counts {
        let since = self.counts(|class| &class["not_judged"]);
        let mut all = self.live();
        for (class, count) in since {
            let sum = all.entry(class).or_default();
            *sum = Count { objects: sum.objects + count.objects, bytes: sum.bytes + count.bytes };
        }
        all
    }

    /// What was collected, all buckets together, per class.
    pub fn collected(&self) -> Counts {
        self.0["classes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|class| (name(class), class["collected"].as_array().into_iter().flatten().map(count)))
            .map(|(name, buckets)| {
                let sum =
                    |a: Count, b: Count| Count { objects: a.objects + b.objects, bytes: a.bytes + b.bytes };
                (name, buckets.fold(Count::default(), sum))
            })
            .collect()
    }

    /// The entry of a class.
    pub fn class(&self, name: &str) -> Option<&Value> {
        self.0["classes"].as_array()?.iter().find(|class| class["name"] == name)
    }

    /// Dead objects of a class per bucket: from, to (`None`: infinite), objects. Empty buckets left out.
    pub fn buckets_of(&self, name: &str) -> Vec<(u64, Option<u64>, u64)> {
        let buckets = self.class(name).and_then(|class| class["collected"].as_array());
        buckets
            .into_iter()
            .flatten()
            .map(|bucket| {
                (seconds(&bucket["from_s"]).unwrap_or(0), seconds(&bucket["to_s"]), count(bucket).objects)
            })
            .filter(|&(_, _, objects)| objects > 0)
            .collect()
    }

    /// Bytes accounted ÷ the JVM's own counter.
    pub fn share(&self) -> Option<f64> {
        self.0["trust"]["share"].as_f64()
    }

    fn counts(&self, of: impl Fn(&Value) -> &Value) -> Counts {
        let classes = self.0["classes"].as_array();
        let known = classes.into_iter().flatten().filter(|class| !of(class).is_null());
        known.map(|class| (name(class), count(of(class)))).collect()
    }
}

fn name(class: &Value) -> String {
    class["name"].as_str().unwrap_or_default().to_owned()
}

fn count(value: &Value) -> Count {
    Count { objects: value["objects"].as_u64().unwrap_or(0), bytes: value["bytes"].as_u64().unwrap_or(0) }
}

/// Whole seconds, whether written as 5 or 5.0.
fn seconds(value: &Value) -> Option<u64> {
    value.as_f64().map(|seconds| seconds as u64)
}
