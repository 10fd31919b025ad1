//! What was executed, and what of it took memory: the JIT compiler optimises some allocations away (scalar replacement).
//!
//! Rows are ranked by what was allocated. Not here: how samples become an estimate (`estimate`).

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::facts::run::Tracking;
use crate::fitted::removed::is_removed;
use crate::stream::profile::{ClassProfile, Profile, SiteProfile};

impl Profile {
    /// Whether the JIT compiler optimised objects of this class away, beyond what chance explains, and as the JVM's counter of
    /// allocated bytes allows.
    pub fn is_optimised_away(&self, class: &ClassProfile) -> bool {
        let estimate = self.estimates.get(&class.name).copied().unwrap_or_default();
        let most = self.trust.most_removed_bytes();
        self.trust.sample_interval.is_some_and(|worst| is_removed(class, estimate, worst, most))
    }

    /// Bytes of a class that took memory: all that was executed, or what samples say where it was optimised away.
    pub fn allocated_bytes(&self, class: &ClassProfile) -> u64 {
        if self.is_optimised_away(class) { self.sampled_bytes(class) } else { class.allocated.bytes }
    }

    /// The same of all classes.
    pub fn allocated_bytes_of_all(&self) -> u64 {
        self.classes.iter().map(|class| self.allocated_bytes(class)).fold(0, u64::saturating_add)
    }

    /// Bytes of a class that were executed and took none.
    pub fn removed_bytes(&self, class: &ClassProfile) -> u64 {
        class.allocated.bytes - self.allocated_bytes(class)
    }

    /// Bytes of what was executed of a class that took memory, as samples have it, whatever it is.
    pub fn sampled_bytes(&self, class: &ClassProfile) -> u64 {
        let estimate = self.estimates.get(&class.name).copied().unwrap_or_default();
        // What no hook saw was not executed either.
        estimate.allocated.bytes().saturating_sub(estimate.unseen.bytes()).min(class.allocated.bytes)
    }

    /// What the bytes of a site can't exceed, by class: a site did not allocate more than all of its class did. Classes that
    /// were not optimised away are left out. Empty where sites are made of the JVM's own samples, which are of objects that
    /// took memory.
    pub fn site_bounds(&self) -> HashMap<&str, u64> {
        if matches!(self.run.tracking, Tracking::ByteSample(_)) {
            return HashMap::new();
        }
        let removed = self.classes.iter().filter(|class| self.is_optimised_away(class));
        removed.map(|class| (class.name.as_str(), self.allocated_bytes(class))).collect()
    }

    /// Rows that allocated most first; ties stay in order.
    pub(crate) fn ranked(mut self) -> Self {
        let mut classes = std::mem::take(&mut self.classes);
        classes.sort_by_cached_key(|class| Reverse(self.allocated_bytes(class)));
        self.classes = classes;
        let mut sites = std::mem::take(&mut self.sites);
        let bounds = self.site_bounds();
        sites.sort_by_key(|site| Reverse(site.allocated_at_most(&bounds)));
        self.sites = sites;
        self
    }
}

impl SiteProfile {
    /// Bytes that this site allocated: what was executed, or the bound of its class.
    pub fn allocated_at_most(&self, bounds: &HashMap<&str, u64>) -> u64 {
        let bound = bounds.get(self.class.as_str()).copied().unwrap_or(u64::MAX);
        self.allocated.bytes.min(bound)
    }
}
