//! What the chances of many rows, compared at once, are worth: how the share of false alarms that is allowed is divided among them.
//!
//! Half of it is for what the whole program allocates: that is one question, known before, and no number of rows changes its answer. The
//! other half is for all rows together, each with a weight (Genovese, Roeder, Wasserman, Biometrika 93, 2006): half of that all have alike,
//! half goes by their bytes, both sides together, which says nothing of a difference between them. Not here: the tests (`significance`).

use std::collections::HashMap;

use crate::significance::false_discovery_rates;

/// The part of all false alarms that is for the whole program, and for the rows.
const OF_WHOLE: f64 = 0.5;
const OF_ROWS: f64 = 1.0 - OF_WHOLE;
/// The part of all weight that goes by bytes.
const BY_BYTES: f64 = 0.5;

/// The chance of one row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tested {
    pub(crate) chance: f64,
    /// Rows that divide the same bytes among them; `None`: the whole program.
    pub(crate) block: Option<usize>,
    /// Of these bytes.
    pub(crate) share: f64,
}

/// What it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corrected {
    /// The share of false alarms among all that is as sure.
    pub(crate) rate: f64,
    /// The part of all false alarms that is this row's, if nothing else changed.
    pub(crate) part: f64,
}

/// Corrects all of them, in their order.
pub(crate) fn corrected(tests: &[Tested]) -> Vec<Corrected> {
    let rows: Vec<&Tested> = tests.iter().filter(|test| test.block.is_some()).collect();
    let weights = weights(&rows);
    let chances: Vec<f64> = rows.iter().map(|row| row.chance).collect();
    let rates = false_discovery_rates(&chances, &weights);
    let count = rows.len() as f64;
    let mut of_rows = rates
        .into_iter()
        .zip(weights)
        .map(|(rate, weight)| Corrected { rate: (rate / OF_ROWS).min(1.0), part: OF_ROWS * weight / count });
    let of_whole = |test: &Tested| Corrected { rate: (test.chance / OF_WHOLE).min(1.0), part: OF_WHOLE };
    let of = |test: &Tested| match test.block {
        Some(_) => of_rows.next().unwrap_or_else(|| of_whole(test)),
        None => of_whole(test),
    };
    tests.iter().map(of).collect()
}

/// 1 on average, as much of it in each block.
fn weights(rows: &[&Tested]) -> Vec<f64> {
    let mut blocks: HashMap<Option<usize>, f64> = HashMap::new();
    for row in rows {
        *blocks.entry(row.block).or_default() += row.share;
    }
    blocks.retain(|_, share| *share > 0.0);
    let each = rows.len() as f64 / blocks.len().max(1) as f64;
    let by_bytes = |row: &Tested| blocks.get(&row.block).map_or(0.0, |all| row.share / all * each);
    rows.iter().map(|row| 1.0 - BY_BYTES + BY_BYTES * by_bytes(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(chance: f64, share: f64) -> Tested {
        Tested { chance, block: Some(0), share }
    }

    #[test]
    fn the_whole_program_is_one_question_however_many_rows_there_are() {
        let whole = Tested { chance: 0.0054, block: None, share: 1.0 };
        for count in [0, 1, 2_341] {
            let all: Vec<_> = [whole].into_iter().chain((0..count).map(|_| row(0.5, 0.001))).collect();
            let of_whole = corrected(&all)[0];
            assert!((of_whole.rate - 0.0108).abs() < 1e-12, "{count}: {of_whole:?}");
        }
    }

    #[test]
    fn a_large_row_needs_less_among_thousands_of_small_ones() {
        let mut all = vec![row(0.0005, 0.3); 1];
        all.extend((0..2_000).map(|_| row(0.5, 0.000_35)));
        let large = corrected(&all)[0];
        assert!(large.rate < 0.01, "{large:?}");
        // Without its bytes it is one of many.
        all[0].share = 0.000_35;
        assert!(corrected(&all)[0].rate > 0.5);
        let parts: f64 = corrected(&all).iter().map(|row| row.part).sum();
        assert!((parts - OF_ROWS).abs() < 1e-9, "all together: {parts}");
    }

    #[test]
    fn no_rate_is_below_the_chance_itself() {
        // Many sure rows leave a heavy one nothing that it is not sure of.
        let mut all = vec![row(0.04, 0.9)];
        all.extend((0..500).map(|_| row(1e-9, 0.0002)));
        assert!(corrected(&all)[0].rate >= 0.04);
    }
}
