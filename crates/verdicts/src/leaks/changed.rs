//! What leaks on one side of a comparison and not on the other.

use std::collections::{BTreeMap, BTreeSet};

use mayfly_profile::Profile;

use super::recorded::{Keeper, Recorded, recorded};
use super::suspicion::Suspicion;

/// What recordings of both sides tell of leaks, where one at least tells of one.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaksChanged {
    /// Those that a recording of a side is sure of, the fastest first.
    pub rows: Vec<LeakRow>,
    /// The slowest leak that all recordings of a side would have shown, in bytes a second; `None`: of some of them it can't be told.
    pub floors: [Option<f64>; 2],
}

/// One leak, before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct LeakRow {
    /// What leaks, as a class.
    pub class: String,
    /// Who holds it, as `a.B.field`; who makes it, where that is not known.
    pub place: String,
    /// What each side tells of it.
    pub sides: [LeakSide; 2],
}

/// What the recordings of one side tell of one leak.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeakSide {
    /// How fast it grows, by each recording that is sure of it.
    pub rates: Vec<Rate>,
    /// Recordings in which it may grow.
    pub unsure: usize,
    /// All that tell of leaks.
    pub of: usize,
}

/// How fast a leak grows by one recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// In bytes a second.
    pub bytes_per_s: f64,
    /// Its standard error, as a share of it.
    pub error: f64,
}

impl LeakSide {
    /// How fast it grows: the middle of those that are sure, if any is.
    pub fn rate(&self) -> Option<Rate> {
        let mut rates = self.rates.clone();
        rates.sort_by(|one, other| one.bytes_per_s.total_cmp(&other.bytes_per_s));
        rates.get(rates.len() / 2).copied()
    }
}

/// Compares; `None` if no recording is sure of a leak. A recording that knows less than a share `trust` of its JVM's bytes tells nothing.
pub(crate) fn changed(sides: [&[(&Profile, f64)]; 2], trust: f64) -> Option<LeaksChanged> {
    let mut rows: BTreeMap<String, LeakRow> = BTreeMap::new();
    let mut floors = [None; 2];
    let mut told = [0; 2];
    for (side, runs) in sides.into_iter().enumerate() {
        let recordings: Vec<Recorded> =
            runs.iter().filter_map(|(run, _)| recorded(run, trust).ok()).collect();
        told[side] = recordings.len();
        let floor = recordings.iter().map(|recording| recording.floor).fold(0.0, f64::max);
        floors[side] = Some(floor).filter(|_| !recordings.is_empty() && recordings.len() == runs.len());
        for recording in recordings {
            // Of a place the first is the fastest: what else is there belongs to it, or is not as sure.
            let mut seen: BTreeSet<String> = BTreeSet::new();
            for keeper in recording.keepers {
                let (key, new) = row(&keeper);
                if !seen.insert(key.clone()) {
                    continue;
                }
                let of_side = &mut rows.entry(key).or_insert(new).sides[side];
                match keeper.suspicion {
                    Suspicion::Leak => {
                        of_side.rates.push(Rate { bytes_per_s: keeper.bytes_per_s, error: keeper.error });
                    }
                    Suspicion::Unsure(_) => of_side.unsure += 1,
                    Suspicion::Harmless(_) => {}
                }
            }
        }
    }
    let mut rows: Vec<LeakRow> = rows.into_values().collect();
    rows.retain(|row| row.sides.iter().any(|side| !side.rates.is_empty()));
    for row in &mut rows {
        row.sides.iter_mut().zip(told).for_each(|(side, told)| side.of = told);
    }
    let fastest = |row: &LeakRow| {
        row.sides.iter().filter_map(LeakSide::rate).map(|rate| rate.bytes_per_s).fold(0.0, f64::max)
    };
    rows.sort_by(|a, b| fastest(b).total_cmp(&fastest(a)));
    (!rows.is_empty()).then_some(LeaksChanged { rows, floors })
}

/// What tells it from others, and its row, of which nothing is known yet.
fn row(keeper: &Keeper) -> (String, LeakRow) {
    let held_by = keeper.holder.as_ref().and_then(|holder| holder.name.clone());
    let made_by = || keeper.method.as_deref().map(|method| without_line(method).to_owned());
    let place = held_by.or_else(made_by).unwrap_or_default();
    let key = if place.is_empty() { keeper.class.clone() } else { place.clone() };
    (key, LeakRow { class: keeper.class.clone(), place, sides: <[LeakSide; 2]>::default() })
}

/// Lines move with each change of the source.
fn without_line(method: &str) -> &str {
    match method.rsplit_once(':') {
        Some((name, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => method,
    }
}
