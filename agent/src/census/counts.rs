//! What was read, as the stream tells it.

use mayfly_census::{ClassRow, Row, Sum};
use mayfly_profile::{CensusSum, ClassCensus, ClassId};
use mayfly_tracking::ClassTable;

/// Counts of classes by their ids.
pub(super) fn by_id(rows: Vec<ClassRow>, classes: &ClassTable) -> Vec<(ClassId, ClassCensus)> {
    rows.into_iter().map(|row| (classes.named(&row.name), census(&row.counts))).collect()
}

pub(super) fn sum(sum: Sum) -> CensusSum {
    CensusSum { objects: sum.objects, bytes: sum.bytes }
}

fn census(row: &Row) -> ClassCensus {
    ClassCensus {
        died: ages(&row.died),
        survived: ages(&row.survived),
        promoted: ages(&row.promoted),
        undecided: sum(row.undecided),
    }
}

/// Without those at the end that nobody reached.
fn ages(sums: &[Sum]) -> Vec<CensusSum> {
    let reached = sums.iter().rposition(|sum| *sum != Sum::default()).map_or(0, |last| last + 1);
    sums[..reached].iter().map(|&of_age| sum(of_age)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_end_with_the_last_that_was_reached() {
        let mut row = Row::default();
        row.died[2].add(3, 48);
        let told = census(&row);
        assert_eq!(
            (told.died.len(), told.died[2], told.promoted.len()),
            (3, CensusSum { objects: 3, bytes: 48 }, 0)
        );
    }
}
