//! By what stacks are grouped beside their code, cell by cell: thread pools, class loaders.
//!
//! Not here: what each group allocated, which `cells.js` adds up.

use mayfly_profile::{Grouping, Stack};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// The groups of one dimension.
#[derive(Serialize)]
pub(super) struct Groups {
    key: &'static str,
    heading: &'static str,
    names: Vec<String>,
    /// Of each cell the number of its group's name; -1: not known.
    of: Vec<i64>,
    #[serde(skip)]
    grouping: Grouping,
    #[serde(skip)]
    numbers: FxHashMap<String, i64>,
}

impl Groups {
    /// Of each dimension, without a cell so far.
    pub(super) fn all() -> Vec<Self> {
        let groups = |grouping: Grouping| Self {
            key: grouping.key(),
            heading: grouping.heading(),
            names: Vec::new(),
            of: Vec::new(),
            grouping,
            numbers: FxHashMap::default(),
        };
        Grouping::ALL.map(groups).into()
    }

    /// Whether any group was recorded.
    pub(super) fn are_known(&self) -> bool {
        !self.names.is_empty()
    }

    /// Adds the next cell, of this stack.
    pub(super) fn push(&mut self, stack: &Stack) {
        let Some(name) = self.grouping.of(stack) else { return self.of.push(-1) };
        let next = self.names.len() as i64;
        let number = *self.numbers.entry(name.to_owned()).or_insert(next);
        if number == next {
            self.names.push(name.to_owned());
        }
        self.of.push(number);
    }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::Frame;

    use super::*;

    #[test]
    fn cells_of_a_group_have_its_number_and_others_have_none() {
        let mut pools = Groups::all().remove(0);
        assert!(!pools.are_known());
        let code = Frame { class: "a.B".into(), ..Frame::default() };
        let of = |pool: &str| Stack::from(vec![code.clone(), Frame::of_thread(pool)]);
        for stack in [of("main"), Stack::NONE, of("http-*"), of("main")] {
            pools.push(&stack);
        }
        assert!(pools.are_known());
        assert_eq!(
            (pools.names, pools.of),
            (vec!["main".to_owned(), "http-*".to_owned()], vec![0, -1, 1, 0])
        );
    }
}
