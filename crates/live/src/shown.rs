//! What is on the screen: a picture of the stream at one moment, which stands still while the view is paused.
//!
//! A new one costs what changed, and a little for each class and site. Not here: order and choice of rows (`table`).

use std::collections::HashMap;

use mayfly_profile::{ClassProfile, History, Profile, per_second};
use mayfly_report::{growing_line, size};

use crate::follow::Followed;
use crate::rows::{ClassRow, Numbers, SiteRow};

/// Rates are measured over at least so long.
const LEAST_SPAN_MS: u64 = 500;

/// What grows is looked for after a collection, and no more often than this: all sites are named for it.
const GROWTH_EVERY_MS: u64 = 5_000;

/// The picture.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// Without sites.
    pub(crate) profile: Profile,
    /// By number of a class name, which stays the same.
    pub(crate) classes: Vec<ClassRow>,
    /// By row of the stream.
    pub(crate) sites: Vec<SiteRow>,
    pub(crate) history: History,
    /// When the mark was set, in profiled milliseconds.
    pub(crate) marked_ms: Option<u64>,
    /// Whether what is live may be less: no collection has looked at what became old.
    pub(crate) live_is_at_most: bool,
    /// What surely grows, as of when that was last looked for: after so many collections, at such a time.
    pub(crate) growing: Option<String>,
    growth_of: (u32, u64),
    numbers: HashMap<String, usize>,
    /// When rates were last begun to be measured.
    before_ms: u64,
}

impl Shown {
    /// Takes a new picture.
    pub(crate) fn renew(&mut self, followed: &mut Followed) {
        let profile = followed.builder.profile_without_sites();
        // A profile that did not get older was reset: its counts are since then.
        if profile.resets != self.profile.resets || profile.duration_ms < self.before_ms {
            self.begin_again();
        }
        // Of a run that is over the rates of its last second say little.
        if profile.complete && self.marked_ms.is_none() {
            self.measure_from(0);
        }
        self.renew_sites(followed, &profile);
        self.live_is_at_most = profile.live_is_at_most();
        self.renew_classes(profile);
        self.renew_growth(followed);
        self.history = followed.builder.history().clone();
        self.renew_rates();
        followed.changed = false;
    }

    /// So many bytes of what is live, behind such a sign if it may be less.
    pub(crate) fn live_text(&self, bytes: u64, at_most: &str) -> String {
        let sign = if self.live_is_at_most && bytes > 0 { at_most } else { "" };
        format!("{sign}{}", size(bytes))
    }

    /// The class of a number.
    pub(crate) fn class(&self, number: usize) -> Option<&ClassProfile> {
        self.profile.classes.get(self.classes.get(number)?.at?)
    }

    /// The number of a class name.
    pub(crate) fn number(&self, class: &str) -> Option<usize> {
        self.numbers.get(class).copied()
    }

    /// Numbers of all classes there are now, in the order of the profile.
    pub(crate) fn in_order(&self) -> Vec<usize> {
        self.profile.classes.iter().filter_map(|class| self.number(&class.name)).collect()
    }

    /// From now on numbers are compared with those of this moment; or no longer.
    pub(crate) fn mark(&mut self, on: bool) {
        self.marked_ms = on.then_some(self.profile.duration_ms);
        for row in &mut self.classes {
            row.pace.marked = if on { row.now } else { Numbers::default() };
        }
        for row in &mut self.sites {
            row.pace.marked = if on { row.now() } else { Numbers::default() };
        }
        if !on && self.profile.complete {
            self.measure_from(0);
        }
        self.renew_rates();
    }

    fn begin_again(&mut self) {
        self.measure_from(0);
        self.marked_ms = None;
        (self.growing, self.growth_of) = (None, (0, 0));
        self.classes.iter_mut().for_each(|row| *row = ClassRow::default());
        self.sites.iter_mut().for_each(|row| *row = SiteRow::default());
    }

    /// Rates are since the start.
    fn measure_from(&mut self, ms: u64) {
        self.before_ms = ms;
        self.classes.iter_mut().for_each(|row| row.pace.before = 0);
        self.sites.iter_mut().for_each(|row| row.pace.before = 0);
    }

    fn renew_growth(&mut self, followed: &Followed) {
        let (now, (gcs, ms)) = (&self.profile, self.growth_of);
        if now.gcs != gcs && now.duration_ms >= ms + GROWTH_EVERY_MS {
            self.growth_of = (now.gcs, now.duration_ms);
            self.growing = growing_line(&followed.builder.profile_with_history());
        }
    }

    fn renew_sites(&mut self, followed: &mut Followed, profile: &Profile) {
        let buckets = profile.run.buckets.len();
        self.sites.resize_with(followed.sites(), SiteRow::default);
        let mut changed = std::mem::take(&mut followed.changed_sites);
        changed.sort_unstable();
        changed.dedup();
        for row in changed {
            let counts = &mut self.sites[row].counts;
            *counts = Default::default();
            let ids = followed.ids[row].iter();
            let builder = &followed.builder;
            ids.filter_map(|&id| Some((builder.counts_of_site(id)?, builder.live_of_site(id))))
                .for_each(|(it, live)| counts.add(it, live, buckets));
        }
    }

    fn renew_classes(&mut self, profile: Profile) {
        let earlier = std::mem::replace(&mut self.profile, profile);
        for (at, class) in self.profile.classes.iter().enumerate() {
            let number = match self.numbers.get(&class.name) {
                Some(&number) => number,
                None => {
                    self.numbers.insert(class.name.clone(), self.classes.len());
                    self.classes.push(ClassRow::default());
                    self.classes.len() - 1
                }
            };
            let row = &mut self.classes[number];
            let before = row.at.and_then(|at| earlier.classes.get(at));
            if before.is_none_or(|before| before.lifetimes != class.lifetimes) {
                row.forget_median();
            }
            row.at = Some(at);
            row.now = Numbers {
                allocated: self.profile.allocated_bytes(class),
                live: class.live.map_or(0, |live| live.bytes),
                byte_seconds: class.byte_seconds(&self.profile.run.buckets).unwrap_or_default().all(),
            };
        }
    }

    /// Rates since the mark, or since the last picture that is old enough.
    fn renew_rates(&mut self) {
        let since_mark = self.marked_ms.map(|ms| self.profile.duration_ms.saturating_sub(ms));
        let span = self.profile.duration_ms.saturating_sub(self.before_ms);
        let advances = span >= LEAST_SPAN_MS;
        let classes = self.classes.iter_mut().map(|row| (row.now, &mut row.pace));
        let sites = self.sites.iter_mut().map(|row| (row.now(), &mut row.pace));
        for (now, pace) in classes.chain(sites) {
            let (before, span) = match since_mark {
                Some(span) => (pace.marked.allocated, span),
                None => (pace.before, span),
            };
            if since_mark.is_some() || advances {
                pace.rate = per_second(now.allocated.saturating_sub(before), span);
            }
            if advances {
                pace.before = now.allocated;
            }
        }
        if advances {
            self.before_ms = self.profile.duration_ms;
        }
    }
}
