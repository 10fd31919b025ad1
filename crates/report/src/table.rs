//! Columns as wide as their widest cell.

use crate::text::{pad_left, width};

/// Lines of right-aligned columns two spaces apart; the last column is left as it is, at its own length.
pub(crate) fn align(rows: &[Vec<String>], indent: &str) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
        })
        .collect();
    let line = |row: &Vec<String>| {
        let cell = |(column, cell): (usize, &String)| {
            if column + 1 == columns { cell.clone() } else { pad_left(cell, widths[column]) }
        };
        let cells: Vec<_> = row.iter().enumerate().map(cell).collect();
        format!("{indent}{}\n", cells.join("  "))
    };
    rows.iter().map(line).collect()
}
