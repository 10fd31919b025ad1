//! Which counts of classes are exact: of the exact engine all; of the sampled one those of which the census read every object.
//!
//! Not here: how samples and the census are added up, which is the agent's.

use crate::facts::part::LivedPart;
use crate::facts::run::EngineKind;
use crate::fitted::calibration::Sample;
use crate::stream::profile::{ClassProfile, Profile};

impl Profile {
    /// Whether classes are counted by samples and by what was read of young collections.
    pub fn is_read_and_sampled(&self) -> bool {
        self.run.engine == EngineKind::Sampled
            && self.census.as_ref().is_some_and(|census| census.reach.reached() > 0)
    }

    /// Whether a part by how long objects lived is exact: each was followed, and no life is known less well than the part is long. All of a profile is no
    /// part.
    pub fn is_exact_part(&self) -> bool {
        let is_exact = |lived: LivedPart| lived.doubt.certain == lived.doubt.possible;
        self.part.lived.is_none_or(|lived| is_exact(lived) && Sample::of(self).is_none())
    }

    /// Whether the count of a class is exact.
    pub fn counts_exactly(&self, class: &ClassProfile) -> bool {
        if self.part.lived.is_some() {
            return self.is_exact_part();
        }
        let is_sure =
            || self.estimates.get(&class.name).is_some_and(|estimate| estimate.allocated.variance() == 0.0);
        self.run.engine == EngineKind::Exact || self.is_read_and_sampled() && is_sure()
    }

    /// Bytes of counts that samples tell of, where the rest was read; `None`: there is no such rest.
    pub fn sampled_rest(&self) -> Option<u64> {
        let census = self.census.as_ref().filter(|_| self.is_read_and_sampled())?;
        let read = |class: &ClassProfile| match census.has_fillers(&class.name) {
            true => 0,
            false => census.classes.get(&class.name).map_or(0, |read| read.born().bytes),
        };
        Some(self.classes.iter().map(|class| class.allocated.bytes.saturating_sub(read(class))).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::census::{Census, CensusReach, ClassCensus};
    use crate::facts::estimate::{ClassEstimate, Estimate};
    use crate::facts::tally::Tally;
    use mayfly_counts::Total;

    #[test]
    fn exact_is_what_was_read_to_the_last_object() {
        let class = |name: &str, bytes| ClassProfile {
            name: name.into(),
            allocated: Tally { objects: 1, bytes, largest: bytes },
            ..ClassProfile::default()
        };
        let mut profile =
            Profile { classes: vec![class("a.Read", 100), class("a.Both", 50)], ..Profile::default() };
        assert!(profile.counts_exactly(&profile.classes[1]), "each is counted");
        profile.run.engine = EngineKind::Sampled;
        let estimate = |bytes, error| ClassEstimate {
            allocated: Estimate::of_bytes(bytes, error),
            ..ClassEstimate::default()
        };
        profile.estimates =
            [("a.Read".into(), estimate(100.0, 0.0)), ("a.Both".into(), estimate(50.0, 9.0))].into();
        assert!(!profile.counts_exactly(&profile.classes[0]), "nothing was read");
        assert_eq!(profile.sampled_rest(), None);
        let read = ClassCensus { undecided: Total { objects: 1, bytes: 100 }, ..ClassCensus::default() };
        profile.census = Some(Census {
            reach: CensusReach { births_only: 1, ..CensusReach::default() },
            classes: [("a.Read".to_owned(), read)].into(),
        });
        let exact = [0, 1].map(|at| profile.counts_exactly(&profile.classes[at]));
        assert_eq!((exact, profile.sampled_rest()), ([true, false], Some(50)));
    }
}
