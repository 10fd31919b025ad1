//! A heap summary as text, in HeapSummary's columns, to be kept and compared.
//!
//! Not here: a table for people, JSON, and what grew (the CLI).

use mayfly_profile::{HeapOrder, HeapSummary, Total, jvm_class, readable_class};

use crate::text::printable;

/// Width of HeapSummary's two columns of numbers.
const COLUMN: usize = 20;
const TOTAL: &str = "TOTAL";
/// The summary in HeapSummary's columns: bytes, objects (each 20 wide, right-aligned), a space, the class; the total
/// first, then one line for each class, most first.
pub fn heap_columns(summary: &HeapSummary, order: HeapOrder) -> String {
    let total = (TOTAL.to_owned(), summary.total());
    let rows = summary.sorted(order).into_iter().map(|(class, held)| (class_in_columns(class), held));
    let line = |(class, held): (String, Total)| {
        format!("{:>COLUMN$}{:>COLUMN$} {}\n", held.bytes, held.objects, printable(&class))
    };
    std::iter::once(total).chain(rows).map(line).collect()
}

/// The name as HeapSummary spells it: `java.util.HashMap$Node`; `[char` and `[java.lang.Object` for arrays, with one `[`
/// for each dimension.
pub fn class_in_columns(class: &str) -> String {
    let dimensions = class.len() - class.trim_start_matches('[').len();
    let readable = readable_class(class);
    format!("{}{}", "[".repeat(dimensions), readable.trim_end_matches("[]"))
}

/// The name as `Class.getName()` gives it, of one as HeapSummary spells it.
fn class_of_columns(name: &str) -> String {
    let element = name.trim_start_matches('[');
    jvm_class(&format!("{element}{}", "[]".repeat(name.len() - element.len()))).into_owned()
}

/// Why a text is no heap summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeapTextError {
    /// A line that is not bytes, objects, class.
    Line {
        /// Its number, from 1 on.
        line: usize,
        /// Where it begins, in bytes from the start of the text.
        offset: usize,
    },
    /// The first line is not the total: not a heap summary, or its beginning is lost.
    NoTotal,
    /// The rows do not add up to the total: lines are lost.
    Incomplete {
        /// What the first line says.
        total: Total,
        /// What the rows add up to.
        rows: Total,
    },
}

impl std::fmt::Display for HeapTextError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line { line, offset } => {
                write!(f, "line {line} (byte {offset}) is not a number of bytes, of objects, and a class")
            }
            Self::NoTotal => write!(f, "it does not begin with the total: is it a heap summary?"),
            Self::Incomplete { total, rows } => write!(
                f,
                "it is not whole: the total is {} bytes in {} objects, the rows add up to {} in {}",
                total.bytes, total.objects, rows.bytes, rows.objects
            ),
        }
    }
}

impl std::error::Error for HeapTextError {}

/// Reads a summary back from HeapSummary's columns, in any order of rows, and with any white space between columns.
///
/// # Errors
/// It is no summary, or not a whole one.
pub fn parse_heap_columns(text: &str) -> Result<HeapSummary, HeapTextError> {
    let mut offset = 0;
    let mut rows = text.split_inclusive('\n').enumerate().map(|(index, line)| {
        let at = offset;
        offset += line.len();
        parse_line(line).ok_or(HeapTextError::Line { line: index + 1, offset: at })
    });
    let (TOTAL, total) = rows.next().ok_or(HeapTextError::NoTotal)?? else {
        return Err(HeapTextError::NoTotal);
    };
    let mut summary = HeapSummary::default();
    for row in rows {
        let (class, held) = row?;
        summary.add(&class_of_columns(class), held);
    }
    match summary.total() {
        rows if rows == total => Ok(summary),
        rows => Err(HeapTextError::Incomplete { total, rows }),
    }
}

fn parse_line(line: &str) -> Option<(&str, Total)> {
    let (bytes, rest) = line.trim().split_once(char::is_whitespace)?;
    let (objects, class) = rest.trim_start().split_once(char::is_whitespace)?;
    let held = Total { objects: objects.parse().ok()?, bytes: bytes.parse().ok()? };
    Some((class.trim_start(), held)).filter(|(class, _)| !class.is_empty())
}
