//! What a text report says: rows, sites, buckets, and what tests ask of them.

use std::collections::BTreeMap;

use crate::expect::{Count, Counts};

/// A line `%:size:count[:(largest)]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Per cent of what it is part of.
    pub percent: u64,
    /// Bytes.
    pub bytes: u64,
    /// Objects.
    pub objects: u64,
    /// Bytes of the largest object, where told.
    pub largest: Option<u64>,
}

/// A class row and what stands below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassRow {
    /// As `Class.getName()` gives it.
    pub class: String,
    /// Its numbers.
    pub row: Row,
    /// Allocation sites.
    pub sites: Vec<Site>,
    /// Allocation classes.
    pub blamed: Vec<Blamed>,
}

/// An allocation site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Its numbers.
    pub row: Row,
    /// Innermost frame first.
    pub stack: Vec<String>,
}

/// A class charged with allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blamed {
    /// The class charged.
    pub class: String,
    /// The row `All methods`.
    pub all: Row,
    /// Its methods.
    pub methods: Vec<(String, Row)>,
}

/// What died within a range of lifetimes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// Seconds.
    pub from: u64,
    /// Seconds; `None`: infinite.
    pub to: Option<u64>,
    /// What died.
    pub classes: Vec<ClassRow>,
}

/// One report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextReport {
    /// `JVM Shutdown`, `Periodic output` or `API request`.
    pub reason: String,
    /// Allocated objects.
    pub allocated: Vec<ClassRow>,
    /// Live objects.
    pub live: Vec<ClassRow>,
    /// Sum of the live ones.
    pub live_summary: Option<Count>,
    /// Collected objects.
    pub buckets: Vec<Bucket>,
    /// Sums of the collected ones: from, to, sum.
    pub buckets_summary: Vec<(u64, Option<u64>, Count)>,
}

impl TextReport {
    /// The rows of `Allocated objects`, per class.
    pub fn allocated_counts(&self) -> Counts {
        counts(&self.allocated)
    }

    /// The rows of `Live objects`, per class.
    pub fn live_counts(&self) -> Counts {
        counts(&self.live)
    }

    /// Dead objects of a class per bucket: from, to, objects. Empty buckets left out.
    pub fn buckets_of(&self, class: &str) -> Vec<(u64, Option<u64>, u64)> {
        let dead = |bucket: &Bucket| counts(&bucket.classes).get(class).map(|count| count.objects);
        self.buckets.iter().filter_map(|bucket| Some((bucket.from, bucket.to, dead(bucket)?))).collect()
    }

    /// Objects of a class charged to each class on their stacks.
    pub fn blamed(&self, class: &str) -> BTreeMap<String, u64> {
        let rows = self.allocated.iter().filter(|row| row.class == class);
        rows.flat_map(|row| &row.blamed).map(|charge| (charge.class.clone(), charge.all.objects)).collect()
    }
}

fn counts(rows: &[ClassRow]) -> Counts {
    rows.iter().map(|r| (r.class.clone(), Count { objects: r.row.objects, bytes: r.row.bytes })).collect()
}
