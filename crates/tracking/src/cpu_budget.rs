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
    /// What the free spends took.
    at_first_ns: AtomicU64,
    /// What may be spent by now.
    allowed_ns: AtomicU64,
    free_ns: u64,
    free_spends: u64,
    /// So many times what others may spend.
    times: u64,
}

impl CpuBudget {
    /// One per cent of the process's CPU time, or half a per cent of the time elapsed, but at least this, and so often however long it takes: where a machine is busy a thread waits in
    /// between, and what a small program gets to see is not to depend on that.
    pub fn of_at_least(free: Duration, free_spends: u64) -> Self {
        let [spent_ns, spends, at_first_ns, allowed_ns] = [const { AtomicU64::new(0) }; 4];
        let free_ns = free.as_nanos() as u64;
        Self { spent_ns, spends, at_first_ns, allowed_ns, free_ns, free_spends, times: 1 }
    }

    /// So many times as much, but for what is free.
    pub fn times(self, times: u64) -> Self {
        Self { times, ..self }
    }

    /// So much was spent; how often something was before.
    pub fn spend(&self, time: Duration) -> u64 {
        let ns = time.as_nanos() as u64;
        self.spent_ns.fetch_add(ns, Relaxed);
        let before = self.spends.fetch_add(1, Relaxed);
        if before < self.free_spends {
            self.at_first_ns.fetch_add(ns, Relaxed);
        }
        before
    }

    /// CPU time of the whole process so far, and the time elapsed since the first spend; to be set every now and then.
    pub fn set_time(&self, cpu: Duration, elapsed: Duration) {
        let [cpu, elapsed] = [cpu, elapsed].map(|time| time.as_nanos() as u64);
        let allowed = (cpu / CPU_PER_NS).max(elapsed / ELAPSED_PER_NS);
        self.allowed_ns.store(allowed * self.times, Relaxed);
    }

    /// Whether less was spent than may be in any case, or not often yet.
    pub(crate) fn is_free(&self) -> bool {
        self.spent_ns.load(Relaxed) < self.free_ns || self.spends.load(Relaxed) < self.free_spends
    }

    /// What was spent, relative to what may be; what the free spends took was allowed.
    pub(crate) fn pressure(&self) -> f64 {
        let free = self.free_ns.max(self.at_first_ns.load(Relaxed));
        let allowed = self.allowed_ns.load(Relaxed).max(free);
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

    /// On a busy machine each takes long, as its thread waits in between: what comes next is as fine as on an idle one.
    #[test]
    fn what_is_free_leaves_no_debt_however_long_it_takes() {
        for us in [1, 1000] {
            let budget = CpuBudget::of_at_least(Duration::from_millis(50), 4096);
            budget.set_time(Duration::from_secs(1), Duration::ZERO);
            while budget.is_free() {
                budget.spend(Duration::from_micros(us));
            }
            let strata = Fineness { at_budget: 16.0, least: 1 }.strata(budget.pressure());
            assert!(strata >= 15, "{strata} after stacks of {us} us");
        }
    }

    #[test]
    fn what_is_not_free_is_owed() {
        let budget = CpuBudget::of_at_least(Duration::from_millis(50), 10);
        for _ in 0..10 {
            budget.spend(Duration::from_millis(1));
        }
        assert!((budget.pressure() - 0.2).abs() < 1e-9);
        for _ in 0..90 {
            budget.spend(Duration::from_millis(1));
        }
        assert!((budget.pressure() - 2.0).abs() < 1e-9);
    }

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
        let dear = CpuBudget::of_at_least(Duration::ZERO, 0).times(4);
        dear.set_time(Duration::from_secs(40), elapsed);
        dear.spend(Duration::from_millis(400));
        assert!((dear.pressure() - 0.25).abs() < 0.01, "{}", dear.pressure());
    }
}
