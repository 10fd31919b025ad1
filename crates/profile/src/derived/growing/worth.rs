//! For how much one sample stands.

use std::collections::HashMap;

use crate::facts::estimate::Estimate;
use crate::facts::run::Tracking;
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

/// An object without anything known of its size.
const SOME_BYTES: f64 = 64.0;

/// How the objects of a profile were picked.
pub(super) struct Worth<'a> {
    profile: &'a Profile,
    thinned: f64,
    /// Where of classes a share was followed: for how many one object stands.
    shares: HashMap<&'a str, f64>,
}

impl<'a> Worth<'a> {
    pub(super) fn of(profile: &'a Profile) -> Self {
        let one_in = |class: &'a ClassProfile| {
            let (share, objects) = (profile.shares.get(&class.name)?, class.allocated.objects);
            let variance = share.variance_of_one(objects).max(share.stack_variance_of_one(objects));
            Some((&*class.name, 1.0 + variance))
        };
        let thinned = profile.trust.following.thinned_to_one_in.max(1) as f64;
        Self { profile, thinned, shares: profile.classes.iter().filter_map(one_in).collect() }
    }

    /// Bytes for which one followed object of this size stands.
    pub(super) fn of_object(&self, class: &str, size: f64) -> f64 {
        match self.profile.run.tracking {
            Tracking::Off | Tracking::EveryObject => size * self.thinned,
            Tracking::EveryNth(n) => size * n as f64 * self.thinned,
            Tracking::ByteSample(_) => {
                let interval = self.profile.bytes_between_samples().unwrap_or(1.0) * self.thinned;
                size / Estimate::probability(size.max(1.0) as u64, interval as u64).max(f64::MIN_POSITIVE)
            }
            Tracking::Balanced => size * self.of_share(class),
        }
    }

    /// Bytes for which a site's sample stands; where of each object is known but not of each the stack, by the site's error.
    pub(super) fn of_site(&self, site: &SiteProfile, size: f64) -> f64 {
        let one = self.of_object(&site.class, size);
        match self.profile.run.tracking {
            Tracking::EveryObject => one.max(site.allocated.bytes as f64 * site.error * site.error),
            _ => one,
        }
    }

    /// Bytes for which one sample of a small object stands, at worst.
    pub(super) fn of_one(&self) -> f64 {
        match self.profile.run.tracking {
            Tracking::Balanced => {
                let classes = self.profile.classes.iter().filter_map(|class| {
                    let live = class.live.filter(|live| live.objects > 0)?;
                    Some(self.of_object(&class.name, live.bytes as f64 / live.objects as f64))
                });
                classes.fold(SOME_BYTES, f64::max)
            }
            Tracking::EveryObject => {
                // Of few the stack may have been taken.
                let sites = self.profile.sites.iter().filter_map(|site| {
                    let live = site.live.filter(|live| live.objects > 0)?;
                    Some(self.of_site(site, live.bytes as f64 / live.objects as f64))
                });
                sites.fold(self.of_object("", SOME_BYTES), f64::max)
            }
            _ => self.of_object("", SOME_BYTES),
        }
    }

    fn of_share(&self, class: &str) -> f64 {
        self.shares.get(class).copied().unwrap_or(1.0)
    }
}
