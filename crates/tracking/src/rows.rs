//! Rows of sites in a session that counts by place: the exact count of each place, divided among the stacks that its
//! samples found there.
//!
//! Rows of one place add up to its count. Of what a class counted beyond its places none told (reflection, method handles, hidden classes,
//! native code): that is divided among the stacks that were taken of such objects, and gets a row without frames if there are none.

use std::mem;

use mayfly_profile::{ClassId, SiteCounts, SiteId, Tally, divide};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::classes::ClassTable;
use crate::places::PlaceCounter;
use crate::places::PlaceTable;
use crate::sampling::Weight;
use crate::sites::SiteTable;
use crate::slabs::ClassTotal;
use crate::slabs::Words;

/// Makes the rows that changed since the last time.
#[derive(Debug, Default)]
pub struct SiteRows {
    /// Whether frames have lines.
    lines: bool,
    /// Counts at the last reset, by counter.
    baseline: Vec<Tally>,
    classes_baseline: Vec<ClassTotal>,
    /// Objects and stacks when a counter's rows were last said.
    said: Vec<(u64, u64)>,
    without_place: FxHashMap<ClassId, WithoutPlace>,
    /// Size of a class's objects, by name.
    sizes: FxHashMap<Box<str>, u64>,
    classes_seen: usize,
}

/// What was said of a class's objects of which no place told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct WithoutPlace {
    tally: Tally,
    taken: u64,
    /// Whether it was said in a row without frames.
    frameless: bool,
}

/// A stack, what it stands for, and the relative error of that.
type Divided = (SiteId, Weight, f64);

/// What rows are made of.
#[derive(Clone, Copy)]
pub struct Tables<'a> {
    /// All classes.
    pub classes: &'a ClassTable,
    /// All places.
    pub places: &'a PlaceTable,
    /// All sites.
    pub sites: &'a SiteTable,
}

impl SiteRows {
    /// No rows yet; `lines`: frames have lines.
    pub fn new(lines: bool) -> Self {
        Self { lines, ..Self::default() }
    }

    /// Counts start from zero at `words`, and no stack has been seen.
    pub fn reset(&mut self, words: &Words, tables: Tables<'_>) {
        self.learn_sizes(tables.classes);
        let counters = tables.places.counters();
        self.baseline = counters.map(|counter| self.read(counter, words, tables.classes)).collect();
        self.classes_baseline = words.classes(tables.classes, tables.places);
        self.said.clear();
        self.without_place.clear();
        for counter in tables.places.counters() {
            counter.samples().reset();
        }
    }

    /// The rows that changed since the last call, and those of places with an asked site. Without lifetimes, which are the ledger's.
    pub fn changed(
        &mut self,
        words: &Words,
        tables: Tables<'_>,
        asked: &FxHashSet<SiteId>,
    ) -> Vec<SiteCounts> {
        self.learn_sizes(tables.classes);
        let mut rows = Vec::new();
        let mut placed: FxHashMap<&str, Tally> = FxHashMap::default();
        let counters = tables.places.counters().enumerate();
        for (index, counter) in counters.filter(|(_, counter)| counter.is_of_a_place()) {
            let now = self.read(counter, words, tables.classes);
            let tally = now.without(self.baseline.get(index).copied().unwrap_or_default());
            let placed = placed.entry(tables.classes.name(counter.class).unwrap_or_default()).or_default();
            placed.add(tally);
            if !counter.sampled {
                continue;
            }
            let samples = counter.samples();
            let stacks = samples.stacks();
            let taken = stacks.iter().map(|(_, weight)| weight.taken).sum();
            if self.said.len() <= index {
                self.said.resize(index + 1, (0, 0));
            }
            let changed = self.said[index] != (tally.objects, taken);
            if changed || stacks.iter().any(|(site, _)| asked.contains(site)) {
                let before = mem::replace(&mut self.said[index], (tally.objects, taken));
                // The row that it has until its first stack.
                let own = if before.1 == 0 { self.own_frame(counter, tables) } else { None };
                let stacks = match own {
                    Some(own) if stacks.is_empty() => vec![(own, Weight::default())],
                    _ => stacks,
                };
                let ended = own.filter(|own| before.0 > 0 && stacks.iter().all(|(site, _)| site != own));
                rows.extend(ended.map(|site| row(site, Tally::default())));
                let divided = |(site, weight)| (site, weight, samples.error(&weight));
                rows.extend(place_rows(tally, &stacks.into_iter().map(divided).collect::<Vec<_>>()));
            }
        }
        let rests = self.rests(words, tables, &placed);
        self.unplaced_rows(rests, tables, asked, &mut rows);
        rows
    }

    fn read(&self, counter: &PlaceCounter, words: &Words, classes: &ClassTable) -> Tally {
        let size = classes.name(counter.class).and_then(|name| self.sizes.get(name));
        counter.read(words.places(), size.copied().unwrap_or(0))
    }

    fn learn_sizes(&mut self, classes: &ClassTable) {
        for id in self.classes_seen..classes.len() {
            let id = ClassId::of_row(id);
            if let (Some(name), Some(size)) = (classes.name(id), classes.object_size(id)) {
                self.sizes.entry(name.into()).or_insert(u64::from(size));
            }
        }
        self.classes_seen = classes.len();
    }

    /// The site of a place at which no stack was taken yet: its own frame is known.
    fn own_frame(&self, counter: &PlaceCounter, tables: Tables<'_>) -> Option<SiteId> {
        let facts = tables.places.facts(counter.place)?;
        Some(tables.sites.of_frame(counter.class, counter.place, facts.frame(self.lines)))
    }

    /// What classes counted beyond their places, if anything or if there was something to say of it before.
    fn rests<'a>(
        &self,
        words: &Words,
        tables: Tables<'a>,
        placed: &FxHashMap<&str, Tally>,
    ) -> Vec<(&'a str, ClassId, Tally)> {
        let totals = words.classes(tables.classes, tables.places);
        let mut counted: FxHashMap<&str, (ClassId, Tally)> = FxHashMap::default();
        for (id, total) in totals.iter().enumerate() {
            let before = self.classes_baseline.get(id).copied().unwrap_or_default();
            let tally = total.counted.without(before.counted);
            if let Some(name) = tables.classes.name(ClassId::of_row(id)).filter(|_| !tally.is_empty()) {
                counted.entry(name).or_insert((ClassId::of_row(id), Tally::default())).1.add(tally);
            }
        }
        let rest = |(name, (class, tally)): (&'a str, (ClassId, Tally))| {
            let rest = tally.without(placed.get(name).copied().unwrap_or_default());
            let is_said = rest.objects > 0 || self.without_place.contains_key(&class);
            is_said.then_some((name, class, rest))
        };
        counted.into_iter().filter_map(rest).collect()
    }

    /// Rows of these rests, as far as they changed.
    fn unplaced_rows(
        &mut self,
        rests: Vec<(&str, ClassId, Tally)>,
        tables: Tables<'_>,
        asked: &FxHashSet<SiteId>,
        rows: &mut Vec<SiteCounts>,
    ) {
        let mut stacks = unplaced_stacks(tables);
        for (name, class, rest) in rests {
            let stacks = stacks.remove(name).unwrap_or_default();
            let taken = stacks.iter().map(|(_, weight, _)| weight.taken).sum();
            let said = self.without_place.entry(class).or_default();
            let now = WithoutPlace { tally: rest, taken, frameless: stacks.is_empty() };
            if *said == now && !stacks.iter().any(|(site, ..)| asked.contains(site)) {
                continue;
            }
            if now.frameless || said.frameless {
                let allocated = if now.frameless { rest } else { Tally::default() };
                rows.push(row(tables.sites.of_class(class), allocated));
            }
            *said = now;
            rows.extend(place_rows(rest, &stacks));
        }
    }
}

/// The stacks taken of objects of which no place told, by the name of their class.
fn unplaced_stacks(tables: Tables<'_>) -> FxHashMap<&str, Vec<Divided>> {
    let mut by_class: FxHashMap<&str, Vec<Divided>> = FxHashMap::default();
    for counter in tables.places.counters().filter(|counter| counter.is_unplaced()) {
        let samples = counter.samples();
        let divided =
            samples.stacks().into_iter().map(|(site, weight)| (site, weight, samples.error(&weight)));
        by_class.entry(tables.classes.name(counter.class).unwrap_or_default()).or_default().extend(divided);
    }
    by_class
}

/// The rows of one place.
fn place_rows(total: Tally, stacks: &[Divided]) -> Vec<SiteCounts> {
    let objects = divide(total.objects, &stacks.iter().map(|(_, w, _)| w.objects).collect::<Vec<_>>());
    let bytes = match total.objects {
        // Objects of one size: samples don't tell it.
        0 => vec![0; stacks.len()],
        all if stacks.iter().all(|(_, weight, _)| weight.bytes == 0) => {
            objects.iter().map(|objects| total.bytes / all * objects).collect()
        }
        _ => divide(total.bytes, &stacks.iter().map(|(_, w, _)| w.bytes).collect::<Vec<_>>()),
    };
    let stood_for: u64 = stacks.iter().map(|(_, weight, _)| weight.objects).sum();
    let missed = stood_for.abs_diff(total.objects) as f64 / total.objects.max(1) as f64;
    let row_of = |((&(id, weight, error), objects), bytes): ((&Divided, u64), u64)| {
        let known = stacks.len() > 1 && weight.largest > 0;
        let largest = if known { weight.largest } else { total.largest };
        let allocated = Tally { objects, bytes, largest };
        SiteCounts { error: error.max(missed), ..row(id, allocated) }
    };
    stacks.iter().zip(objects).zip(bytes).map(row_of).collect()
}

fn row(id: SiteId, allocated: Tally) -> SiteCounts {
    SiteCounts { id, allocated, ..SiteCounts::default() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::classes::Shape;
    use crate::places::Kind;
    use crate::slabs::Slabs;
    use crate::slabs::tests::bump;

    #[test]
    fn a_place_whose_first_stack_comes_after_its_count_was_told_is_not_told_twice() {
        let (slabs, classes, places) = (Slabs::new(true), ClassTable::default(), PlaceTable::new());
        let sites = SiteTable::new(u64::MAX);
        let class = classes.register("a.B", Shape::Object { size: 16 }, false).id;
        let place = places.numbering().add(["a.A", "run"], Some("A.java"), Some(7), Some("a.B"));
        let place = place.expect("there is room");
        let offset = places.enter(place, class, Kind::Objects, true).expect("there is room");
        slabs.open();
        let tables = Tables { classes: &classes, places: &places, sites: &sites };
        let (mut rows, mut told) = (SiteRows::new(true), BTreeMap::new());
        let mut sum_after = |objects: u64| {
            bump(&slabs, offset, 0, objects);
            let changed = rows.changed(&slabs.words(&classes, &places), tables, &FxHashSet::default());
            told.extend(changed.into_iter().map(|row| (row.id, row.allocated.objects)));
            told.values().sum::<u64>()
        };
        assert_eq!(sum_after(1), 1, "in a row of its own frame");
        places.book(offset, sites.of_class(class), 0, (16, 16));
        assert_eq!(sum_after(2), 3);
        assert_eq!(sum_after(3), 6);
    }
}
