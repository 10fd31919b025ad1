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
        let only = only_stacks(profile);
        for row in profile.traces.iter().flat_map(|traces| &traces.rows) {
            // Of most objects no stack is taken: where all of the class are at one, it is theirs.
            let known = only.get(row.class.as_str()).filter(|_| row.stack.is_empty());
            let stack = known.copied().flatten().unwrap_or(&row.stack);
            rows.entry((row.class.as_str(), stack)).or_default().push(row);
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

/// Of each class of which anything is alive the stack that all of it is at; `None` if there are several.
fn only_stacks(profile: &Profile) -> HashMap<&str, Option<&Stack>> {
    let mut only = HashMap::new();
    if profile.traces.is_none() {
        return only;
    }
    for cell in profile.cells().iter().filter(|cell| cell.amounts.of(Value::LiveObjects) > 0) {
        only.entry(cell.class).and_modify(|stack| *stack = None).or_insert(Some(cell.stack));
    }
    only
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
    use mayfly_profile::{ClassProfile, Frame, SiteProfile, Tally, Traces};

    use super::*;

    fn site(method: &str) -> SiteProfile {
        let frame = Frame { class: "a.Main".into(), method: method.into(), ..Frame::default() };
        let (stack, live) = (Stack::from(vec![frame]), Some(Tally::of(3, 24)));
        SiteProfile {
            class: "a.A".to_owned(),
            stack,
            live,
            allocated: Tally::of(3, 24),
            ..SiteProfile::default()
        }
    }

    /// Stacks are taken of a sample: most rows had none, and so no link.
    #[test]
    fn objects_without_a_stack_are_at_the_only_one_of_their_class() {
        let context = TraceContext::new([7; 16], [7; 8]).expect("ids");
        let (class, stack) = ("a.A".to_owned(), Stack::NONE);
        let row = TracedObjects { context, class, stack, live: Tally::of(2, 24), born_ms: 7 };
        let of_class = |sites: Vec<SiteProfile>| {
            let live = Tally::of(3 * sites.len() as u64, 24);
            let class = ClassProfile {
                name: "a.A".to_owned(),
                allocated: live,
                live: Some(live),
                ..ClassProfile::default()
            };
            let traces = Some(Traces { rows: vec![row.clone()], ..Traces::default() });
            let mut profile = Profile { classes: vec![class], sites, traces, ..Profile::default() };
            (profile.run.lifetimes, profile.run.stacks) = (true, true);
            profile
        };
        let linked = |profile: &Profile| {
            let (rows, cells) = (Linked::of(profile), profile.cells());
            cells.iter().map(|cell| rows.of_cell(cell).left.len()).collect::<Vec<_>>()
        };
        assert_eq!(linked(&of_class(vec![site("run")])), [1]);
        assert_eq!(linked(&of_class(vec![site("run"), site("other")])), [0, 0], "nobody knows at which");
    }

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
