//! Tables as columns, before they are spelled in a format.
//!
//! Not here: how a file of them is spelled (`parquet/file`, `csv`), and which there are (`parquet/tables`, `traces`).

use std::rc::Rc;

/// Values of a column, a row each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Column {
    /// A text of many rows, as a stack is, is there once.
    Text(Vec<Rc<str>>),
    Whole(Vec<Option<u64>>),
    Real(Vec<Option<f64>>),
}

/// Columns with their names, all of one length.
pub(crate) type Columns = Vec<(&'static str, Column)>;

impl Column {
    pub(crate) fn texts<T: Into<Rc<str>>>(rows: impl IntoIterator<Item = T>) -> Self {
        Self::Text(rows.into_iter().map(Into::into).collect())
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text(rows) => rows.len(),
            Self::Whole(rows) => rows.len(),
            Self::Real(rows) => rows.len(),
        }
    }

    /// A row in letters; empty if it is not known.
    pub(crate) fn text(&self, row: usize) -> String {
        match self {
            Self::Text(rows) => rows[row].to_string(),
            Self::Whole(rows) => rows[row].map_or_else(String::new, |number| number.to_string()),
            Self::Real(rows) => rows[row].map_or_else(String::new, |number| number.to_string()),
        }
    }
}
