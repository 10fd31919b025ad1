//! The cells of a profile, divided further by how long their objects lived.
//!
//! Parts of a cell add up to it in every number. Not here: how lives are known (`band`).

use rustc_hash::FxHashMap;

use crate::derived::amounts::{Amounts, Cell, Value};
use crate::derived::band::Life;
use crate::facts::division::divide;
use crate::facts::tally::Tally;
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

/// A length of life, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifeSpan {
    /// Alive at this age,
    pub after_ms: u64,
    /// and gone at this one; `None`: alive.
    pub by_ms: Option<u64>,
}

impl LifeSpan {
    /// As other tools' formats have it.
    pub fn state(self) -> &'static str {
        if self.by_ms.is_some() { "dead" } else { "live" }
    }

    /// The length that counts: the middle of the interval of the dead, the age of the living.
    pub fn middle_ms(self) -> u64 {
        self.by_ms.map_or(self.after_ms, |by| self.after_ms.midpoint(by))
    }
}

/// Objects of a cell that lived for about so long.
#[derive(Clone, Debug, PartialEq)]
pub struct LifePart {
    /// How long; `None` if nothing is known of it.
    pub life: Option<LifeSpan>,
    /// How many, how large.
    pub amounts: Amounts,
}

impl Profile {
    /// All cells, each with its parts: the shorter lives first, the dead before the living.
    pub fn life_parts(&self) -> Vec<(Cell<'_>, Vec<LifePart>)> {
        let sites: FxHashMap<_, &SiteProfile> =
            self.sites.iter().map(|site| ((site.class.as_str(), &site.stack), site)).collect();
        let classes: FxHashMap<_, &ClassProfile> =
            self.classes.iter().map(|class| (class.name.as_str(), class)).collect();
        let buckets = &self.run.buckets;
        let parts = |cell: Cell<'_>| {
            let of_site = sites.get(&(cell.class, cell.stack)).map(|site| site.lives(buckets));
            let lives = of_site
                .filter(|lives| !lives.is_empty())
                .or_else(|| classes.get(cell.class).map(|class| class.lives(buckets)));
            parts_of(&cell.amounts, lives.unwrap_or_default())
        };
        self.cells().into_iter().map(|cell| (cell.clone(), parts(cell))).collect()
    }
}

/// `all` divided among lives; what no life is known for is a part of its own.
fn parts_of(all: &Amounts, lives: Vec<Life>) -> Vec<LifePart> {
    let (mut dead, living): (Vec<_>, Vec<_>) = lives.into_iter().partition(|life| life.by.is_some());
    let (living, unjudged): (Vec<_>, Vec<_>) = living.into_iter().partition(|life| life.judged);
    dead.sort_by_key(|life| life.span().middle_ms());
    let (bytes, objects) = (all.of(Value::Bytes), all.of(Value::Objects));
    let alive_bytes = all.of(Value::Live).min(bytes);
    let alive = all.of(Value::LiveObjects).min(objects);
    let sum = |of: fn(Tally) -> u64| unjudged.iter().map(|life| of(life.tally)).sum::<u64>();
    let born_since =
        (sum(|tally| tally.bytes).min(bytes - alive_bytes), sum(|tally| tally.objects).min(objects - alive));
    let mut parts = divided(&dead, bytes - alive_bytes - born_since.0, objects - alive - born_since.1, false);
    parts.extend(divided(&living, alive_bytes, alive, true));
    parts.extend(divided(&unjudged, born_since.0, born_since.1, false));
    let held: Vec<u64> = parts.iter().map(held).collect();
    share(&mut parts, Value::ByteSeconds, divide(all.of(Value::ByteSeconds), &held));
    // Who died at the first collection lived for the shortest time.
    let young = filled(all.of(Value::DiedYoung), parts.iter().map(|part| part.amounts.of(Value::Bytes)));
    share(&mut parts, Value::DiedYoung, young);
    let mut old =
        filled(all.of(Value::Survived), parts.iter().rev().map(|part| part.amounts.of(Value::Bytes)));
    old.reverse();
    share(&mut parts, Value::Survived, old);
    let mut rest = *all;
    for part in &parts {
        rest.take(&part.amounts);
    }
    if !rest.is_empty() {
        parts.push(LifePart { life: None, amounts: rest });
    }
    parts.retain(|part| !part.amounts.is_empty());
    parts
}

/// So many bytes and objects divided among lives, in their proportions.
fn divided(lives: &[Life], bytes: u64, objects: u64, alive: bool) -> Vec<LifePart> {
    if lives.is_empty() {
        return Vec::new();
    }
    let bytes = divide(bytes, &lives.iter().map(|life| life.tally.bytes).collect::<Vec<_>>());
    let objects = divide(objects, &lives.iter().map(|life| life.tally.objects).collect::<Vec<_>>());
    let part = |((life, bytes), objects): ((&Life, u64), u64)| {
        let mut amounts = Amounts::default();
        amounts.set(Value::Bytes, bytes);
        amounts.set(Value::Objects, objects);
        if alive {
            amounts.set(Value::Live, bytes);
            amounts.set(Value::LiveObjects, objects);
        }
        LifePart { life: Some(life.span()), amounts }
    };
    lives.iter().zip(bytes).zip(objects).map(part).collect()
}

fn held(part: &LifePart) -> u64 {
    let ms = part.life.map_or(0, LifeSpan::middle_ms);
    let byte_ms = u128::from(part.amounts.of(Value::Bytes)) * u128::from(ms);
    u64::try_from(byte_ms / 1_000).unwrap_or(u64::MAX)
}

fn share(parts: &mut [LifePart], value: Value, shares: Vec<u64>) {
    parts.iter_mut().zip(shares).for_each(|(part, share)| part.amounts.set(value, share));
}

/// `total` given out in order, to each no more than it takes.
fn filled(total: u64, room: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut left = total;
    let give = |room: u64| {
        let given = room.min(left);
        left -= given;
        given
    };
    room.map(give).collect()
}

impl Life {
    pub(crate) fn span(&self) -> LifeSpan {
        LifeSpan { after_ms: self.after, by_ms: self.by }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(after: u64, by: Option<u64>, objects: u64) -> Life {
        Life { after, by, judged: true, tally: Tally::of(objects, 10), mean: None }
    }

    fn amounts(values: [(Value, u64); 5]) -> Amounts {
        let mut amounts = Amounts::default();
        values.into_iter().for_each(|(value, amount)| amounts.set(value, amount));
        amounts
    }

    #[test]
    fn parts_add_up_and_the_short_lived_died_young() {
        let all = amounts([
            (Value::Bytes, 100),
            (Value::Objects, 10),
            (Value::Live, 20),
            (Value::LiveObjects, 2),
            (Value::DiedYoung, 55),
        ]);
        let lives = vec![life(2_000, Some(4_000), 1), life(0, Some(1_000), 3), life(9_000, None, 2)];
        let parts = parts_of(&all, lives);
        let row = |part: &LifePart| {
            (
                part.life.map(LifeSpan::middle_ms),
                part.amounts.of(Value::Bytes),
                part.amounts.of(Value::DiedYoung),
            )
        };
        assert_eq!(
            parts.iter().map(row).collect::<Vec<_>>(),
            [(Some(500), 60, 55), (Some(3_000), 20, 0), (Some(9_000), 20, 0)]
        );
        let mut sum = Amounts::default();
        parts.iter().for_each(|part| sum.add(&part.amounts));
        assert_eq!(sum, all);
    }

    #[test]
    fn without_lives_all_is_one_part() {
        let all = amounts([
            (Value::Bytes, 100),
            (Value::Objects, 10),
            (Value::Live, 0),
            (Value::LiveObjects, 0),
            (Value::DiedYoung, 0),
        ]);
        assert_eq!(parts_of(&all, Vec::new()), [LifePart { life: None, amounts: all }]);
    }
}
