//! How rows lie in bytes: what it takes to pass over one without decoding it.
//!
//! Postcard has no lengths, but for those of lists. A test passes over what was written of each kind of row (`newest` of the tests).

/// What lies one behind the other.
#[derive(Debug)]
pub(crate) enum Shape {
    /// So many whole numbers, but bytes.
    Numbers(usize),
    /// So many bytes: of a byte, or of floating-point numbers.
    Bytes(usize),
    /// How many there are, then so many of these.
    List(&'static [Shape]),
    /// Whether it is there, then it.
    Optional(&'static [Shape]),
    /// These.
    Part(&'static [Shape]),
}

use Shape::{Bytes, List, Numbers, Optional, Part};

/// `Ages`: coarseness, deaths, living.
const AGES: Shape = Part(&[Bytes(1), List(&[Numbers(3)]), List(&[Numbers(2)])]);

/// `Spread`: the same, each with its load.
const SPREAD: Shape = Part(&[Bytes(1), List(&[Numbers(2 + 4)]), List(&[Numbers(1 + 4)])]);

/// `ClassCounts`: id, tally; living, dead, three ages, died before their first collection, cohorts.
pub(crate) const CLASS_COUNTS: &[Shape] = &[
    Numbers(1 + 3),
    Optional(&[Numbers(3), List(&[Numbers(3)]), AGES, AGES, AGES, Numbers(1), Bytes(8 + 8)]),
];

/// `SiteCounts`: id, tally, living, dead, byte-seconds, error.
pub(crate) const SITE_COUNTS: &[Shape] =
    &[Numbers(1 + 3), Optional(&[Numbers(3)]), List(&[Numbers(3)]), Bytes(8 + 8)];

/// A `ClassId` and its `ByteAges`: three ages.
pub(crate) const CLASS_AGES: &[Shape] = &[Numbers(1), AGES, AGES, AGES];

/// A `SiteId` and its `SiteLifetimes`: two spreads, two tallies.
pub(crate) const SITE_LIFETIMES: &[Shape] = &[Numbers(1), SPREAD, SPREAD, Numbers(3 + 3)];

/// What follows what has such a shape; `None` if the bytes end before.
pub(crate) fn skip<'a>(shape: &[Shape], mut bytes: &'a [u8]) -> Option<&'a [u8]> {
    for part in shape {
        bytes = match *part {
            Numbers(count) => skip_numbers(count, bytes)?,
            Bytes(count) => bytes.get(count..)?,
            Optional(part) => match bytes.split_first()? {
                (0, rest) => rest,
                (_, rest) => skip(part, rest)?,
            },
            Part(part) => skip(part, bytes)?,
            List([Numbers(each)]) => {
                let (count, rest) = postcard::take_from_bytes::<usize>(bytes).ok()?;
                skip_numbers(count.checked_mul(*each)?, rest)?
            }
            List(part) => {
                let (count, mut rest) = postcard::take_from_bytes::<usize>(bytes).ok()?;
                for _ in 0..count {
                    rest = skip(part, rest)?;
                }
                rest
            }
        };
    }
    Some(bytes)
}

/// The last byte of a number is the one below 128.
fn skip_numbers(count: usize, mut bytes: &[u8]) -> Option<&[u8]> {
    const HIGHEST_BITS: u64 = 0x8080_8080_8080_8080;
    let mut left = count;
    while left >= 8
        && let Some((eight, rest)) = bytes.split_first_chunk()
    {
        left -= (!u64::from_le_bytes(*eight) & HIGHEST_BITS).count_ones() as usize;
        bytes = rest;
    }
    while left > 0 {
        let (&byte, rest) = bytes.split_first()?;
        left -= usize::from(byte < 0x80);
        bytes = rest;
    }
    Some(bytes)
}
