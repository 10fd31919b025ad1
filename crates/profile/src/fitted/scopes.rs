//! What became of the objects made in a scope, where only a share of a class was followed: fitted to the exact count of the scope,
//! and not known of a class of which hardly any were.
//!
//! Not here: classes and sites (`calibration`).

use crate::facts::tally::Tally;
use crate::fitted::calibration::Sample;
use crate::fitted::variance::Variances;
use crate::lifetime::scope::ScopeClass;
use crate::stream::profile::Profile;

/// What fewer objects say of all those in a scope is chance.
const FEWEST: f64 = 4.0;

/// Fits what became of each class in each scope.
pub(crate) fn fit(profile: &mut Profile) {
    if profile.scopes.is_empty() || Sample::of(profile).is_none() {
        return;
    }
    let variances = Variances::of(profile);
    let classes = profile.scopes.iter().flat_map(|scope| &scope.classes);
    let known: Vec<_> =
        classes.map(|class| is_known(class, variances.of_one_in_scope(class, class.allocated))).collect();
    let classes = profile.scopes.iter_mut().flat_map(|scope| &mut scope.classes);
    for (class, is_known) in classes.zip(known) {
        class.outcome = class.outcome.filter(|_| is_known);
        class.fit();
    }
}

impl ScopeClass {
    /// As if as many objects had been tracked as were allocated, and as many bytes: objects of all sizes say little of the bytes of large ones.
    fn fit(&mut self) {
        let Some(outcome) = &mut self.outcome else { return };
        let times = |all: u64, tracked: u64| all as f64 / tracked.max(1) as f64;
        let tracked = outcome.tracked;
        let (objects, bytes) =
            (times(self.allocated.objects, tracked.objects), times(self.allocated.bytes, tracked.bytes));
        if let Some(detail) = &mut self.detail {
            detail.variance = detail.variance.map(|variance| variance * objects * objects);
            detail.first_survived = scaled(detail.first_survived, objects, bytes);
        }
        outcome.tallies().into_iter().for_each(|tally| *tally = scaled(*tally, objects, bytes));
    }
}

/// Whether enough of a class was followed, or each object.
fn is_known(class: &ScopeClass, of_one: f64) -> bool {
    let tracked = class.outcome.unwrap_or_default().tracked.objects;
    let each = of_one == 0.0 && tracked >= class.allocated.objects;
    each || tracked as f64 >= FEWEST * (of_one + 1.0)
}

fn scaled(tally: Tally, objects: f64, bytes: f64) -> Tally {
    let scaled = |number: u64, by: f64| (number as f64 * by).round() as u64;
    Tally { objects: scaled(tally.objects, objects), bytes: scaled(tally.bytes, bytes), ..tally }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::run::Tracking;
    use crate::facts::share::Share;
    use crate::lifetime::scope::{Outcome, ScopeClassDetail, ScopeProfile};
    use crate::stream::profile::ClassProfile;

    /// A scope with 26,000 of 650,000 strings, of which one in 1,000 was followed.
    fn strings(followed: u64, survived: u64) -> Option<Outcome> {
        let mut profile = profile(followed, survived);
        fit(&mut profile);
        let once = profile.scopes[0].classes[0].outcome;
        fit(&mut profile);
        assert_eq!(profile.scopes[0].classes[0].outcome, once, "fitted again it stays");
        once
    }

    fn profile(followed: u64, survived: u64) -> Profile {
        let tally = |objects| Tally::of(objects, 24);
        let mut share = Share::default();
        (0..650).for_each(|_| share.record(1_000, None));
        let name = "java.lang.String".to_owned();
        let outcome = Outcome {
            tracked: tally(followed * 1_000),
            survived: tally(survived * 1_000),
            ..Outcome::default()
        };
        let class = ScopeClass {
            name: name.clone(),
            allocated: tally(26_000),
            outcome: Some(outcome),
            ..ScopeClass::default()
        };
        let mut profile = Profile {
            classes: vec![ClassProfile {
                name: name.clone(),
                allocated: tally(650_000),
                ..ClassProfile::default()
            }],
            shares: [(name, share)].into(),
            scopes: vec![ScopeProfile {
                classes: vec![class],
                outlived: Some(crate::Ages::default()),
                ..ScopeProfile::default()
            }],
            ..Profile::default()
        };
        profile.run.tracking = Tracking::Balanced;
        profile
    }

    #[test]
    fn no_more_survive_a_scope_than_it_made_and_of_a_few_samples_nothing_is_said() {
        let outcome = strings(52, 26).expect("enough");
        assert_eq!((outcome.tracked.objects, outcome.survived.objects), (26_000, 13_000));
        assert_eq!(outcome.survived.bytes, 13_000 * 24);
        assert_eq!(strings(1, 1), None);
        assert_eq!(strings(0, 0), None, "none was followed");
    }

    #[test]
    fn an_outcome_has_the_error_of_the_samples_that_it_rests_on() {
        let error = |survived: u64| {
            let mut profile = profile(52, survived);
            fit(&mut profile);
            let scope = &profile.scopes[0];
            let variance = Variances::of(&profile).of_outcome(scope, |outcome| outcome.survived);
            variance.relative(scope.outcome().expect("enough").survived)
        };
        let (many, one) = (error(26), error(1));
        assert!((0.28..0.29).contains(&many.0) && many.0 == many.1, "{many:?}");
        assert!(one.1 > 1.0, "one sample shows nothing: {one:?}");
        let none = profile(52, 0);
        let variance = Variances::of(&none).of_outcome(&none.scopes[0], |outcome| outcome.survived);
        assert!((950.0..1_050.0).contains(&variance.objects.sqrt()), "{variance:?}");
    }

    #[test]
    fn few_large_objects_among_many_small_ones_make_bytes_unsure() {
        let mut profile = profile(52, 26);
        let class = &mut profile.scopes[0].classes[0];
        let outcome = class.outcome.as_mut().expect("followed");
        outcome.survived.add(Tally::of(1_000, 24_000));
        let survived = outcome.survived;
        let variance = Variances::of(&profile).of_outcome(&profile.scopes[0], |outcome| outcome.survived);
        let (objects, bytes) = variance.relative(survived);
        assert!(objects < 0.3 && bytes > 0.9, "one of 24 kB stands for nearly all: {objects} {bytes}");
    }

    #[test]
    fn what_is_not_known_of_a_class_is_not_known_of_its_scope() {
        let mut profile = profile(1, 1);
        fit(&mut profile);
        assert_eq!(profile.scopes[0].outcome(), None);
        let counted = ScopeClass {
            name: "a.Rare".into(),
            allocated: Tally::of(2, 16),
            outcome: Some(Outcome { tracked: Tally::of(2, 16), ..Outcome::default() }),
            ..ScopeClass::default()
        };
        profile.scopes[0].classes.push(counted);
        fit(&mut profile);
        assert_eq!(profile.scopes[0].outcome().expect("one class").tracked.objects, 2, "each was followed");
        let variance = Variances::of(&profile).of_outcome(&profile.scopes[0], |outcome| outcome.survived);
        let all = 26_000.0 * 24.0;
        assert!(
            (0.5..0.6).contains(&(variance.bytes.sqrt() / all)),
            "any share of the strings: {variance:?}"
        );
    }

    #[test]
    fn what_objects_stand_for_in_the_scope_says_how_sure_it_is() {
        let error = |variance: f64| {
            let mut profile = profile(52, 26);
            // Half of what was allocated there was tracked.
            profile.scopes[0].classes[0].allocated = Tally::of(104_000, 24);
            profile.scopes[0].classes[0].detail =
                Some(ScopeClassDetail { variance: Some(variance), first_survived: Tally::of(2_000, 24) });
            fit(&mut profile);
            let once = profile.scopes[0].clone();
            fit(&mut profile);
            assert_eq!(profile.scopes[0], once, "fitted again it stays");
            assert_eq!(once.classes[0].detail.expect("recorded").first_survived, Tally::of(4_000, 24));
            let of = Variances::of(&profile).of_outcome(&once, |outcome| outcome.survived);
            of.relative(once.outcome().expect("enough").survived)
        };
        assert_eq!(error(0.0), (0.0, 0.0), "each stands for itself");
        // 52,000 objects by twos: of 26,000 that survived the number is sure to the root of that.
        let (objects, bytes) = error(52_000.0);
        assert!((0.006..0.0065).contains(&objects) && objects == bytes, "{objects} {bytes}");
    }

    #[test]
    fn every_object_thinned_is_a_sample() {
        let mut profile = profile(52, 26);
        profile.shares.clear();
        profile.run.tracking = Tracking::EveryObject;
        let error = |profile: &Profile| {
            let variance = Variances::of(profile).of_outcome(&profile.scopes[0], |outcome| outcome.survived);
            variance.objects.sqrt()
        };
        assert_eq!(error(&profile), 0.0);
        profile.trust.following.thinned_to_one_in = 16;
        assert!(error(&profile) > 500.0);
    }
}
