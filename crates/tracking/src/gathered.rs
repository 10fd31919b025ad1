//! Objects to be booked together: a thread's neighbours mostly share birth and death, and few sites.

use std::mem;

use mayfly_profile::Tally;

/// Sums by a dense id.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// By id; zero where not touched.
    sums: Vec<Sums>,
    touched: Vec<u32>,
}

/// What objects stand for among those of their class, and among those of their site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) class: Tally,
    pub(crate) site: Tally,
}

impl Gathered {
    /// Of nothing there is no sum.
    pub(crate) fn add(&mut self, id: u32, sums: Sums) {
        if sums.class.is_empty() {
            return;
        }
        let at = id as usize;
        if self.sums.len() <= at {
            self.sums.resize(at + 1, Sums::default());
        }
        let gathered = &mut self.sums[at];
        if gathered.class.objects == 0 {
            self.touched.push(id);
        }
        gathered.class.add(sums.class);
        gathered.site.add(sums.site);
    }

    /// All sums since the last time, in the order in which their ids came.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (u32, Sums)> + '_ {
        let sums = &mut self.sums;
        self.touched.drain(..).map(|id| (id, mem::take(&mut sums[id as usize])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_kept_apart_by_id_and_given_out_once() {
        let mut gathered = Gathered::default();
        let one = |size| Sums { class: Tally::of(1, size), site: Tally::of(4, size) };
        gathered.add(7, one(16));
        gathered.add(3, one(24));
        gathered.add(7, one(16));
        gathered.add(5, Sums::default());
        let drained: Vec<_> = gathered.drain().collect();
        let two = Sums { class: Tally::of(2, 16), site: Tally::of(8, 16) };
        assert_eq!(drained, [(7, two), (3, one(24))]);
        assert_eq!(gathered.drain().count(), 0);
    }
}
