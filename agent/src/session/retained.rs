//! Which of the followed objects are among what grows, and who was found to hold them.
//!
//! Not here: what grows (`mayfly-profile`), and the search (`retention`).

use std::collections::BTreeSet;

use mayfly_profile::{ClassId, Link, RetentionCount, SiteId, Stack};
use mayfly_tracking::{ClassTable, Ledger, SiteTable};
use rustc_hash::FxHashMap;

use crate::tracking::Shared;

/// Followed objects of one grower.
#[derive(Debug, Default)]
pub(crate) struct Grown {
    /// When they were made, and their weak references: the oldest first, spread over the time.
    objects: Vec<(u64, u64)>,
    rows: BTreeSet<(ClassId, Option<SiteId>)>,
}

/// Rows of a profile that are one grower: classes, each with its stack, or without one where none were taken.
pub(crate) type Rows<'a> = Vec<(&'a str, Option<&'a Stack>)>;

/// The objects of each grower, of one so many at most.
pub(super) fn grown(shared: &Shared, ledger: &Ledger, growers: &[Rows<'_>], most: usize) -> Vec<Grown> {
    let mut known = FxHashMap::default();
    let mut grown: Vec<_> = growers.iter().map(|_| Grown::default()).collect();
    for object in ledger.living() {
        let site = object.site();
        let row = known.entry(site).or_insert_with(|| row_of(&shared.sites, &shared.classes, site, growers));
        if let Some((grower, row)) = *row {
            let of: &mut Grown = &mut grown[grower];
            of.objects.push((object.birth_ms(), object.reference()));
            of.rows.insert(row);
        }
    }
    grown.iter_mut().for_each(|grown| grown.thin(most));
    grown
}

impl Grown {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.objects.len()
    }

    /// The weak reference of one; the oldest is the first.
    pub(crate) fn reference(&self, number: usize) -> u64 {
        self.objects[number].1
    }

    /// The class of its objects, if it is one.
    pub(super) fn class(&self) -> Option<ClassId> {
        let first = self.rows.first()?.0;
        self.rows.iter().all(|row| row.0 == first).then_some(first)
    }

    /// What is to be sent of what holds so many of them.
    pub(super) fn held(&self, looked: u32, path: &[Link]) -> impl Iterator<Item = RetentionCount> {
        self.rows.iter().map(move |&(class, site)| RetentionCount {
            class,
            site,
            looked,
            path: path.to_vec(),
        })
    }

    fn thin(&mut self, most: usize) {
        self.objects.sort_unstable();
        let step = self.objects.len().div_ceil(most).max(1);
        self.objects = self.objects.iter().copied().step_by(step).collect();
    }
}

/// The grower that objects of a site belong to, and their row.
fn row_of(
    sites: &SiteTable,
    classes: &ClassTable,
    site: SiteId,
    growers: &[Rows<'_>],
) -> Option<(usize, (ClassId, Option<SiteId>))> {
    let class = sites.class_of(site)?;
    let name = classes.name(class)?;
    if !growers.iter().flatten().any(|(class, _)| *class == name) {
        return None;
    }
    let (_, frames) = sites.sites_since(site.row()).next()?;
    let stack: Stack = frames.into_iter().filter_map(|frame| sites.frame(frame).cloned()).collect();
    let is_it = |row: &&(&str, Option<&Stack>)| row.0 == name && row.1.is_none_or(|of| *of == stack);
    let with_row =
        |(grower, rows): (usize, &Rows<'_>)| Some((grower, rows.iter().find(is_it)?.1.map(|_| site)));
    let (grower, site) = growers.iter().enumerate().find_map(with_row)?;
    Some((grower, (class, site)))
}
