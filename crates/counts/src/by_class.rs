//! What is on a heap at one moment: objects and bytes by class, and how that changes from one moment to the next.
//!
//! Not here: how it was counted (the agent), and its text (`mayfly-report`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::total::Total;

/// Objects on a heap, by class. Classes of one name, from several loaders, are one row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapSummary {
    rows: BTreeMap<Box<str>, Total>,
}

/// What rows are sorted by, largest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeapOrder {
    /// Bytes; then objects.
    #[default]
    Size,
    /// Objects; then bytes.
    Count,
}

impl HeapSummary {
    /// Adds objects of a class, named as `Class.getName()` does. None leave no row.
    pub fn add(&mut self, class: &str, held: Total) {
        if held == Total::default() {
            return;
        }
        match self.rows.get_mut(class) {
            Some(row) => *row = row.and(held),
            None => {
                self.rows.insert(class.into(), held);
            }
        }
    }

    /// The classes with objects, by name.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (&str, Total)> {
        self.rows.iter().map(|(class, &held)| (&**class, held))
    }

    /// The classes with objects, most first; ties by name.
    pub fn sorted(&self, order: HeapOrder) -> Vec<(&str, Total)> {
        let mut rows: Vec<_> = self.rows().collect();
        // Stable, and in order of names before.
        rows.sort_by_key(|(_, held)| {
            std::cmp::Reverse(match order {
                HeapOrder::Size => (held.bytes, held.objects),
                HeapOrder::Count => (held.objects, held.bytes),
            })
        });
        rows
    }

    /// Objects of the class, none if there is no row.
    pub fn of(&self, class: &str) -> Total {
        self.rows.get(class).copied().unwrap_or_default()
    }

    /// All objects.
    pub fn total(&self) -> Total {
        self.rows.values().copied().sum()
    }
}

impl<S: AsRef<str>> FromIterator<(S, Total)> for HeapSummary {
    fn from_iter<I: IntoIterator<Item = (S, Total)>>(rows: I) -> Self {
        let mut summary = Self::default();
        rows.into_iter().for_each(|(class, held)| summary.add(class.as_ref(), held));
        summary
    }
}

/// A class over several summaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeapGrowth<'a> {
    /// As `Class.getName()` gives it.
    pub class: &'a str,
    /// What each summary has of it, in their order.
    pub held: Vec<Total>,
    /// Objects more in the last than in the first.
    pub objects: i64,
    /// Bytes more in the last than in the first.
    pub bytes: i64,
}

/// How each class grew from the first summary to the last, what grew most first: in bytes, or in objects. What shrank
/// comes last; classes that are the same in all summaries are left out.
pub fn heap_growth(summaries: &[HeapSummary], order: HeapOrder) -> Vec<HeapGrowth<'_>> {
    let mut classes: BTreeMap<&str, Vec<Total>> = BTreeMap::new();
    for (index, summary) in summaries.iter().enumerate() {
        for (class, held) in summary.rows() {
            classes.entry(class).or_insert_with(|| vec![Total::default(); summaries.len()])[index] = held;
        }
    }
    let changed = classes.into_iter().filter(|(_, held)| held.iter().any(|one| *one != held[0]));
    let mut growth: Vec<_> = changed.map(|(class, held)| growth_of(class, held)).collect();
    growth.sort_by_key(|row| {
        std::cmp::Reverse(match order {
            HeapOrder::Size => (row.bytes, row.objects),
            HeapOrder::Count => (row.objects, row.bytes),
        })
    });
    growth
}

fn growth_of(class: &str, held: Vec<Total>) -> HeapGrowth<'_> {
    let (first, last) = (held.first().copied().unwrap_or_default(), held.last().copied().unwrap_or_default());
    let more =
        |last: u64, first: u64| i64::try_from(i128::from(last) - i128::from(first)).unwrap_or(i64::MAX);
    HeapGrowth {
        class,
        objects: more(last.objects, first.objects),
        bytes: more(last.bytes, first.bytes),
        held,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(objects: u64, bytes: u64) -> Total {
        Total { objects, bytes }
    }

    fn summary(rows: &[(&str, u64, u64)]) -> HeapSummary {
        rows.iter().map(|&(class, objects, bytes)| (class, held(objects, bytes))).collect()
    }

    /// Loaders are merged, by the whole name.
    #[test]
    fn classes_of_one_name_are_one_row_however_long_the_name() {
        let long = "p.".repeat(300) + "A";
        let other = "p.".repeat(300) + "B";
        let summary = summary(&[(&long, 1, 16), (&other, 1, 16), (&long, 2, 48), ("Empty", 0, 0)]);
        assert_eq!(summary.rows().collect::<Vec<_>>(), [(&*long, held(3, 64)), (&*other, held(1, 16))]);
        assert_eq!(summary.total(), held(4, 80));
    }

    /// As HeapSummary sorts.
    #[test]
    fn the_orders_differ_and_break_ties_by_name() {
        let summary = summary(&[("D", 1, 100), ("C", 9, 9), ("B", 9, 9), ("A", 5, 100)]);
        let names = |order| summary.sorted(order).into_iter().map(|(class, _)| class).collect::<Vec<_>>();
        assert_eq!(names(HeapOrder::Size), ["A", "D", "B", "C"]);
        assert_eq!(names(HeapOrder::Count), ["B", "C", "A", "D"]);
    }

    #[test]
    fn growth_is_from_first_to_last_and_shrinking_comes_last() {
        let summaries = [
            summary(&[("Gone", 2, 32), ("Same", 1, 16), ("Grew", 1, 16)]),
            summary(&[("Same", 1, 16), ("Grew", 5, 80), ("Between", 1, 8)]),
            summary(&[("Same", 1, 16), ("Grew", 3, 48), ("New", 9, 9)]),
        ];
        let rows = |order| -> Vec<_> {
            let growth = heap_growth(&summaries, order);
            growth.into_iter().map(|row| (row.class, row.objects, row.bytes)).collect()
        };
        assert_eq!(
            rows(HeapOrder::Size),
            [("Grew", 2, 32), ("New", 9, 9), ("Between", 0, 0), ("Gone", -2, -32)]
        );
        assert_eq!(rows(HeapOrder::Count)[0], ("New", 9, 9));
        let between = &heap_growth(&summaries, HeapOrder::Size)[2];
        assert_eq!(between.held, [held(0, 0), held(1, 8), held(0, 0)]);
        assert!(heap_growth(&[], HeapOrder::Size).is_empty());
    }
}
