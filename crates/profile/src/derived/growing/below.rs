//! What libraries make in many places below one method of the program, in each too little to be judged alone: an actor that is started is a cell,
//! a reference, a mailbox and a strategy, each made by a class of its own.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::growth::Growth;
use super::pools::{Grower, Maker, Pool};

/// What surely grows below one method, of what no place that surely grows makes: named by that method, with its line if it is one.
///
/// A table that was filled once and work at hand would look like a leak together; so only what both was there early and came lately counts.
pub(super) fn growing(
    pools: &[Pool],
    growers: &[Grower],
    judge: impl Fn(&Pool) -> Growth,
) -> Vec<(Pool, Growth)> {
    let is_sure = |pool: &Pool| {
        let mut sure = growers.iter().filter(|grower| grower.growth.is_sure());
        sure.any(|grower| pool.rows.iter().any(|(row, _)| grower.has(*row)))
    };
    let mut methods: BTreeMap<Maker, Pool> = BTreeMap::new();
    for part in pools.iter().filter(|pool| Growth::may_go_along(pool) && !is_sure(pool)) {
        let Some(line) = part.below.clone() else { continue };
        match methods.entry(line.without_line()) {
            Entry::Occupied(mut whole) => {
                let whole = whole.get_mut();
                if whole.maker != line {
                    whole.maker = line.without_line();
                }
                whole.absorb(part.clone());
            }
            Entry::Vacant(none) => {
                none.insert(Pool { maker: line, ..part.clone() });
            }
        }
    }
    let judged = methods.into_values().map(|pool| (judge(&pool), pool));
    judged.filter(|(growth, _)| growth.is_sure()).map(|(growth, pool)| (pool, growth)).collect()
}
