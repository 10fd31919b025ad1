//! A flag to try, why none helps, and what is missing to tell: the words in which that is answered.
//!
//! Not here: who decides (`answer`, `sizes`).

use mayfly_profile::FullHeap;

use super::pauses::Cost;

/// What the collector's threads took of the processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GcCpu {
    /// They, in milliseconds.
    pub collector_ms: u64,
    /// The whole process.
    pub process_ms: u64,
    /// In so much time.
    pub wall_ms: u64,
}

impl GcCpu {
    /// Their share of what the process took.
    pub fn share(&self) -> f64 {
        self.collector_ms as f64 / (self.process_ms as f64).max(1.0)
    }

    /// The share of the time for which one processor is taken.
    pub fn of_one_processor(&self) -> f64 {
        self.collector_ms as f64 / (self.wall_ms as f64).max(1.0)
    }
}

/// What is known of a JVM beside its recording.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// `None`: nobody looked.
    pub cpu: Option<GcCpu>,
    /// Bytes that the container, or the machine, lets it have.
    pub memory: Option<u64>,
    /// Bytes of metaspace in use.
    pub metaspace: Option<u64>,
    /// No young generation larger than this.
    pub room: Option<u64>,
    /// So many milliseconds before it was measured the whole heap was collected; `None`: not for long, or nobody knows.
    pub collected_whole_ms: Option<u64>,
}

/// What direct buffers take outside of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direct {
    /// Bytes, when they were most.
    pub most: u64,
    /// Bytes that they may take: `-XX:MaxDirectMemorySize`, by default as many as the heap.
    pub limit: u64,
}

impl Direct {
    /// Which share of their limit they took.
    pub fn share(&self) -> f64 {
        self.most as f64 / (self.limit as f64).max(1.0)
    }
}

/// Why a flag would help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The program calls `System.gc()`.
    ExplicitCalls,
    /// Direct buffers are at their limit, where the JDK calls it.
    DirectBuffers(Direct),
    /// Classes need more room than the JVM begins with.
    Metaspace,
    /// Objects of half a region of G1 or more.
    LargeObjects,
    /// The young generation is full too often.
    SmallYoung,
    /// What is free in the heap is used up too often.
    SmallHeap,
    /// Much is promoted.
    Promotes,
}

/// A flag to try.
#[derive(Clone, Debug, PartialEq)]
pub struct FlagAdvice {
    /// As given to `java`.
    pub flags: String,
    /// What is wrong.
    pub reason: Reason,
    /// Collections that it is about.
    pub now: Cost,
    /// What becomes of them.
    pub then: Cost,
    /// Whether it helps in each case that what was seen leaves open.
    pub sure: bool,
    /// Bytes promoted now and then; `None` where that is not predicted.
    pub promoted: Option<(f64, f64)>,
    /// Shares of the processor time now, and then at least, of a collector that works beside the program.
    pub cpu: Option<(f64, f64)>,
}

/// Why nothing is to be gained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Nothing {
    /// Nothing was collected.
    NoCollection,
    /// What collections cost is next to nothing.
    Cheap,
    /// A larger heap would help, but may not be.
    NoRoom {
        /// Bytes that live; `None` if no collection says it.
        live: Option<u64>,
        /// Bytes that the JVM may have.
        memory: u64,
    },
    /// The best size saves next to nothing, at most these shares of the time, and of the processor time where that is known.
    Little {
        /// Of the time.
        time: f64,
        /// Of the processor time.
        cpu: Option<f64>,
    },
    /// Direct buffers are at their limit, and there is no memory for more of them.
    DirectBuffers {
        /// What they take.
        direct: Direct,
        /// Bytes that the JVM may have.
        memory: u64,
    },
    /// The heap is full, and what lives in it grows.
    FullOfWhatGrows(FullHeap),
    /// No flag that is known here saves three tenths of it.
    NoFlag,
    /// Other young generations promote hardly less.
    NoPromotion,
}

/// The one thing that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing was recorded.
    Recording,
    /// For how long the program stood still.
    Pauses,
    /// What a collector that works beside the program takes of the processor.
    CollectorsCpu,
    /// How much memory the JVM may have.
    Memory,
    /// More collections.
    Collections,
    /// The heap as it mostly is: so many milliseconds before, all of it was collected for a look into it, which makes it smaller.
    UsualHeap(u64),
    /// Who calls `System.gc()`: it may be the JDK, for direct buffers, of which so many are in use (`None`: that is not recorded).
    WhoCollects(Option<Direct>),
    /// The given log does not bear the predictions out, or is of nothing that is predicted.
    LogDiffers,
}
