//! What is made between a virtual thread and its carrier. While one is mounted or unmounted the JVM posts no event, so no
//! sample falls there: neither on the stacks that it moves to the heap, nor on what schedules the thread again.

use mayfly_profile::{ClassEstimate, ClassId, Estimate};
use mayfly_tracking::ClassTable;

use crate::target_jvm::release::{FIRST_WITH_VIRTUAL_THREADS, MADE_WHILE_MOUNTING, VIRTUAL_THREAD_CLASS};

/// Whether any virtual thread was made in a JVM of that release, by the bytes counted of each class.
pub(super) fn has_virtual_threads(jdk: u32, classes: &ClassTable, executed: &[u64]) -> bool {
    let is_it = |class: ClassId| classes.name(class) == Some(VIRTUAL_THREAD_CLASS);
    jdk >= FIRST_WITH_VIRTUAL_THREADS
        && executed.iter().zip(0..).any(|(&bytes, class)| bytes > 0 && is_it(ClassId(class)))
}

/// Beside virtual threads: what samples say of a class of which `executed` bytes were counted. Objects that no
/// sample could fall on are not said to be removed by the JIT; the error covers all of them.
pub(super) fn with_doubt(
    class: &str,
    mut estimate: ClassEstimate,
    executed: u64,
    interval: u64,
) -> ClassEstimate {
    let element = class.trim_start_matches('[');
    let element = element.strip_prefix('L').filter(|_| element.len() < class.len()).unwrap_or(element);
    let there = MADE_WHILE_MOUNTING.iter().any(|start| element.starts_with(start));
    if there && estimate.removed(executed, interval) {
        let missing = executed.saturating_sub(estimate.allocated.bytes());
        estimate.allocated.add(Estimate::of_bytes(0.0, missing as f64 / 2.0));
    }
    estimate
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: u64 = 16 << 10;
    const EXECUTED: u64 = 36_000_000;

    fn told(class: &str, bytes: u64) -> ClassEstimate {
        let sampled =
            ClassEstimate { allocated: Estimate::of_bytes(bytes as f64, 0.0), ..ClassEstimate::default() };
        with_doubt(class, sampled, EXECUTED, INTERVAL)
    }

    #[test]
    fn what_no_sample_could_fall_on_is_not_said_to_be_removed() {
        for class in [
            "java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask",
            "java.lang.VirtualThread$$Lambda/0x0000000800009d88",
            "[Ljava.util.concurrent.RunnableScheduledFuture;",
        ] {
            for sampled in [0, EXECUTED / 2] {
                let told = told(class, sampled);
                assert!(!told.removed(EXECUTED, INTERVAL), "{class}");
                let (bytes, error) = (told.allocated.bytes(), told.allocated.error_bytes());
                assert!(bytes + 3 * error >= EXECUTED, "{class}: {bytes} ± {error}");
            }
        }
    }

    #[test]
    fn other_classes_are_and_what_samples_fell_on_keeps_its_error() {
        for class in
            ["java.lang.String", "[Ljava.lang.Object;", "java.util.concurrent.ConcurrentHashMap$Node"]
        {
            assert!(told(class, 0).removed(EXECUTED, INTERVAL), "{class}");
        }
        assert_eq!(told(VIRTUAL_THREAD_CLASS, EXECUTED).allocated.error_bytes(), 0);
    }
}
