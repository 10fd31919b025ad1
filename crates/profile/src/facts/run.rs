//! What was profiled and how: facts fixed when a recording starts.

use serde::{Deserialize, Serialize};

use crate::facts::buckets::BucketBounds;
use crate::facts::gc::Gc;
use crate::facts::view::View;

/// The target JVM.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JvmInfo {
    /// Process id.
    pub pid: u32,
    /// `java.vm.version`, e.g. `17.0.15+6-Debian-1deb12u1`.
    pub version: String,
    /// Its garbage collector.
    pub gc: Gc,
    /// Main class or jar and arguments, `sun.java.command`; empty if the JVM does not tell.
    pub command: String,
}

impl JvmInfo {
    /// Its release, e.g. 17; `None`: it is not known.
    pub fn release(&self) -> Option<u32> {
        self.version.split(['.', '+', '-']).next()?.parse().ok()
    }

    /// Whether lifetimes are upper bounds: with this collector it is not known when it began to mark, or it keeps what is
    /// tracked for longer than the program does.
    pub fn lifetimes_are_upper_bounds(&self) -> bool {
        !matches!(self.gc, Gc::Serial | Gc::Parallel | Gc::G1 | Gc::Zgc)
    }
}

/// Which objects' deaths and stacks were followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tracking {
    /// None: only allocations were counted.
    #[default]
    Off,
    /// Every object that passes the filters.
    EveryObject,
    /// Every Nth object that passes the filters; tallies are scaled by N.
    EveryNth(u64),
    /// An unbiased sample, one per this many bytes on average; tallies are scaled by 1/(1-e^(-size/interval)).
    ByteSample(u64),
    /// Each object of rare classes, and of others a share, which stands for the rest: [`crate::facts::share::Share`] says how many.
    Balanced,
}

impl Tracking {
    /// Whether a part of the objects stands for the others.
    pub fn follows_a_part(self) -> bool {
        matches!(self, Self::EveryNth(2..) | Self::ByteSample(_) | Self::Balanced)
    }
}

/// What counts allocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EngineKind {
    /// Rewritten classes count each of them.
    #[default]
    Exact,
    /// The JVM's sampler: counts are estimates.
    Sampled,
}

impl EngineKind {
    /// As reports and JSON name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Sampled => "sampled",
        }
    }
}

/// How a run was set up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunInfo {
    /// The target JVM.
    pub jvm: JvmInfo,
    /// What counts.
    pub engine: EngineKind,
    /// The agent's options as given, for people: what follows from them is in the other fields.
    pub options: String,
    /// Wall-clock start, in milliseconds since the Unix epoch.
    pub started_unix_ms: u64,
    /// Lifetime buckets.
    pub buckets: BucketBounds,
    /// Which objects live, collected and site numbers come from.
    pub tracking: Tracking,
    /// Whether lifetimes are followed (`#trackcollections`, `#sample`).
    pub lifetimes: bool,
    /// Whether stacks are taken (`#trace`).
    pub stacks: bool,
    /// What its options want reports to show.
    pub view: View,
}
