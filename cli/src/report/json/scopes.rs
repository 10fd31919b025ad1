//! Scopes in the JSON report: its keys, and where their values come from.

use mayfly_profile::{Outcome, Profile, ScopeClass, ScopeProfile, Survival, Total};
use serde::Serialize;

/// One scope, under one way of nesting.
#[derive(Debug, Serialize)]
pub(super) struct ScopeJson<'a> {
    /// Names of the scopes that it was entered in, outermost first; the last is its own.
    path: &'a [String],
    entries: u64,
    /// Of these, not left so far.
    open: u64,
    /// Not in scopes inside of it; exact.
    allocated: Total,
    allocated_with_inner: Total,
    /// With scopes inside of it; `None` without entries.
    bytes_per_entry: Option<f64>,
    /// `None`: deaths were not followed object by object.
    outcome: Option<OutcomeJson>,
    outlived: Option<OutlivedJson>,
    classes: Vec<ScopeClassJson<'a>>,
}

#[derive(Debug, Serialize)]
struct ScopeClassJson<'a> {
    name: &'a str,
    allocated: Total,
    outcome: Option<OutcomeJson>,
}

/// What became of tracked objects; all but `live` add up to `tracked`.
#[derive(Debug, Serialize)]
struct OutcomeJson {
    tracked: Total,
    died_inside: Total,
    /// Died inside, or before the first collection after it.
    in_doubt: Total,
    survived: Total,
    undecided: Total,
    not_looked_after: Total,
    /// Of those that survived.
    live: Total,
}

/// By how much survivors outlived their entry; `None`: more than is known.
#[derive(Debug, Serialize)]
struct OutlivedJson {
    p50_s: Option<f64>,
    p90_s: Option<f64>,
    p99_s: Option<f64>,
}

/// All scopes of `profile`, with at most `limit` classes each.
pub(super) fn scopes(profile: &Profile, limit: Option<usize>) -> Vec<ScopeJson<'_>> {
    profile.scopes.iter().map(|scope| scope_json(profile, scope, limit.unwrap_or(usize::MAX))).collect()
}

fn scope_json<'a>(profile: &Profile, scope: &'a ScopeProfile, limit: usize) -> ScopeJson<'a> {
    let with_inner = scope.allocated_with_inner(&profile.scopes);
    ScopeJson {
        path: &scope.path,
        entries: scope.entries,
        open: scope.entries.saturating_sub(scope.ended),
        allocated: scope.allocated().into(),
        allocated_with_inner: with_inner.into(),
        bytes_per_entry: (scope.entries > 0).then(|| with_inner.bytes as f64 / scope.entries as f64),
        outcome: scope.outcome().map(OutcomeJson::from),
        outlived: scope.outliving().map(|survival| OutlivedJson::of(&survival)),
        classes: scope.classes.iter().take(limit).map(class_json).collect(),
    }
}

fn class_json(class: &ScopeClass) -> ScopeClassJson<'_> {
    ScopeClassJson {
        name: &class.name,
        allocated: class.allocated.into(),
        outcome: class.outcome.map(OutcomeJson::from),
    }
}

impl OutlivedJson {
    fn of(survival: &Survival) -> Self {
        let seconds = |q: f64| survival.quantile(q).point.map(|ms| ms / 1000.0);
        Self { p50_s: seconds(0.5), p90_s: seconds(0.9), p99_s: seconds(0.99) }
    }
}

impl From<Outcome> for OutcomeJson {
    fn from(outcome: Outcome) -> Self {
        let Outcome { tracked, inside, between, survived, survived_live, unknown } = outcome;
        Self {
            tracked: tracked.into(),
            died_inside: inside.into(),
            in_doubt: between.into(),
            survived: survived.into(),
            undecided: outcome.undecided().into(),
            not_looked_after: unknown.into(),
            live: survived_live.into(),
        }
    }
}
