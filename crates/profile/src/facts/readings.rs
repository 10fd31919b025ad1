//! Numbers that a JVM publishes of itself, as they are now: one row each, for the agent, recordings, text, JSON and page.
//!
//! Not here: where the agent reads them (its `target_jvm/published.rs`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A number of a JVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What it is in a recording: never given to another one.
    pub tag: u8,
    /// As JSON names it.
    pub key: &'static str,
    /// As people read it.
    pub label: &'static str,
    /// Whether it counts bytes.
    pub bytes: bool,
}

/// All of them, in the order in which they are shown.
pub const READINGS: &[Reading] = &[
    Reading { tag: 1, key: "metaspace_used_bytes", label: "metaspace used after the last GC", bytes: true },
    Reading { tag: 2, key: "classes_loaded", label: "classes loaded and not unloaded", bytes: false },
];

/// What was read, by tag. Those of a later Mayfly are kept, and not shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readings(pub BTreeMap<u8, u64>);

impl Readings {
    /// Those that are known here, with their values.
    pub fn known(&self) -> impl Iterator<Item = (&'static Reading, u64)> {
        READINGS.iter().filter_map(|reading| Some((reading, *self.0.get(&reading.tag)?)))
    }
}
