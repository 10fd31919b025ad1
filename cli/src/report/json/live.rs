//! What is live, in the JSON report: objects, bytes and the standard errors of both.

use mayfly_profile::{Tally, TallyVariance};
use serde::Serialize;

use super::tally::TallyJson;

/// What is live, with the standard errors of both numbers: 0 where they are exact, and what one picked object stands for where none is live.
#[derive(Debug, Serialize)]
pub(super) struct LiveJson {
    #[serde(flatten)]
    pub(super) tally: TallyJson,
    pub(super) error_objects: u64,
    pub(super) error_bytes: u64,
    /// Objects were dropped that matter beside it: errors are of those that were followed.
    pub(super) at_least: bool,
    /// No collection has looked at it since it became old: some of it may be dead.
    pub(super) at_most: bool,
}

impl LiveJson {
    /// Of so much, with these variances if it is an estimate; with whether it is at least, and at most, so much.
    pub(super) fn of(
        live: Tally,
        estimated: bool,
        variance: TallyVariance,
        (at_least, at_most): (bool, bool),
    ) -> Self {
        let error = |variance: f64| if estimated { variance.sqrt().round() as u64 } else { 0 };
        Self {
            tally: TallyJson::of(live, estimated),
            error_objects: error(variance.objects),
            error_bytes: error(variance.bytes),
            at_least,
            at_most: at_most && live.bytes > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{ClassProfile, Lifetimes, Profile, SiteProfile, Tracking, View};
    use serde_json::Value;

    use super::*;

    /// `live` of the class and of the site of a program that keeps 1,000 of 4,000 objects.
    fn live(tracking: Tracking) -> [Value; 2] {
        let (allocated, live) = (Tally::of(4_000, 24), Some(Tally::of(1_000, 24)));
        let class = ClassProfile { name: "a.B".to_owned(), allocated, live, ..ClassProfile::default() };
        let site = SiteProfile { class: "a.B".to_owned(), allocated, live, ..SiteProfile::default() };
        let mut profile = Profile { classes: vec![class], sites: vec![site], ..Profile::default() };
        (profile.run.lifetimes, profile.run.stacks, profile.run.tracking) = (true, true, tracking);
        let mut text = Vec::new();
        super::super::write(&profile, &View::default(), &mut text).expect("memory");
        let report: Value = serde_json::from_slice(&text).expect("JSON");
        ["classes", "sites"].map(|rows| report[rows][0]["live"].clone())
    }

    /// All are known alive at an age of 300 ms, of 60 s: what was promoted then, nobody looked at since.
    #[test]
    fn what_nobody_looked_at_since_it_is_old_is_live_at_most() {
        let at_most = |age_ms| {
            let mut lifetimes = Lifetimes::default();
            lifetimes.ms.record_living(age_ms, 1_000);
            let live = Some(Tally::of(1_000, 24));
            let class = ClassProfile {
                name: "a.B".to_owned(),
                live,
                lifetimes: Some(lifetimes),
                ..ClassProfile::default()
            };
            let mut profile = Profile { classes: vec![class], duration_ms: 60_000, ..Profile::default() };
            profile.run.lifetimes = true;
            let mut text = Vec::new();
            super::super::write(&profile, &View::default(), &mut text).expect("memory");
            let report: Value = serde_json::from_slice(&text).expect("JSON");
            report["classes"][0]["live"]["at_most"].clone()
        };
        assert_eq!([at_most(300), at_most(50_000)], [Value::Bool(true), Value::Bool(false)]);
    }

    #[test]
    fn what_is_live_by_a_sample_has_its_error_and_what_was_followed_has_none() {
        for sampled in live(Tracking::EveryNth(10)) {
            // A hundred samples, each for ten.
            assert_eq!(
                (&sampled["objects"], &sampled["estimated"]),
                (&1_000.into(), &true.into()),
                "{sampled}"
            );
            let error = sampled["error_objects"].as_u64().expect("a number");
            assert_eq!(sampled["at_most"], false, "no ages are known: {sampled}");
            assert!(
                (90..=105).contains(&error) && sampled["error_bytes"].as_u64() > Some(24 * 90),
                "{sampled}"
            );
        }
        for exact in live(Tracking::EveryObject) {
            assert_eq!((&exact["error_objects"], &exact["error_bytes"]), (&0.into(), &0.into()), "{exact}");
        }
    }
}
