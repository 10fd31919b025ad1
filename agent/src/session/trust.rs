//! How our count stands to the JVM's own of allocated bytes: the difference, by cause.

use mayfly_profile::{AT_START_UP, Remainder};

use super::uncounted::Uncounted;

/// Where the JVM's sampler is another agent's.
const NOT_HOOKED: &str = "made by the JVM itself or through JNI (not estimated: no sampler)";
const UNEXPLAINED: &str = "not explained";
/// No sample falls there; known by what is left.
const MOUNTING: &str =
    "made while virtual threads are mounted or unmounted, mostly their stacks (jdk.internal.vm.StackChunk)";
const CHANCE: &str = "chance (within three standard errors of the estimates)";
const REMOVED_BY_JIT: &str = "optimised away by the JIT: counted, not allocated (scalar replacement)";

/// Both counts, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    /// By the JVM, of all threads since it started.
    pub(super) jvm: u64,
    /// By the engine.
    pub(super) accounted: u64,
    /// Whether that has what was allocated before counting began.
    pub(super) has_start_up: bool,
    /// Standard error of that, if it is an estimate.
    pub(super) error: Option<u64>,
    /// Mean bytes between two samples, if there are any.
    pub(super) interval: Option<u64>,
}

impl Difference {
    /// The difference by cause: what was allocated while nothing was counted, what the engine knows of, and the rest.
    pub(super) fn by_cause(
        self,
        uncounted: &Uncounted,
        known: Vec<Remainder>,
        on_carriers: impl FnOnce() -> u64,
    ) -> Vec<Remainder> {
        let mut parts = uncounted.parts(self.jvm);
        parts.retain(|part| !self.has_start_up || part.cause != AT_START_UP);
        parts.extend(known);
        let rest = self.jvm as i64 - self.accounted as i64 - parts.iter().map(|part| part.bytes).sum::<i64>();
        parts.extend(leftover(rest, &parts, self, on_carriers));
        parts.retain(|part| part.bytes != 0);
        parts
    }
}

/// What is left of the difference. Where more was counted than allocated, the JIT removed it, but from estimates it can remove
/// nothing; its error is that of the estimates that were taken off before, and of what no sample fell on, which is about one
/// interval. Where less was, it is put down to virtual threads, as far as their carriers allocated so much.
fn leftover(
    bytes: i64,
    parts: &[Remainder],
    difference: Difference,
    on_carriers: impl FnOnce() -> u64,
) -> Vec<Remainder> {
    let Difference { interval, error, .. } = difference;
    let errors = parts.iter().filter_map(|part| part.error_bytes).chain(interval).chain(error);
    let squares: f64 = errors.map(|error| (error as f64).powi(2)).sum();
    let error_bytes = interval.map(|_| squares.sqrt().round() as u64);
    let part = |cause: &str, bytes, named| Remainder { cause: cause.into(), bytes, error_bytes, named };
    match error_bytes {
        Some(error) if bytes.unsigned_abs() <= 3 * error => vec![part(CHANCE, bytes, false)],
        _ if bytes < 0 && error.is_some() => vec![part(UNEXPLAINED, bytes, false)],
        _ if bytes < 0 => vec![part(REMOVED_BY_JIT, bytes, true)],
        None => vec![part(NOT_HOOKED, bytes, false)],
        Some(error) => {
            let most = i64::try_from(on_carriers()).unwrap_or(i64::MAX);
            let near = most > 0 && bytes <= most.saturating_add(3 * error as i64);
            let mounting = if near { bytes } else { most };
            vec![part(MOUNTING, mounting, true), part(UNEXPLAINED, bytes - mounting, false)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: u64 = 512 << 10;

    /// (cause, bytes) of what is left, without what is nothing.
    fn told(bytes: i64, interval: Option<u64>, on_carriers: u64) -> Vec<(String, i64)> {
        let exact = Difference { jvm: 0, accounted: 0, has_start_up: false, error: None, interval };
        let parts = leftover(bytes, &[], exact, || on_carriers);
        assert!(parts.iter().all(|part| part.error_bytes == interval));
        parts.into_iter().filter(|part| part.bytes != 0).map(|part| (part.cause, part.bytes)).collect()
    }

    #[test]
    fn without_a_sample_the_error_is_an_interval() {
        let one = |cause: &str, bytes| vec![(cause.to_owned(), bytes)];
        for bytes in [300_000, -300_000, 3 * INTERVAL as i64] {
            assert_eq!(told(bytes, Some(INTERVAL), 0), one(CHANCE, bytes));
        }
        assert_eq!(told(10 << 20, Some(INTERVAL), 0), one(UNEXPLAINED, 10 << 20));
        assert_eq!(told(-10 << 20, Some(INTERVAL), 1 << 30), one(REMOVED_BY_JIT, -10 << 20));
        assert_eq!(told(300_000, None, 0), one(NOT_HOOKED, 300_000));
    }

    #[test]
    fn the_error_of_estimated_counts_is_one_of_what_is_left_and_the_jit_removes_nothing_of_them() {
        let told = |bytes: i64| {
            let estimated = Difference {
                jvm: 0,
                accounted: 0,
                has_start_up: false,
                error: Some(4 << 20),
                interval: Some(INTERVAL),
            };
            leftover(bytes, &[], estimated, || 0).remove(0).cause
        };
        assert_eq!((told(10 << 20), told(-10 << 20)), (CHANCE.to_owned(), CHANCE.to_owned()));
        assert_eq!(told(-20 << 20), UNEXPLAINED);
    }

    #[test]
    fn what_is_left_is_put_down_to_virtual_threads_as_far_as_their_carriers_allocated() {
        let parts = |on_carriers| told(10 << 20, Some(INTERVAL), on_carriers);
        assert_eq!(parts(1 << 30), [(MOUNTING.to_owned(), 10 << 20)]);
        assert_eq!(parts(9 << 20), [(MOUNTING.to_owned(), 10 << 20)], "within the error");
        assert_eq!(parts(4 << 20), [(MOUNTING.to_owned(), 4 << 20), (UNEXPLAINED.to_owned(), 6 << 20)]);
        assert_eq!(told(300_000, Some(INTERVAL), 1 << 30), [(CHANCE.to_owned(), 300_000)]);
    }
}
