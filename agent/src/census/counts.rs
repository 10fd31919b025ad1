//! What was read, as the stream tells it.

use mayfly_census::{ClassRow, Row};
use mayfly_profile::{ClassCensus, ClassId, Tally, Total};
use mayfly_tracking::ClassTable;

/// Counts of classes by their ids.
pub(super) fn by_id(rows: Vec<ClassRow>, classes: &ClassTable) -> Vec<(ClassId, ClassCensus)> {
    rows.into_iter().map(|row| (classes.named(&row.name), census(&row.counts))).collect()
}

/// All that were born; no object of a class is known to be larger than their mean.
pub(super) fn born(row: &ClassCensus) -> Tally {
    let Total { objects, bytes } = row.born();
    Tally { objects, bytes, largest: bytes.div_ceil(objects.max(1)) }
}

fn census(row: &Row) -> ClassCensus {
    ClassCensus {
        died: ages(&row.died),
        survived: ages(&row.survived),
        promoted: ages(&row.promoted),
        undecided: row.undecided,
        old: row.old,
    }
}

/// Without those at the end that nobody reached.
fn ages(sums: &[Total]) -> Vec<Total> {
    let reached = sums.iter().rposition(|sum| *sum != Total::default()).map_or(0, |last| last + 1);
    sums[..reached].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_end_with_the_last_that_was_reached() {
        let mut row = Row::default();
        row.died[2] = Total { objects: 3, bytes: 48 };
        let told = census(&row);
        assert_eq!(
            (told.died.len(), told.died[2], told.promoted.len()),
            (3, Total { objects: 3, bytes: 48 }, 0)
        );
    }
}
