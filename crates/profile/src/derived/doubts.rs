//! What a profile says of itself in two ways that do not agree: so that two numbers of one thing never stand side by side as if both
//! held.
//!
//! Not here: what the JIT compiler removed, which explains more counted than allocated (`optimised_away`).

use std::collections::BTreeMap;

use crate::facts::estimate::Estimate;
use crate::facts::run::EngineKind;
use crate::facts::tally::Tally;
use crate::stream::profile::{ClassProfile, Profile};

/// Two numbers differ beyond chance if it is by so many standard errors: a profile has thousands of classes.
const ERRORS: f64 = 5.0;
/// And by such a part of the larger one: hooks and samples begin and end at somewhat different moments.
const LEAST_SHARE: f64 = 0.1;
/// And by so much: a class that made less hides nothing.
const LEAST_BYTES: f64 = (1 << 20) as f64;
/// Sites may be rounded up, each by itself.
const ROUNDING: f64 = 1.02;

/// Two numbers that contradict each other, and which of them is doubted.
#[derive(Clone, Debug, PartialEq)]
pub enum Contradiction {
    /// The count of a class: the JVM's samples, of which no other cause is known, say that more was allocated.
    Count {
        /// The class.
        class: String,
        /// Bytes counted, or of a known cause.
        counted: u64,
        /// Bytes that were allocated, by samples.
        sampled: Estimate,
    },
    /// What lives by site: more than all that lives of the class.
    LiveBySite {
        /// The class.
        class: String,
        /// Live bytes of the sites.
        sites: u64,
        /// Live bytes of the class.
        live: u64,
    },
    /// What was allocated by site: more than all that was of the class.
    AllocatedBySite {
        /// The class.
        class: String,
        /// Bytes of the sites.
        sites: u64,
        /// Bytes of the class.
        allocated: u64,
    },
    /// The sum of all counts and known causes: the JVM allocated more.
    Sum {
        /// Bytes of no known cause.
        unexplained: u64,
        /// Bytes that the JVM allocated.
        allocated: u64,
    },
}

/// Of what was allocated, so much may be unexplained and no doubt be said: the remainder names it.
const UNEXPLAINED_SHARE: f64 = 0.05;
/// What comes after large objects may be picked several times as often as it should, by samplers that are biased: a count is only
/// doubted if so much of all that was allocated is missing.
const BIASED_SHARE: f64 = 0.02;

impl Profile {
    /// What contradicts itself: the sum first, then classes, most bytes first.
    pub fn doubts(&self) -> Vec<Contradiction> {
        let mut by_class: BTreeMap<&str, (Tally, u64)> = BTreeMap::new();
        for site in &self.sites {
            let (allocated, live) = by_class.entry(&site.class).or_default();
            allocated.add(site.allocated);
            *live = live.saturating_add(site.live.map_or(0, |live| live.bytes));
        }
        let mut doubts: Vec<Contradiction> = self.doubted_sum().into_iter().collect();
        for class in &self.classes {
            doubts.extend(self.doubted_count(class));
            if let Some((allocated, live)) = by_class.get(class.name.as_str()) {
                doubts.extend(self.doubted_sites(class, allocated.bytes, *live));
            }
        }
        doubts
    }

    fn doubted_sum(&self) -> Option<Contradiction> {
        let allocated = self.trust.jvm_allocated_bytes?;
        let missing = self.trust.remainder.iter().filter(|part| !part.named);
        let unexplained: i64 = missing.map(|part| part.bytes).sum();
        let is_much = unexplained as f64 > (allocated as f64 * UNEXPLAINED_SHARE).max(LEAST_BYTES);
        is_much.then_some(Contradiction::Sum { unexplained: unexplained as u64, allocated })
    }

    fn doubted_count(&self, class: &ClassProfile) -> Option<Contradiction> {
        let estimate = self.estimates.get(&class.name).filter(|_| self.run.engine == EngineKind::Exact)?;
        let counted = class.allocated.bytes.saturating_add(estimate.unseen.bytes());
        let sampled = estimate.allocated;
        let beyond = sampled.unrounded_bytes() - counted as f64;
        let chance = ERRORS * sampled.error_bytes() as f64;
        let all = self.trust.jvm_allocated_bytes.filter(|_| self.samples_may_be_biased()).unwrap_or_default();
        let least = LEAST_BYTES.max(sampled.unrounded_bytes() * LEAST_SHARE).max(all as f64 * BIASED_SHARE);
        let is_much = beyond > chance.max(least);
        is_much.then(|| Contradiction::Count { class: class.name.clone(), counted, sampled })
    }

    fn doubted_sites(&self, class: &ClassProfile, allocated: u64, live: u64) -> Vec<Contradiction> {
        let beyond = |sites: u64, all: f64| sites as f64 > all * ROUNDING + LEAST_BYTES;
        let name = &class.name;
        let mut doubts = Vec::new();
        let all = class.allocated.bytes;
        // What the JVM and native code make has a site, and no count.
        let unseen = self.estimates.get(name).map(|estimate| estimate.unseen).unwrap_or_default();
        let unseen = unseen.bytes() as f64 + ERRORS * unseen.error_bytes() as f64;
        if beyond(allocated, all as f64 + unseen) {
            let class = name.clone();
            doubts.push(Contradiction::AllocatedBySite { class, sites: allocated, allocated: all });
        }
        if let Some(all) = class.live.filter(|all| beyond(live, all.bytes as f64)) {
            doubts.push(Contradiction::LiveBySite { class: name.clone(), sites: live, live: all.bytes });
        }
        doubts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::estimate::ClassEstimate;
    use crate::facts::trust::{Remainder, Trust};
    use crate::stream::profile::SiteProfile;

    const MIB: u64 = 1 << 20;

    fn profile(counted: u64, sampled: Estimate) -> Profile {
        let allocated = Tally { objects: 10, bytes: counted, largest: counted / 10 };
        let live = Some(Tally { objects: 1, bytes: counted / 10, largest: counted / 10 });
        let class = ClassProfile { name: "[I".into(), allocated, live, ..ClassProfile::default() };
        let estimate = ClassEstimate { allocated: sampled, ..ClassEstimate::default() };
        let site = SiteProfile { class: "[I".into(), allocated, live, ..SiteProfile::default() };
        Profile {
            classes: vec![class],
            sites: vec![site],
            estimates: [("[I".to_owned(), estimate)].into(),
            ..Profile::default()
        }
    }

    #[test]
    fn a_count_far_below_its_own_sample_is_doubted() {
        let sampled = Estimate::of_bytes((495 * MIB) as f64, (16 * MIB) as f64);
        let doubts = profile(83 * MIB, sampled).doubts();
        assert_eq!(doubts, [Contradiction::Count { class: "[I".into(), counted: 83 * MIB, sampled }]);
        let mut explained = profile(83 * MIB, sampled);
        explained.estimates.get_mut("[I").unwrap().unseen = Estimate::of_bytes((400 * MIB) as f64, 1e6);
        assert_eq!(explained.doubts(), [], "the cause of the rest is known");
        assert_eq!(profile(470 * MIB, sampled).doubts(), [], "within chance");
        assert_eq!(profile(900 * MIB, sampled).doubts(), [], "optimised away");
    }

    #[test]
    fn sites_beyond_their_class_are_doubted() {
        let mut profile = profile(80 * MIB, Estimate::default());
        assert_eq!(profile.doubts(), []);
        profile.sites[0].live = Some(profile.sites[0].allocated);
        let [Contradiction::LiveBySite { sites, live, .. }] = profile.doubts()[..] else {
            panic!("no doubt")
        };
        assert_eq!((sites, live), (80 * MIB, 8 * MIB));
        profile.sites[0].live = None;
        profile.sites.push(profile.sites[0].clone());
        assert!(matches!(profile.doubts()[..], [Contradiction::AllocatedBySite { .. }]));
        let unseen = Estimate::of_bytes((70 * MIB) as f64, (5 * MIB) as f64);
        profile.estimates.get_mut("[I").unwrap().unseen = unseen;
        assert_eq!(profile.doubts(), [], "the JVM made what no hook saw");
    }

    /// Beside 2 GiB, what a biased sampler says of few objects is no ground for a doubt.
    #[test]
    fn a_count_is_not_doubted_for_the_bias_of_the_sampler() {
        let sampled = Estimate::of_bytes((12 * MIB) as f64, MIB as f64);
        let of = |version: &str| {
            let mut profile = profile(2 * MIB, sampled);
            profile.trust.jvm_allocated_bytes = Some(2048 * MIB);
            profile.run.jvm.version = version.into();
            profile.doubts().len()
        };
        assert_eq!((of("17.0.15+6"), of("25.0.3+9-LTS")), (0, 1));
    }

    #[test]
    fn a_sum_of_which_a_good_part_has_no_cause_is_doubted() {
        let with = |bytes: i64, named: bool| {
            let rest = Remainder { cause: "not explained".into(), bytes, error_bytes: Some(1), named };
            let trust =
                Trust { jvm_allocated_bytes: Some(450 * MIB), remainder: vec![rest], ..Trust::default() };
            Profile { trust, ..Profile::default() }.doubts()
        };
        let unexplained = 387 * MIB;
        assert_eq!(
            with(unexplained as i64, false),
            [Contradiction::Sum { unexplained, allocated: 450 * MIB }]
        );
        assert_eq!(with(unexplained as i64, true), []);
        assert_eq!(with(10 * MIB as i64, false), []);
        assert_eq!(with(-400 * MIB as i64, false), []);
    }
}
