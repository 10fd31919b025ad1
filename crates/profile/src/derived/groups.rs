//! What each group of a dimension allocates, where stacks name it: pools of threads (`#threads`), class loaders (`#loaders`).
//!
//! Made of the cells of a profile, so groups add up to what reports say of all classes. Not here: which stacks are of one (`grouping`).

use std::collections::BTreeMap;

use crate::derived::amounts::{Amounts, Value};
use crate::derived::measures::{MEASURES, Measure};
use crate::facts::grouping::Grouping;
use crate::stream::profile::{LiveAsOf, Profile};

/// What one group allocated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupProfile {
    /// Its name; `None`: what no stack was taken of.
    pub name: Option<String>,
    /// Its numbers.
    pub amounts: Amounts,
    /// Stacks with their classes.
    pub sites: usize,
}

impl GroupProfile {
    /// Bytes that took memory: those executed, without what was optimised away.
    pub fn allocated_bytes(&self) -> u64 {
        self.amounts.of(Value::Bytes).saturating_sub(self.amounts.of(Value::OptimisedAway))
    }
}

impl Profile {
    /// Whether stacks name such groups.
    pub fn has_groups(&self, grouping: Grouping) -> bool {
        self.sites.iter().any(|site| grouping.of(&site.stack).is_some())
    }

    /// What each group allocated, most bytes first, ties by name. Empty where stacks do not name them.
    pub fn groups(&self, grouping: Grouping) -> Vec<GroupProfile> {
        if !self.has_groups(grouping) {
            return Vec::new();
        }
        let mut groups: BTreeMap<Option<&str>, GroupProfile> = BTreeMap::new();
        for cell in self.cells() {
            let name = grouping.of(cell.stack);
            let row = groups.entry(name).or_default();
            row.name = name.map(str::to_owned);
            row.amounts.add(&cell.amounts);
            row.sites += usize::from(!cell.stack.is_empty());
        }
        let mut rows: Vec<_> = groups.into_values().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.allocated_bytes()));
        rows
    }

    /// The measures of the catalogue that are known of groups, with the value that each reads.
    pub fn group_measures(&self) -> impl Iterator<Item = (&'static Measure, Value)> {
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
        let rows = profile.groups(Grouping::Pool);
        let told: Vec<_> = rows
            .iter()
            .map(|row| {
                (row.name.as_deref(), row.amounts.of(Value::Objects), row.allocated_bytes(), row.sites)
            })
            .collect();
        assert_eq!(told, [(Some("http-*"), 11, 260, 2), (None, 2, 116, 0), (Some("main"), 5, 80, 1)]);
        let keys: Vec<_> = profile.group_measures().map(|(measure, _)| measure.key).collect();
        assert_eq!(keys, ["objects", "bytes"], "deaths were not followed");
    }

    #[test]
    fn without_names_of_threads_there_are_no_pools() {
        let profile = Profile { sites: vec![site("a.A", None, (1, 16))], ..Profile::default() };
        assert!(Grouping::ALL.iter().all(|&grouping| profile.groups(grouping).is_empty()));
    }
}
