//! Objects and bytes by class.
//!
//! Not here: heap summaries, which are made without a graph.

use rustc_hash::FxHashMap;

use crate::graph::Graph;
use crate::index::ObjectIndex;

/// So many objects, with so many bytes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Total {
    /// Number of objects.
    pub objects: u64,
    /// Their shallow sizes in bytes.
    pub bytes: u64,
}

impl Total {
    /// Of some objects.
    pub fn of(graph: &Graph, objects: impl IntoIterator<Item = ObjectIndex>) -> Self {
        objects.into_iter().fold(Self::default(), |total, object| total.plus(graph.size(object)))
    }

    /// Both together. Sizes of a damaged file may be too large to be added up.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { objects: self.objects + other.objects, bytes: self.bytes.saturating_add(other.bytes) }
    }

    fn plus(self, bytes: u64) -> Self {
        self.and(Self { objects: 1, bytes })
    }

    pub(crate) fn add(&mut self, bytes: u64) {
        *self = self.plus(bytes);
    }
}

/// Objects of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassRow {
    /// As `Class.getName()` gives it.
    pub name: Box<str>,
    /// How many and how large.
    pub total: Total,
}

/// Objects by name of class: classes of the same name are one row, whatever loaders they have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// In the order of [`Self::by_bytes`] at first. No row is empty.
    pub rows: Vec<ClassRow>,
}

impl Histogram {
    /// Of some objects, each listed once.
    pub fn of(graph: &Graph, objects: impl IntoIterator<Item = ObjectIndex>) -> Self {
        let mut totals = vec![Total::default(); graph.classes().len()];
        for object in objects {
            totals[graph.class_of(object).0 as usize].add(graph.size(object));
        }
        Self::told(graph.classes().map(|(_, class)| &*class.name).zip(totals))
    }

    /// Of what is told class by class; those of one name are added up.
    pub(crate) fn told<'a>(told: impl IntoIterator<Item = (&'a str, Total)>) -> Self {
        let mut by_name: FxHashMap<&str, Total> = FxHashMap::default();
        for (name, told) in told.into_iter().filter(|(_, told)| told.objects > 0) {
            let sum = by_name.entry(name).or_default();
            *sum = sum.and(told);
        }
        let row = |(name, total): (&str, Total)| ClassRow { name: name.into(), total };
        let mut histogram = Self { rows: by_name.into_iter().map(row).collect() };
        histogram.by_bytes();
        histogram
    }

    /// All rows together.
    pub fn total(&self) -> Total {
        self.rows.iter().fold(Total::default(), |sum, row| sum.and(row.total))
    }

    /// Sorts rows by bytes, most first, then by name.
    pub fn by_bytes(&mut self) {
        self.rows.sort_by(|a, b| b.total.bytes.cmp(&a.total.bytes).then_with(|| a.name.cmp(&b.name)));
    }

    /// Sorts rows by number of objects, fewest first, then by name, as INSANE's distributions are.
    pub fn by_objects_ascending(&mut self) {
        self.rows.sort_by(|a, b| a.total.objects.cmp(&b.total.objects).then_with(|| a.name.cmp(&b.name)));
    }

    /// INSANE's distribution (`printDistribution`): a line `class: objects/bytesB` per row, fewest objects first, and a
    /// last line `Total: objects/bytesB`.
    pub fn distribution(&self) -> String {
        let mut sorted = self.clone();
        sorted.by_objects_ascending();
        let line = |name: &str, total: Total| format!("{name}: {}/{}B\n", total.objects, total.bytes);
        let rows = sorted.rows.iter().map(|row| line(&row.name, row.total));
        rows.chain([line("Total", self.total())]).collect()
    }

    /// What NbTestCase's `assertSize` says after its message: how many bytes over the limit, then a line per class, most
    /// bytes first. `None` if the limit is kept.
    pub fn over_limit(&self, limit: u64) -> Option<String> {
        let excess = self.total().bytes.checked_sub(limit).filter(|&excess| excess > 0)?;
        let mut sorted = self.clone();
        sorted.by_bytes();
        let rows = sorted
            .rows
            .iter()
            .map(|row| format!("\n  {}: {}, {}B", row.name, row.total.objects, row.total.bytes));
        Some(format!("leak {excess} bytes  over limit of {limit} bytes{}", rows.collect::<String>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::heap;

    fn list() -> Histogram {
        let graph = heap(
            "1:java.lang.String[24]; 2:java.lang.String[24]; 3:byte[][16]; 4:byte[][16];
             5:java.lang.Object[][24]; 6:java.util.ArrayList[24]; 7:java.lang.Integer[16]",
        );
        Histogram::of(&graph, graph.objects())
    }

    /// The text of the original's own failure of `assertSize`.
    #[test]
    fn too_much_is_told_as_by_insane() {
        let text = "leak 144 bytes  over limit of 0 bytes
  java.lang.String: 2, 48B
  [B: 2, 32B
  [Ljava.lang.Object;: 1, 24B
  java.util.ArrayList: 1, 24B
  java.lang.Integer: 1, 16B";
        assert_eq!(list().over_limit(0).as_deref(), Some(text));
        assert!(list().over_limit(143).unwrap().starts_with("leak 1 bytes  over limit of 143 bytes\n"));
        assert_eq!(list().over_limit(144), None);
    }

    /// INSANE's `printDistribution`.
    #[test]
    fn distribution_is_by_count() {
        assert_eq!(
            list().distribution(),
            "[Ljava.lang.Object;: 1/24B
java.lang.Integer: 1/16B
java.util.ArrayList: 1/24B
[B: 2/32B
java.lang.String: 2/48B
Total: 7/144B\n"
        );
    }

    #[test]
    fn rows_are_by_name_and_sorted_by_bytes() {
        let told = [("A", 1, 16), ("B", 2, 48), ("A", 3, 48), ("Empty", 0, 0), ("C", 1, 48)];
        let total = |(name, objects, bytes)| (name, Total { objects, bytes });
        let histogram = Histogram::told(told.map(total));
        let rows: Vec<_> = histogram.rows.iter().map(|row| (&*row.name, row.total)).collect();
        assert_eq!(rows, [("A", 4, 64), ("B", 2, 48), ("C", 1, 48)].map(total));
        assert_eq!(histogram.total(), Total { objects: 7, bytes: 160 });
    }
}
