//! A run cut into slices of time: of each what was born and what died in it, and who lives at its end, by cell.
//!
//! So a range of time can be chosen when all is written: births and deaths of its slices are added up, the living are those at
//! its end, as of a range that is read (`since`). Not here: where slices begin and end (`slicing`), and which cells there are
//! (`cell_lives`).

use std::collections::BTreeMap;

use indexmap::IndexSet;

use crate::derived::amounts::Value;
use crate::derived::lives::LifeSpan;
use crate::facts::stack::Stack;
use crate::facts::tally::Tally;
use crate::stream::profile::Profile;

/// What happened in a slice to the objects of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Happened {
    /// Allocated in it.
    pub born: Tally,
    /// Found dead in it, by how long they lived.
    pub dead: BTreeMap<(u64, u64), Tally>,
    /// Alive at its end, by age.
    pub living: BTreeMap<u64, Tally>,
}

/// A slice of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slice {
    /// When it begins, in milliseconds of the profiled time.
    pub from_ms: u64,
    /// When it ends.
    pub to_ms: u64,
    /// What happened, by cell ([`Slices::cells`]).
    pub cells: BTreeMap<usize, Happened>,
}

/// The slices of a stream, of equal lengths about.
#[derive(Clone, Debug, Default)]
pub struct Slices {
    slices: Vec<Slice>,
    cells: IndexSet<(String, Stack)>,
    /// Stacks that are told apart, if there were more.
    stacks: Option<usize>,
}

impl Slices {
    /// None yet; with so many stacks told apart, if there are more.
    pub(crate) fn with_stacks(stacks: Option<usize>) -> Self {
        Self { stacks, ..Self::default() }
    }

    /// In the order of time, without gaps.
    pub fn slices(&self) -> &[Slice] {
        &self.slices
    }

    /// Class and stack of each cell, the innermost frame first.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = (&str, &Stack)> {
        self.cells.iter().map(|(class, stack)| (class.as_str(), stack))
    }

    /// How many stacks are told apart, those of all the run with most bytes; `None`: all. What others allocated is in cells
    /// of their classes without frames.
    pub fn stacks(&self) -> Option<usize> {
        self.stacks
    }

    /// Makes one of each two neighbours; whether there were two.
    pub fn coarsen(&mut self) -> bool {
        if self.slices.len() < 2 {
            return false;
        }
        let mut joined = Vec::with_capacity(self.slices.len().div_ceil(2));
        let mut slices = std::mem::take(&mut self.slices).into_iter();
        while let Some(slice) = slices.next() {
            joined.push(match slices.next() {
                Some(next) => slice.then(next),
                None => slice,
            });
        }
        self.slices = joined;
        true
    }

    /// Puts a slice before all others: what happened between these moments.
    pub(crate) fn push_front(&mut self, from_ms: u64, to_ms: u64, part: &Profile) {
        let mut slice = Slice { from_ms, to_ms, cells: BTreeMap::new() };
        for of_cell in part.cell_lives() {
            let key = (of_cell.cell.class.to_owned(), of_cell.cell.stack.clone());
            let (id, _) = self.cells.insert_full(key);
            let of = |value| of_cell.cell.amounts.of(value);
            let born = Tally { objects: of(Value::Objects), bytes: of(Value::Bytes), largest: 0 };
            let happened = slice.cells.entry(id).or_default();
            happened.born.add(born);
            for (LifeSpan { after_ms, by_ms }, tally) in of_cell.lives {
                match by_ms {
                    Some(by_ms) => happened.dead.entry((after_ms, by_ms)).or_default().add(tally),
                    None => happened.living.entry(after_ms).or_default().add(tally),
                }
            }
        }
        self.slices.insert(0, slice);
    }
}

impl Slice {
    /// Both, one after the other.
    fn then(mut self, next: Self) -> Self {
        self.to_ms = next.to_ms;
        for happened in self.cells.values_mut() {
            happened.living.clear();
        }
        for (cell, later) in next.cells {
            let happened = self.cells.entry(cell).or_default();
            happened.born.add(later.born);
            for (span, tally) in later.dead {
                happened.dead.entry(span).or_default().add(tally);
            }
            happened.living = later.living;
        }
        self
    }
}
