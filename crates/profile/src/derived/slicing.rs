//! A stream read into its profile and slices of its time.
//!
//! Slices end at steps of the stream. They are few: when there are too many, or what they keep takes too much memory,
//! neighbours become one. While the stream is read only what was replaced since the begin of each slice is kept; what happened in
//! them is added up at the end, from the last one back to the first, when it is known which stacks are large. Not here: what a
//! slice is (`slices`).

use std::mem::take;

use crate::derived::slices::Slices;
use crate::stream::builder::ProfileBuilder;
use crate::stream::dictionary::ApplyError;
use crate::stream::earlier::{Earlier, Moment};
use crate::stream::profile::Profile;
use crate::stream::update::Update;

/// How long a slice is at first, in milliseconds.
const FIRST_MS: u64 = 1_000;

/// What slices may take.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Slices at which neighbours become one.
    slices: usize,
    /// Stacks told apart in slices: those with most bytes.
    stacks: usize,
    /// Memory for what was replaced, in bytes.
    replaced: usize,
}

const LIMITS: Limits = Limits { slices: 24, stacks: 2_000, replaced: 64 << 20 };

/// A slice that is not added up yet.
#[derive(Debug)]
struct Cut {
    from_ms: u64,
    to_ms: u64,
    /// How things were when it began.
    begin: Earlier,
    /// Memory that takes.
    bytes: usize,
}

/// Folds a stream into its profile and slices of its time.
#[derive(Debug)]
pub struct Slicing {
    limits: Limits,
    width_ms: u64,
    builder: ProfileBuilder,
    /// Of the slice that is still read.
    begin: Moment,
    cuts: Vec<Cut>,
}

impl Default for Slicing {
    fn default() -> Self {
        Self::within(LIMITS)
    }
}

impl Slicing {
    fn within(limits: Limits) -> Self {
        let (builder, begin) = (ProfileBuilder::keeping_replaced(), Moment::default());
        Self { limits, width_ms: FIRST_MS, builder, begin, cuts: Vec::new() }
    }

    /// Takes the next update of the stream.
    ///
    /// # Errors
    /// As [`ProfileBuilder::apply`].
    pub fn apply(&mut self, update: Update) -> Result<(), ApplyError> {
        if update == Update::Reset {
            self.cuts.clear();
            (self.width_ms, self.begin) = (FIRST_MS, Moment::default());
        } else if update.progress().is_some() && self.read_ms() >= self.width_ms {
            self.cut();
        }
        let begins = update.is_base();
        let fits = self.builder.apply(update);
        if begins {
            // A file of several begins: what was before it is in no slice.
            self.cuts.clear();
            self.width_ms = FIRST_MS;
            self.begin = self.builder.moment();
            let _ = self.builder.as_of(Moment::default());
        }
        fits
    }

    /// The whole profile, with its history, and its slices.
    pub fn end(mut self) -> (Profile, Slices) {
        if self.read_ms() > 0 {
            self.cut();
        }
        // Before the whole profile, which is large, is there, too.
        let slices = self.slices();
        (self.builder.profile_with_history(), slices)
    }

    /// How much of a slice was read since the last one.
    fn read_ms(&self) -> u64 {
        self.builder.duration_ms().saturating_sub(self.begin.ms())
    }

    fn cut(&mut self) {
        let now = self.builder.moment();
        let (from_ms, to_ms) = (self.begin.ms(), now.ms());
        let begin = self.builder.as_of(std::mem::replace(&mut self.begin, now));
        let bytes = begin.bytes();
        self.cuts.push(Cut { from_ms, to_ms, begin, bytes });
        let is_too_much = |cuts: &[Cut]| {
            let bytes: usize = cuts.iter().map(|cut| cut.bytes).sum();
            cuts.len() >= self.limits.slices || (bytes > self.limits.replaced && cuts.len() > 1)
        };
        while is_too_much(&self.cuts) {
            self.cuts = joined(take(&mut self.cuts));
            self.width_ms = self.width_ms.saturating_mul(2);
        }
    }

    /// Adds up what happened in each slice, from the last to the first; the builder is as before in the end.
    fn slices(&mut self) -> Slices {
        let builder = &mut self.builder;
        let ids = builder.without_small_stacks(self.limits.stacks);
        let mut slices = Slices::with_stacks(ids.is_some().then_some(self.limits.stacks));
        // They tell nothing of cells.
        let facts = &mut builder.facts;
        let (scopes, collections) = (take(&mut facts.scopes), take(&mut facts.collections));
        let mut now = builder.profile();
        for Cut { from_ms, to_ms, begin, .. } in self.cuts.iter_mut().rev() {
            builder.exchange(begin);
            let begin = builder.profile();
            slices.push_front(*from_ms, *to_ms, &now.since(&begin));
            now = begin;
        }
        for mut cut in self.cuts.drain(..) {
            builder.exchange(&mut cut.begin);
        }
        (builder.facts.scopes, builder.facts.collections) = (scopes, collections);
        if let Some(ids) = ids {
            builder.names.sites.set_ids(ids);
        }
        slices
    }
}

/// Of each two neighbours one.
fn joined(cuts: Vec<Cut>) -> Vec<Cut> {
    let mut joined = Vec::with_capacity(cuts.len().div_ceil(2));
    let mut cuts = cuts.into_iter();
    while let Some(mut cut) = cuts.next() {
        if let Some(next) = cuts.next() {
            cut.to_ms = next.to_ms;
            cut.begin.absorb(next.begin);
            cut.bytes = cut.begin.bytes();
        }
        joined.push(cut);
    }
    joined
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use crate::facts::frame::Frame;
    use crate::facts::ids::{ClassId, FrameId, SiteId};
    use crate::facts::run::RunInfo;
    use crate::facts::tally::Tally;
    use crate::lifetime::lifetimes::Lifetimes;
    use crate::stream::update::{ClassCounts, LifetimeCounts, Progress, SiteCounts};
    use crate::stream::window::{TimeRange, Window};

    /// Each second as many more objects as it has; of all but those of the last second half is dead after a second.
    fn step(second: u64) -> Update {
        let born = second * (second + 1) / 2;
        let dead = (born - second) / 2;
        let mut lifetimes = Lifetimes::default();
        lifetimes.ms.record_deaths(500, 1_500, dead);
        lifetimes.ms.record_living(100 * second, born - dead);
        let tracked = LifetimeCounts {
            live: Tally::of(born - dead, 16),
            collected: vec![Tally::of(dead, 16)],
            lifetimes,
        };
        let classes =
            vec![ClassCounts { id: ClassId(0), allocated: Tally::of(born, 16), lifetimes: Some(tracked) }];
        Update::from(Progress { duration_ms: second * 1_000, classes, ..Progress::default() })
    }

    fn stream(seconds: u64) -> Vec<Update> {
        let run = RunInfo { lifetimes: true, ..RunInfo::default() };
        let start = [Update::Start(Box::new(run)), Update::Class { id: ClassId(0), name: "a.A".into() }];
        start.into_iter().chain((1..=seconds).map(step)).collect()
    }

    fn cut(updates: Vec<Update>) -> Slices {
        cut_within(LIMITS, updates).1
    }

    fn cut_within(limits: Limits, updates: Vec<Update>) -> (Profile, Slices) {
        let mut slicing = Slicing::within(limits);
        updates.into_iter().for_each(|update| slicing.apply(update).expect("fits"));
        slicing.end()
    }

    fn sum<'a>(tallies: impl Iterator<Item = &'a Tally>) -> u64 {
        tallies.map(|tally| tally.objects).sum()
    }

    #[test]
    fn a_range_of_slices_is_that_range_of_time() {
        for seconds in [1, 5, 23, 24, 25, 100, 1_000] {
            let slices = cut(stream(seconds));
            let slices = slices.slices();
            assert!(slices.len() < LIMITS.slices, "{seconds}");
            assert!(slices.windows(2).all(|two| two[0].to_ms == two[1].from_ms), "{slices:?}");
            assert_eq!((slices[0].from_ms, slices[slices.len() - 1].to_ms), (0, seconds * 1_000));
            for (first, last) in
                [(0, slices.len() - 1), (slices.len() / 2, slices.len() - 1), (0, slices.len() / 3)]
            {
                let range = &slices[first..=last];
                let [from, to] = [range[0].from_ms, range[range.len() - 1].to_ms].map(Duration::from_millis);
                let mut window = Window::new(TimeRange::new(from, Some(to)).expect("not empty"));
                stream(seconds).into_iter().for_each(|update| window.apply(update).expect("fits"));
                let class = &window.profile().expect("in time").classes[0];
                let of_range = || range.iter().filter_map(|slice| slice.cells.get(&0));
                assert_eq!(of_range().map(|cell| cell.born.objects).sum::<u64>(), class.allocated.objects);
                assert_eq!(
                    of_range().map(|cell| sum(cell.dead.values())).sum::<u64>(),
                    class.collected[0].objects
                );
                let living = sum(range[range.len() - 1].cells[&0].living.values());
                assert_eq!(Some(living), class.live.map(|live| live.objects), "{from:?} {to:?} of {seconds}");
            }
        }
    }

    #[test]
    fn a_reset_voids_what_was_before() {
        let updates = stream(9).into_iter().chain([Update::Reset]).chain((1..=3).map(step)).collect();
        let slices = cut(updates);
        let ends: Vec<_> = slices.slices().iter().map(|slice| slice.to_ms).collect();
        assert_eq!(ends, [1_000, 2_000, 3_000]);
        assert_eq!(slices.slices()[2].cells[&0].born.objects, 3);
    }

    #[test]
    fn without_a_step_there_is_no_slice() {
        let mut slices = cut(stream(0));
        assert!(!slices.coarsen() && slices.slices().is_empty());
    }

    /// Stacks of two classes; each second those of the second's last digit allocate, more bytes the higher their number is.
    fn of_stacks(seconds: u64) -> Vec<Update> {
        const STACKS: u32 = 40;
        let run = RunInfo { lifetimes: true, stacks: true, ..RunInfo::default() };
        let mut updates = vec![Update::Start(Box::new(run))];
        updates.extend((0..2).map(|id| Update::Class { id: ClassId(id), name: format!("a.A{id}") }));
        for id in 0..STACKS {
            let frame = Frame { method: format!("m{id}").into(), ..Frame::default() };
            updates.push(Update::Frame { id: FrameId(id), frame });
            let (class, stack) = (ClassId(id % 2), vec![FrameId(id)]);
            updates.push(Update::Site { id: SiteId(id), class, stack });
        }
        for second in 1..=seconds {
            let born =
                |id: u32| (1..=second).filter(|second| second % 10 == u64::from(id % 10)).count() as u64;
            let tally = |id: u32| Tally::of(born(id), 16 * u64::from(id + 1));
            let of_class = |class: u32| {
                let mut all = Tally::default();
                (0..STACKS).filter(|id| id % 2 == class).for_each(|id| all.add(tally(id)));
                all
            };
            let counts = |class: u32| {
                let mut lifetimes = Lifetimes::default();
                lifetimes.ms.record_living(500, of_class(class).objects);
                let tracked =
                    LifetimeCounts { live: of_class(class), collected: vec![Tally::default()], lifetimes };
                ClassCounts { id: ClassId(class), allocated: of_class(class), lifetimes: Some(tracked) }
            };
            let changed = (0..STACKS).filter(|id| second % 10 == u64::from(id % 10));
            let site = |id: u32| SiteCounts {
                id: SiteId(id),
                allocated: tally(id),
                live: Some(tally(id)),
                collected: vec![Tally::default()],
                ..SiteCounts::default()
            };
            updates.push(Update::from(Progress {
                duration_ms: second * 1_000,
                classes: (0..2).map(counts).collect(),
                sites: changed.map(site).collect(),
                ..Progress::default()
            }));
        }
        updates
    }

    /// Of each class: born in each slice, and alive at its end.
    fn by_class(slices: &Slices) -> Vec<BTreeMap<String, (u64, u64, u64)>> {
        let classes: Vec<_> = slices.cells().map(|(class, _)| class.to_owned()).collect();
        let of_slice = |slice: &crate::derived::slices::Slice| {
            let mut sums = BTreeMap::<String, (u64, u64, u64)>::new();
            for (&cell, happened) in &slice.cells {
                let sum = sums.entry(classes[cell].clone()).or_default();
                sum.0 += happened.born.objects;
                sum.1 += happened.born.bytes;
                sum.2 += happened.living.values().map(|tally| tally.objects).sum::<u64>();
            }
            sums
        };
        slices.slices().iter().map(of_slice).collect()
    }

    #[test]
    fn small_stacks_are_of_their_class_and_nothing_is_lost() {
        let (all, of_all) = cut_within(LIMITS, of_stacks(20));
        let (few, of_few) = cut_within(Limits { stacks: 10, ..LIMITS }, of_stacks(20));
        let mut whole = ProfileBuilder::new();
        of_stacks(20).into_iter().for_each(|update| whole.apply(update).expect("fits"));
        assert_eq!(all, whole.profile_with_history());
        assert_eq!(few, all, "the profile is the whole one");
        assert_eq!((of_all.stacks(), of_few.stacks()), (None, Some(10)));
        assert_eq!(by_class(&of_all), by_class(&of_few));
        assert_eq!(of_all.cells().filter(|(_, stack)| !stack.is_empty()).count(), 40);
        let mut left: Vec<_> = of_few.cells().filter_map(|(_, stack)| stack.first()).collect();
        left.sort();
        let large: Vec<_> = (30..40).map(|id| format!("m{id}")).collect();
        assert_eq!(left.iter().map(|frame| &*frame.method).collect::<Vec<_>>(), large);
    }

    #[test]
    fn a_slice_has_of_each_stack_what_it_allocated_then() {
        let slices = cut(of_stacks(20));
        assert_eq!(slices.slices().len(), 20);
        let cells: Vec<_> = slices.cells().collect();
        for (at, slice) in slices.slices().iter().enumerate() {
            for (&cell, happened) in &slice.cells {
                // Byte-seconds are known of classes alone here.
                let id =
                    cells[cell].1.first().map(|frame| frame.method[1..].parse::<u64>().expect("a number"));
                let born = id.map_or(0, |id| u64::from(id % 10 == (at as u64 + 1) % 10));
                assert_eq!(happened.born.objects, born, "{id:?} in slice {at}");
            }
        }
    }

    #[test]
    fn what_takes_much_memory_is_cut_into_fewer_slices() {
        let tight = Limits { replaced: 40_000, ..LIMITS };
        let mut slicing = Slicing::within(tight);
        for update in of_stacks(200) {
            slicing.apply(update).expect("fits");
            let bytes: usize = slicing.cuts.iter().map(|cut| cut.bytes).sum();
            assert!(bytes <= tight.replaced || slicing.cuts.len() == 1, "{bytes}");
        }
        let (_, slices) = slicing.end();
        let count = slices.slices().len();
        assert!((2..12).contains(&count) && cut(of_stacks(200)).slices().len() >= 12, "{count}");
        let born: u64 = by_class(&slices).iter().flat_map(BTreeMap::values).map(|sums| sums.0).sum();
        assert_eq!(born, 200 * 4, "four stacks each second");
    }
}
