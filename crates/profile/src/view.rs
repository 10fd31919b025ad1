//! What of a profile is shown: one choice for the agent's reports, for `mayfly report`, and for every format.
//!
//! Not here: how it is asked for (options, the command line), and what is shown of it (`mayfly-report`).

use std::borrow::Cow;

use crate::blame::BlameRules;
use crate::filter::ClassFilter;
use crate::profile::Profile;

/// A choice of classes and objects, how many rows there are of them, and which frames are blamed. By default all is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Classes shown (`#include`, `#exclude`, `#exactmatch`).
    pub classes: ClassFilter,
    /// Only classes and sites with an object of at least so many bytes are shown (`#largerthan`); 0 shows all.
    pub min_bytes: u64,
    /// Rows of each list at most (`#outputlimit`): classes, sites of each, blamed classes, methods. Sums are not affected.
    pub rows: Option<usize>,
    /// Whether classes to blame are named where there are stacks (`#noblame` clears it).
    pub blame: bool,
    /// Which frames are blamed (`#traceignore`, `#tracetarget`).
    pub rules: BlameRules,
    /// Whether sites are told apart by line, not only by method (`#detailedtrace`).
    pub detailed_trace: bool,
}

impl View {
    /// The part of `profile` that is shown, without regard to rows. Trust is unchanged: counting is never filtered.
    pub fn part_of(&self, profile: Profile) -> Profile {
        if self.shows_all() { profile } else { self.filtered(profile) }
    }

    /// As [`Self::part_of`]; copies the profile only if not all of it is shown.
    pub fn of<'p>(&self, profile: &'p Profile) -> Cow<'p, Profile> {
        if self.shows_all() { Cow::Borrowed(profile) } else { Cow::Owned(self.filtered(profile.clone())) }
    }

    fn shows_all(&self) -> bool {
        self.classes.admits_all() && self.min_bytes == 0
    }

    fn filtered(&self, profile: Profile) -> Profile {
        profile.filtered(&self.classes).with_objects_of_at_least(self.min_bytes)
    }
}

impl Default for View {
    fn default() -> Self {
        Self {
            classes: ClassFilter::default(),
            min_bytes: 0,
            rows: None,
            blame: true,
            rules: BlameRules::default(),
            detailed_trace: false,
        }
    }
}
