//! Tells a budget of CPU time what was spent, as far as that can be seen from a thread of the program.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use mayfly_tracking::CpuBudget;

/// The CPU time of the process is asked for once per so many measurements.
const SPENDS_PER_CPU_TIME: u64 = 32;

/// So much CPU time of a thread was spent: by the clock a busy machine would seem to make it dear.
pub(super) fn spend(budget: &CpuBudget, time: Duration) {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    if budget.spend(time).is_multiple_of(SPENDS_PER_CPU_TIME) {
        let first = FIRST.get_or_init(Instant::now);
        budget.set_time(ProcessTime::now().as_duration(), first.elapsed());
    }
}
