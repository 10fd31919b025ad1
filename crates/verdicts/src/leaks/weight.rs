//! Which of several growths with the same verdict comes first.

use std::cmp::Ordering;

/// A growth that is spread over more containers counts as if it were spread over so many.
const MOST: f64 = 8.0;
/// In the last interval it grew at less than this share of its pace before: it slows.
const SLOWS: f64 = 0.8;

/// How much a growth weighs: the larger comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight {
    /// It is spread over many containers, and slows: each of them fills.
    fills: bool,
    /// Bytes that one container grew by.
    bytes: f64,
}

impl Weight {
    /// Of bytes in each dump, and when each was taken, if that is known; spread over so many containers as if evenly.
    ///
    /// Caches and reservoirs of which there are many grow by much together; a container that grows by as much alone says more. But what grows by
    /// far more leaks more, however it is spread: so no more than `MOST` containers are looked at.
    pub fn of(bytes: &[u64], times: &[f64], evenly: f64) -> Self {
        let grown = bytes.last().unwrap_or(&0).saturating_sub(*bytes.first().unwrap_or(&0)) as f64;
        Self { fills: evenly >= MOST && slows(bytes, times), bytes: grown / evenly.clamp(1.0, MOST) }
    }

    /// The heavier first.
    pub fn heavier_first(&self, other: &Self) -> Ordering {
        self.fills.cmp(&other.fills).then(other.bytes.total_cmp(&self.bytes))
    }
}

/// Whether it grew more slowly in the last interval than before.
pub(super) fn slows(bytes: &[u64], times: &[f64]) -> bool {
    let [first, .., before, last] = *bytes else { return false };
    let intervals = (bytes.len() - 2) as f64;
    let [before_s, last_s] = match *times {
        [start, .., middle, end] if times.len() == bytes.len() => [middle - start, end - middle],
        _ => [intervals, 1.0],
    };
    let pace = |from: u64, to: u64, seconds: f64| to.saturating_sub(from) as f64 / seconds.max(0.001);
    pace(before, last, last_s) < SLOWS * pace(first, before, before_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEADY: [u64; 4] = [0, 100_000, 200_000, 300_000];
    const SLOWING: [u64; 4] = [0, 200_000, 400_000, 500_000];

    /// Names, the first first.
    fn order(mut all: Vec<(&'static str, Weight)>) -> Vec<&'static str> {
        all.sort_by(|(_, one), (_, other)| one.heavier_first(other));
        all.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn one_container_comes_before_many_that_grew_as_much_together() {
        let of = |bytes: [u64; 4], evenly| Weight::of(&bytes, &[], evenly);
        let list = of([0, 60_000, 120_000, 180_000], 1.0);
        assert_eq!(order(vec![("histograms", of(STEADY, 100.0)), ("list", list)]), ["list", "histograms"]);
        // The sessions themselves become more: that is one container.
        assert_eq!(order(vec![("list", list), ("sessions", of(STEADY, 1.0))]), ["sessions", "list"]);
        // By ten times as much: that weighs more.
        let threads = of(STEADY.map(|bytes| bytes * 10), 100.0);
        assert_eq!(order(vec![("list", list), ("thread locals", threads)]), ["thread locals", "list"]);
        // Not if each fills.
        let filling = of(SLOWING.map(|bytes| bytes * 10), 100.0);
        assert_eq!(order(vec![("histograms", filling), ("list", list)]), ["list", "histograms"]);
        let slower = of(SLOWING.map(|bytes| bytes * 10), 1.0);
        assert_eq!(order(vec![("list", list), ("slower list", slower)]), ["slower list", "list"]);
    }

    #[test]
    fn a_pace_is_in_seconds_where_these_are_known() {
        let slows = |times: &[f64]| slows(&SLOWING, times);
        assert!(slows(&[]) && slows(&[0.0, 10.0, 20.0, 30.0]));
        assert!(!slows(&[0.0, 10.0, 20.0, 25.0]), "the last interval was half as long");
    }
}
