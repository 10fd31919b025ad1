//! Tables by id. Ids are given out one after the other and told in that order, so neighbours lie side by side in memory: where a step
//! tells of thousands, a table in random order is a cache miss for each.
//!
//! Ids that were chosen to collide cost little: of 32 bits, *n* low ones that are equal leave 2^(32-*n*) ids.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Values by id.
pub(crate) type IdMap<K, V> = HashMap<K, V, BuildHasherDefault<IdHasher>>;

/// Keeps the order of ids in the low bits, by which a table is indexed; the highest seven tell entries of one group apart.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32((self.0 as u32).rotate_left(8) ^ u32::from(byte)));
    }

    fn write_u32(&mut self, id: u32) {
        let tag = u64::from(id.wrapping_mul(0x9E37_79B1) >> 25);
        self.0 = tag << 57 | u64::from(id);
    }
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use super::*;

    #[test]
    fn neighbours_stay_neighbours_and_are_told_apart() {
        let hasher = BuildHasherDefault::<IdHasher>::default();
        let hashes: Vec<_> = (0..1000u32).map(|id| hasher.hash_one(id)).collect();
        assert!((0..1000).zip(&hashes).all(|(id, hash)| hash & 0xFFFF_FFFF == id));
        let same = hashes.windows(2).filter(|pair| pair[0] >> 57 == pair[1] >> 57).count();
        assert!(same < 100, "{same} neighbours with one tag");
    }

    #[test]
    fn colliding_ids_are_found() {
        let colliding: Vec<u32> = (0..4096).map(|at| at << 20).collect();
        let map: IdMap<u32, usize> = colliding.iter().copied().zip(0..).collect();
        assert!(colliding.iter().zip(0..).all(|(id, at)| map[id] == at));
    }
}
