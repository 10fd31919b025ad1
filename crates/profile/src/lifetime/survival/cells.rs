//! Observations, and the innermost intervals ("cells") that can hold mass in a maximum-likelihood estimate.
//!
//! Turnbull, "The empirical distribution function with arbitrarily grouped, censored and truncated data", JRSS B 38
//! (1976): mass moved into the nearest interval that opens with a left end and closes with the next right end never makes
//! an observation less likely. Not here: how much mass (`npmle`).

use crate::lifetime::ages::Ages;

/// Intervals `(after, by]` of ages with weights; ends as indexes into the sorted list of all finite ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Observations {
    /// Ascending.
    pub(super) ends: Vec<End>,
    rows: Vec<Observation>,
    pub(super) weight: f64,
}

/// An end of intervals: the age at which objects were looked at, rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct End {
    /// All of them were older than this,
    pub(super) above: f64,
    /// so old on the whole,
    pub(super) middle: f64,
    /// and at most so old.
    pub(super) most: f64,
}

#[derive(Clone, Copy, Debug)]
struct Observation {
    after: usize,
    /// `ends.len()`: no upper end.
    by: usize,
    weight: f64,
}

impl Observations {
    /// All that `ages` holds.
    pub(super) fn of(ages: &Ages) -> Self {
        let rows = ages.intervals().map(|(after, by, weight)| (after, by, weight as f64)).collect();
        Self::new(rows, |step| {
            let (above, most) = ages.rounded_to(step);
            // Ages are whole: of those above 32 up to 34 the middle is 33.5.
            let middle = if most == 0 { 0.0 } else { (above as f64 + most as f64 + 1.0) / 2.0 };
            End { above: above as f64, middle, most: most as f64 }
        })
    }

    /// Of `(after, by, weight)`, with what each bound stands for. What says nothing is left out.
    pub(super) fn new<T: Copy + Default + Ord>(
        mut rows: Vec<(T, Option<T>, f64)>,
        end: impl Fn(T) -> End,
    ) -> Self {
        let zero = T::default();
        rows.retain(|&(after, by, weight)| {
            by.is_none_or(|by| after < by) && (after > zero || by.is_some()) && weight > 0.0
        });
        let mut bounds: Vec<T> =
            rows.iter().flat_map(|&(after, by, _)| [Some(after), by]).flatten().collect();
        bounds.sort_unstable();
        bounds.dedup();
        let index = |bound: T| bounds.partition_point(|&b| b < bound);
        let observation = |&(after, by, weight): &(T, Option<T>, f64)| Observation {
            after: index(after),
            by: by.map_or(bounds.len(), index),
            weight,
        };
        let rows: Vec<_> = rows.iter().map(observation).collect();
        let weight = rows.iter().map(|row| row.weight).sum();
        Self { ends: bounds.iter().map(|&bound| end(bound)).collect(), rows, weight }
    }

    /// As (after, by, weight), ends by their index; behind the last one if there is none.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.rows.iter().map(|row| (row.after, row.by, row.weight))
    }

    /// Multiplies all weights.
    pub(super) fn scale(&mut self, by: f64) {
        self.rows.iter_mut().for_each(|row| row.weight *= by);
        self.weight *= by;
    }

    /// The cells; with a `cut` (index of an end), none of them reaches across it.
    pub(super) fn cells(&self, cut: Option<usize>) -> Cells {
        let ends = self.ends.len();
        let (mut opens, mut closes) = (vec![false; ends + 1], vec![false; ends + 1]);
        for row in &self.rows {
            opens[row.after] = true;
            closes[row.by] = true;
        }
        if let Some(cut) = cut {
            (opens[cut], closes[cut]) = (true, true);
        }
        let mut bounds: Vec<(usize, usize)> = Vec::new();
        let mut open = None;
        // Cells that open below an end, and that close at or below it.
        let (mut below, mut within) = (vec![0; ends + 1], vec![0; ends + 1]);
        for end in 0..=ends {
            if let (true, Some(after)) = (closes[end], open) {
                bounds.push((after, end));
                open = None;
            }
            (below[end], within[end]) = (bounds.len(), bounds.len());
            if opens[end] {
                open = Some(end);
            }
        }
        let rows = self.rows.iter().map(|row| Row {
            first: below[row.after],
            past: within[row.by],
            weight: row.weight,
        });
        Cells {
            rows: rows.collect(),
            below_cut: cut.map_or(0, |cut| within[cut]),
            bounds,
            weight: self.weight,
        }
    }
}

/// Cells in order, and which of them each observation may have died in.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// (after, by) as indexes of ends.
    pub(super) bounds: Vec<(usize, usize)>,
    pub(super) rows: Vec<Row>,
    /// Cells below the cut.
    pub(super) below_cut: usize,
    /// Of all rows.
    pub(super) weight: f64,
}

/// An observation: a death in one of the cells from `first` to before `past`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) first: usize,
    pub(super) past: usize,
    pub(super) weight: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(rows: &[(u64, u64)], cut: Option<u64>) -> Vec<(u64, Option<u64>)> {
        let rows = rows.iter().map(|&(after, by)| (after, Some(by).filter(|&by| by < u64::MAX), 1.0));
        let observations =
            Observations::new(rows.collect(), |age| End { middle: age as f64, ..End::default() });
        let age = |end: &End| end.middle as u64;
        let cut = cut.map(|cut| observations.ends.iter().position(|end| age(end) == cut).expect("an end"));
        let end = |at: usize| observations.ends.get(at).map(age);
        let cells = observations.cells(cut);
        assert!(cells.rows.iter().all(|row| row.first < row.past && row.past <= cells.bounds.len()));
        cells.bounds.iter().map(|&(after, by)| (end(after).expect("finite"), end(by))).collect()
    }

    #[test]
    fn cells_open_at_a_left_end_and_close_at_the_next_right_end() {
        let rows = [(0, 7), (4, 9), (5, 6), (6, 8), (3, u64::MAX)];
        assert_eq!(cells(&rows, None), [(5, Some(6)), (6, Some(7))]);
        assert_eq!(cells(&[(0, 3), (2, u64::MAX), (5, u64::MAX)], None), [(2, Some(3)), (5, None)]);
    }

    #[test]
    fn no_cell_reaches_across_a_cut() {
        let rows = [(0, 7), (4, 9), (5, 6), (6, 8), (3, u64::MAX)];
        let with_cut = [(3, Some(4)), (5, Some(6)), (6, Some(7))];
        assert_eq!(cells(&rows, Some(4)), with_cut);
        assert_eq!(cells(&rows, Some(8)), [(5, Some(6)), (6, Some(7)), (8, Some(9))]);
    }
}
