//! Scopes in the JSON report: its keys, and where their values come from.

use mayfly_profile::{
    Outcome, Profile, ScopeClass, ScopeProfile, Survival, Tally, TallyVariance, Total, Variances,
};
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
    /// `None`: not recorded, or most entries were the first of their thread.
    later_entries: Option<LaterJson<'a>>,
    /// `None`: deaths were not followed object by object, or too few of each class.
    outcome: Option<OutcomeJson>,
    outlived: Option<OutlivedJson>,
    classes: Vec<ScopeClassJson<'a>>,
}

/// Entries that were not the first of their thread.
#[derive(Debug, Serialize)]
struct LaterJson<'a> {
    entries: u64,
    /// Without the lone object.
    survived: Total,
    first_survived: Total,
    lone: Option<LoneJson<'a>>,
}

/// A single object that is a good part of what survived.
#[derive(Debug, Serialize)]
struct LoneJson<'a> {
    class: &'a str,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct ScopeClassJson<'a> {
    name: &'a str,
    allocated: Total,
    /// Of entries that were not the first of their thread; `None`: not recorded.
    survived_later: Option<Total>,
    outcome: Option<OutcomeJson>,
}

/// What became of tracked objects; all but `live` add up to `tracked`.
#[derive(Debug, Serialize)]
struct OutcomeJson {
    tracked: Total,
    died_inside: PartJson,
    /// Died inside, or before the first collection after it.
    in_doubt: PartJson,
    survived: PartJson,
    undecided: PartJson,
    not_looked_after: PartJson,
    /// Of those that survived.
    live: PartJson,
}

/// Some of them, with the standard errors of both numbers: 0 where each object was followed, and what one picked object stands for where there are none.
#[derive(Debug, Serialize)]
struct PartJson {
    objects: u64,
    bytes: u64,
    error_objects: u64,
    error_bytes: u64,
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
    let limit = limit.unwrap_or(usize::MAX);
    let variances = Variances::of(profile);
    profile.scopes.iter().map(|scope| scope_json(profile, &variances, scope, limit)).collect()
}

fn scope_json<'a>(
    profile: &Profile,
    variances: &Variances<'_>,
    scope: &'a ScopeProfile,
    limit: usize,
) -> ScopeJson<'a> {
    let with_inner = scope.allocated_with_inner(&profile.scopes);
    ScopeJson {
        path: &scope.path,
        entries: scope.entries,
        open: scope.entries.saturating_sub(scope.ended),
        allocated: scope.allocated().into(),
        allocated_with_inner: with_inner.into(),
        bytes_per_entry: (scope.entries > 0).then(|| with_inner.bytes as f64 / scope.entries as f64),
        later_entries: scope.later().map(|later| LaterJson {
            entries: later.entries,
            survived: later.survived.into(),
            first_survived: later.first_survived.into(),
            lone: later.lone.map(|(class, bytes)| LoneJson { class, bytes }),
        }),
        outcome: scope
            .outcome()
            .map(|outcome| OutcomeJson::of(outcome, |part| variances.of_outcome(scope, part))),
        outlived: scope.outliving().map(|survival| OutlivedJson::of(&survival)),
        classes: scope.classes.iter().take(limit).map(|class| class_json(class, variances)).collect(),
    }
}

fn class_json<'a>(class: &'a ScopeClass, variances: &Variances<'_>) -> ScopeClassJson<'a> {
    let variance = |part: Part| variances.of_outcome_of_class(class, part);
    ScopeClassJson {
        name: &class.name,
        allocated: class.allocated.into(),
        survived_later: class.detail.map(|_| class.survived_later().into()),
        outcome: class.outcome.map(|outcome| OutcomeJson::of(outcome, variance)),
    }
}

impl OutlivedJson {
    fn of(survival: &Survival) -> Self {
        let seconds = |q: f64| survival.quantile(q).point.map(|ms| ms / 1000.0);
        Self { p50_s: seconds(0.5), p90_s: seconds(0.9), p99_s: seconds(0.99) }
    }
}

/// Chooses one of an outcome's tallies.
type Part = fn(Outcome) -> Tally;

impl OutcomeJson {
    fn of(outcome: Outcome, variance: impl Fn(Part) -> TallyVariance) -> Self {
        let part = |part: Part| PartJson::of(part(outcome), variance(part));
        Self {
            tracked: outcome.tracked.into(),
            died_inside: part(|outcome| outcome.inside),
            in_doubt: part(|outcome| outcome.between),
            survived: part(|outcome| outcome.survived),
            undecided: part(|outcome| outcome.undecided()),
            not_looked_after: part(|outcome| outcome.unknown),
            live: part(|outcome| outcome.survived_live),
        }
    }
}

impl PartJson {
    fn of(Tally { objects, bytes, .. }: Tally, variance: TallyVariance) -> Self {
        let error = |variance: f64| variance.sqrt().round() as u64;
        Self { objects, bytes, error_objects: error(variance.objects), error_bytes: error(variance.bytes) }
    }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Ages, ClassProfile, Share, Tracking, View};
    use serde_json::Value;

    use super::*;

    /// A scope in which half of 4,000 objects were made, of which half survived; each that was followed stands for so many.
    fn outcomes(stands_for: u64) -> [Value; 2] {
        let tally = |objects| Tally::of(objects, 24);
        let outcome = Outcome { tracked: tally(2_000), survived: tally(1_000), ..Outcome::default() };
        let class = ScopeClass {
            name: "a.B".into(),
            allocated: tally(2_000),
            outcome: Some(outcome),
            ..ScopeClass::default()
        };
        let mut share = Share::default();
        (0..4_000 / stands_for).for_each(|_| share.record(stands_for, None));
        let mut profile = Profile {
            classes: vec![ClassProfile {
                name: "a.B".into(),
                allocated: tally(4_000),
                ..ClassProfile::default()
            }],
            scopes: vec![ScopeProfile {
                classes: vec![class],
                outlived: Some(Ages::default()),
                ..ScopeProfile::default()
            }],
            shares: [("a.B".to_owned(), share)].into(),
            ..Profile::default()
        };
        profile.run.tracking = Tracking::Balanced;
        let mut text = Vec::new();
        super::super::write(&profile, &View::default(), &mut text).expect("memory");
        let report: Value = serde_json::from_slice(&text).expect("JSON");
        let scope = &report["scopes"][0];
        [&scope["outcome"], &scope["classes"][0]["outcome"]].map(Value::clone)
    }

    #[test]
    fn survivors_have_the_errors_of_what_was_followed() {
        for outcome in outcomes(10) {
            // A hundred, each for ten.
            let error = outcome["survived"]["error_objects"].as_u64().expect("a number");
            assert!((90..=100).contains(&error), "{outcome}");
            let of_bytes = outcome["survived"]["error_bytes"].as_u64().expect("a number");
            assert!((24 * 90..24 * 100).contains(&of_bytes), "{outcome}");
            assert_eq!(outcome["died_inside"]["error_objects"], 9, "one might have been: {outcome}");
        }
        for outcome in outcomes(1) {
            assert_eq!(outcome["survived"]["error_objects"], 0, "{outcome}");
        }
    }
}
