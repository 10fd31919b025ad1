//! Which part of what is live was made in which span: samples of OTLP that link to it.
//!
//! Parts of a cell add up to it, whether they have a link or not.

use std::collections::HashMap;

use mayfly_profile::{Cell, Profile, Stack, TraceContext, TracedObjects, Value};

/// Rows of spans by class and stack.
pub(super) struct Linked<'p>(HashMap<(&'p str, &'p Stack), Vec<&'p TracedObjects>>);

impl<'p> Linked<'p> {
    pub(super) fn of(profile: &'p Profile) -> Self {
        let mut rows: HashMap<_, Vec<_>> = HashMap::new();
        for row in profile.traces.iter().flat_map(|traces| &traces.rows) {
            rows.entry((row.class.as_str(), &row.stack)).or_default().push(row);
        }
        // As the parts of a cell: the younger first.
        rows.values_mut().for_each(|rows| rows.sort_by_key(|row| std::cmp::Reverse(row.born_ms)));
        Self(rows)
    }

    /// Those of a cell, none of which was given out.
    pub(super) fn of_cell(&self, cell: &Cell<'_>) -> OfCell {
        let rows = self.0.get(&(cell.class, cell.stack)).into_iter().flatten();
        let left = rows.map(|row| (row.context, [row.live.bytes, row.live.objects]));
        OfCell { left: left.collect() }
    }
}

/// What is left of the rows of a cell: bytes, and objects.
pub(super) struct OfCell {
    left: Vec<(TraceContext, [u64; 2])>,
}

impl OfCell {
    /// An amount of a part divided among spans, as far as they are known; none of it is zero.
    pub(super) fn divide(&mut self, value: Value, mut amount: u64) -> Vec<(Option<TraceContext>, u64)> {
        let mut parts = Vec::new();
        let column = match value {
            Value::Live => Some(0),
            Value::LiveObjects => Some(1),
            _ => None,
        };
        if let Some(column) = column {
            for (context, left) in &mut self.left {
                let taken = left[column].min(amount);
                left[column] -= taken;
                amount -= taken;
                if taken > 0 {
                    parts.push((Some(*context), taken));
                }
            }
        }
        if amount > 0 {
            parts.push((None, amount));
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_with_links_and_without_add_up() {
        let context = |at: u8| TraceContext::new([at; 16], [at; 8]).expect("ids");
        let mut cell = OfCell { left: vec![(context(1), [24, 1]), (context(2), [48, 2])] };
        assert_eq!(cell.divide(Value::Bytes, 100), [(None, 100)]);
        assert_eq!(cell.divide(Value::Live, 0), []);
        assert_eq!(cell.divide(Value::Live, 30), [(Some(context(1)), 24), (Some(context(2)), 6)]);
        assert_eq!(cell.divide(Value::Live, 60), [(Some(context(2)), 42), (None, 18)]);
        assert_eq!(cell.divide(Value::LiveObjects, 9)[2], (None, 6));
    }
}
