//! Pools of threads in the JSON report.

use std::collections::BTreeMap;

use mayfly_profile::{Profile, ThreadProfile};
use serde::Serialize;

/// What the threads of a pool allocated.
#[derive(Debug, Serialize)]
pub(super) struct ThreadJson {
    /// Its name; null: what no stack was taken of.
    pool: Option<String>,
    /// Bytes that rows are ranked by, as of classes.
    rank_bytes: u64,
    /// Standard error of `rank_bytes`; null: not known.
    error_bytes: Option<u64>,
    /// Stacks with their classes.
    sites: usize,
    /// Numbers by the keys of the measures; one that is not known is left out.
    measures: BTreeMap<&'static str, u64>,
}

/// All pools, most bytes first; empty where stacks do not name them.
pub(super) fn threads(profile: &Profile) -> Vec<ThreadJson> {
    let errors = mayfly_report::thread_errors(profile);
    let row = |row: ThreadProfile| ThreadJson {
        error_bytes: row.pool.as_deref().and_then(|pool| errors.get(pool)).map(|error| error.ceil() as u64),
        rank_bytes: row.allocated_bytes(),
        sites: row.sites,
        measures: profile
            .thread_measures()
            .map(|(measure, value)| (measure.key, row.amounts.of(value)))
            .collect(),
        pool: row.pool,
    };
    profile.threads().into_iter().map(row).collect()
}
