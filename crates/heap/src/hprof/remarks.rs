//! What a reader of an hprof file should know before its numbers: what was passed over, and what the file had no room for.
//!
//! Not here: the numbers.

use std::collections::BTreeMap;

use super::record::{Hprof, Record};
use crate::error::HeapError;

/// What an hprof file does not hold in full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Records of kinds that are not known, which were passed over: their tag, and how many there are.
    pub unknown: Vec<(u8, u64)>,
    /// Arrays that the JVM cut off: a record can't be longer than 4 GiB. They are at least as large as the file says.
    pub cut_off: u64,
}

/// HotSpot ends an array where its record would be longer than 32 bits can say (`calculate_array_max_length` in `heapDumper.cpp`),
/// so it lacks less than an element and the head of the array to that.
const FULL: u64 = u32::MAX as u64 - 32;

/// Goes from record to record, without looking into the heap.
///
/// # Errors
/// The bytes are no hprof file, cut off, or damaged.
pub fn remarks(bytes: &[u8]) -> Result<Remarks, HeapError> {
    let mut unknown = BTreeMap::new();
    let mut cut_off = 0;
    Hprof::new(bytes)?.records(|record| {
        if !record.is_known() {
            *unknown.entry(record.tag).or_default() += 1;
        }
        cut_off += u64::from(is_cut_off_array(&record, record.body.len() as u64));
        Ok(())
    })?;
    Ok(Remarks { unknown: unknown.into_iter().collect(), cut_off })
}

/// A segment that holds an array, and no more fits into it.
fn is_cut_off_array(record: &Record<'_>, length: u64) -> bool {
    record.is_segment() && length >= FULL && matches!(record.body.first(), Some(0x22 | 0x23))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(records: &[(u8, &[u8])]) -> Vec<u8> {
        let mut bytes = b"JAVA PROFILE 1.0.2\0\0\0\0\x08".to_vec();
        bytes.extend([0; 8]);
        for (tag, body) in records {
            bytes.push(*tag);
            bytes.extend([0; 4]);
            bytes.extend((body.len() as u32).to_be_bytes());
            bytes.extend(*body);
        }
        bytes
    }

    #[test]
    fn records_of_unknown_kinds_are_counted() {
        let told = remarks(&file(&[(0x77, b"junk"), (0x1c, b""), (0x77, b""), (0x2c, b"")])).expect("whole");
        assert_eq!(told, Remarks { unknown: vec![(0x77, 2)], cut_off: 0 });
        let told = remarks(&file(&[(0x1c, &[0x23; 30]), (0x2c, b"")])).expect("whole");
        assert_eq!(told, Remarks::default());
    }

    #[test]
    fn an_array_that_fills_the_longest_segment_was_cut_off() {
        let record = |tag, body| Record { tag, body, at: 0 };
        let long = u64::from(u32::MAX);
        // `long[560000000]`, as JDK 17 writes it: 536,870,909 elements and 18 bytes.
        assert!(is_cut_off_array(&record(0x1c, &[0x23]), 18 + 8 * 536_870_909));
        assert!(is_cut_off_array(&record(0x1c, &[0x22]), long));
        assert!(!is_cut_off_array(&record(0x1c, &[0x21]), long), "many objects");
        assert!(!is_cut_off_array(&record(0x1c, &[0x23]), long - 4096), "an array that is whole");
        assert!(!is_cut_off_array(&record(0x01, &[0x23]), long));
    }
}
