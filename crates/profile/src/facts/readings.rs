//! Numbers of a run as they are now, most of which its JVM publishes: one row each, for the agent, recordings, text, JSON and page.
//!
//! Not here: where the agent reads them (its `target_jvm/published.rs`, `outside_memory.rs`, `process_memory.rs`).

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
    /// Whether reports have a line of it alone; others are in a line with what they belong to.
    pub alone: bool,
}

/// Tag of the classes that are loaded.
pub(crate) const CLASSES_LOADED: u8 = 2;
/// Tags of what is outside of the heap ([`OffHeap`](crate::OffHeap)): direct buffers and native segments of arenas.
pub const DIRECT_BUFFERS: u8 = 3;
/// Bytes of these.
pub const DIRECT_BYTES: u8 = 4;
/// Mappings of files.
pub const MAPPED_BUFFERS: u8 = 5;
/// Bytes of these.
pub const MAPPED_BYTES: u8 = 6;
/// Bytes of the process in memory.
pub const RESIDENT_BYTES: u8 = 7;
/// Bytes that the process, and others of its control group, may have in memory.
pub const MEMORY_LIMIT_BYTES: u8 = 8;

/// Mean bytes between the JVM's samples, by the bytes that they stand for.
pub const BYTES_BETWEEN_SAMPLES: u8 = 9;

/// For how long the JVM has run, in milliseconds.
pub const UPTIME_MS: u8 = 10;

/// All of them, in the order in which they are shown.
pub const READINGS: &[Reading] = &[
    alone(1, "metaspace_used_bytes", "metaspace used after the last GC", true),
    alone(CLASSES_LOADED, "classes_loaded", "classes loaded and not unloaded", false),
    part(DIRECT_BUFFERS, "direct_buffers", "direct buffers and segments of automatic arenas", false),
    part(DIRECT_BYTES, "direct_bytes", "memory of direct buffers and automatic arenas", true),
    part(MAPPED_BUFFERS, "mapped_buffers", "mappings of files", false),
    part(MAPPED_BYTES, "mapped_bytes", "address space of mapped files", true),
    part(RESIDENT_BYTES, "resident_bytes", "memory of the process", true),
    part(
        MEMORY_LIMIT_BYTES,
        "memory_limit_bytes",
        "limit of the memory of the process's control groups",
        true,
    ),
    part(BYTES_BETWEEN_SAMPLES, "bytes_between_samples", "mean distance of two of the JVM's samples", true),
    part(UPTIME_MS, "uptime_ms", "milliseconds that the JVM has run for", false),
];

const fn alone(tag: u8, key: &'static str, label: &'static str, bytes: bool) -> Reading {
    Reading { tag, key, label, bytes, alone: true }
}

const fn part(tag: u8, key: &'static str, label: &'static str, bytes: bool) -> Reading {
    Reading { tag, key, label, bytes, alone: false }
}

/// What was read, by tag. Those of a later Mayfly are kept, and not shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readings(pub BTreeMap<u8, u64>);

impl Readings {
    /// Those that are known here, with their values.
    pub fn known(&self) -> impl Iterator<Item = (&'static Reading, u64)> {
        READINGS.iter().filter_map(|reading| Some((reading, *self.0.get(&reading.tag)?)))
    }
}
