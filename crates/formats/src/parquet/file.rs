//! A Parquet file of columns of texts, whole numbers and fractions, each null or not
//! (<https://github.com/apache/parquet-format>).
//!
//! One data page per column and group of rows, PLAIN, gzipped: what every reader has. No dictionaries, no statistics. The
//! field numbers are those of `parquet.thrift`. Not here: which columns there are (`tables`).

use std::io::{self, Write};

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
const GZIP: i32 = 2;
const DATA_PAGE: i32 = 0;

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
    file.extend(bytes_of(&footer)?.to_le_bytes());
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
fn group(file: &mut Vec<u8>, columns: &Columns, rows: std::ops::Range<usize>) -> io::Result<Struct> {
    let (mut chunks, mut all) = (Vec::new(), 0);
    for (name, column) in columns {
        let begin = file.len();
        let page = column.page(rows.clone());
        let packed = gzipped(&page)?;
        let header = Struct::default()
            .i32(1, DATA_PAGE)
            .i32(2, bytes_of(&page)?)
            .i32(3, bytes_of(&packed)?)
            .structure(5, Struct::default().i32(1, rows.len() as i32).i32(2, PLAIN).i32(3, RLE).i32(4, RLE))
            .end();
        file.extend(&header);
        file.extend(&packed);
        let unpacked = whole(header.len() + page.len());
        all += unpacked;
        let about = Struct::default()
            .i32(1, column.kind())
            .i32s(2, &[PLAIN, RLE])
            .texts(3, &[name])
            .i32(4, GZIP)
            .i64(5, whole(rows.len()))
            .i64(6, unpacked)
            .i64(7, whole(file.len() - begin))
            .i64(9, whole(begin));
        chunks.push(Struct::default().i64(2, whole(begin)).structure(3, about));
    }
    Ok(Struct::default().structures(1, chunks).i64(2, all).i64(3, whole(rows.len())))
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

    /// Which rows have a value, then the values.
    fn page(&self, rows: std::ops::Range<usize>) -> Vec<u8> {
        let mut page = Vec::new();
        match self {
            Self::Text(texts) => {
                for text in &texts[rows] {
                    page.extend((text.len() as u32).to_le_bytes());
                    page.extend(text.as_bytes());
                }
            }
            Self::Whole(values) => {
                page.extend(presence(&values[rows.clone()]));
                let known = values[rows].iter().flatten();
                page.extend(known.flat_map(|&value| i64::try_from(value).unwrap_or(i64::MAX).to_le_bytes()));
            }
            Self::Real(values) => {
                page.extend(presence(&values[rows.clone()]));
                page.extend(values[rows].iter().flatten().flat_map(|value| value.to_le_bytes()));
            }
        }
        page
    }
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
fn bytes_of(part: &[u8]) -> io::Result<i32> {
    i32::try_from(part.len()).map_err(|_| io::Error::other("a page of the table would exceed 2 GiB"))
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
    fn a_file_ends_with_its_footer_and_its_length() {
        let columns = vec![("class", Column::Text(vec!["a".into()])), ("n", Column::Whole(vec![None]))];
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
