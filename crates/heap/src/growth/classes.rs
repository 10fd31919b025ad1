//! What grew by class.

use std::collections::BTreeMap;

use crate::histogram::{Histogram, Total};

/// What there was of one class, and what there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassGrowth {
    /// As `Class.getName()` gives it.
    pub name: Box<str>,
    /// In the first dump.
    pub before: Total,
    /// In the second.
    pub after: Total,
}

impl ClassGrowth {
    /// Bytes more in the second dump; negative if it shrank.
    pub fn bytes(&self) -> i64 {
        difference(self.before.bytes, self.after.bytes)
    }

    /// Objects more in the second dump.
    pub fn objects(&self) -> i64 {
        difference(self.before.objects, self.after.objects)
    }
}

/// Every class that is not as it was: what grew by most bytes first, what shrank last, then by objects and name.
pub fn by_class(before: &Histogram, after: &Histogram) -> Vec<ClassGrowth> {
    let mut totals: BTreeMap<&str, (Total, Total)> = BTreeMap::new();
    for row in &before.rows {
        totals.entry(&row.name).or_default().0 = row.total;
    }
    for row in &after.rows {
        totals.entry(&row.name).or_default().1 = row.total;
    }
    let changed = totals.into_iter().filter(|(_, (before, after))| before != after);
    let mut rows: Vec<_> =
        changed.map(|(name, (before, after))| ClassGrowth { name: name.into(), before, after }).collect();
    rows.sort_by_key(|row| (-row.bytes(), -row.objects()));
    rows
}

/// How much more the second is.
pub(super) fn difference(before: u64, after: u64) -> i64 {
    after.wrapping_sub(before) as i64
}
