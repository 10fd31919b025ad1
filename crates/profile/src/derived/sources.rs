//! The recordings that are in a profile, and its labels.
//!
//! Not here: how profiles become one (`merge`).

use crate::facts::gc::Gc;
use crate::facts::source::{Labels, Source};
use crate::facts::tally::Tally;
use crate::stream::profile::Profile;

impl Profile {
    /// The recordings that are in it; of one that was not merged, itself.
    pub fn all_sources(&self) -> Vec<Source> {
        if self.sources.is_empty() { vec![source_of(self)] } else { self.sources.clone() }
    }

    /// Its labels and those that follow from what is known of its JVM, where no label of that name was given: `pid`, `gc`, `java` (the
    /// release), `application` (the main class).
    pub fn all_labels(&self) -> Labels {
        let mut labels = self.labels.clone();
        let jvm = &self.run.jvm;
        let application = jvm.command.split_whitespace().next().map(str::to_owned);
        let derived = [
            ("pid", (jvm.pid != 0).then(|| jvm.pid.to_string())),
            ("gc", (jvm.gc != Gc::default()).then(|| jvm.gc.name().to_owned())),
            ("java", jvm.release().map(|release| release.to_string())),
            ("application", application),
        ];
        for (name, value) in derived {
            if let (Some(value), false) = (value, labels.contains_key(name)) {
                labels.insert(name.to_owned(), value);
            }
        }
        labels
    }
}

/// The sources of two profiles.
pub(crate) fn joined(ours: Vec<Source>, theirs: Vec<Source>) -> Vec<Source> {
    let mut all = ours;
    all.extend(theirs);
    all.sort_by(|a, b| a.order().cmp(&b.order()));
    all
}

/// What both are labelled with alike.
pub(crate) fn common(ours: &Labels, theirs: &Labels) -> Labels {
    let is_shared = |(name, value): &(&String, &String)| theirs.get(*name) == Some(*value);
    ours.iter().filter(is_shared).map(|(name, value)| (name.clone(), value.clone())).collect()
}

pub(crate) fn source_of(profile: &Profile) -> Source {
    let mut allocated = Tally::default();
    profile.classes.iter().for_each(|class| allocated.add(class.allocated));
    let knows = profile.run.lifetimes && profile.classes.iter().any(|class| class.live.is_some());
    let mut live = Tally::default();
    profile.classes.iter().filter_map(|class| class.live).for_each(|tally| live.add(tally));
    Source {
        labels: profile.all_labels(),
        started_unix_ms: profile.run.started_unix_ms,
        duration_ms: profile.duration_ms,
        gcs: profile.gcs,
        complete: profile.complete,
        allocated,
        live: knows.then_some(live),
        accounted_bytes: profile.trust.accounted_bytes,
        jvm_allocated_bytes: profile.trust.jvm_allocated_bytes,
    }
}
