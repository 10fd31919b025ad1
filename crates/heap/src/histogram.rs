//! How many objects of each class there are, and of how many bytes.
//!
//! Not here: how it is drawn; and comparing two of them, which is `mayfly_profile`'s.

use rustc_hash::FxHashMap;

/// The objects of a heap by class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// One row per class name, the most bytes first. Classes without objects have none.
    pub rows: Vec<HistogramRow>,
}

/// The objects of one class, or of several of one name by different loaders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistogramRow {
    /// As `Class.getName()` gives it.
    pub class: Box<str>,
    /// How many.
    pub objects: u64,
    /// Their shallow sizes together.
    pub bytes: u64,
}

impl Histogram {
    /// Of what is told class by class: name, objects, bytes.
    pub(crate) fn of<'a>(told: impl IntoIterator<Item = (&'a str, u64, u64)>) -> Self {
        let mut by_name: FxHashMap<&str, (u64, u64)> = FxHashMap::default();
        for (class, objects, bytes) in told {
            let row = by_name.entry(class).or_default();
            *row = (row.0 + objects, row.1.saturating_add(bytes));
        }
        let row = |(class, (objects, bytes)): (&str, _)| HistogramRow { class: class.into(), objects, bytes };
        let mut rows: Vec<_> =
            by_name.into_iter().filter(|(_, (objects, _))| *objects > 0).map(row).collect();
        rows.sort_by(|one, other| other.bytes.cmp(&one.bytes).then_with(|| one.class.cmp(&other.class)));
        Self { rows }
    }

    /// All objects, and their bytes.
    pub fn total(&self) -> (u64, u64) {
        self.rows.iter().fold((0, 0), |sum, row| (sum.0 + row.objects, sum.1.saturating_add(row.bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_by_name_and_sorted_by_bytes() {
        let told = [("A", 1, 16), ("B", 2, 48), ("A", 3, 48), ("Empty", 0, 0), ("C", 1, 48)];
        let histogram = Histogram::of(told);
        let rows: Vec<_> = histogram.rows.iter().map(|row| (&*row.class, row.objects, row.bytes)).collect();
        assert_eq!(rows, [("A", 4, 64), ("B", 2, 48), ("C", 1, 48)]);
        assert_eq!(histogram.total(), (7, 160));
    }
}
