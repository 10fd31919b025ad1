//! Tracked objects that outlived a sweep, in chunks that shrink as objects die.

use crate::nursery::CHUNK;
use crate::{Budget, Tracked};

/// Tracked objects waiting for their death. Memory follows the number of the living.
#[derive(Debug, Default)]
pub(crate) struct Survivors {
    /// Each of capacity [`CHUNK`]; all but the last two at least half full after a sweep.
    chunks: Vec<Vec<Tracked>>,
}

impl Survivors {
    pub(crate) fn push(&mut self, object: Tracked, budget: &Budget) {
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            budget.reserve_moved(CHUNK);
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(object);
        }
    }

    /// Removes every object that `is_dead` says is.
    pub(crate) fn sweep(&mut self, budget: &Budget, mut is_dead: impl FnMut(&Tracked) -> bool) {
        for mut chunk in std::mem::take(&mut self.chunks) {
            chunk.retain(|object| !is_dead(object));
            match self.chunks.last_mut() {
                Some(last) if last.len() + chunk.len() <= CHUNK => {
                    last.append(&mut chunk);
                    budget.release(CHUNK);
                }
                _ => self.chunks.push(chunk),
            }
        }
        if self.chunks.last().is_some_and(Vec::is_empty) {
            self.chunks.pop();
            budget.release(CHUNK);
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.chunks.iter().map(Vec::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(reference: u64) -> Tracked {
        Tracked { reference, site: 0, size_8: 2, birth_ms: 0, birth_64k: 0 }
    }

    #[test]
    fn memory_follows_the_living() {
        let budget = Budget::new(1 << 30);
        let mut survivors = Survivors::default();
        for i in 0..10 * CHUNK as u64 {
            survivors.push(object(i + 1), &budget);
        }
        let full = budget.bytes();
        survivors.sweep(&budget, |object| object.reference % 16 != 0);
        assert_eq!(survivors.len(), 10 * CHUNK / 16);
        assert_eq!(budget.bytes() * 10, full);
        survivors.sweep(&budget, |_| true);
        assert_eq!((survivors.len(), budget.bytes()), (0, 0));
    }
}
