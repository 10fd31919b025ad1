//! What is a lower bound, as objects that should have been followed were dropped: nobody knows of which class they were.

use crate::facts::tally::Tally;
use crate::stream::profile::{ClassProfile, Profile};

/// As a share of the samples that a number rests on: fewer dropped objects do not show beside chance.
const DROPPED_SHARE: f64 = 0.05;

impl Profile {
    /// How many objects were dropped, if they matter beside this part of what was followed of a class: it is at least so much then.
    pub fn dropped_beside(&self, class: &ClassProfile, part: Tally) -> Option<u64> {
        self.dropped_beside_samples(|| self.rests_on(class, part))
    }

    /// The same of the curve of what collections left in use, where it is of what was followed and not the JVM's own.
    pub fn dropped_beside_curve(&self) -> Option<u64> {
        self.dropped_beside_live().filter(|_| self.left_by_the_last().is_none())
    }

    fn dropped_beside_live(&self) -> Option<u64> {
        let live = || self.classes.iter().filter_map(|class| Some(self.rests_on(class, class.live?)));
        self.dropped_beside_samples(|| live().sum())
    }

    /// Samples are not looked at where nothing was dropped: a report asks for each class.
    fn dropped_beside_samples(&self, samples: impl FnOnce() -> f64) -> Option<u64> {
        let dropped = Some(self.trust.dropped_objects()).filter(|&dropped| dropped > 0)?;
        (dropped as f64 > DROPPED_SHARE * samples()).then_some(dropped)
    }

    /// Of large objects each is a sample, and no more.
    fn rests_on(&self, class: &ClassProfile, part: Tally) -> f64 {
        self.samples_behind(class, part).unwrap_or(f64::INFINITY).min(part.objects as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::trust::Dropped;

    #[test]
    fn few_dropped_objects_do_not_make_much_a_lower_bound() {
        let class = |name: &str, objects| {
            let live = Some(Tally::of(objects, 24));
            ClassProfile { name: name.into(), live, ..ClassProfile::default() }
        };
        let classes = vec![class("a.Few", 20), class("a.Many", 10_000)];
        let mut profile = Profile { classes, ..Profile::default() };
        assert_eq!(profile.dropped_beside_curve(), None);
        profile.trust.dropped = vec![Dropped { cause: "a share of the heap".into(), objects: 5 }];
        let beside = |at: usize| {
            let class = &profile.classes[at];
            profile.dropped_beside(class, class.live.expect("live"))
        };
        assert_eq!((beside(0), beside(1), profile.dropped_beside_curve()), (Some(5), None, None));
        profile.classes.pop();
        assert_eq!(profile.dropped_beside_curve(), Some(5));
    }
}
