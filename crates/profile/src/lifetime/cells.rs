//! Lists of cells in the order of their keys, added to each other.
//!
//! Not here: what a cell is (`ages`, `site_lifetimes`).

/// Adds the cells of a list to those of another one, each in strictly ascending order of keys; cells of one key are joined.
pub(crate) fn add_all<C: Copy, K: Ord>(
    into: &mut Vec<C>,
    from: &[C],
    key: impl Fn(&C) -> K,
    join: impl Fn(&mut C, C),
) {
    if into.is_empty() {
        return into.extend_from_slice(from);
    }
    let known = into.len();
    let mut at = 0;
    for &cell in from {
        let cell_key = key(&cell);
        while at < known && key(&into[at]) < cell_key {
            at += 1;
        }
        if at < known && key(&into[at]) == cell_key {
            join(&mut into[at], cell);
        } else {
            into.push(cell);
        }
    }
    // Two ascending runs, which this sort looks for.
    if known < into.len() {
        into.sort_by_key(key);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn cells() -> impl Strategy<Value = BTreeMap<u16, u64>> {
        prop::collection::btree_map(0..60u16, 1..9u64, 0..40)
    }

    proptest! {
        #[test]
        fn cells_are_added_as_a_map_adds_them(ours in cells(), theirs in cells()) {
            let list = |map: &BTreeMap<u16, u64>| map.iter().map(|(&key, &sum)| (key, sum)).collect::<Vec<_>>();
            let mut sum = list(&ours);
            add_all(&mut sum, &list(&theirs), |cell| cell.0, |cell, other| cell.1 += other.1);
            let mut expected = ours;
            theirs.into_iter().for_each(|(key, weight)| *expected.entry(key).or_default() += weight);
            prop_assert_eq!(sum, list(&expected));
        }
    }
}
