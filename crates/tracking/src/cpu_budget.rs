//! CPU time that a part of profiling may take, and how fine its samples are for that.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Process CPU per CPU that may be spent: one per cent.
const CPU_PER_NS: u64 = 100;
/// Elapsed time per CPU that may be spent: half a per cent of one processor. A service that has little to do would else have hardly any samples.
const ELAPSED_PER_NS: u64 = 200;

/// CPU time that may be spent on something: a part of what the process takes, or of one processor, and so much and so often anyway.
#[derive(Debug)]
pub struct CpuBudget {
    spent_ns: AtomicU64,
    spends: AtomicU64,
    /// What may be spent by now.
    allowed_ns: AtomicU64,
    free_ns: u64,
    free_spends: u64,
    /// Elapsed time per CPU that may be spent.
    elapsed_per_ns: u64,
}

impl CpuBudget {
    /// One per cent of the process's CPU time, or half a per cent of the time elapsed, but at least this, and so often however long it takes.
    pub fn of_at_least(free: Duration, free_spends: u64) -> Self {
        let [spent_ns, spends, allowed_ns] = [const { AtomicU64::new(0) }; 3];
        let free_ns = free.as_nanos() as u64;
        Self { spent_ns, spends, allowed_ns, free_ns, free_spends, elapsed_per_ns: ELAPSED_PER_NS }
    }

    /// The same with so many times the part of the time elapsed: a process that does little gets more.
    pub fn where_idle(self, times: u64) -> Self {
        Self { elapsed_per_ns: self.elapsed_per_ns / times, ..self }
    }

    /// So much was spent; how often something was before.
    pub fn spend(&self, time: Duration) -> u64 {
        self.spent_ns.fetch_add(time.as_nanos() as u64, Relaxed);
        self.spends.fetch_add(1, Relaxed)
    }

    /// CPU time of the whole process so far, and the time elapsed since the first spend; to be set every now and then.
    pub fn set_time(&self, cpu: Duration, elapsed: Duration) {
        let [cpu, elapsed] = [cpu, elapsed].map(|time| time.as_nanos() as u64);
        self.allowed_ns.store((cpu / CPU_PER_NS).max(elapsed / self.elapsed_per_ns), Relaxed);
    }

    /// Whether less was spent than may be in any case, or not often yet.
    pub(crate) fn is_free(&self) -> bool {
        self.spent_ns.load(Relaxed) < self.free_ns || self.spends.load(Relaxed) < self.free_spends
    }

    /// What was spent, relative to what may be.
    pub(crate) fn pressure(&self) -> f64 {
        let allowed = self.allowed_ns.load(Relaxed).max(self.free_ns);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 s of a service that takes a tenth of a processor.
    #[test]
    fn a_process_that_does_little_may_spend_a_part_of_a_processor() {
        let budget = CpuBudget::of_at_least(Duration::from_millis(50), 0);
        let elapsed = Duration::from_secs(40);
        budget.set_time(Duration::from_secs(4), elapsed);
        budget.spend(Duration::from_millis(200));
        assert!((budget.pressure() - 1.0).abs() < 0.01, "{}", budget.pressure());
        budget.set_time(Duration::from_secs(40), elapsed);
        assert!((budget.pressure() - 0.5).abs() < 0.01, "{}", budget.pressure());
        let more = CpuBudget::of_at_least(Duration::ZERO, 0).where_idle(4);
        more.set_time(Duration::from_secs(40), elapsed);
        more.spend(Duration::from_millis(400));
        assert!((more.pressure() - 0.5).abs() < 0.01, "{}", more.pressure());
    }
}
