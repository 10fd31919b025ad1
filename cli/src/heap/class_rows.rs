//! Objects and bytes by class: what half of the heap commands show.

use mayfly_profile::{HeapOrder, HeapSummary, Total, readable_class};
use serde::Serialize;

use crate::heap::columns::{Columns, counted, left_out};

/// Classes with what there is of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ClassRows {
    /// Of all classes, whatever the limit.
    pub(crate) total: Total,
    /// Number of classes, whatever the limit.
    pub(crate) classes: usize,
    /// In the order asked for.
    pub(crate) rows: Vec<ClassRow>,
}

/// One class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ClassRow {
    /// As `Class.getName()` gives it. Classes of one name are one row.
    pub(crate) class: String,
    /// As Java sources spell it.
    pub(crate) readable_class: String,
    /// What there is of it.
    #[serde(flatten)]
    pub(crate) held: Total,
}

impl ClassRows {
    /// The classes of a summary, most first.
    pub(crate) fn of(summary: &HeapSummary, order: HeapOrder, limit: Option<usize>) -> Self {
        Self::new(summary, summary.sorted(order), limit)
    }

    /// The classes of a summary, fewest objects first, then by name.
    pub(crate) fn fewest_first(summary: &HeapSummary, limit: Option<usize>) -> Self {
        let mut rows: Vec<_> = summary.rows().collect();
        rows.sort_by_key(|(_, held)| held.objects);
        Self::new(summary, rows, limit)
    }

    fn new(summary: &HeapSummary, rows: Vec<(&str, Total)>, limit: Option<usize>) -> Self {
        let classes = rows.len();
        let row = |(class, held): (&str, Total)| ClassRow {
            class: class.to_owned(),
            readable_class: readable_class(class),
            held,
        };
        let rows = rows.into_iter().take(limit.unwrap_or(usize::MAX)).map(row).collect();
        Self { total: summary.total(), classes, rows }
    }

    /// A table: bytes, objects, class, and the total.
    pub(crate) fn text(&self) -> String {
        let mut table = Columns::new(&["bytes", "objects", "class"]);
        for row in &self.rows {
            table.row([row.held.bytes.to_string(), row.held.objects.to_string(), row.readable_class.clone()]);
        }
        let total = format!("total of {}", counted(self.classes as u64, "class"));
        table.row([self.total.bytes.to_string(), self.total.objects.to_string(), total]);
        table.text() + &left_out(self.rows.len(), self.classes, "class")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> HeapSummary {
        let rows = [("b", 1, 50), ("a", 5, 60), ("c", 2, 70)];
        rows.into_iter().map(|(class, objects, bytes)| (class, Total { objects, bytes })).collect()
    }

    fn names(rows: ClassRows) -> Vec<String> {
        rows.rows.into_iter().map(|row| row.class).collect()
    }

    #[test]
    fn classes_come_in_the_order_asked_for() {
        assert_eq!(names(ClassRows::of(&summary(), HeapOrder::Size, None)), ["c", "a", "b"]);
        assert_eq!(names(ClassRows::of(&summary(), HeapOrder::Count, None)), ["a", "c", "b"]);
        assert_eq!(names(ClassRows::fewest_first(&summary(), None)), ["b", "c", "a"]);
    }

    #[test]
    fn a_limit_changes_no_total() {
        let text = ClassRows::of(&summary(), HeapOrder::Size, Some(1)).text();
        let expected = "\
bytes  objects  class
   70        2  c
  180        8  total of 3 classes
and 2 more classes (--limit 3 shows all)
";
        assert_eq!(text, expected);
    }
}
