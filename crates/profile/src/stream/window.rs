//! What happened in a range of the profiled time, from a stream of cumulative counts.
//!
//! A stream has a step a second or so. The range is widened to the steps around it; the part says to which.

use std::time::Duration;

use crate::stream::builder::ProfileBuilder;
use crate::stream::dictionary::ApplyError;
use crate::stream::profile::Profile;
use crate::stream::update::Update;

/// A range of the profiled time since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeRange {
    from_ms: u64,
    to_ms: Option<u64>,
    /// Whether the step in which `from_ms` lies is before it.
    is_after: bool,
}

impl TimeRange {
    /// From `from` to `to`; to the end if that is `None`. `None` if it is empty.
    pub fn new(from: Duration, to: Option<Duration>) -> Option<Self> {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let (from_ms, to_ms) = (ms(from), to.map(ms));
        to_ms.is_none_or(|to_ms| from_ms < to_ms).then_some(Self { from_ms, to_ms, is_after: false })
    }

    /// From the end of the step in which `from` was, to the end: the rest of what is in the range to `from`.
    pub fn after(from: Duration) -> Self {
        let from_ms = u64::try_from(from.as_millis()).unwrap_or(u64::MAX);
        Self { from_ms, to_ms: None, is_after: true }
    }
}

/// Why there is nothing in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    /// It begins when the profile has ended.
    #[error("the profile ends after {} s, before the range begins", *.ends_ms as f64 / 1000.0)]
    TooLate {
        /// The whole profiled time.
        ends_ms: u64,
    },
    /// It ends before the profile begins, which is of a file of several.
    #[error("the file begins {} s after the run, when the range has ended: an earlier file has it", *.begins_ms as f64 / 1000.0)]
    TooEarly {
        /// When that was.
        begins_ms: u64,
    },
}

/// Folds a stream into the part of its profile that happened in a range.
#[derive(Clone, Debug)]
pub struct Window {
    range: TimeRange,
    builder: ProfileBuilder,
    /// The profile when the range began.
    start: Option<Profile>,
    /// What follows is later than the range.
    closed: bool,
}

impl Window {
    /// Nothing was seen yet.
    pub fn new(range: TimeRange) -> Self {
        Self { range, builder: ProfileBuilder::new(), start: None, closed: false }
    }

    /// Takes the next update of the stream.
    ///
    /// # Errors
    /// As [`ProfileBuilder::apply`].
    pub fn apply(&mut self, update: Update) -> Result<(), ApplyError> {
        if let Some(progress) = update.progress() {
            self.closed = self.start.is_some() && self.is_reached();
            let is_begun = if self.range.is_after {
                self.builder.duration_ms() >= self.range.from_ms
            } else {
                progress.duration_ms > self.range.from_ms
            };
            if !self.closed && self.start.is_none() && is_begun {
                self.start = Some(self.builder.profile());
                self.builder.history.forget();
            }
        }
        match update {
            // What no later step stands for may have happened in the range.
            Update::Step(sections) if self.closed => {
                let (single, _) = self.builder.facts.apart(sections);
                let names = &self.builder.names;
                single.into_iter().try_for_each(|section| self.builder.facts.fold(section, Some(names)))
            }
            Update::Reset => {
                (self.start, self.closed) = (None, false);
                self.builder.apply(Update::Reset)
            }
            update => self.builder.apply(update),
        }
    }

    /// Whether a step at the end of the range, or after it, was seen.
    fn is_reached(&self) -> bool {
        self.range.to_ms.is_some_and(|to_ms| self.builder.duration_ms() >= to_ms)
    }

    /// The part of the profile.
    ///
    /// # Errors
    /// See there.
    pub fn profile(&self) -> Result<Profile, WindowError> {
        let begins_ms = self.builder.base.as_ref().map_or(0, |base| base.duration_ms);
        if self.range.to_ms.is_some_and(|to_ms| to_ms <= begins_ms) {
            return Err(WindowError::TooEarly { begins_ms });
        }
        match &self.start {
            Some(start) => Ok(self.builder.profile_with_history().since(start)),
            None => Err(WindowError::TooLate { ends_ms: self.builder.duration_ms() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::ids::{ClassId, SiteId};
    use crate::facts::run::RunInfo;
    use crate::facts::tally::Tally;
    use crate::stream::update::{ClassCounts, LifetimeCounts, Progress, Section, SiteCounts};

    fn range(from_s: u64, to_s: Option<u64>) -> TimeRange {
        TimeRange::new(Duration::from_secs(from_s), to_s.map(Duration::from_secs)).expect("not empty")
    }

    /// Each second ten objects of 16 bytes, of which nine die after about one second.
    fn step(second: u64) -> Update {
        let dead = 9 * second.saturating_sub(1);
        let live = Tally::of(10 * second - dead, 16);
        let mut tracked =
            LifetimeCounts { live, collected: vec![Tally::of(dead, 16)], ..LifetimeCounts::default() };
        tracked.lifetimes.ms.record_deaths(500, 1_500, dead);
        tracked.lifetimes.ms.record_living(100, live.objects);
        let allocated = Tally::of(10 * second, 16);
        let collected = tracked.collected.clone();
        Update::from(Progress {
            duration_ms: second * 1_000,
            gcs: second as u32,
            classes: vec![ClassCounts { id: ClassId(0), allocated, lifetimes: Some(tracked) }],
            sites: vec![SiteCounts {
                id: SiteId(0),
                allocated,
                live: Some(live),
                collected,
                byte_seconds: dead as f64 * 16.0,
                error: 0.0,
            }],
            ..Progress::default()
        })
    }

    fn stream(seconds: u64) -> Vec<Update> {
        let run = RunInfo { lifetimes: true, stacks: true, ..RunInfo::default() };
        let names = [
            Update::Start(Box::new(run)),
            Update::Class { id: ClassId(0), name: "a.A".into() },
            Update::Site { id: SiteId(0), class: ClassId(0), stack: vec![] },
        ];
        let steps =
            (1..=seconds).flat_map(|second| [step(second), Update::from(Section::Operations(3 * second))]);
        names.into_iter().chain(steps).collect()
    }

    #[test]
    fn two_parts_at_a_moment_within_a_step_are_the_whole() {
        let objects = |range| part(stream(10), range).expect("there is").classes[0].allocated.objects;
        let until = TimeRange::new(Duration::ZERO, Some(Duration::from_millis(3_300))).expect("not empty");
        assert_eq!((objects(until), objects(TimeRange::after(Duration::from_millis(3_300)))), (40, 60));
        assert_eq!(objects(TimeRange::after(Duration::from_secs(3))), 70, "at a step");
    }

    fn part(updates: Vec<Update>, range: TimeRange) -> Result<Profile, WindowError> {
        let mut window = Window::new(range);
        updates.into_iter().for_each(|update| window.apply(update).expect("fits"));
        window.profile()
    }

    #[test]
    fn births_and_deaths_of_a_range_are_those_between_its_steps() {
        let part = part(stream(10), range(3, Some(7))).expect("in time");
        assert_eq!((part.duration_ms, part.gcs, part.part.during_ms), (4_000, 4, Some((3_000, 7_000))));
        assert_eq!(part.operations, 12);
        let (class, site) = (&part.classes[0], &part.sites[0]);
        assert_eq!((class.allocated.objects, class.collected[0].objects), (40, 36));
        assert_eq!((site.allocated.objects, site.collected[0].objects), (40, 36));
        assert_eq!(class.live.expect("followed").objects, 70 - 54, "those at its end");
        assert_eq!(class.lifetimes.as_ref().expect("some").ms.dead(), 36);
        assert!((site.byte_seconds - 36.0 * 16.0).abs() < 1e-9);
    }

    #[test]
    fn a_range_is_widened_to_steps_and_ranges_side_by_side_add_up() {
        let half = |s: u64| Duration::from_millis(s * 1_000 + 500);
        let between = TimeRange::new(half(3), Some(half(6))).expect("not empty");
        assert_eq!(part(stream(10), between).expect("in time").part.during_ms, Some((3_000, 7_000)));
        let parts = [range(0, Some(4)), range(4, Some(9)), range(9, None)];
        let objects =
            parts.map(|range| part(stream(10), range).expect("in time").classes[0].allocated.objects);
        assert_eq!((objects, objects.iter().sum::<u64>()), ([40, 50, 10], 100));
    }

    #[test]
    fn time_counts_from_the_last_reset() {
        let mut updates = stream(10);
        updates.push(Update::Reset);
        updates.extend((1..=5).map(step));
        let part = part(updates, range(2, Some(4))).expect("in time");
        assert_eq!((part.classes[0].allocated.objects, part.part.during_ms), (20, Some((2_000, 4_000))));
    }

    #[test]
    fn a_range_after_the_end_is_refused() {
        assert_eq!(part(stream(3), range(3, None)), Err(WindowError::TooLate { ends_ms: 3_000 }));
    }
}
