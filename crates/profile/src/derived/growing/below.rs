//! What libraries make in many places below one method of the program, in each too little to be judged alone: an actor that is started is a cell,
//! a reference, a mailbox and a strategy, each made by a class of its own.

use std::collections::BTreeMap;

use super::growth::Growth;
use super::pools::{Grower, Maker, Pool};

/// Of the samples of places that had some in both halves of the time if all were parts of one thing, so many have to be of such.
const ALIKE: f64 = 0.7;
/// A place with fewer samples says nothing of when it makes what it makes.
const LEAST_SAMPLES: f64 = 1.5;
/// A half of the time has a sample, if it has half of one: ages are coarse.
const HAS_ONE: f64 = 0.5;

/// What surely grows below one method, of what no place that surely grows makes: named by that method, with its line if it is one.
pub(super) fn growing(
    pools: &[Pool],
    growers: &[Grower],
    judge: impl Fn(&Pool) -> Growth,
) -> Vec<(Pool, Growth)> {
    let is_sure = |pool: &Pool| {
        let mut sure = growers.iter().filter(|grower| grower.growth.is_sure());
        sure.any(|grower| pool.rows.iter().any(|(row, _)| grower.has(*row)))
    };
    let mut methods: BTreeMap<Maker, Vec<&Pool>> = BTreeMap::new();
    for part in pools.iter().filter(|pool| Growth::may_go_along(pool) && !is_sure(pool)) {
        if let Some(line) = &part.below {
            methods.entry(line.without_line()).or_default().push(part);
        }
    }
    let judged = methods.into_iter().map(|(method, parts)| {
        let whole = whole(method, &parts);
        let growth = if are_alike(&parts) { judge(&whole) } else { Growth::Harmless };
        (whole, growth)
    });
    judged.filter(|(_, growth)| growth.is_sure()).collect()
}

fn whole(method: Maker, parts: &[&Pool]) -> Pool {
    let mut lines = parts.iter().filter_map(|part| part.below.as_ref());
    let first = lines.next();
    let line = first.filter(|line| lines.all(|other| other == *line));
    let mut whole = Pool { maker: line.cloned().unwrap_or(method), ..Pool::default() };
    parts.iter().for_each(|part| whole.absorb((*part).clone()));
    whole
}

/// Whether places make what they make all the time, as parts of one thing are: what a server makes as it starts, and another place lately, looks
/// even together.
fn are_alike(parts: &[&Pool]) -> bool {
    let (mut wanted, mut found) = (0.0, 0.0);
    for part in parts.iter().filter(|part| part.samples >= LEAST_SAMPLES) {
        let [births, _] = &part.births;
        let least = births.early.min(births.late()) / births.living().max(1.0) * part.samples;
        // By chance all come in one half.
        wanted += part.samples * (1.0 - 2.0 * 0.5f64.powf(part.samples));
        found += if least >= HAS_ONE { part.samples } else { 0.0 };
    }
    wanted > 0.0 && found >= ALIKE * wanted
}
