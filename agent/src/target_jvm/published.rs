//! Numbers that HotSpot publishes of itself by its performance counters: plain loads.
//!
//! Not here: what they are called and how they are shown (`READINGS` of `mayfly-profile`), those of collections (`gc_log`, `heap_use`).

use mayfly_jvmti::{PerfCounter, PerfData};
use mayfly_profile::Readings;

/// Tag of a reading, and the counters that it is the sum of; those with a minus are taken off.
const SOURCES: &[(u8, &[&str])] = &[
    (1, &["sun.gc.metaspace.used"]),
    (
        2,
        &[
            "java.cls.loadedClasses",
            "java.cls.sharedLoadedClasses",
            "-java.cls.unloadedClasses",
            "-java.cls.sharedUnloadedClasses",
        ],
    ),
];

/// The counters of each reading that this JVM has.
pub(super) struct Published(Vec<(u8, Vec<(bool, PerfCounter)>)>);

impl Published {
    /// What this VM has of them.
    pub(super) fn find() -> Self {
        let data = PerfData::find();
        let counter = |name: &&str| {
            let taken_off = name.strip_prefix('-');
            Some((taken_off.is_some(), data?.counter(taken_off.unwrap_or(name))?))
        };
        let all = |names: &[&str]| names.iter().map(counter).collect::<Option<Vec<_>>>();
        Self(SOURCES.iter().filter_map(|&(tag, names)| Some((tag, all(names)?))).collect())
    }

    /// As they are now. What is zero was not noted yet.
    pub(super) fn read(&self) -> Readings {
        let value = |counters: &[(bool, PerfCounter)]| {
            let signed = |&(taken_off, counter): &(bool, PerfCounter)| {
                if taken_off { -counter.get() } else { counter.get() }
            };
            u64::try_from(counters.iter().map(signed).sum::<i64>()).ok().filter(|&value| value > 0)
        };
        Readings(self.0.iter().filter_map(|(tag, counters)| Some((*tag, value(counters)?))).collect())
    }
}
