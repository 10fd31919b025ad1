//! Counters in native memory, one slab per carrier thread, written by Java and read here.
//!
//! Only its own thread writes a slab, with plain stores; we read with relaxed loads, so a total may lag by the
//! instructions in flight but never tears. A thread that ends has its slab added to the retired totals and reused.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_profile::Tally;

use crate::classes::{ClassEntry, ClassTable, SLAB_WORDS, Shape};

/// Spare slabs kept for the next threads; more are given back to the system.
const SPARES: usize = 16;

type Slab = Box<[AtomicU64]>;

/// Everything counted of one class since the agent started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassTotal {
    /// Objects at or above the size limit.
    pub counted: Tally,
    /// Arrays below the size limit: accounted for, but not reported.
    pub below: Tally,
}

impl ClassTotal {
    fn add(&mut self, other: Self) {
        self.counted.add(other.counted);
        self.below.add(other.below);
    }
}

/// The slabs of all threads.
#[derive(Debug, Default)]
pub struct Slabs {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    live: Vec<Slab>,
    spare: Vec<Slab>,
    /// Totals of ended threads, by class id.
    retired: Vec<ClassTotal>,
}

impl Slabs {
    /// A zeroed slab for a thread; the address is what Java writes to.
    pub fn open(&self) -> u64 {
        let mut state = self.state();
        let slab = state.spare.pop().unwrap_or_else(|| bytemuck::zeroed_slice_box(SLAB_WORDS));
        let address = address_of(&slab);
        state.live.push(slab);
        address
    }

    /// Adds an ended thread's counts to the retired ones and takes its slab back.
    pub fn close(&self, address: u64, classes: &ClassTable) {
        let mut state = self.state();
        let Some(at) = state.live.iter().position(|slab| address_of(slab) == address) else { return };
        let slab = state.live.swap_remove(at);
        add_slab(&mut state.retired, &slab, classes);
        if state.spare.len() < SPARES {
            // Only touched words are written, so that untouched pages stay untouched.
            for word in slab.iter().filter(|word| word.load(Relaxed) != 0) {
                word.store(0, Relaxed);
            }
            state.spare.push(slab);
        }
    }

    /// Totals of all threads, dead and alive, by class id.
    pub fn totals(&self, classes: &ClassTable) -> Vec<ClassTotal> {
        let state = self.state();
        let mut totals = state.retired.clone();
        for slab in &state.live {
            add_slab(&mut totals, slab, classes);
        }
        totals.resize(totals.len().max(classes.len()), ClassTotal::default());
        totals
    }

    /// Number of threads with a slab.
    pub fn live(&self) -> usize {
        self.state().live.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn address_of(slab: &Slab) -> u64 {
    slab.as_ptr().addr() as u64
}

fn add_slab(totals: &mut Vec<ClassTotal>, slab: &Slab, classes: &ClassTable) {
    for (id, class) in classes.entries().enumerate() {
        let total = read(slab, class);
        if total == ClassTotal::default() {
            continue;
        }
        if totals.len() <= id {
            totals.resize(id + 1, ClassTotal::default());
        }
        totals[id].add(total);
    }
}

fn read(slab: &Slab, class: &ClassEntry) -> ClassTotal {
    let word = |offset: usize| slab[class.word as usize + offset].load(Relaxed);
    match class.shape {
        Shape::Object { size } => {
            ClassTotal { counted: Tally::of(word(0), u64::from(size)), below: Tally::default() }
        }
        Shape::Array => ClassTotal {
            counted: Tally { objects: word(0), bytes: word(1), largest: word(2) },
            below: Tally { objects: word(3), bytes: word(4), largest: 0 },
        },
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
        let object = classes.register("a.B", Shape::Object { size: 24 }, true).unwrap();
        let array = classes.register("[I", Shape::Array, true).unwrap();
        let first = slabs.open();
        bump(&slabs, object.cell, 0, 3);
        bump(&slabs, array.cell, 0, 1);
        bump(&slabs, array.cell, 1, 48);
        bump(&slabs, array.cell, 2, 48);
        slabs.close(first, &classes);
        slabs.open();
        bump(&slabs, object.cell, 0, 2);
        bump(&slabs, array.cell, 3, 4);
        bump(&slabs, array.cell, 4, 64);
        let totals = slabs.totals(&classes);
        assert_eq!(totals[object.id as usize].counted, Tally::of(5, 24));
        assert_eq!(totals[array.id as usize].counted, Tally::of(1, 48));
        assert_eq!(totals[array.id as usize].below, Tally { objects: 4, bytes: 64, largest: 0 });
    }

    #[test]
    fn a_reused_slab_starts_from_zero() {
        let classes = ClassTable::default();
        let slabs = Slabs::default();
        let class = classes.register("a.B", Shape::Object { size: 24 }, true).unwrap();
        let first = slabs.open();
        bump(&slabs, class.cell, 0, 7);
        slabs.close(first, &classes);
        assert_eq!(slabs.open(), first);
        assert_eq!(slabs.totals(&classes)[class.id as usize].counted.objects, 7);
        assert_eq!(slabs.live(), 1);
    }
}
