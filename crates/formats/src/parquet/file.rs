//! A Parquet file of columns of texts, whole numbers and fractions, each null or not
//! (<https://github.com/apache/parquet-format>).
//!
//! One data page per column and group of rows, gzipped: what every reader has. Numbers are PLAIN; texts, which repeat as stacks do,
//! are numbers of a dictionary. No statistics. The field numbers are those of `parquet.thrift`. Not here: which columns there are
//! (`tables`).

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;
use std::rc::Rc;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::thrift::{Struct, varint};
use crate::columns::{Column, Columns};

const MAGIC: &[u8] = b"PAR1";
/// Rows of a group: so pages stay small.
const GROUP_ROWS: usize = 1 << 16;

const INT64: i32 = 2;
const DOUBLE: i32 = 5;
const BYTE_ARRAY: i32 = 6;
const REQUIRED: i32 = 0;
const OPTIONAL: i32 = 1;
const UTF8: i32 = 0;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const RLE_DICTIONARY: i32 = 8;
const GZIP: i32 = 2;
const DATA_PAGE: i32 = 0;
const DICTIONARY_PAGE: i32 = 2;

/// The whole file. Deterministic.
pub(super) fn encoded(columns: &Columns) -> io::Result<Vec<u8>> {
    let rows = columns.first().map_or(0, |(_, column)| column.len());
    let mut file = MAGIC.to_vec();
    let mut groups = Vec::new();
    for first in (0..rows).step_by(GROUP_ROWS) {
        let range = first..rows.min(first + GROUP_ROWS);
        groups.push(group(&mut file, columns, range)?);
    }
    let footer = Struct::default()
        .i32(1, 1)
        .structures(2, schema(columns))
        .i64(3, whole(rows))
        .structures(4, groups)
        .text(6, concat!("mayfly version ", env!("CARGO_PKG_VERSION")))
        .end();
    file.extend(&footer);
    file.extend(bytes_of(footer.len())?.to_le_bytes());
    file.extend(MAGIC);
    Ok(file)
}

fn schema(columns: &Columns) -> Vec<Struct> {
    let root = Struct::default().text(4, "table").i32(5, columns.len() as i32);
    let element = |(name, column): &(&'static str, Column)| {
        let repetition = if column.is_required() { REQUIRED } else { OPTIONAL };
        let element = Struct::default().i32(1, column.kind()).i32(3, repetition).text(4, name);
        match column {
            // Once as old readers know it, once as new ones do.
            Column::Text(_) => {
                element.i32(6, UTF8).structure(10, Struct::default().structure(1, Struct::default()))
            }
            Column::Whole(_) | Column::Real(_) => element,
        }
    };
    std::iter::once(root).chain(columns.iter().map(element)).collect()
}

/// Appends the pages of these rows, and describes them.
fn group(file: &mut Vec<u8>, columns: &Columns, rows: Range<usize>) -> io::Result<Struct> {
    let (mut chunks, mut all) = (Vec::new(), 0);
    for (name, column) in columns {
        let begin = file.len();
        let Pages { dictionary, values } = column.pages(rows.clone());
        let mut unpacked = 0;
        if let Some((entries, dictionary)) = &dictionary {
            let about = Struct::default().i32(1, bytes_of(*entries)?).i32(2, PLAIN);
            unpacked += append(file, DICTIONARY_PAGE, dictionary, 7, about)?;
        }
        let values_begin = file.len();
        let encoding = if dictionary.is_some() { RLE_DICTIONARY } else { PLAIN };
        let about = Struct::default().i32(1, rows.len() as i32).i32(2, encoding).i32(3, RLE).i32(4, RLE);
        unpacked += append(file, DATA_PAGE, &values, 5, about)?;
        all += unpacked;
        let about = Struct::default()
            .i32(1, column.kind())
            .i32s(2, if dictionary.is_some() { &[PLAIN, RLE, RLE_DICTIONARY] } else { &[PLAIN, RLE] })
            .texts(3, &[name])
            .i32(4, GZIP)
            .i64(5, whole(rows.len()))
            .i64(6, unpacked)
            .i64(7, whole(file.len() - begin))
            .i64(9, whole(values_begin));
        let about = if dictionary.is_some() { about.i64(11, whole(begin)) } else { about };
        chunks.push(Struct::default().i64(2, whole(begin)).structure(3, about));
    }
    Ok(Struct::default().structures(1, chunks).i64(2, all).i64(3, whole(rows.len())))
}

/// Appends a page with its header, in which `about` is the field of pages of this kind; returns its bytes before they were packed.
fn append(file: &mut Vec<u8>, kind: i32, page: &[u8], field: u8, about: Struct) -> io::Result<i64> {
    let packed = gzipped(page)?;
    let header = Struct::default()
        .i32(1, kind)
        .i32(2, bytes_of(page.len())?)
        .i32(3, bytes_of(packed.len())?)
        .structure(field, about)
        .end();
    file.extend(&header);
    file.extend(&packed);
    Ok(whole(header.len() + page.len()))
}

/// A column's rows, before they are packed.
struct Pages {
    /// How many texts there are, and the texts; `None` if the values are in the other page themselves.
    dictionary: Option<(usize, Vec<u8>)>,
    values: Vec<u8>,
}

impl Column {
    fn kind(&self) -> i32 {
        match self {
            Self::Text(_) => BYTE_ARRAY,
            Self::Whole(_) => INT64,
            Self::Real(_) => DOUBLE,
        }
    }

    fn is_required(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    fn pages(&self, rows: Range<usize>) -> Pages {
        let plain = |values| Pages { dictionary: None, values };
        match self {
            Self::Text(texts) => numbered(&texts[rows]),
            Self::Whole(values) => plain(optional(&values[rows], |&value| {
                i64::try_from(value).unwrap_or(i64::MAX).to_le_bytes()
            })),
            Self::Real(values) => plain(optional(&values[rows], |value| value.to_le_bytes())),
        }
    }
}

/// Each text once, and the rows as numbers of texts: runs of a number, behind the bits that one has.
fn numbered(rows: &[Rc<str>]) -> Pages {
    let (mut numbers, mut texts, mut runs) = (HashMap::new(), Vec::new(), Vec::new());
    for run in rows.chunk_by(|one, next| one == next) {
        let next = numbers.len() as u32;
        let number = *numbers.entry(&*run[0]).or_insert_with(|| {
            texts.extend((run[0].len() as u32).to_le_bytes());
            texts.extend(run[0].as_bytes());
            next
        });
        runs.push((run.len() as u64, number));
    }
    // At least one: not every reader knows numbers without bits.
    let bits = u32::BITS - (numbers.len() as u32).saturating_sub(1).max(1).leading_zeros();
    let mut values = vec![bits as u8];
    for (rows, number) in runs {
        varint(&mut values, rows << 1);
        values.extend(&number.to_le_bytes()[..bits.div_ceil(8) as usize]);
    }
    Pages { dictionary: Some((numbers.len(), texts)), values }
}

/// Which rows have a value, then the values.
fn optional<T>(rows: &[Option<T>], spelled: impl Fn(&T) -> [u8; 8]) -> Vec<u8> {
    let mut page = presence(rows);
    page.extend(rows.iter().flatten().flat_map(spelled));
    page
}

/// Definition levels: runs of rows with, and of rows without a value, behind their length in bytes.
fn presence<T>(rows: &[Option<T>]) -> Vec<u8> {
    let mut runs = Vec::new();
    for run in rows.chunk_by(|one, next| one.is_some() == next.is_some()) {
        varint(&mut runs, (run.len() as u64) << 1);
        runs.push(u8::from(run[0].is_some()));
    }
    let mut levels = (runs.len() as u32).to_le_bytes().to_vec();
    levels.extend(runs);
    levels
}

fn gzipped(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    gz.write_all(bytes)?;
    gz.finish()
}

fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Lengths of pages and of the footer are of 32 bits.
fn bytes_of(length: usize) -> io::Result<i32> {
    i32::try_from(length).map_err(|_| io::Error::other("a page of the table would exceed 2 GiB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_say_which_rows_have_a_value() {
        let rows = [Some(1u64), Some(2), None, Some(3)];
        assert_eq!(presence(&rows), [6, 0, 0, 0, 4, 1, 2, 0, 2, 1]);
        assert_eq!(presence::<u64>(&[]), [0, 0, 0, 0]);
        assert_eq!(&presence(&[Some(0u64); 100])[4..], [0xc8, 1, 1]);
    }

    #[test]
    fn each_text_is_written_once() {
        let pages = numbered(&["b", "b", "a", "b"].map(Rc::from));
        assert_eq!(pages.dictionary, Some((2, b"\x01\0\0\0b\x01\0\0\0a".to_vec())));
        // One bit a number; two of the first, one of the second, one of the first.
        assert_eq!(pages.values, [1, 4, 0, 2, 1, 2, 0]);
        let many: Vec<Rc<str>> = (0..257).map(|number: u32| number.to_string().into()).collect();
        let pages = numbered(&many);
        assert_eq!(pages.values[0], 9, "256 is the largest");
        assert_eq!(pages.values[pages.values.len() - 3..], [2, 0, 1]);
        assert_eq!(numbered(&["alone".into()]).values, [1, 2, 0]);
    }

    #[test]
    fn a_file_ends_with_its_footer_and_its_length() {
        let columns = vec![("class", Column::texts(["a"])), ("n", Column::Whole(vec![None]))];
        let file = encoded(&columns).expect("a vector takes all");
        assert!(file.starts_with(MAGIC) && file.ends_with(MAGIC));
        let at = file.len() - 8;
        let length = u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes")) as usize;
        // Version 1 as field 1; then a list of three elements of the schema as field 2.
        assert_eq!(file[at - length..at - length + 4], [0x15, 2, 0x19, 0x3c]);
        assert_eq!(file, encoded(&columns).expect("a vector takes all"));
    }

    #[test]
    fn many_rows_are_in_several_groups_and_none_in_none() {
        let groups = |rows: usize| {
            let file =
                encoded(&vec![("n", Column::Real(vec![Some(0.5); rows]))]).expect("a vector takes all");
            // Magic numbers of gzip: one per page.
            file.windows(3).filter(|three| three == &[0x1f, 0x8b, 8]).count()
        };
        assert_eq!([0, 1, GROUP_ROWS, GROUP_ROWS + 1].map(groups), [0, 1, 1, 2]);
    }
}
