//! What a JVM has outside of its heap at one moment, of its own counts and the system's; and which of the JDK's objects stand for it.
//!
//! Not here: how it changed (`derived/off_heap`).

use std::ffi::CStr;

use serde::{Deserialize, Serialize};

use crate::facts::ids::{ClassId, SiteId};
use crate::facts::readings::{
    DIRECT_BUFFERS, DIRECT_BYTES, MAPPED_BUFFERS, MAPPED_BYTES, MEMORY_LIMIT_BYTES, RESIDENT_BYTES, Readings,
};
use crate::facts::stack::Stack;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Buffers, segments or mappings.
    pub number: u64,
    /// Bytes of them.
    pub bytes: u64,
}

impl Held {
    /// So many more.
    pub fn add(&mut self, number: u64, bytes: u64) {
        self.number = self.number.saturating_add(number);
        self.bytes = self.bytes.saturating_add(bytes);
    }
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

    /// Bytes of direct buffers and arenas.
    pub fn direct_bytes(self) -> Option<u64> {
        self.direct.map(|direct| direct.bytes)
    }
}

/// Rows of one recording: those with the most bytes.
pub const MOST_HOLDER_ROWS: usize = 256;

/// Classes of the JDK of which an object lives until memory outside of the heap is freed that it stands for, and no longer than until the collection
/// after; with the `long` field that has its size, and what it is. JDK 11 to 27.
pub const HOLDERS: &[Holding] = &[
    Holding::new("java.nio.DirectByteBuffer$Deallocator", c"size", "direct buffer"),
    Holding::new("sun.nio.ch.FileChannelImpl$Unmapper", c"size", "mapped file"),
    Holding::new("sun.nio.ch.FileChannelImpl$DefaultUnmapper", c"size", "mapped file"),
    Holding::new("sun.nio.ch.FileChannelImpl$SyncUnmapper", c"size", "mapped file"),
    // JDK 17 to 21, then JDK 22 on.
    Holding::new("jdk.internal.foreign.NativeMemorySegmentImpl$1", c"val$alignedSize", "segment"),
    Holding::new("jdk.internal.foreign.SegmentFactories$1", c"val$allocationSize", "segment"),
];

/// A row of [`HOLDERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    /// The class, as `Class.getName()` gives it.
    pub class: &'static str,
    /// The field that has the size in bytes.
    pub field: &'static CStr,
    /// What the memory is, one of it.
    pub what: &'static str,
}

impl Holding {
    const fn new(class: &'static str, field: &'static CStr, what: &'static str) -> Self {
        Self { class, field, what }
    }

    /// Of a class; `None` of others.
    pub fn of(class: &str) -> Option<&'static Self> {
        HOLDERS.iter().find(|holding| holding.class == class)
    }
}

/// Followed objects of one class and site that stand for memory outside of the heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolderCount {
    /// Their class.
    pub class: ClassId,
    /// Their site; `None` if no stacks are taken.
    pub site: Option<SiteId>,
    /// How many, scaled to all that the followed ones stand for, and the memory outside of the heap.
    pub held: Held,
    /// When the oldest of them was made, in milliseconds of the profiled time.
    pub born_ms: u64,
}

/// All of them that were not seen dead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolderCounts {
    /// Those with the most bytes, at most [`MOST_HOLDER_ROWS`].
    pub rows: Vec<HolderCount>,
    /// All other rows.
    pub others: Held,
    /// Objects whose size is not known.
    pub unknown: u64,
}

/// A row of [`Holders`].
#[derive(Clone, Debug, PartialEq)]
pub struct HolderRow {
    /// Their class, one of [`HOLDERS`].
    pub class: String,
    /// Innermost frame first; empty where it is not known.
    pub stack: Stack,
    /// How many, and the memory outside of the heap.
    pub held: Held,
    /// When the oldest of them was made, in milliseconds of the profiled time.
    pub born_ms: u64,
}

/// The same by names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Holders {
    /// Most bytes first.
    pub rows: Vec<HolderRow>,
    /// All rows that are left out.
    pub others: Held,
    /// As in [`HolderCounts`].
    pub unknown: u64,
}

impl Holders {
    /// All of what is known.
    pub fn held(&self) -> Held {
        self.rows.iter().fold(self.others, |mut all, row| {
            all.add(row.held.number, row.held.bytes);
            all
        })
    }

    /// Adds those of another JVM, or of another run.
    pub(crate) fn join(mut self, other: Self) -> Self {
        for row in other.rows {
            let is_same = |known: &&mut HolderRow| (&known.class, &known.stack) == (&row.class, &row.stack);
            match self.rows.iter_mut().find(is_same) {
                Some(known) => {
                    known.held.add(row.held.number, row.held.bytes);
                    known.born_ms = known.born_ms.min(row.born_ms);
                }
                None => self.rows.push(row),
            }
        }
        self.others.add(other.others.number, other.others.bytes);
        self.unknown = self.unknown.saturating_add(other.unknown);
        self.rows.sort_by(|a, b| {
            let by_bytes = b.held.bytes.cmp(&a.held.bytes).then(a.born_ms.cmp(&b.born_ms));
            by_bytes.then_with(|| (&a.class, &a.stack).cmp(&(&b.class, &b.stack)))
        });
        for left in self.rows.drain(MOST_HOLDER_ROWS.min(self.rows.len())..) {
            self.others.add(left.held.number, left.held.bytes);
        }
        self
    }
}
