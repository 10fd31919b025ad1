//! Where most of something is: of one method the line, of one frame's variants the largest.

use std::collections::BTreeMap;

/// How much there is in each place.
#[derive(Clone, Debug)]
pub struct Places<P>(BTreeMap<P, f64>);

impl<P> Default for Places<P> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<P: Ord> Places<P> {
    /// So much more is there: bytes, or what else they are weighed by.
    pub fn add(&mut self, place: P, weight: f64) {
        *self.0.entry(place).or_default() += weight;
    }

    /// Of all places together.
    pub fn total(&self) -> f64 {
        self.0.values().sum()
    }

    /// How many places have this share of all.
    pub fn with(&self, share: f64) -> usize {
        let least = share * self.total();
        self.0.values().filter(|&&weight| weight >= least).count()
    }

    /// The place with most, of equal ones the last; `None` if nothing was added.
    pub fn most(&self) -> Option<&P> {
        self.0.iter().max_by(|a, b| a.1.total_cmp(b.1)).map(|(place, _)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_with_most_in_all_is_found() {
        let mut places = Places::default();
        assert_eq!(places.most(), None);
        [(7, 3.0), (9, 4.0), (7, 2.0)].into_iter().for_each(|(line, bytes)| places.add(line, bytes));
        assert_eq!((places.most(), places.total()), (Some(&7), 9.0));
        assert_eq!([0.4, 0.5, 0.6].map(|share| places.with(share)), [2, 1, 0]);
    }
}
