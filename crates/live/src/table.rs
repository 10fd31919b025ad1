//! A table on the screen: which rows it has, in which order, and which one is chosen.
//!
//! Rows are numbers that keep their meaning. Not here: what they are (`rows`).

use std::cmp::Ordering;

use mayfly_profile::readable_class;

use crate::rows::Column;

/// Order, choice and filter of a table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) sort: Column,
    pub(crate) reversed: bool,
    /// Only rows in whose texts this is, whatever the case.
    pub(crate) filter: String,
    /// Rows that pass the filter, in order.
    pub(crate) order: Vec<usize>,
    /// The chosen row; `None`: the first, whichever it is.
    chosen: Option<usize>,
}

impl Default for Table {
    fn default() -> Self {
        Self { sort: Column::Rate, reversed: false, filter: String::new(), order: Vec::new(), chosen: None }
    }
}

impl Table {
    /// Puts rows in order, largest first; equal ones stay as they are.
    pub(crate) fn arrange(&mut self, rows: Vec<usize>, key: impl Fn(usize) -> f64) {
        let mut keyed: Vec<_> = rows.into_iter().map(|row| (key(row), row)).collect();
        let reversed = self.reversed;
        keyed.sort_by(|(a, _), (b, _)| if reversed { a.total_cmp(b) } else { b.total_cmp(a) });
        self.order = keyed.into_iter().map(|(_, row)| row).collect();
    }

    /// The chosen row.
    pub(crate) fn chosen(&self) -> Option<usize> {
        self.order.get(self.position()).copied()
    }

    /// Where the chosen row is in the order.
    pub(crate) fn position(&self) -> usize {
        self.chosen.and_then(|chosen| self.order.iter().position(|&row| row == chosen)).unwrap_or(0)
    }

    /// Chooses the row so many further down.
    pub(crate) fn step(&mut self, rows: isize) {
        let to = self.position().saturating_add_signed(rows).min(self.order.len().saturating_sub(1));
        // Whatever comes first, when somebody goes there.
        self.chosen = if to == 0 { None } else { self.order.get(to).copied() };
    }

    /// The rows that are on a screen of so many, with the chosen one among them, and where they begin.
    pub(crate) fn window(&self, rows: usize) -> (usize, &[usize]) {
        let position = self.position();
        let from = match position.cmp(&rows) {
            Ordering::Less => 0,
            // The chosen one stands in the middle, with rows after it as long as there are any.
            _ => (position - rows / 2).min(self.order.len().saturating_sub(rows)),
        };
        let to = self.order.len().min(from + rows);
        (from, &self.order[from.min(to)..to])
    }

    /// Whether a class passes the filter.
    pub(crate) fn admits(&self, class: &str) -> bool {
        names(class, &self.filter)
    }
}

/// Whether `part` is in the name of a class, as the JVM or as sources spell it.
pub(crate) fn names(class: &str, part: &str) -> bool {
    contains(class, part) || (class.starts_with('[') && contains(&readable_class(class), part))
}

/// Whether `part` is in `text`, with ASCII letters of any case.
pub(crate) fn contains(text: &str, part: &str) -> bool {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    part.is_empty() || text.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(keys: &[f64]) -> Table {
        let mut table = Table::default();
        table.arrange((0..keys.len()).collect(), |row| keys[row]);
        table
    }

    #[test]
    fn the_chosen_row_is_followed_and_the_first_place_is_not() {
        let mut table = table(&[1.0, 3.0, 2.0]);
        assert_eq!((table.order.clone(), table.chosen()), (vec![1, 2, 0], Some(1)));
        table.arrange(vec![0, 1, 2], |row| [9.0, 3.0, 2.0][row]);
        assert_eq!(table.chosen(), Some(0), "the new first");
        table.step(2);
        assert_eq!(table.chosen(), Some(2));
        table.arrange(vec![0, 1, 2], |row| [9.0, 3.0, 20.0][row]);
        assert_eq!((table.chosen(), table.position()), (Some(2), 0));
        table.step(-7);
        table.step(1);
        assert_eq!(table.chosen(), Some(0));
    }

    #[test]
    fn the_chosen_row_is_always_in_the_window() {
        let mut table = table(&[0.0; 50]);
        for rows in [1, 2, 7, 60] {
            for _ in 0..60 {
                let (from, window) = table.window(rows);
                assert!(window.len() <= rows && window.contains(&table.chosen().expect("one")));
                assert_eq!(window.first(), table.order.get(from));
                table.step(1);
            }
            table.step(-100);
        }
        assert_eq!(Table::default().window(5), (0, &[][..]));
    }

    #[test]
    fn equal_rows_stay_in_order_both_ways() {
        let mut table = table(&[1.0, 1.0, 2.0]);
        assert_eq!(table.order, [2, 0, 1]);
        table.reversed = true;
        table.arrange(vec![0, 1, 2], |row| [1.0, 1.0, 2.0][row]);
        assert_eq!(table.order, [0, 1, 2]);
    }

    #[test]
    fn case_does_not_matter() {
        assert!(contains("java.util.HashMap$Node", "hashmap"));
        assert!(!contains("java.util", "java.util.x"));
        assert!(contains("größe", "GRÖSSE") == contains("größe", "x") && contains("x", ""));
    }
}
