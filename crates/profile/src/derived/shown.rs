//! The part of a profile that a view shows: other classes and sites are left out.
//!
//! Not here: what a view may say (`view`, `filter`).

use std::borrow::Cow;
use std::mem;

use crate::facts::filter::ClassFilter;
use crate::facts::view::View;
use crate::stream::profile::Profile;

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

impl Profile {
    /// This profile with only the classes, and sites of classes, that pass. Trust is unchanged: counting is never filtered.
    pub fn filtered(mut self, filter: &ClassFilter) -> Self {
        self.classes.retain(|class| filter.admits(&class.name));
        self.sites.retain(|site| filter.admits(&site.class));
        if let Some(census) = &mut self.census {
            census.classes.retain(|name, _| filter.admits(name));
        }
        if let Some(traces) = &mut self.traces {
            *traces = mem::take(traces).filtered(filter);
        }
        self.scopes = self.scopes.into_iter().map(|scope| scope.filtered(filter)).collect();
        self
    }

    /// This profile with only the classes and sites of which at least one object has `bytes` bytes or more.
    ///
    /// Exact for classes whose objects all have one size. A kept array class still counts its smaller arrays: tallies
    /// hold no single sizes ([`crate::facts::tally::Tally::is_uniform`] tells).
    pub fn with_objects_of_at_least(mut self, bytes: u64) -> Self {
        self.classes.retain(|class| class.allocated.largest >= bytes);
        self.sites.retain(|site| site.allocated.largest >= bytes);
        self
    }
}
