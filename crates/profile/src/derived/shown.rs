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
        self.oldest_of_all = Some(self.oldest_living());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lifetimes;
    use crate::facts::tally::Tally;
    use crate::lifetime::ages::Ages;
    use crate::lifetime::scope::{Outcome, ScopeClass, ScopeProfile};
    use crate::stream::profile::ClassProfile;

    /// Frames of the last 4 s alone: "no collection of the second half of the time has looked at all that is old" was not true.
    #[test]
    fn what_is_known_of_all_classes_is_not_said_of_those_that_are_left() {
        let class = |name: &str, age| {
            let mut lifetimes = Lifetimes::default();
            lifetimes.ms.record_living(age, 10);
            let live = Some(Tally::of(10, 16));
            ClassProfile { name: name.into(), live, lifetimes: Some(lifetimes), ..ClassProfile::default() }
        };
        let mut outlived = Ages::default();
        outlived.record_deaths(19_000, 20_000, 10);
        let of = |name: &str, tracked| ScopeClass {
            name: name.into(),
            outcome: Some(Outcome { tracked, ..Outcome::default() }),
            ..ScopeClass::default()
        };
        let classes = vec![of("a.Frame", Tally::of(4, 16)), of("a.Chat", Tally::of(9, 16))];
        let scope = ScopeProfile { outlived: Some(outlived), classes, ..ScopeProfile::default() };
        let not_followed = ScopeProfile { classes: vec![of("a.Chat", Tally::default())], ..scope.clone() };
        let mut whole = Profile {
            classes: vec![class("a.Frame", 4_000), class("a.Chat", 40_000)],
            scopes: vec![scope, not_followed],
            duration_ms: 40_000,
            gcs: 9,
            ..Profile::default()
        };
        whole.run.lifetimes = true;
        let shown = whole
            .clone()
            .filtered(&ClassFilter { include: vec!["a.Frame".into()], ..ClassFilter::default() });
        assert_eq!(
            (whole.oldest_living(), shown.oldest_living()),
            (shown.oldest_living(), whole.oldest_living())
        );
        assert!(shown.growing().is_ok(), "{:?}", shown.growing());
        assert!(shown.scopes[0].outliving().is_none() && shown.scopes[0].outlived.is_some());
        assert!(shown.scopes[1].outliving().is_some(), "nothing of it is hidden");
    }
}
