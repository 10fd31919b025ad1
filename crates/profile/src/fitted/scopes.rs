//! What became of the objects made in a scope, where only a share of a class was followed: fitted to the exact count of the scope,
//! and not known of a class of which hardly any were.
//!
//! Not here: classes and sites (`calibration`).

use std::collections::HashMap;

use crate::facts::tally::Tally;
use crate::lifetime::scope::Outcome;
use crate::stream::profile::Profile;

/// What fewer objects say of all those in a scope is chance.
const FEWEST: f64 = 4.0;

/// Fits what became of each class in each scope.
pub(crate) fn fit(profile: &mut Profile) {
    if profile.scopes.is_empty() || profile.shares.is_empty() {
        return;
    }
    let objects: HashMap<&str, u64> =
        profile.classes.iter().map(|class| (class.name.as_str(), class.allocated.objects)).collect();
    for class in profile.scopes.iter_mut().flat_map(|scope| &mut scope.classes) {
        let Some(share) = profile.shares.get(&class.name) else { continue };
        let all = objects.get(class.name.as_str()).copied().unwrap_or_default();
        let stands_for = share.variance_of_one(all) + 1.0;
        let is_known = |outcome: &Outcome| outcome.tracked.objects as f64 >= FEWEST * stands_for;
        class.outcome = class.outcome.filter(is_known).map(|outcome| outcome.fitted(class.allocated));
    }
}

impl Outcome {
    /// The same, as if of so many objects.
    fn fitted(mut self, all: Tally) -> Self {
        let factor = all.objects as f64 / self.tracked.objects.max(1) as f64;
        let scaled = |number: u64| (number as f64 * factor).round() as u64;
        for tally in self.tallies() {
            (tally.objects, tally.bytes) = (scaled(tally.objects), scaled(tally.bytes));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::share::Share;
    use crate::lifetime::scope::{ScopeClass, ScopeProfile};
    use crate::stream::profile::ClassProfile;

    /// A scope with 26,000 of 650,000 strings, of which one in 1,000 was followed.
    fn strings(followed: u64, survived: u64) -> Option<Outcome> {
        let tally = |objects| Tally::of(objects, 24);
        let mut share = Share::default();
        (0..650).for_each(|_| share.record(1_000, None));
        let name = "java.lang.String".to_owned();
        let outcome = Outcome {
            tracked: tally(followed * 1_000),
            survived: tally(survived * 1_000),
            ..Outcome::default()
        };
        let class = ScopeClass { name: name.clone(), allocated: tally(26_000), outcome: Some(outcome) };
        let mut profile = Profile {
            classes: vec![ClassProfile {
                name: name.clone(),
                allocated: tally(650_000),
                ..ClassProfile::default()
            }],
            shares: [(name, share)].into(),
            scopes: vec![ScopeProfile { classes: vec![class], ..ScopeProfile::default() }],
            ..Profile::default()
        };
        fit(&mut profile);
        let once = profile.scopes[0].classes[0].outcome;
        fit(&mut profile);
        assert_eq!(profile.scopes[0].classes[0].outcome, once, "fitted again it stays");
        once
    }

    #[test]
    fn no_more_survive_a_scope_than_it_made_and_of_a_few_samples_nothing_is_said() {
        let outcome = strings(52, 26).expect("enough");
        assert_eq!((outcome.tracked.objects, outcome.survived.objects), (26_000, 13_000));
        assert_eq!(outcome.survived.bytes, 13_000 * 24);
        assert_eq!(strings(1, 1), None);
        assert_eq!(strings(0, 0), None, "none was followed");
    }
}
