//! What each pool of threads allocates, where stacks name it (`#threads`).
//!
//! Made of the cells of a profile, so pools add up to what reports say of all classes. Not here: which threads are one pool (`pool`).

use std::collections::BTreeMap;

use crate::derived::amounts::{Amounts, Value};
use crate::derived::measures::{MEASURES, Measure};
use crate::stream::profile::{LiveAsOf, Profile};

/// What the threads of a pool allocated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadProfile {
    /// Its name; `None`: what no stack was taken of.
    pub pool: Option<String>,
    /// Its numbers.
    pub amounts: Amounts,
    /// Stacks with their classes.
    pub sites: usize,
}

impl ThreadProfile {
    /// Bytes that took memory: those executed, without what was optimised away.
    pub fn allocated_bytes(&self) -> u64 {
        self.amounts.of(Value::Bytes).saturating_sub(self.amounts.of(Value::OptimisedAway))
    }
}

impl Profile {
    /// Whether stacks name the pools of threads.
    pub fn has_threads(&self) -> bool {
        self.sites.iter().any(|site| site.stack.thread().is_some())
    }

    /// What each pool allocated, most bytes first, ties by name. Empty where stacks do not name them.
    pub fn threads(&self) -> Vec<ThreadProfile> {
        if !self.has_threads() {
            return Vec::new();
        }
        let mut pools: BTreeMap<Option<&str>, ThreadProfile> = BTreeMap::new();
        for cell in self.cells() {
            let pool = cell.stack.thread();
            let row = pools.entry(pool).or_default();
            row.pool = pool.map(str::to_owned);
            row.amounts.add(&cell.amounts);
            row.sites += usize::from(!cell.stack.is_empty());
        }
        let mut rows: Vec<_> = pools.into_values().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.allocated_bytes()));
        rows
    }

    /// The measures of the catalogue that are known of pools, with the value that each reads.
    pub fn thread_measures(&self) -> impl Iterator<Item = (&'static Measure, Value)> {
        let collected = self.live_as_of != LiveAsOf::NoCollection;
        let known = move |value: Value| {
            let is_of_live = matches!(value, Value::Live | Value::LiveObjects);
            self.knows(value) && (collected || !is_of_live)
        };
        MEASURES
            .iter()
            .filter_map(move |&measure| Some((measure, measure.value.filter(|&value| known(value))?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::frame::Frame;
    use crate::facts::tally::Tally;
    use crate::stream::profile::{ClassProfile, SiteProfile};

    fn site(class: &str, pool: Option<&str>, (objects, size): (u64, u64)) -> SiteProfile {
        let code = Frame { class: "a.Shop".into(), method: "sell".into(), ..Frame::default() };
        SiteProfile {
            class: class.into(),
            stack: [code].into_iter().chain(pool.map(Frame::of_thread)).collect(),
            allocated: Tally::of(objects, size),
            ..SiteProfile::default()
        }
    }

    #[test]
    fn pools_add_up_to_all_and_what_has_no_stack_is_of_nobody() {
        let class = |name: &str, tally| ClassProfile {
            name: name.into(),
            allocated: tally,
            ..ClassProfile::default()
        };
        let sites = vec![
            site("a.A", Some("http-*"), (10, 16)),
            site("a.A", Some("main"), (5, 16)),
            site("a.B", Some("http-*"), (1, 100)),
        ];
        // Of each of the classes there is one more without a stack.
        let classes = vec![class("a.A", Tally::of(16, 16)), class("a.B", Tally::of(2, 100))];
        let profile = Profile { classes, sites, ..Profile::default() };
        let rows = profile.threads();
        let told: Vec<_> = rows
            .iter()
            .map(|row| {
                (row.pool.as_deref(), row.amounts.of(Value::Objects), row.allocated_bytes(), row.sites)
            })
            .collect();
        assert_eq!(told, [(Some("http-*"), 11, 260, 2), (None, 2, 116, 0), (Some("main"), 5, 80, 1)]);
        let keys: Vec<_> = profile.thread_measures().map(|(measure, _)| measure.key).collect();
        assert_eq!(keys, ["objects", "bytes"], "deaths were not followed");
    }

    #[test]
    fn without_names_of_threads_there_are_no_pools() {
        let profile = Profile { sites: vec![site("a.A", None, (1, 16))], ..Profile::default() };
        assert!(profile.threads().is_empty());
    }
}
