//! How far a program was, and when: what it had allocated and kept at each collection, by the JVM's log of them.
//!
//! Of what takes the same work in every run a share of all that is allocated is a share of the work, however fast it goes.

/// When this share of all that the log tells of was allocated, in seconds since the JVM's start; `None` of a log without collections.
///
/// Lines of HotSpot's unified logging, tag `gc`: "24M->3M(256M)". What is between a collection's end and the next one's begin was
/// allocated there.
pub(crate) fn reached_s(log: &str, share: f64) -> Option<f64> {
    let mut steps = vec![(0.0, 0.0)];
    let (mut allocated, mut left) = (0.0, 0.0);
    for (uptime_s, before, after) in log.lines().filter_map(collection) {
        allocated += (before - left).max(0.0);
        left = after;
        steps.push((allocated, uptime_s));
    }
    (steps.len() > 1).then(|| value_at(&steps, allocated * share))
}

/// Bytes that each collection left in the heap, by the JVM's uptime in seconds.
pub(crate) fn left_in_heap(log: &str) -> Vec<(f64, f64)> {
    const MIB: f64 = 1_048_576.0;
    log.lines().filter_map(collection).map(|(uptime_s, _, after)| (uptime_s, after * MIB)).collect()
}

/// What belongs to `x`, on the straight line between the two points beside it; of what lies outside, the nearest point's. Points are in order.
pub(crate) fn value_at(points: &[(f64, f64)], x: f64) -> f64 {
    let next = points.partition_point(|point| point.0 < x);
    match (next.checked_sub(1).and_then(|last| points.get(last)), points.get(next)) {
        (Some(&(from, first)), Some(&(to, then))) => first + (then - first) * (x - from) / (to - from),
        (Some(&(_, only)), None) | (None, Some(&(_, only))) => only,
        (None, None) => 0.0,
    }
}

/// Uptime in seconds, MiB of heap before and after.
fn collection(line: &str) -> Option<(f64, f64, f64)> {
    let (uptime, rest) = line.strip_prefix('[')?.split_once("s]")?;
    let (before, after) = rest.split_once(" GC(")?.1.split_once("->")?;
    let mib = |text: &str| text.split(['M', '(']).next()?.parse().ok();
    Some((uptime.parse().ok()?, mib(before.rsplit(' ').next()?)?, mib(after)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
[0.010s][info][gc] Using G1
[1.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 100M->40M(256M) 3.210ms
[1.100s][info][gc] GC(1) Concurrent Mark Cycle
[1.200s][info][gc] GC(1) Pause Remark 60M->50M(256M) 1.000ms
[1.250s][info][gc] GC(1) Concurrent Mark Cycle 90.1ms
[2.000s][info][safepoint] Safepoint \"G1CollectForAllocation\", Total: 9 ns
[3.200s][info][gc] GC(2) Pause Young (Normal) (G1 Evacuation Pause) 150M->30M(256M) 3.210ms
";

    #[test]
    fn shares_of_what_was_allocated_are_found_between_collections() {
        // 100, 20 and 100 MiB.
        let at = |share| reached_s(LOG, share).expect("collections");
        let near =
            |share, seconds: f64| assert!((at(share) - seconds).abs() < 1e-9, "{share}: {}", at(share));
        near(1.0, 3.2);
        near(120.0 / 220.0, 1.2);
        near(170.0 / 220.0, 2.2);
        near(50.0 / 220.0, 0.5);
        assert_eq!(reached_s("[0.010s][info][gc] Using G1\n", 0.5), None);
    }

    #[test]
    fn what_collections_left_is_read_with_their_uptime() {
        let mib = |left: f64| left * 1_048_576.0;
        assert_eq!(left_in_heap(LOG), [(1.0, mib(40.0)), (1.2, mib(50.0)), (3.2, mib(30.0))]);
    }

    #[test]
    fn shares_of_zgc_are_read_too() {
        let log = "[4.000s][info][gc] GC(0) Garbage Collection (Warmup) 24M(5%)->4M(1%)\n[8.000s][info][gc] GC(1) Garbage Collection (Warmup) 28M(5%)->4M(1%)\n";
        assert_eq!(reached_s(log, 0.5), Some(4.0));
    }

    #[test]
    fn values_lie_on_the_line_between_two_points_and_not_outside() {
        let points = [(1.0, 10.0), (2.0, 20.0), (4.0, 60.0)];
        assert_eq!(
            [0.0, 1.0, 1.5, 3.0, 4.0, 9.0].map(|x| value_at(&points, x)),
            [10.0, 10.0, 15.0, 40.0, 60.0, 60.0]
        );
        assert_eq!(value_at(&[], 1.0), 0.0);
    }
}
