//! Pools of threads and class loaders in the JSON report.

use std::collections::BTreeMap;

use mayfly_profile::{GroupProfile, Grouping, Profile};
use serde::Serialize;

/// What one group allocated.
#[derive(Debug, Serialize)]
pub(super) struct GroupJson {
    /// Its name by the key of the dimension (`pool`, `loader`); null: what no stack was taken of.
    #[serde(flatten)]
    name: BTreeMap<&'static str, Option<String>>,
    /// Bytes that rows are ranked by, as of classes.
    rank_bytes: u64,
    /// Standard error of `rank_bytes`; null: not known.
    error_bytes: Option<u64>,
    /// Stacks with their classes.
    sites: usize,
    /// Numbers by the keys of the measures; one that is not known is left out.
    measures: BTreeMap<&'static str, u64>,
}

/// All groups, most bytes first; empty where stacks do not name them.
pub(super) fn groups(profile: &Profile, grouping: Grouping) -> Vec<GroupJson> {
    let errors = mayfly_report::group_errors(profile, grouping);
    let row = |row: GroupProfile| GroupJson {
        error_bytes: row.name.as_deref().and_then(|name| errors.get(name)).map(|error| error.ceil() as u64),
        rank_bytes: row.allocated_bytes(),
        sites: row.sites,
        measures: profile
            .group_measures()
            .map(|(measure, value)| (measure.key, row.amounts.of(value)))
            .collect(),
        name: [(grouping.key(), row.name)].into(),
    };
    profile.groups(grouping).into_iter().map(row).collect()
}
