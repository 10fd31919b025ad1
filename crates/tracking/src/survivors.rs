//! Tracked objects that outlived a sweep, in chunks that shrink as objects die.

use std::mem;

use crate::budget::Budget;
use crate::history::Evidence;
use crate::nursery::CHUNK;
use crate::tracked::Tracked;

/// Tracked objects waiting for their death. Memory follows the number of the living.
#[derive(Debug, Default)]
pub(crate) struct Survivors {
    /// Each of capacity [`CHUNK`]; all but the last two at least half full after a sweep.
    chunks: Vec<Chunk>,
}

/// Objects that are asked after together.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) objects: Vec<Tracked>,
    /// What is known of each of them.
    pub(crate) evidence: Evidence,
    /// In how many sweeps all of them were asked after, at least.
    pub(crate) sweeps: u32,
    /// The number of the last one.
    pub(crate) last_sweep: u32,
    /// Heap bytes of theirs that count as held by tracking: of those that no collection of the whole heap found alive yet.
    pub(crate) held: u64,
}

impl Survivors {
    /// Adds an object of which so much is known.
    pub(crate) fn push(&mut self, object: Tracked, evidence: Evidence, budget: &Budget) {
        if self.chunks.last().is_none_or(|chunk| chunk.objects.len() == CHUNK) {
            budget.reserve_moved(CHUNK);
            self.chunks.push(Chunk {
                objects: Vec::with_capacity(CHUNK),
                evidence,
                sweeps: 0,
                last_sweep: 0,
                held: 0,
            });
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.evidence = chunk.evidence.weaker(evidence);
            chunk.sweeps = 0;
            chunk.held += object.size();
            chunk.objects.push(object);
        }
    }

    /// Takes over a full list as it is, with its room, where most of it is alive: nothing is copied.
    pub(crate) fn adopt(&mut self, objects: Vec<Tracked>, evidence: Evidence) -> Result<(), Vec<Tracked>> {
        if objects.capacity() != CHUNK || objects.len() < CHUNK / 2 {
            return Err(objects);
        }
        // Before the last, which is being filled.
        let at = self.chunks.len().saturating_sub(1);
        let held = objects.iter().map(Tracked::size).sum();
        self.chunks.insert(at, Chunk { objects, evidence, sweeps: 0, last_sweep: 0, held });
        Ok(())
    }

    /// How many lists of up to [`CHUNK`] objects there are.
    pub(crate) fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// What is known of all of them; `None` if there are none.
    pub(crate) fn evidence(&self) -> Option<Evidence> {
        self.chunks.iter().map(|chunk| chunk.evidence).reduce(Evidence::weaker)
    }

    /// The lists, in no order.
    pub(crate) fn lists(&self) -> impl Iterator<Item = &Vec<Tracked>> {
        self.chunks.iter().map(|chunk| &chunk.objects)
    }

    /// The lists, the last filled first.
    pub(crate) fn newest_first(&mut self) -> impl Iterator<Item = &mut Vec<Tracked>> {
        self.chunks.iter_mut().rev().map(|chunk| &mut chunk.objects)
    }

    /// Lets `visit` take the dead out of each chunk.
    pub(crate) fn sweep(&mut self, budget: &Budget, mut visit: impl FnMut(usize, &mut Chunk)) {
        for (at, mut chunk) in mem::take(&mut self.chunks).into_iter().enumerate() {
            visit(at, &mut chunk);
            match self.chunks.last_mut() {
                Some(last) if last.objects.len() + chunk.objects.len() <= CHUNK => {
                    last.join(chunk);
                    budget.release(CHUNK);
                }
                _ => self.chunks.push(chunk),
            }
        }
        if self.chunks.last().is_some_and(|chunk| chunk.objects.is_empty()) {
            self.chunks.pop();
            budget.release(CHUNK);
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.objects.len()).sum()
    }
}

impl Chunk {
    /// Counts what is held anew, after a sweep: how many bytes are no longer. What a collection of the whole heap found alive the program
    /// holds, and tracking needs no room for it, whatever is known of it later beside others.
    pub(crate) fn release_held(&mut self) -> u64 {
        let proven = self.evidence.whole.map(|_| self.evidence.whole_born);
        let unproven =
            self.objects.iter().filter(|object| proven.is_none_or(|born| object.birth_ms() > born));
        let held = unproven.map(Tracked::size).sum::<u64>().min(self.held);
        mem::replace(&mut self.held, held) - held
    }

    fn join(&mut self, mut other: Self) {
        if self.objects.is_empty() {
            *self = other;
        } else if !other.objects.is_empty() {
            self.evidence = self.evidence.weaker(other.evidence);
            self.sweeps = self.sweeps.min(other.sweeps);
            self.last_sweep = self.last_sweep.min(other.last_sweep);
            self.held += other.held;
            self.objects.append(&mut other.objects);
        }
    }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::SiteId;

    use super::*;

    fn object(reference: u64) -> Tracked {
        Tracked::new(reference, SiteId(0), 2, 0)
    }

    #[test]
    fn memory_follows_the_living() {
        let budget = Budget::new(1 << 30);
        let mut survivors = Survivors::default();
        for i in 0..10 * CHUNK as u64 {
            survivors.push(object(i + 1), Evidence::default(), &budget);
        }
        let full = budget.bytes();
        survivors.sweep(&budget, |_, chunk| chunk.objects.retain(|object| object.reference() % 16 == 0));
        assert_eq!(survivors.len(), 10 * CHUNK / 16);
        assert_eq!(budget.bytes() * 10, full);
        survivors.sweep(&budget, |_, chunk| chunk.objects.clear());
        assert_eq!((survivors.len(), budget.bytes()), (0, 0));
    }

    #[test]
    fn a_list_that_is_mostly_alive_is_taken_over_with_its_room() {
        let budget = Budget::new(1 << 30);
        let mut survivors = Survivors::default();
        survivors.push(object(1), Evidence::default(), &budget);
        assert!(budget.reserve(CHUNK));
        let mut list = Vec::with_capacity(CHUNK);
        list.extend((0..CHUNK as u64).map(|i| object(i + 2)));
        assert_eq!(survivors.adopt(list, Evidence::default()), Ok(()));
        assert!(survivors.adopt(vec![object(3)], Evidence::default()).is_err());
        survivors.push(object(2), Evidence::default(), &budget);
        assert_eq!((survivors.len(), survivors.chunks.len()), (CHUNK + 2, 2));
        survivors.sweep(&budget, |_, chunk| chunk.objects.clear());
        assert_eq!((survivors.len(), budget.bytes()), (0, 0));
    }

    #[test]
    fn of_joined_chunks_only_what_holds_for_both_is_known() {
        let budget = Budget::new(1 << 30);
        let mut survivors = Survivors::default();
        let asked = |asked| Evidence { asked, ..Evidence::default() };
        survivors.push(object(1), asked(7), &budget);
        survivors.sweep(&budget, |_, chunk| chunk.sweeps = 3);
        survivors.push(object(2), asked(4), &budget);
        survivors.sweep(&budget, |_, chunk| assert_eq!((chunk.evidence.asked, chunk.sweeps), (4, 0)));
    }
}
