//! What is outside of the heap, in words: how much at the end, and how fast it grew.
//!
//! Not here: the curve (`over_time`).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use mayfly_profile::{Held, HolderRow, Holders, Holding, OffHeap, OffHeapGrowth, Point, Profile, Tracking};

use crate::names::place_text;
use crate::process::while_it_runs;
use crate::rows::{age, blank, line};
use crate::table::right_aligned;
use crate::units;

/// Bytes outside of the heap that are worth a line on one screen, or a chart.
pub const MUCH_OFF_HEAP: u64 = 1 << 20;
/// Rows of the full report if no limit is given.
const ROWS: usize = 20;
/// What is address space, not memory.
const MAPPED: &str = "mapped file";

/// Both of the following, a line each; none where nothing is known.
pub fn off_heap_lines(profile: &Profile) -> Vec<String> {
    profile.off_heap().map_or_else(Vec::new, |now| vec![direct(now), others(now)])
}

/// Whether it is so much that one screen has room for it, or is not known.
pub(crate) fn matters(profile: &Profile) -> bool {
    let Some(now) = profile.off_heap() else { return false };
    let most = most_direct(profile).max(now.mapped.map_or(0, |mapped| mapped.bytes));
    now.direct.is_none() || most >= MUCH_OFF_HEAP
}

/// The most bytes of direct buffers that there were, as far as the curve tells.
pub(crate) fn most_direct(profile: &Profile) -> u64 {
    let curve = profile.history.iter().filter_map(Point::direct_bytes);
    curve.chain(profile.off_heap().and_then(OffHeap::direct_bytes)).max().unwrap_or(0)
}

/// Bytes of direct buffers and arenas; `?` where the JVM does not count them.
pub(crate) fn direct(now: OffHeap) -> String {
    now.direct_bytes().map_or_else(|| "?".to_owned(), units::bytes)
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
    let made = largest(profile).map_or_else(String::new, |made| format!("{made}; "));
    format!("{made}{limit}{freed}who holds them: mayfly leaks PID, {}", while_it_runs(profile))
}

/// Who made most of it that is there, as far as its objects were followed: `most by Feed.open:41: 143 MiB in 143 of 143, the oldest 8.1 s
/// old`. Of a byte sample, which meets few of these small objects, it is a share.
fn largest(profile: &Profile) -> Option<String> {
    let holders = profile.holders.as_ref()?;
    // Of rows without a stack nobody can be named.
    let is_named = |row: &&HolderRow| what(row) != MAPPED && row.stack.shown_frame().is_some();
    let rows = joined(holders);
    let row = rows.iter().find(is_named)?;
    let much = match amount(profile, holders) {
        Amount::Share(all) => {
            format!("{} of what was followed", units::whole_percent(row.held.bytes as f64 / all as f64))
        }
        Amount::Bytes(about) => {
            let counted = profile.off_heap().and_then(|now| now.direct).map(|direct| direct.number);
            let counted = counted.map_or_else(String::new, |all| format!(" of {}", units::grouped(all)));
            let (bytes, number) = (units::bytes(row.held.bytes), units::grouped(row.held.number));
            format!("{about}{bytes} in {number}{counted}")
        }
    };
    Some(format!("most by {}: {much}, the oldest {} old", place(row), age(profile, row.born_ms)))
}

/// The rows, most bytes first: what reads the same is one, as stacks differ in frames that are not shown.
fn joined(holders: &Holders) -> Vec<HolderRow> {
    let mut rows: Vec<HolderRow> = Vec::new();
    let mut at: HashMap<(&str, String), usize> = HashMap::new();
    for row in &holders.rows {
        match at.entry((what(row), place(row))) {
            Entry::Vacant(entry) => {
                entry.insert(rows.len());
                rows.push(row.clone());
            }
            Entry::Occupied(entry) => {
                let sum = &mut rows[*entry.get()];
                sum.held.add(row.held.number, row.held.bytes);
                sum.born_ms = sum.born_ms.min(row.born_ms);
            }
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.held.bytes));
    rows
}

/// How a row's part is stated.
enum Amount {
    /// As a share of so many bytes.
    Share(u64),
    /// In bytes and objects, behind this sign.
    Bytes(&'static str),
}

fn amount(profile: &Profile, holders: &Holders) -> Amount {
    match profile.run.tracking {
        // One of these objects stands for hundreds: more than there are.
        Tracking::ByteSample(_) => Amount::Share(holders.held().bytes.max(1)),
        Tracking::EveryObject => Amount::Bytes(""),
        _ => Amount::Bytes("~"),
    }
}

fn what(row: &HolderRow) -> &'static str {
    Holding::of(&row.class).map_or("?", |holding| holding.what)
}

/// The innermost frame that is not the JDK's; `?` where no stack is known.
fn place(row: &HolderRow) -> String {
    let frame = row.stack.shown_frame();
    frame.map_or_else(|| "?".to_owned(), |frame| place_text(&frame.class, &frame.method, frame.line))
}

/// Who made what is outside of the heap, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldersTable {
    /// What it is, and how much in all.
    pub heading: String,
    /// The first has the headings of columns.
    pub rows: Vec<Vec<String>>,
    /// What is in no row.
    pub left_out: Vec<String>,
}

/// Who made what is outside of the heap, in so many rows at most; `None` if none of its objects was followed.
pub fn holders(profile: &Profile, most: usize) -> Option<HoldersTable> {
    let holders = profile.holders.as_ref()?;
    let all = holders.held();
    let amount = amount(profile, holders);
    let in_all = match amount {
        Amount::Share(_) => "shares of what was followed".to_owned(),
        Amount::Bytes(about) => {
            format!("{about}{} in {}", units::bytes(all.bytes), units::grouped(all.number))
        }
    };
    let all_rows = joined(holders);
    let shown = most.min(all_rows.len());
    let names: &[&str] = match amount {
        Amount::Share(_) => &["share", "oldest", "what", "made by"],
        Amount::Bytes(_) => &["bytes", "number", "oldest", "what", "made by"],
    };
    let mut rows = vec![names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()];
    rows.extend(all_rows[..shown].iter().map(|row| cells(profile, row, &amount)));
    let mut left_out = Vec::new();
    if shown < all_rows.len() {
        left_out.push(format!("{} more rows, in JSON", all_rows.len() - shown));
    }
    if holders.unknown > 0 {
        left_out.push(format!("of {} more the size is not known (?)", units::grouped(holders.unknown)));
    }
    Some(HoldersTable { heading: format!("Outside of the heap, by who made it: {in_all}"), rows, left_out })
}

fn cells(profile: &Profile, row: &HolderRow, amount: &Amount) -> Vec<String> {
    let mut cells = match amount {
        Amount::Share(all) => vec![units::whole_percent(row.held.bytes as f64 / *all as f64)],
        Amount::Bytes(about) => {
            let number = units::grouped(row.held.number);
            vec![format!("{about}{}", units::bytes(row.held.bytes)), format!("{about}{number}")]
        }
    };
    cells.extend([age(profile, row.born_ms), what(row).to_owned(), place(row)]);
    cells
}

/// Writes that table; nothing if there is none.
pub(crate) fn write_holders(out: &mut String, profile: &Profile, limit: Option<usize>) {
    let Some(table) = holders(profile, limit.unwrap_or(ROWS)) else { return };
    line(out, 0, &table.heading);
    out.push_str(&right_aligned(&table.rows, "  "));
    table.left_out.iter().for_each(|text| line(out, 2, text));
    blank(out);
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{
        DIRECT_BUFFERS, DIRECT_BYTES, Frame, MAPPED_BUFFERS, MAPPED_BYTES, MEMORY_LIMIT_BYTES,
        RESIDENT_BYTES, Readings, Stack,
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

    #[test]
    fn who_made_it_is_named_with_how_much_of_it_that_is() {
        let stack = |class: &str| -> Stack {
            let frame =
                |class: &str| Frame { class: class.into(), method: "open".into(), ..Frame::default() };
            [frame("java.nio.ByteBuffer"), frame(class)].into_iter().collect()
        };
        let row = |class: &str, by: &str, mib| HolderRow {
            class: class.to_owned(),
            stack: stack(by),
            held: Held { number: 9, bytes: mib * MIB },
            born_ms: 2_000,
        };
        let rows = vec![
            row("sun.nio.ch.FileChannelImpl$DefaultUnmapper", "shop.Index", 900),
            row("java.nio.DirectByteBuffer$Deallocator", "shop.Feed", 18),
        ];
        let holders = Some(Holders { rows, unknown: 3, ..Holders::default() });
        let mut profile = Profile { duration_ms: 20_000, holders, ..leak(Some(3 * MIB)) };
        profile.run.tracking = Tracking::EveryObject;
        let [_, next] = growing_off_heap(&profile).expect("it grows");
        let made = "most by shop.Feed.open: 18.0 MiB in 9 of 20, the oldest 18 s old; ";
        assert!(next.starts_with(made), "mapped files are no memory: {next}");
        let mut out = String::new();
        write_holders(&mut out, &profile, None);
        assert!(out.starts_with("Outside of the heap, by who made it: 918 MiB in 18\n"), "{out}");
        assert!(
            out.contains("900 MiB") && out.contains("mapped file") && out.contains("shop.Index.open"),
            "{out}"
        );
        assert!(out.contains("of 3 more the size is not known (?)"), "{out}");
        // The same place by another way, older.
        let mut other = row("java.nio.DirectByteBuffer$Deallocator", "shop.Feed", 6);
        (other.stack, other.born_ms) =
            (other.stack.iter().cloned().chain([Frame::default()]).collect(), 1_000);
        let mut twice = profile.clone();
        twice.holders.get_or_insert_default().rows.push(other);
        let table = super::holders(&twice, 8).expect("a table");
        assert_eq!(table.rows.len(), 3, "{table:?}");
        assert_eq!(table.rows[2][..3], ["24.0 MiB", "18", "19 s"], "{table:?}");
        let [_, next] = growing_off_heap(&twice).expect("it grows");
        assert!(
            next.starts_with("most by shop.Feed.open: 24.0 MiB in 18 of 20, the oldest 19 s old; "),
            "{next}"
        );
        // A byte sample met one of 20 buffers, which stood for 1,026 of a GiB.
        profile.run.tracking = Tracking::ByteSample(15_000);
        let [_, next] = growing_off_heap(&profile).expect("it grows");
        assert!(
            next.starts_with("most by shop.Feed.open: 2 % of what was followed, the oldest 18 s old; "),
            "{next}"
        );
        out.clear();
        write_holders(&mut out, &profile, None);
        assert!(
            out.contains("by who made it: shares of what was followed\n") && !out.contains("MiB"),
            "{out}"
        );
    }
}
