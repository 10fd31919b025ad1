//! Which word of a slab holds what: the one page that Java and Rust agree on.
//!
//! The shim writes by byte offsets, with constants of its own (`MayflyHooks.java`): the test below compares them with
//! these. Drawn in `docs/design/counting.md#0035-what-lies-where-in-a-slab`. Not here: which class or place has which words (`classes`, `places`).
//!
//! ```text
//! word 0        272            CLASS_WORDS - OTHER_WORDS    CLASS_WORDS              + PLACE_WORDS
//!      ┌────────┬───────────────────┬────────────────────────────┬────────────────────────┐
//!      │ notes  │ cells of classes  │ cells of other classes     │ counters of places     │
//!      └────────┴───────────────────┴────────────────────────────┴────────────────────────┘
//! ```

/// Bytes of a word, as a shift.
const WORD_SHIFT: u32 = size_of::<u64>().trailing_zeros();

/// Words for a thread's own notes. No cell is there: a cell of zero means "not registered", and Java counts a place not
/// executed yet at offset 0, where words 0 and [`PLACE_DUE`] are never written; nor is [`CELL_DUE`]. Where hooks make no tests, places are
/// not counted, and word 0 counts what has no cell.
pub(crate) const NOTE_WORDS: usize = NOTE_INNER + MOST_SCOPE_NAMES;
/// Names of scopes that there may be; none has the number 0.
pub(crate) const MOST_SCOPE_NAMES: usize = 256;
/// Of the notes: the address of the slab that this one stands inside of, on the same thread; 0 outside of scopes.
pub(crate) const NOTE_OUTER: usize = 7;
/// Of the notes: what tells entries of this scope apart, see `scopes`; the next one's is 2 more.
pub(crate) const NOTE_ENTRIES: usize = 8;
/// Of the notes: how many entries were left.
pub(crate) const NOTE_ENDS: usize = 9;
/// Of the notes: in its lower half, in a session that began after an attach, whether a virtual thread is being mounted or unmounted; in
/// its upper half whether a place told of an object that is not there yet.
pub(crate) const NOTE_MOVING: usize = 10;
/// Of the notes: by number of a scope's name, the address of the slab of that scope inside of this one; 0 for none yet.
pub(crate) const NOTE_INNER: usize = 16;
/// Of the notes: where the place is counted that a thread counted last of those where classes differ; 0 for none.
#[cfg(test)]
const NOTE_LAST: usize = 2;
/// Of the notes: the cell whose count said last that an object was due; 0 for none.
#[cfg(test)]
const NOTE_ASKED: usize = 4;
/// Of the notes: that count. The word before is never written: at offset 0, of classes without a cell, it is what [`CELL_DUE`] of arrays
/// is elsewhere.
#[cfg(test)]
const NOTE_ASKED_COUNT: usize = 6;
/// Of the notes: in its lower half whether the body of a `toString` ran, in its upper half how many overrides of `clone`
/// have begun.
#[cfg(test)]
const NOTE_CALLS: usize = 3;

/// Words that hold the notes and the cells of all classes together. Untouched pages take no memory.
pub(crate) const CLASS_WORDS: usize = 1 << 18;
/// Classes that there may be: names, with and without cells.
pub(crate) const MOST_CLASSES: usize = 2 * CLASS_WORDS;
/// The last of them are for the classes that no longer fit: one for each size of their objects, and an array class's cells.
pub(crate) const OTHER_WORDS: usize = 512;
/// A class of objects has one cell: how many there were; in a balanced session a second one, the number at which the next is due.
pub(crate) const OBJECT_CELLS: u32 = 1;
/// Of these: the number at which the next object is due.
pub(crate) const OBJECT_DUE: usize = 1;
/// A class of arrays has six: number, bytes and largest; then number and bytes below the size limit, and in a balanced session the
/// number at which the next is due.
pub(crate) const ARRAY_CELLS: u32 = 6;
/// Of these: bytes.
pub(crate) const CELL_BYTES: usize = 1;
/// Of these: the largest size, which is a maximum and no sum.
pub(crate) const CELL_LARGEST: usize = 2;
/// Of these: the first of the arrays below the size limit.
pub(crate) const CELL_BELOW: usize = 3;
/// Of these: the number at which the next array is due.
pub(crate) const CELL_DUE: usize = 5;
/// An array of so many bytes is always due in a balanced session.
pub(crate) const LARGE_ARRAY: u64 = 64 << 10;
/// In a class's cell as Java has it: its objects are handed over. The other bits are a byte offset.
pub(crate) const CELL_TRACKED: u32 = 1;

/// Words behind those of classes, in a session that counts by place.
pub(crate) const PLACE_WORDS: usize = 1 << 20;
/// The last of them are for places that no longer fit: five for each class of arrays, five for all else together.
pub(crate) const ELSEWHERE_WORDS: usize = 4096 * ARRAY_PLACE_WORDS;
/// A place that makes objects: count, count at which a sample is due, state of the sampling.
pub(crate) const OBJECT_PLACE_WORDS: usize = 3;
/// A place that makes arrays: the same, bytes, largest.
pub(crate) const ARRAY_PLACE_WORDS: usize = 5;
/// Of a place's words: the count at which a sample is due.
#[cfg(test)]
const PLACE_DUE: usize = 1;
/// Of a place's words: the state of the sampling.
#[cfg(test)]
const PLACE_STATE: usize = 2;
/// Of a place's words: bytes.
pub(crate) const PLACE_BYTES: usize = 3;
/// Of a place's words: the largest size, which is a maximum and no sum.
pub(crate) const PLACE_LARGEST: usize = 4;

/// Where a word is, in bytes from the start of a slab: as Java adds it.
pub(crate) const fn byte_offset(word: u32) -> u32 {
    word << WORD_SHIFT
}

/// The word at a byte offset, or at a class's cell, whose low bits are flags.
pub(crate) const fn word_at(offset: u32) -> usize {
    (offset >> WORD_SHIFT) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIM: &str = include_str!("../../../profiler-java/boot/src/java/lang/MayflyHooks.java");

    /// The value of a constant of the shim.
    fn in_java(name: &str) -> usize {
        let begins = format!(" static final int {name} = ");
        let mut values = SHIM.lines().filter_map(|line| line.split_once(&begins)).map(|(_, value)| value);
        let value = values.next().unwrap_or_else(|| panic!("the shim has no constant {name}"));
        assert_eq!(values.next(), None, "{name} twice");
        value.trim_end_matches(';').parse().unwrap_or_else(|_| panic!("{name} is no number: {value}"))
    }

    #[test]
    fn java_has_the_same_layout() {
        let words = [
            ("LAST", NOTE_LAST),
            ("BUILDING", NOTE_CALLS),
            ("CELL_BYTES", CELL_BYTES),
            ("CELL_LARGEST", CELL_LARGEST),
            ("BELOW", CELL_BELOW),
            ("OBJECT_DUE", OBJECT_DUE),
            ("ARRAY_DUE", CELL_DUE),
            ("ASKED", NOTE_ASKED),
            ("ASKED_COUNT", NOTE_ASKED_COUNT),
            ("DUE", PLACE_DUE),
            ("STATE", PLACE_STATE),
            ("BYTES", PLACE_BYTES),
            ("LARGEST", PLACE_LARGEST),
            ("OUTER", NOTE_OUTER),
            ("ENTRIES", NOTE_ENTRIES),
            ("ENDS", NOTE_ENDS),
            ("MOVING", NOTE_MOVING),
            ("INNER", NOTE_INNER),
        ];
        for (name, word) in words {
            assert_eq!(in_java(name), byte_offset(word as u32) as usize, "{name}");
        }
        for (upper, lower) in [("CLONINGS", "BUILDING"), ("TOLD_OF", "MOVING")] {
            assert_eq!(in_java(upper), in_java(lower) + size_of::<u32>(), "the upper half");
        }
        assert_eq!(in_java("UNPLACED"), crate::places::UNPLACED);
        assert_eq!(in_java("LARGE") as u64, LARGE_ARRAY);
    }

    // Nothing lies over anything else, and words 0, 1 and 5 stay zero.
    const _: () = {
        assert!(
            OBJECT_DUE == OBJECT_CELLS as usize
                && CELL_DUE < ARRAY_CELLS as usize
                && CELL_BELOW + CELL_BYTES < CELL_DUE
        );
        assert!(NOTE_ASKED != CELL_DUE && NOTE_ASKED_COUNT != CELL_DUE && NOTE_ASKED_COUNT < NOTE_WORDS);
        assert!(NOTE_LAST > PLACE_DUE && NOTE_CALLS < NOTE_WORDS);
        assert!(NOTE_OUTER > NOTE_ASKED_COUNT && NOTE_ENTRIES > NOTE_OUTER && NOTE_INNER > NOTE_ENDS);
        assert!(NOTE_MOVING > NOTE_ENDS && NOTE_INNER > NOTE_MOVING);
        assert!(CELL_BELOW + CELL_BYTES < ARRAY_CELLS as usize && CELL_LARGEST < CELL_BELOW);
        assert!(PLACE_STATE < OBJECT_PLACE_WORDS && PLACE_LARGEST < ARRAY_PLACE_WORDS);
        assert!((CLASS_WORDS + PLACE_WORDS) << WORD_SHIFT <= i32::MAX as usize, "offsets are ints in Java");
    };

    #[test]
    fn a_flag_is_no_part_of_an_offset() {
        assert_eq!(word_at(byte_offset(77) | CELL_TRACKED), 77);
        assert_eq!(byte_offset(77) & CELL_TRACKED, 0);
    }

    #[test]
    #[should_panic(expected = "no constant MISSING")]
    fn a_constant_that_java_has_not_is_missed() {
        in_java("MISSING");
    }
}
