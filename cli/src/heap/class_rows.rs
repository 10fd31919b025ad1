//! Objects and bytes by class: what half of the heap commands show.

use mayfly_profile::{HeapOrder, HeapSummary, Total, readable_class};
use mayfly_report::{grouped, size};
use serde::Serialize;

use crate::args::heap::ShownArgs;
use crate::heap::columns::{Columns, counted, left_out};

/// Rows for people when `--limit` does not say: a screen.
const SCREEN: usize = 20;

/// Classes with what there is of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ClassRows {
    /// Of all classes, whatever the limit.
    pub(crate) total: Total,
    /// Number of classes, whatever the limit.
    pub(crate) classes: usize,
    /// In the order asked for.
    pub(crate) rows: Vec<ClassRow>,
    /// Whether the text is for people: in units, and not to the byte.
    #[serde(skip)]
    in_units: bool,
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

    /// The classes of a summary, most first: on a terminal a screen of them, in units; elsewhere all of them, in bytes.
    pub(crate) fn shown(summary: &HeapSummary, order: HeapOrder, shown: ShownArgs) -> Self {
        match shown.is_for_people() {
            true => Self::for_people(summary, order, shown.limit),
            false => Self::of(summary, order, shown.limit),
        }
    }

    /// The classes of a summary, most first, a screen of them, in units.
    pub(crate) fn for_people(summary: &HeapSummary, order: HeapOrder, limit: Option<usize>) -> Self {
        Self { in_units: true, ..Self::of(summary, order, limit.or(Some(SCREEN))) }
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
        Self { total: summary.total(), classes, rows, in_units: false }
    }

    /// A table: bytes, objects, class, and the total; for people each with its share of all bytes.
    pub(crate) fn text(&self) -> String {
        let share = |bytes: u64| format!("{:.1}", bytes as f64 / self.total.bytes.max(1) as f64 * 100.0);
        let row = |of: Total, name: String| match self.in_units {
            true => vec![size(of.bytes), share(of.bytes), grouped(of.objects), name],
            false => vec![of.bytes.to_string(), of.objects.to_string(), name],
        };
        let headings: &[&str] =
            if self.in_units { &["size", "%", "objects", "class"] } else { &["bytes", "objects", "class"] };
        let mut table = Columns::new(headings);
        for of in &self.rows {
            table.cells(row(of.held, of.readable_class.clone()));
        }
        table.cells(row(self.total, format!("total of {}", counted(self.classes as u64, "class"))));
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
    fn for_people_there_is_a_screen_of_rows_in_units() {
        let rows = (0..25).map(|n| (format!("c{n:02}"), Total { objects: 5_000, bytes: (40 - n) << 20 }));
        let rows: Vec<_> = rows.collect();
        let summary: HeapSummary = rows.iter().map(|(class, held)| (class.as_str(), *held)).collect();
        let text = ClassRows::for_people(&summary, HeapOrder::Size, None).text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["    size      %  objects  class", "40.0 MiB    5.7    5,000  c00"]);
        let last =
            [" 700 MiB  100.0  125,000  total of 25 classes", "and 5 more classes (--limit 25 shows all)"];
        assert_eq!(lines[21..], last);
        let all = ClassRows::for_people(&summary, HeapOrder::Size, Some(25)).text();
        assert_eq!(all.lines().count(), 27);
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
