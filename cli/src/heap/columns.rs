//! Numbers under headings, right-aligned; the last column is text and is not padded.

use std::iter;

use mayfly_report::{printable, right_aligned};

/// A table in the making.
#[derive(Debug)]
pub(crate) struct Columns {
    rows: Vec<Vec<String>>,
    /// Lines below each row, of no column.
    below: Vec<Vec<String>>,
}

impl Columns {
    /// With these headings.
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self {
            rows: vec![headings.iter().map(|&heading| heading.to_owned()).collect()],
            below: vec![Vec::new()],
        }
    }

    /// Adds a row; one short of cells leaves the last columns empty.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.cells(cells.into());
    }

    /// Adds a row of any number of cells.
    pub(crate) fn cells(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
        self.below.push(Vec::new());
    }

    /// Adds an indented line below the last row.
    pub(crate) fn line_below(&mut self, text: &str) {
        if let Some(lines) = self.below.last_mut() {
            lines.push(format!("    {}", printable(text)));
        }
    }

    /// The table, a line each, without spaces at line ends.
    pub(crate) fn text(&self) -> String {
        let rows = right_aligned(&self.rows, "");
        let rows = rows.split_terminator('\n').zip(&self.below);
        let lines = rows.flat_map(|(row, below)| iter::once(row).chain(below.iter().map(String::as_str)));
        lines.map(|line| format!("{}\n", line.trim_end())).collect()
    }
}

/// `1 object`, `2 objects`, `3 classes`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    match (number, what.ends_with('s')) {
        (1, _) => format!("1 {what}"),
        (_, true) => format!("{number} {what}es"),
        (_, false) => format!("{number} {what}s"),
    }
}

/// `and 3 more classes`, if rows are left out, and how to see them.
pub(crate) fn left_out(shown: usize, all: usize, what: &str) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!("and {} (--limit {all} shows all)\n", counted(more as u64, &format!("more {what}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_below_their_heading() {
        let mut table = Columns::new(&["bytes", "objects", "class"]);
        table.row(["1234567".into(), "3".into(), "a.B".into()]);
        table.row(["8".into(), "100000000".into(), "[I".into()]);
        table.row(["9".into(), "1".into()]);
        let expected = "  bytes    objects  class
1234567          3  a.B
      8  100000000  [I
      9          1
";
        assert_eq!(table.text(), expected);
    }

    #[test]
    fn lines_below_a_row_are_in_no_column_and_one_line_each() {
        let mut table = Columns::new(&["bytes", "object"]);
        table.row(["24".into(), "a.B@1".into()]);
        table.line_below("name -> c.D@2\u{1b}[2J\n");
        table.row(["1234567".into(), "a.B@3".into()]);
        let expected = "  bytes  object
     24  a.B@1
    name -> c.D@2\\u{1b}[2J\\n
1234567  a.B@3
";
        assert_eq!(table.text(), expected);
    }

    #[test]
    fn what_is_left_out_is_said() {
        assert_eq!(left_out(2, 2, "class"), "");
        assert_eq!(left_out(2, 5, "class"), "and 3 more classes (--limit 5 shows all)\n");
    }
}
