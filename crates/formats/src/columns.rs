//! Tables as columns, before they are spelled in a format.
//!
//! Not here: how a file of them is spelled (`parquet/file`, `csv`), and which there are (`parquet/tables`, `traces`).

/// Values of a column, a row each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Column {
    Text(Vec<String>),
    Whole(Vec<Option<u64>>),
    Real(Vec<Option<f64>>),
}

/// Columns with their names, all of one length.
pub(crate) type Columns = Vec<(&'static str, Column)>;

impl Column {
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
            Self::Text(rows) => rows[row].clone(),
            Self::Whole(rows) => rows[row].map_or_else(String::new, |number| number.to_string()),
            Self::Real(rows) => rows[row].map_or_else(String::new, |number| number.to_string()),
        }
    }
}
