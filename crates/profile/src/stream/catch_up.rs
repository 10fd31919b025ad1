//! What a stream has said so far, said again: for a reader that missed some of it, or that comes late.
//!
//! Not here: the shortest stream of a finished profile (`replay`), and who missed what, which is the sender's to know.

use std::collections::HashMap;

use crate::facts::frame::Frame;
use crate::facts::rotation::Rotation;
use crate::stream::builder::ProfileBuilder;
use crate::stream::kinds::Facts;
use crate::stream::update::{Section, Update};

impl ProfileBuilder {
    /// All names and all counts as of now, under their ids, for a reader of the same stream that has read `resets` resets
    /// of it and anything of the rest, but at least its start. Whoever folds this has what this builder has.
    pub fn catch_up(&self, resets: u32) -> Vec<Update> {
        let mut updates: Vec<_> = (resets..self.resets).map(|_| Update::Reset).collect();
        updates.extend(self.names_again());
        updates.push(Update::Step(Facts { course: self.course(), ..self.facts.clone() }.take()));
        if self.complete {
            updates.push(Update::End);
        }
        updates
    }

    /// The stream again from its start, for a reader that comes late; nothing if it has not started.
    pub fn from_its_start(&self) -> impl Iterator<Item = Update> {
        let start = self.run.iter().map(|run| Update::Start(Box::new(run.clone())));
        let rest = if self.run.is_some() { self.catch_up(0) } else { Vec::new() };
        start.chain(rest)
    }

    /// The stream from its start, for a file of several that begins here: its steps count on, and who folds it takes off what this tells;
    /// nothing if it has not started.
    pub fn from_here(&self, files: Rotation) -> Vec<Update> {
        let mut updates: Vec<_> = self.from_its_start().collect();
        if let Some(Update::Step(base)) = updates.last_mut() {
            for section in base.iter_mut() {
                if let Section::Collections(ended) = section {
                    // What the last one left in use goes on. The others are in the files before.
                    ended.drain(..ended.len().saturating_sub(1));
                }
            }
            base.retain(|section| !matches!(section, Section::Course(_)));
            base.push(Section::Rotation { files, is_base: true });
        }
        updates
    }

    /// Names in the order in which they need each other.
    fn names_again(&self) -> Vec<Update> {
        let (classes, frames) = (self.names.classes.ids(), self.names.frames.ids());
        let (class_id, frame_id) = (by_index(&classes), by_index(&frames));
        let class = |&(id, index): &(_, usize)| {
            let name = self.names.classes.value(index)?.clone();
            Some(Update::Class { id, name })
        };
        let frame = |&(id, index): &(_, usize)| {
            let frame = Frame::clone(self.names.frames.value(index)?);
            Some(Update::Frame { id, frame })
        };
        let site = |(id, index)| {
            let key = self.names.sites.value(index)?;
            let frames = self.names.stacks.frames(key.stack);
            let stack = frames.filter_map(|index| frame_id.get(&index.row()).copied()).collect();
            Some(Update::Site { id, class: *class_id.get(&key.class)?, stack })
        };
        let sites = self.names.sites.ids();
        let names = classes.iter().filter_map(class).chain(frames.iter().filter_map(frame));
        names.chain(sites.into_iter().filter_map(site)).collect()
    }
}

/// One id of each value: which, if several loaders have a class of that name, makes no difference to a profile.
fn by_index<I: Copy>(ids: &[(I, usize)]) -> HashMap<usize, I> {
    ids.iter().rev().map(|&(id, index)| (index, id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::estimate::Estimate;
    use crate::facts::frame::Frame;
    use crate::facts::ids::{ClassId, FrameId, SiteId};
    use crate::facts::run::RunInfo;
    use crate::facts::tally::Tally;
    use crate::lifetime::lifetimes::ByteAges;
    use crate::lifetime::scope::ScopeCounts;
    use crate::lifetime::site_lifetimes::Stamp;
    use crate::lifetime::site_lifetimes::{Load, SiteLifetimes};
    use crate::stream::update::{ClassCounts, LifetimeHistograms, Progress, Section, SiteCounts};

    fn class(id: u32, name: &str) -> Update {
        Update::Class { id: ClassId(id), name: name.into() }
    }

    fn frame(id: u32, method: &str) -> Update {
        Update::Frame {
            id: FrameId(id),
            frame: Frame { class: "a.Main".into(), method: method.into(), ..Frame::default() },
        }
    }

    fn progress(ms: u64, classes: &[(u32, u64)], sites: &[(u32, u64)]) -> Update {
        let classes = classes.iter().map(|&(id, objects)| ClassCounts {
            id: ClassId(id),
            allocated: Tally::of(objects, 16),
            lifetimes: None,
        });
        let sites = sites.iter().map(|&(id, objects)| SiteCounts {
            id: SiteId(id),
            allocated: Tally::of(objects, 16),
            ..SiteCounts::default()
        });
        let estimate =
            crate::facts::estimate::ClassEstimate { unseen: Estimate::default(), ..Default::default() };
        Update::from(Progress {
            duration_ms: ms,
            classes: classes.collect(),
            sites: sites.collect(),
            estimates: vec![(ClassId(0), estimate)],
            ..Progress::default()
        })
    }

    /// Of class 1 and site 0: so many objects died young, one lives.
    fn lifetimes(ms: u64, objects: u64) -> Update {
        let mut known = SiteLifetimes::default();
        let held = |objects, ms| Load::held(Tally::of(objects, 16), (0, ms));
        known.ms.record_dead(0, ms / 2, held(objects, ms / 2));
        known.ms.record_living(ms / 2, held(1, ms));
        known.died_young = Tally::of(objects, 16);
        let mut ages = ByteAges::default();
        ages.ms.record_deaths(0, ms / 2, objects * 16);
        let (classes, sites) = (vec![(ClassId(1), ages)], vec![(SiteId(0), known)]);
        Update::from(Section::Lifetimes(Box::new(LifetimeHistograms {
            stamp: Stamp { ms, alive: (ms / 2, ms * 2) },
            classes,
            sites,
        })))
    }

    fn scopes(entries: u64) -> Update {
        let allocated = vec![(ClassId(0), Tally::of(entries, 16))];
        let path = vec!["request".into()];
        Update::from(Section::Scopes(vec![ScopeCounts {
            path,
            entries,
            allocated,
            ..ScopeCounts::default()
        }]))
    }

    /// Two classes of one name, stacks, scopes, lifetimes, two resets.
    fn stream() -> Vec<Update> {
        vec![
            Update::Start(Box::new(RunInfo { started_unix_ms: 7, ..RunInfo::default() })),
            class(0, "a.A"),
            class(1, "a.B"),
            frame(0, "main"),
            frame(1, "run"),
            Update::Site { id: SiteId(0), class: ClassId(1), stack: vec![FrameId(1), FrameId(0)] },
            progress(1000, &[(0, 5), (1, 7)], &[(0, 7)]),
            lifetimes(1000, 7),
            progress(1500, &[(0, 6)], &[]),
            scopes(2),
            Update::from(Section::Operations(20)),
            Update::from(Section::Lifetimes(Box::new(LifetimeHistograms {
                stamp: Stamp { ms: 1500, alive: (1400, 9000) },
                ..LifetimeHistograms::default()
            }))),
            Update::Reset,
            class(2, "a.A"),
            progress(2000, &[(0, 1), (2, 2)], &[]),
            Update::Reset,
            Update::Site { id: SiteId(1), class: ClassId(2), stack: vec![] },
            progress(3000, &[(2, 4), (1, 1)], &[(1, 4)]),
            scopes(3),
            Update::from(Section::Operations(3)),
            lifetimes(3000, 4),
            Update::End,
        ]
    }

    fn folded(updates: &[Update]) -> ProfileBuilder {
        let mut builder = ProfileBuilder::new();
        updates.iter().for_each(|update| builder.apply(update.clone()).expect("fits"));
        builder
    }

    #[test]
    fn whatever_was_missed_is_made_up_for() {
        let all = stream();
        for reached in 1..=all.len() {
            let whole = folded(&all[..reached]);
            for read in 1..reached {
                let mut reader = folded(&all[..read]);
                let again = whole.catch_up(reader.resets());
                again.into_iter().for_each(|update| reader.apply(update).expect("fits"));
                assert_eq!(reader.profile(), whole.profile(), "{read} of {reached} read");
            }
        }
    }

    #[test]
    fn who_comes_late_has_all_the_same() {
        let all = stream();
        assert_eq!(folded(&[]).from_its_start().count(), 0);
        for reached in 1..=all.len() {
            let whole = folded(&all[..reached]);
            let late: Vec<_> = whole.from_its_start().collect();
            assert_eq!(folded(&late).profile(), whole.profile(), "{reached} said");
        }
    }

    #[test]
    fn without_the_names_counts_would_be_lost() {
        let all = stream();
        let mut reader = folded(&all[..1]);
        let only_counts = folded(&all[..7]).catch_up(0).pop().expect("counts");
        assert!(reader.apply(only_counts).is_err());
    }
}
