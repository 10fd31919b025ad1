//! Which classes a report shows: InMemProfiler's `#include`, `#exclude`, `#exactmatch` and `#largerthan` as views of a profile.
//!
//! Not here: parsing options; what the agent tracks.

use crate::profile::Profile;
use crate::tally::Tally;

/// Class names to keep and to leave out, on `Class.getName()` spelling (`[C`, `[Ljava.lang.Object;`, `a.B$C`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassFilter {
    /// Prefixes of names to keep; empty keeps all.
    pub include: Vec<String>,
    /// Prefixes of names to leave out, of those kept.
    pub exclude: Vec<String>,
    /// Whether both lists hold whole names instead of prefixes.
    pub exact_match: bool,
}

impl ClassFilter {
    /// Whether classes of this name pass.
    pub fn admits(&self, name: &str) -> bool {
        let listed = |list: &[String]| {
            list.iter().any(|entry| if self.exact_match { name == entry } else { name.starts_with(entry) })
        };
        (self.include.is_empty() || listed(&self.include)) && !listed(&self.exclude)
    }

    /// Whether every name passes.
    pub fn admits_all(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }
}

impl Profile {
    /// This profile with only the classes, and sites of classes, that pass. Trust is unchanged: counting is never filtered.
    pub fn filtered(mut self, filter: &ClassFilter) -> Self {
        self.classes.retain(|class| filter.admits(&class.name));
        self.sites.retain(|site| filter.admits(&site.class));
        self
    }

    /// This profile with only the classes and sites of which at least one object has `bytes` bytes or more.
    ///
    /// Exact for classes whose objects all have one size. A kept array class still counts its smaller arrays: tallies
    /// hold no single sizes ([`Tally::is_uniform`] tells).
    pub fn with_objects_of_at_least(mut self, bytes: u64) -> Self {
        self.classes.retain(|class| class.allocated.largest >= bytes);
        self.sites.retain(|site| site.allocated.largest >= bytes);
        self
    }
}

impl Tally {
    /// Whether all objects have the size of the largest one.
    pub fn is_uniform(self) -> bool {
        u128::from(self.objects) * u128::from(self.largest) == u128::from(self.bytes)
    }
}
