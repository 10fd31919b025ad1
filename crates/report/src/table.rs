//! Columns as wide as their widest cell. Cells are made fit for a line: names in them may be anything.

use crate::text::{pad_left, printable, shorten, width};

/// Lines of right-aligned columns two spaces apart; the last column is left as it is, at its own length.
pub fn right_aligned(rows: &[Vec<String>], indent: &str) -> String {
    let rows = fit(rows);
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

/// As [`right_aligned`], in lines of at most `columns`: the last column is shortened in the middle.
pub(crate) fn fitted(rows: &[Vec<String>], indent: &str, columns: usize) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max();
    let before: usize = (0..count.saturating_sub(1)).filter_map(widest).map(|width| width + 2).sum();
    let room = columns.saturating_sub(width(indent) + before);
    let mut rows = rows.to_vec();
    for last in rows.iter_mut().filter(|row| row.len() == count).filter_map(|row| row.last_mut()) {
        *last = shorten(last, room, "...");
    }
    right_aligned(&rows, indent)
}

/// Lines of left-aligned columns two spaces apart; the last column is left as it is, at its own length.
pub fn left_aligned(rows: &[Vec<String>]) -> String {
    let rows = fit(rows);
    let mut widths: Vec<usize> = Vec::new();
    for row in &rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = width(cell).max(*widest);
        }
    }
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &widest)| {
            let missing = widest.saturating_sub(width(cell));
            format!("{cell}{}", " ".repeat(missing))
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

fn fit(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| printable(cell).into_owned()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_breaks_no_line_and_steers_nothing() {
        let rows = vec![vec!["1".to_owned(), "a\nb\u{1b}[2J\u{202e}".to_owned(), "c".to_owned()]];
        let cell = "a\\nb\\u{1b}[2J\\u{202e}";
        assert_eq!(left_aligned(&rows), format!("1  {cell}  c\n"));
        assert_eq!(right_aligned(&rows, ""), format!("1  {cell}  c\n"));
    }
}
