//! CPU time that a part of profiling may take, and how fine its samples are for that.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Process CPU per CPU that may be spent: one per cent.
const CPU_PER_NS: u64 = 100;

/// CPU time that may be spent on something: a part of what the process takes, and so much and so often anyway.
#[derive(Debug)]
pub struct CpuBudget {
    spent_ns: AtomicU64,
    spends: AtomicU64,
    cpu_ns: AtomicU64,
    free_ns: u64,
    free_spends: u64,
}

impl CpuBudget {
    /// One per cent of the process's CPU time, but at least this, and so often however long it takes: where a machine is busy a thread waits in
    /// between, and what a small program gets to see is not to depend on that.
    pub fn of_at_least(free: Duration, free_spends: u64) -> Self {
        let [spent_ns, spends, cpu_ns] = [const { AtomicU64::new(0) }; 3];
        Self { spent_ns, spends, cpu_ns, free_ns: free.as_nanos() as u64, free_spends }
    }

    /// So much was spent; how often something was before.
    pub fn spend(&self, time: Duration) -> u64 {
        self.spent_ns.fetch_add(time.as_nanos() as u64, Relaxed);
        self.spends.fetch_add(1, Relaxed)
    }

    /// CPU time of the whole process so far; to be told every now and then.
    pub fn set_cpu(&self, time: Duration) {
        self.cpu_ns.store(time.as_nanos() as u64, Relaxed);
    }

    /// Whether less was spent than may be in any case, or not often yet.
    pub(crate) fn is_free(&self) -> bool {
        self.spent_ns.load(Relaxed) < self.free_ns || self.spends.load(Relaxed) < self.free_spends
    }

    /// What was spent, relative to what may be.
    pub(crate) fn pressure(&self) -> f64 {
        let allowed = (self.cpu_ns.load(Relaxed) / CPU_PER_NS).max(self.free_ns);
        self.spent_ns.load(Relaxed) as f64 / allowed as f64
    }
}

/// How many strata there are per doubling of what is counted, about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fineness {
    /// When just so much was spent as may be.
    pub(crate) at_budget: f64,
    /// However much was spent.
    pub(crate) least: u64,
}

impl Fineness {
    /// Many while little was spent; as the square, so that what was spent stays near to what may be.
    pub(crate) fn strata(self, pressure: f64) -> u64 {
        ((self.at_budget / (pressure * pressure)) as u64).max(self.least)
    }
}
