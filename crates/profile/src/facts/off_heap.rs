//! What a JVM has outside of its heap at one moment, of its own counts and the system's.
//!
//! Not here: how it changed (`derived/off_heap`).

use crate::facts::readings::{
    DIRECT_BUFFERS, DIRECT_BYTES, MAPPED_BUFFERS, MAPPED_BYTES, MEMORY_LIMIT_BYTES, RESIDENT_BYTES, Readings,
};

/// Each `None` where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OffHeap {
    /// Direct buffers and native segments of arenas: how many, and their bytes.
    pub direct: Option<Held>,
    /// Mappings of files. Their bytes are address space: as much of it is in memory as was touched.
    pub mapped: Option<Held>,
    /// Bytes of the process in memory, heap and all.
    pub resident: Option<u64>,
    /// The lowest limit of its control groups; `None` also if it has none.
    pub limit: Option<u64>,
}

/// So many, with so many bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Buffers, segments or mappings.
    pub number: u64,
    /// Bytes of them.
    pub bytes: u64,
}

impl OffHeap {
    /// Of what was read; `None` if none of it is about that, as in recordings of an earlier Mayfly.
    pub fn of(readings: &Readings) -> Option<Self> {
        let value = |tag| readings.0.get(&tag).copied();
        let held = |number, bytes| Some(Held { number: value(number)?, bytes: value(bytes)? });
        let now = Self {
            direct: held(DIRECT_BUFFERS, DIRECT_BYTES),
            mapped: held(MAPPED_BUFFERS, MAPPED_BYTES),
            resident: value(RESIDENT_BYTES),
            limit: value(MEMORY_LIMIT_BYTES),
        };
        (now != Self::default()).then_some(now)
    }
}
