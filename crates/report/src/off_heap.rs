//! What is outside of the heap, in words: how much at the end, and how fast it grew.
//!
//! Not here: the curve (`over_time`).

use mayfly_profile::{Held, OffHeap, OffHeapGrowth, Profile};

use crate::units;

/// Bytes that are worth a line on one screen.
const MUCH: u64 = 1 << 20;

/// Both of the following, a line each; none where nothing is known.
pub fn off_heap_lines(profile: &Profile) -> Vec<String> {
    profile.off_heap().map_or_else(Vec::new, |now| vec![direct(now), others(now)])
}

/// Whether it is so much that one screen has room for it, or is not known.
pub(crate) fn matters(profile: &Profile) -> bool {
    let Some(now) = profile.off_heap() else { return false };
    let most = most_direct(profile).max(now.mapped.map_or(0, |mapped| mapped.bytes));
    now.direct.is_none() || most >= MUCH
}

/// The most bytes of direct buffers that there were, as far as the curve tells.
pub(crate) fn most_direct(profile: &Profile) -> u64 {
    let curve = profile.history.iter().filter_map(|point| point.off_heap);
    curve.chain(profile.off_heap()).filter_map(|now| now.direct).map(|direct| direct.bytes).max().unwrap_or(0)
}

/// Bytes of direct buffers and arenas; `?` where the JVM does not count them.
pub(crate) fn direct(now: OffHeap) -> String {
    now.direct.map_or_else(|| "?".to_owned(), |direct| units::bytes(direct.bytes))
}

/// `1,204 direct buffers; mapped files: 6.00 MiB in 3 mappings; the process has 1.10 GiB of 1.20 GiB that it may have (92 %)`.
pub(crate) fn others(now: OffHeap) -> String {
    let direct = now.direct.map_or_else(
        || "this JVM does not count direct buffers as others do".to_owned(),
        |direct| counted(direct.number, "direct buffer"),
    );
    let mapped = match now.mapped {
        None => "; mapped files: ?".to_owned(),
        Some(Held { number: 0, .. }) => String::new(),
        Some(mapped) => {
            format!("; mapped files: {} in {}", units::bytes(mapped.bytes), counted(mapped.number, "mapping"))
        }
    };
    let resident = now.resident.map_or_else(|| "?".to_owned(), units::bytes);
    let limit = now.limit.map_or_else(String::new, |limit| {
        let share =
            now.resident.map_or_else(String::new, |now| format!(" ({} %)", units::percent(now, limit)));
        format!(" of {} that it may have{share}", units::bytes(limit))
    });
    format!("{direct}{mapped}; the process has {resident}{limit}")
}

fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", units::grouped(number))
}

/// Direct buffers that grow, in a sentence, and what to know of it; `None` if they do not.
pub fn growing_off_heap(profile: &Profile) -> Option<[String; 2]> {
    let growth = profile.off_heap_growth()?;
    let rate = units::bytes(growth.bytes_per_s.round() as u64);
    let [_, last] = growth.bytes;
    let number = profile.off_heap().and_then(|now| now.direct).map(|direct| direct.number);
    let buffers = number.map_or_else(String::new, |number| format!(" in {}", units::grouped(number)));
    Some([
        format!(
            "growing outside of the heap: direct buffers, {rate}/s since {}: {}{buffers}, while {}",
            units::clock(growth.since_ms),
            units::bytes(last),
            heap(&growth)
        ),
        next(profile, &growth),
    ])
}

fn heap(growth: &OffHeapGrowth) -> String {
    match (growth.heap, growth.is_heap_flat()) {
        (Some([_, after]), Some(true)) => format!("the heap stays at {}", units::bytes(after)),
        (Some([before, after]), _) => {
            format!("the heap went from {} to {}", units::bytes(before), units::bytes(after))
        }
        (None, _) => "what the heap holds is not known (?)".to_owned(),
    }
}

fn next(profile: &Profile, growth: &OffHeapGrowth) -> String {
    let freed = if growth.collected {
        String::new()
    } else {
        "no GC of the whole heap has run since, and only one frees buffers that nobody holds; ".to_owned()
    };
    let now = profile.off_heap();
    let limit = now.and_then(|now| Some((now.resident?, now.limit?)));
    let limit = limit.map_or_else(String::new, |(resident, limit)| {
        format!("the process has {} of {} that it may have; ", units::bytes(resident), units::bytes(limit))
    });
    format!("{limit}{freed}who holds them: mayfly leaks PID")
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{
        DIRECT_BUFFERS, DIRECT_BYTES, MAPPED_BUFFERS, MAPPED_BYTES, MEMORY_LIMIT_BYTES, Point,
        RESIDENT_BYTES, Readings,
    };

    use super::*;

    const MIB: u64 = 1 << 20;

    fn profile(readings: &[(u8, u64)]) -> Profile {
        let readings = Readings(readings.iter().copied().collect());
        Profile { readings, ..Profile::default() }
    }

    #[test]
    fn what_fills_the_process_is_said_and_what_is_not_known_is_a_question_mark() {
        let direct = [(DIRECT_BUFFERS, 1_204), (DIRECT_BYTES, 812 * MIB)];
        let mapped = [(MAPPED_BUFFERS, 1), (MAPPED_BYTES, 6 * MIB)];
        let process = [(RESIDENT_BYTES, 900 * MIB), (MEMORY_LIMIT_BYTES, 1_000 * MIB)];
        let lines = off_heap_lines(&profile(&[&direct[..], &mapped, &process].concat()));
        assert_eq!(
            lines,
            [
                "812 MiB",
                "1,204 direct buffers; mapped files: 6.00 MiB in 1 mapping; the process has 900 MiB of 1000 MiB that it may have (90 %)"
            ]
        );
        let lines = off_heap_lines(&profile(&process[..1]));
        assert_eq!(lines[0], "?");
        assert!(lines[1].starts_with("this JVM does not count") && lines[1].contains("mapped files: ?"));
        assert_eq!(off_heap_lines(&profile(&[(1, 5)])), [""; 0], "an earlier recording");
        assert!(matters(&profile(&process)) && !matters(&profile(&[(1, 5)])));
        assert!(!matters(&profile(&[(DIRECT_BUFFERS, 3), (DIRECT_BYTES, 24_000)])));
    }

    /// Twenty seconds, in each 2 MiB of direct buffers more.
    fn leak(live: Option<u64>) -> Profile {
        let direct = |at: u64| Some(Held { number: at, bytes: 2 * at * MIB });
        let off_heap = |at| Some(OffHeap { direct: direct(at), ..OffHeap::default() });
        let point = |at| Point { span_ms: 1_000, live, off_heap: off_heap(at), ..Point::default() };
        let history = (1..=20).map(point).collect();
        Profile { history, ..profile(&[(DIRECT_BUFFERS, 20), (DIRECT_BYTES, 40 * MIB)]) }
    }

    #[test]
    fn growth_beside_a_flat_heap_is_a_sentence_with_what_frees_it() {
        let [text, next] = growing_off_heap(&leak(Some(3 * MIB))).expect("it grows");
        assert_eq!(
            text,
            "growing outside of the heap: direct buffers, 2.00 MiB/s since 0:00:05: 40.0 MiB in 20, while the heap stays at 3.00 MiB"
        );
        assert!(next.starts_with("no GC of the whole heap has run since"), "{next}");
        let [unknown, _] = growing_off_heap(&leak(None)).expect("it grows");
        assert!(unknown.ends_with("what the heap holds is not known (?)"), "{unknown}");
        assert_eq!(growing_off_heap(&profile(&[(DIRECT_BUFFERS, 20), (DIRECT_BYTES, 40 * MIB)])), None);
    }
}
