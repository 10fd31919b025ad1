//! What the JVM itself says that it promoted: by its log of collections (`-Xlog:gc*`), from JDK 11 on.
//!
//! Of Serial how much fuller the old generation is after each young collection. Of G1 what was copied to old regions, where the log
//! has it (`gc+plab=debug`); else by how many regions they grew, with what is wasted in them.

use std::collections::HashMap;

/// What a log says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promoted {
    /// Bytes that young collections promoted.
    pub bytes: u64,
    /// Young collections.
    pub young: u32,
    /// Full collections, or of the old generation.
    pub full: u32,
}

/// One collection.
#[derive(Clone, Copy, Debug, Default)]
struct Collection {
    young: bool,
    full: bool,
    /// Old regions were emptied, too: what is copied is not all promoted.
    mixed: bool,
    grown: u64,
    copied: Option<u64>,
}

impl Collection {
    fn promoted(&self) -> u64 {
        self.copied.filter(|_| !self.mixed).unwrap_or(self.grown)
    }
}

/// What threads copied into buffers of their own, copied beside these, and left where it was as there was no room.
const COPIED: [(&str, &str); 3] = [
    ("Old PLAB allocation: ", " used: "),
    ("Old other allocation: ", " direct allocated: "),
    ("Old other allocation: ", " failure used: "),
];

/// Reads a log; `None` if it has no young collection that says how full the old generation was.
pub fn promoted(log: &str) -> Option<Promoted> {
    let mut collections: HashMap<u32, Collection> = HashMap::new();
    let mut region = 1 << 20;
    for line in log.lines() {
        if let Some((_, size)) = line.split_once("Heap Region Size: ") {
            region = size_of(size.trim()).unwrap_or(region);
        }
        let Some((number, text)) = of_collection(line) else { continue };
        let collection = collections.entry(number).or_default();
        collection.young |= text.starts_with("Pause Young");
        collection.full |= text.starts_with("Pause Full");
        collection.mixed |= text.starts_with("Pause Young (Mixed)");
        if let Some((before, after)) = text.strip_prefix("Tenured: ").and_then(change) {
            collection.grown += after.saturating_sub(before);
        }
        if let Some((before, after)) = text.strip_prefix("Old regions: ").and_then(change) {
            collection.grown += after.saturating_sub(before) * region;
        }
        for (line, field) in COPIED {
            let field = text.strip_prefix(line).and_then(|fields| fields.split_once(field));
            if let Some(bytes) = field.and_then(|(_, rest)| size_of(rest.split(',').next()?)) {
                *collection.copied.get_or_insert(0) += bytes;
            }
        }
    }
    let mut sum = Promoted::default();
    for collection in collections.values() {
        if collection.young && !collection.full {
            sum.young += 1;
            sum.bytes += collection.promoted();
        }
        sum.full += u32::from(collection.full);
    }
    (sum.young > 0).then_some(sum)
}

/// `GC(7) text`: 7, and the text.
fn of_collection(line: &str) -> Option<(u32, &str)> {
    let (number, text) = line.split_once("GC(")?.1.split_once(") ")?;
    Some((number.parse().ok()?, text.trim_start()))
}

/// `12K(100K)->34K(100K)` or `3->5`: the numbers before and after, in bytes where they have a unit.
fn change(text: &str) -> Option<(u64, u64)> {
    let (before, after) = text.split_once("->")?;
    let number = |text: &str| size_of(text.split(['(', ' ']).next().unwrap_or(text));
    Some((number(before)?, number(after)?))
}

fn size_of(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['K', 'M', 'G', 'B']);
    let unit = match text.as_bytes().get(digits.len()) {
        Some(b'K') => 10,
        Some(b'M') => 20,
        Some(b'G') => 30,
        _ => 0,
    };
    Some(digits.parse::<u64>().ok()? << unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_says_how_full_the_old_generation_is() {
        let log = "\
[0.1s][info][gc,start    ] GC(0) Pause Young (Allocation Failure)
[0.1s][info][gc,heap     ] GC(0) DefNew: 6528K(7360K)->832K(7360K) Eden: 6528K(6528K)->0K(6528K) From: 0K(832K)->832K(832K)
[0.1s][info][gc,heap     ] GC(0) Tenured: 100K(174784K)->1124K(174784K)
[0.1s][info][gc          ] GC(0) Pause Young (Allocation Failure) 6M->1M(177M) 4.123ms
[0.2s][info][gc,heap     ] GC(1) Tenured: 1124K->1224K(174784K)
[0.2s][info][gc          ] GC(1) Pause Young (Allocation Failure) 8M->2M(177M) 3.1ms
[0.3s][info][gc,start    ] GC(2) Pause Full (System.gc())
[0.3s][info][gc,heap     ] GC(2) Tenured: 1224K(174784K)->5224K(174784K)
";
        assert_eq!(promoted(log), Some(Promoted { bytes: 1124 << 10, young: 2, full: 1 }));
        assert_eq!(promoted("no log"), None);
    }

    #[test]
    fn g1_counts_regions() {
        let log = "\
[0.0s][info][gc,init] Heap Region Size: 2M
[0.1s][info][gc,heap] GC(4) Old regions: 3->5
[0.1s][info][gc     ] GC(4) Pause Young (Normal) (G1 Evacuation Pause) 30M->9M(64M) 2.0ms
";
        assert_eq!(promoted(log), Some(Promoted { bytes: 4 << 20, young: 1, full: 0 }));
    }

    #[test]
    fn g1_says_what_it_copied_where_it_is_asked_to() {
        let log = "\
[0.0s][info ][gc,init] Heap Region Size: 2M
[0.1s][debug][gc,plab] GC(4) Young PLAB allocation: allocated: 700B, wasted: 1B, unused: 2B, used: 600B, undo waste: 0B,
[0.1s][debug][gc,plab] GC(4) Old PLAB allocation: allocated: 900B, wasted: 8B, unused: 92B, used: 800B, undo waste: 0B,
[0.1s][debug][gc,plab] GC(4) Old other allocation: region end waste: 0B, regions filled: 1, num plab filled: 2, direct allocated: 50B, num direct allocated: 1, failure used: 7B, failure wasted: 9B
[0.1s][info ][gc,heap] GC(4) Old regions: 3->5
[0.1s][info ][gc     ] GC(4) Pause Young (Normal) (G1 Evacuation Pause) 30M->9M(64M) 2.0ms
[0.2s][debug][gc,plab] GC(5) Old PLAB allocation: allocated: 900B, wasted: 8B, unused: 92B, used: 800B, undo waste: 0B,
[0.2s][info ][gc,heap] GC(5) Old regions: 5->6
[0.2s][info ][gc     ] GC(5) Pause Young (Mixed) (G1 Evacuation Pause) 30M->9M(64M) 2.0ms
";
        assert_eq!(promoted(log), Some(Promoted { bytes: 857 + (2 << 20), young: 2, full: 0 }));
    }
}
