//! Counters in native memory, one slab per carrier thread, written by Java and read here.
//!
//! Only its own thread writes a slab, with plain stores; we read with relaxed loads, so a total may lag by the
//! instructions in flight but never tears. A thread that ends has its slab added to the retired totals and reused.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_profile::Tally;

use crate::classes::{CLASS_WORDS, ClassEntry, ClassTable, LARGEST_WORD, Shape};
use crate::places::{PLACE_WORDS, PlaceTable};

/// Spare slabs kept for the next threads; more are given back to the system.
const SPARES: usize = 16;
/// Words looked at together: a page of memory, which is as a rule untouched.
const BLOCK: usize = 512;

type Slab = Box<[AtomicU64]>;

/// Everything counted of one class since the agent started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassTotal {
    /// Objects at or above the size limit.
    pub counted: Tally,
    /// Arrays below the size limit: accounted for, but not reported.
    pub below: Tally,
}

/// The slabs of all threads.
#[derive(Debug)]
pub struct Slabs {
    /// Words of each.
    len: usize,
    state: Mutex<State>,
    /// Bytes of the pages that were touched when last looked at.
    resident: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    live: Vec<Slab>,
    spare: Vec<Slab>,
    /// Words of ended threads, added up.
    retired: Vec<u64>,
}

/// The words of all slabs, dead and alive, added up.
#[derive(Clone, Debug, Default)]
pub struct Words(Vec<u64>);

impl Default for Slabs {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Slabs {
    /// None yet. With `places`, slabs have room for the counters of places.
    pub fn new(places: bool) -> Self {
        let len = CLASS_WORDS + if places { PLACE_WORDS } else { 0 };
        Self { len, state: Mutex::default(), resident: AtomicU64::new(0) }
    }

    /// A zeroed slab for a thread; the address is what Java writes to.
    pub fn open(&self) -> u64 {
        let mut state = self.state();
        let slab = state.spare.pop().unwrap_or_else(|| bytemuck::zeroed_slice_box(self.len));
        let address = address_of(&slab);
        state.live.push(slab);
        address
    }

    /// Adds an ended thread's counts to the retired ones and takes its slab back.
    pub fn close(&self, address: u64, classes: &ClassTable, places: &PlaceTable) {
        let mut state = self.state();
        let Some(at) = state.live.iter().position(|slab| address_of(slab) == address) else { return };
        let slab = state.live.swap_remove(at);
        let in_use = InUse::of(classes, places);
        in_use.add(&mut state.retired, &slab, classes, places);
        if state.spare.len() < SPARES {
            // Only touched words are written, so that untouched pages stay untouched.
            for word in in_use.touched(&slab).flat_map(|(_, block)| block) {
                if word.load(Relaxed) != 0 {
                    word.store(0, Relaxed);
                }
            }
            state.spare.push(slab);
        }
    }

    /// The words of all threads, dead and alive.
    pub fn words(&self, classes: &ClassTable, places: &PlaceTable) -> Words {
        let state = self.state();
        let in_use = InUse::of(classes, places);
        let mut words = state.retired.clone();
        let blocks: usize = state.live.iter().map(|slab| in_use.add(&mut words, slab, classes, places)).sum();
        let held = blocks * BLOCK + state.retired.capacity();
        self.resident.store((held * size_of::<u64>()) as u64, Relaxed);
        Words(words)
    }

    /// Number of threads with a slab.
    pub fn live(&self) -> usize {
        self.state().live.len()
    }

    /// Native memory held, in bytes: touched pages, when words were last added up.
    pub fn bytes(&self) -> u64 {
        self.resident.load(Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which words of slabs can be anything but zero.
#[derive(Clone, Copy)]
struct InUse {
    classes: usize,
    places: usize,
}

impl InUse {
    fn of(classes: &ClassTable, places: &PlaceTable) -> Self {
        Self { classes: classes.words_in_use(), places: places.words_in_use() }
    }

    /// The blocks of `slab` that hold anything, with the index of their first word.
    fn touched(self, slab: &Slab) -> impl Iterator<Item = (usize, &[AtomicU64])> {
        let ranges = [0..self.classes, CLASS_WORDS..CLASS_WORDS + self.places];
        ranges.into_iter().flat_map(|range| {
            let words = slab.get(range.clone()).unwrap_or_default();
            let blocks = words.chunks(BLOCK).enumerate();
            blocks
                .filter(|(_, block)| block.iter().fold(0, |any, word| any | word.load(Relaxed)) != 0)
                .map(move |(index, block)| (range.start + index * BLOCK, block))
        })
    }

    /// Adds a slab; how many blocks of it hold anything.
    fn add(self, words: &mut Vec<u64>, slab: &Slab, classes: &ClassTable, places: &PlaceTable) -> usize {
        let mut blocks = 0;
        for (first, block) in self.touched(slab) {
            blocks += 1;
            if words.len() < first + block.len() {
                words.resize(first + block.len(), 0);
            }
            for (index, word) in block.iter().enumerate() {
                let (at, value) = (first + index, word.load(Relaxed));
                if value != 0 {
                    let is_maximum = match at.checked_sub(CLASS_WORDS) {
                        Some(word) => places.is_maximum(word),
                        None => classes.is_maximum(at),
                    };
                    let sum = &mut words[at];
                    *sum = if is_maximum { (*sum).max(value) } else { sum.wrapping_add(value) };
                }
            }
        }
        blocks
    }
}

fn address_of(slab: &Slab) -> u64 {
    slab.as_ptr().addr() as u64
}

impl Words {
    /// Totals by class id: of the classes' own cells, and of the arrays that places count for them.
    pub fn classes(&self, classes: &ClassTable, places: &PlaceTable) -> Vec<ClassTotal> {
        let mut totals: Vec<_> = classes.entries().map(|class| self.class(class)).collect();
        for place in places.counters().filter(|place| place.counts_for_class()) {
            let class = place.class as usize;
            // A class entered meanwhile has its turn next time, and so have its places.
            if let Some(total) = totals.get_mut(class) {
                total.counted.add(place.read(&self.0, 0));
            }
        }
        totals
    }

    pub(crate) fn all(&self) -> &[u64] {
        &self.0
    }

    fn class(&self, class: &ClassEntry) -> ClassTotal {
        let word = |offset: usize| self.0.get(class.word as usize + offset).copied().unwrap_or(0);
        match class.shape {
            Shape::Object { size } => {
                ClassTotal { counted: Tally::of(word(0), u64::from(size)), below: Tally::default() }
            }
            Shape::Array => ClassTotal {
                counted: Tally { objects: word(0), bytes: word(1), largest: word(LARGEST_WORD) },
                below: Tally { objects: word(3), bytes: word(4), largest: 0 },
            },
            Shape::NameOnly => ClassTotal::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Java does: add to the word at a cell of the newest slab.
    fn bump(slabs: &Slabs, cell: u32, offset: usize, by: u64) {
        let state = slabs.state();
        state.live.last().unwrap()[(cell >> 3) as usize + offset].fetch_add(by, Relaxed);
    }

    #[test]
    fn totals_span_live_and_ended_threads() {
        let classes = ClassTable::default();
        let slabs = Slabs::default();
        let places = PlaceTable::new();
        let object = classes.register("a.B", Shape::Object { size: 24 }, true).unwrap();
        let array = classes.register("[I", Shape::Array, true).unwrap();
        let first = slabs.open();
        bump(&slabs, object.cell, 0, 3);
        bump(&slabs, array.cell, 0, 1);
        bump(&slabs, array.cell, 1, 48);
        bump(&slabs, array.cell, 2, 48);
        slabs.close(first, &classes, &places);
        slabs.open();
        bump(&slabs, object.cell, 0, 2);
        bump(&slabs, array.cell, 3, 4);
        bump(&slabs, array.cell, 4, 64);
        let totals = slabs.words(&classes, &places).classes(&classes, &places);
        assert_eq!(totals[object.id as usize].counted, Tally::of(5, 24));
        assert_eq!(totals[array.id as usize].counted, Tally::of(1, 48));
        assert_eq!(totals[array.id as usize].below, Tally { objects: 4, bytes: 64, largest: 0 });
    }

    #[test]
    fn a_reused_slab_starts_from_zero() {
        let classes = ClassTable::default();
        let slabs = Slabs::default();
        let places = PlaceTable::new();
        let class = classes.register("a.B", Shape::Object { size: 24 }, true).unwrap();
        let first = slabs.open();
        bump(&slabs, class.cell, 0, 7);
        slabs.close(first, &classes, &places);
        assert_eq!(slabs.open(), first);
        assert_eq!(
            slabs.words(&classes, &places).classes(&classes, &places)[class.id as usize].counted.objects,
            7
        );
        assert_eq!(slabs.live(), 1);
    }
}
