//! Fewer steps where they are large, so that a recording does not grow faster than it can be kept.
//!
//! Counts are cumulative: steps that are not written are made up for by the next one, which has all that changed since the last
//! written. Names are never held back. Not here: when a step is made, which is the agent's, and what becomes of steps that were
//! written long ago (`coarsening`).

use std::mem;

use mayfly_profile::{HeldSteps, Section, Update};

/// How fast a recording may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// In the long run.
    pub bytes_per_second: u64,
    /// So much more at the start, or after quiet times.
    pub bytes_ahead: u64,
    /// However fast it grows, nothing is held back for longer.
    pub most_ms: u64,
}

impl Growth {
    /// Less than 200 MB in the first hour, whatever changes. What is held back is in nobody's file: for who writes it at the end,
    /// however the program ends.
    pub const STEADY: Self = Self { bytes_per_second: 48 << 10, bytes_ahead: 8 << 20, most_ms: u64::MAX };

    /// The newest is never more than some seconds old: the program may be killed at any time. For a file whose past is made
    /// [coarser](crate::Rewriting).
    pub const FRESH: Self = Self { bytes_per_second: 256 << 10, bytes_ahead: 8 << 20, most_ms: 4_000 };
}

/// Decides which steps are written.
#[derive(Debug)]
pub struct Thinner {
    growth: Growth,
    /// Bytes that may be written now; below zero after a step that was larger.
    credit: i64,
    last_ms: u64,
    /// When the oldest step came that is held back.
    held_since_ms: u64,
    held: HeldSteps,
}

impl Thinner {
    /// Nothing was written yet.
    pub fn new(growth: Growth) -> Self {
        let credit = i64::try_from(growth.bytes_ahead).unwrap_or(i64::MAX);
        Self { growth, credit, last_ms: 0, held_since_ms: 0, held: HeldSteps::default() }
    }

    /// Whether a step can be written as it is now, so many milliseconds after the first: there is room, and nothing was held back.
    pub fn lets_pass(&mut self, now_ms: u64) -> bool {
        self.earn(now_ms);
        self.credit > 0 && self.held.is_empty()
    }

    /// Takes a step, so many milliseconds after the first; what of it, and of those held back, is to be written now.
    pub fn take(&mut self, step: impl IntoIterator<Item = Update>, now_ms: u64) -> Vec<Update> {
        self.earn(now_ms);
        if self.held.is_empty() {
            self.held_since_ms = now_ms;
        }
        let mut due = Vec::new();
        for update in step {
            match update {
                base if base.is_base() => due.push(base),
                Update::Step(step) => due.extend(step_of(self.held.add(step, 0))),
                Update::Reset => {
                    self.held.clear();
                    due.push(Update::Reset);
                }
                Update::End => {
                    due.extend(self.rest());
                    due.push(Update::End);
                }
                named => due.push(named),
            }
        }
        if self.credit > 0 || now_ms.saturating_sub(self.held_since_ms) >= self.growth.most_ms {
            due.extend(self.rest());
        }
        due
    }

    /// What was held back, where nothing follows.
    pub fn rest(&mut self) -> Option<Update> {
        self.held.release().map(Update::Step)
    }

    /// Notes that what was due took so many bytes.
    pub fn wrote(&mut self, bytes: usize) {
        self.credit = self.credit.saturating_sub(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    fn earn(&mut self, now_ms: u64) {
        let since = now_ms.saturating_sub(mem::replace(&mut self.last_ms, now_ms));
        let earned = since.saturating_mul(self.growth.bytes_per_second) / 1_000;
        let most = i64::try_from(self.growth.bytes_ahead).unwrap_or(i64::MAX);
        self.credit = self.credit.saturating_add(i64::try_from(earned).unwrap_or(i64::MAX)).min(most);
    }
}

/// A step, if it tells anything.
pub(crate) fn step_of(sections: Vec<Section>) -> Option<Update> {
    (!sections.is_empty()).then_some(Update::Step(sections))
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{
        ByteAges, ClassCounts, ClassId, LifetimeCounts, LifetimeHistograms, Lifetimes, Load, ProfileBuilder,
        Progress, SiteCounts, SiteId, SiteLifetimes, Stamp, Tally,
    };

    use super::*;
    use crate::writer::RecordingWriter;

    /// 2,000 classes with forty intervals on each clock and 5,000 sites with twelve change each second, divided by this.
    const PART: u64 = 25;

    fn names() -> Vec<Update> {
        let class = |id| Update::Class { id: ClassId(id), name: format!("a.C{id}") };
        let site = |id: u32| Update::Site { id: SiteId(id), class: ClassId(id % 80), stack: vec![] };
        let classes = (0..2_000 / PART as u32).map(class);
        std::iter::once(Update::Start(Box::default()))
            .chain(classes)
            .chain((0..5_000 / PART as u32).map(site))
            .collect()
    }

    fn step(second: u64) -> Vec<Update> {
        let mut lifetimes = Lifetimes::default();
        let mut byte_ages = ByteAges::default();
        for n in 0..40 {
            let (after, by, weight) = (n * n * 50, n * n * 50 + 1_000, second * 1_000 + n * 977);
            for (clock, bytes) in [
                (&mut lifetimes.ms, &mut byte_ages.ms),
                (&mut lifetimes.gcs, &mut byte_ages.gcs),
                (&mut lifetimes.bytes, &mut byte_ages.bytes),
            ] {
                clock.record_deaths(after, by, weight);
                bytes.record_deaths(after, by, weight * 48);
            }
        }
        let mut of_site = SiteLifetimes::default();
        for n in 0..12u64 {
            let load = Load::held(Tally::of(second * 100 + n * 77, 48), (n * n * 300, n * n * 300 + 1_000));
            of_site.ms.record_dead(n * n * 300, n * n * 300 + 1_000, load);
            of_site.bytes.record_dead(n * n * 300_000, n * n * 300_000 + 1_000_000, load);
        }
        let all = Tally::of(second * 100_000, 48);
        let tracked =
            LifetimeCounts { live: Tally::of(second * 999, 48), collected: vec![all; 6], lifetimes };
        let classes = (0..2_000 / PART as u32).map(|id| ClassCounts {
            id: ClassId(id),
            allocated: all,
            lifetimes: Some(tracked.clone()),
        });
        let sites = (0..5_000 / PART as u32).map(|id| SiteCounts {
            id: SiteId(id),
            allocated: all,
            live: Some(tracked.live),
            collected: tracked.collected.clone(),
            byte_seconds: second as f64 * 1_234.5,
            error: 0.0,
        });
        let progress = Progress {
            duration_ms: second * 1_000,
            classes: classes.collect(),
            sites: sites.collect(),
            ..Progress::default()
        };
        let histograms = LifetimeHistograms {
            stamp: Stamp { ms: second * 1_000, alive: (second * 1_000 - 300, second << 20) },
            classes: (0..2_000 / PART as u32).map(|id| (ClassId(id), byte_ages.clone())).collect(),
            sites: (0..5_000 / PART as u32).map(|id| (SiteId(id), of_site.clone())).collect(),
        };
        vec![
            Update::from(progress),
            Update::from(Section::Lifetimes(Box::new(histograms))),
            Update::from(Section::Operations(second)),
        ]
    }

    #[test]
    fn an_hour_in_which_all_changes_stays_small_and_its_end_is_whole() {
        let whole = Growth::STEADY;
        let growth = Growth {
            bytes_per_second: whole.bytes_per_second / PART,
            bytes_ahead: whole.bytes_ahead / PART,
            ..whole
        };
        let (mut thinner, mut writer) = (Thinner::new(growth), RecordingWriter::new());
        let (mut bytes, mut steps, mut longest, mut last) = (0u64, 0, 0, 0);
        let (mut all, mut read) = (ProfileBuilder::new(), ProfileBuilder::new());
        for second in 0..=3_600u64 {
            let updates = match second {
                0 => names(),
                3_600 => [step(second), vec![Update::End]].concat(),
                _ => step(second),
            };
            if second == 0 || second == 3_600 {
                updates.iter().for_each(|update| all.apply(update.clone()).expect("fits"));
            }
            let due = thinner.take(updates, second * 1_000);
            let written: usize = due.iter().map(|update| writer.encode(update).expect("small").len()).sum();
            thinner.wrote(written);
            bytes += written as u64;
            if due.iter().any(|update| update.progress().is_some()) {
                (steps, longest, last) = (steps + 1, longest.max(second - last), second);
            }
            due.into_iter().for_each(|update| read.apply(update).expect("fits"));
        }
        assert!(bytes * PART < 200_000_000, "{} MB, {steps} steps", bytes * PART / 1_000_000);
        assert!(steps > 30 && longest < 120, "{steps} steps, {longest} s apart at most");
        assert_eq!(read.profile(), all.profile());
    }

    /// The past may be large, the newest is never old: of what was counted until the program was killed seconds are missing at most.
    #[test]
    fn nothing_is_held_back_for_longer_than_some_seconds() {
        let mut thinner = Thinner::new(Growth::FRESH);
        let mut written = Vec::new();
        for second in 0..600u64 {
            let progress = Progress { duration_ms: second * 1_000, ..Progress::default() };
            let due = thinner.take([Update::from(progress)], second * 1_000);
            written.extend(due.iter().map(|_| second));
            // As large as those of a service with every object.
            thinner.wrote(due.len() * (2 << 20));
        }
        let longest = written.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert_eq!((longest, written.last()), (Some(5), Some(&599)), "{written:?}");
    }

    #[test]
    fn small_steps_are_all_written() {
        let mut thinner = Thinner::new(Growth::STEADY);
        for second in 0..1_000 {
            let progress = Progress { duration_ms: second * 1_000, ..Progress::default() };
            let due = thinner.take([Update::from(progress)], second * 1_000);
            assert_eq!(due.len(), 1, "second {second}");
            thinner.wrote(20_000);
        }
    }

    #[test]
    fn a_reset_voids_what_was_held_back_and_the_end_does_not() {
        let mut thinner = Thinner::new(Growth { bytes_per_second: 1, bytes_ahead: 1, most_ms: u64::MAX });
        thinner.wrote(100);
        let progress = |ms| Update::from(Progress { duration_ms: ms, ..Progress::default() });
        assert_eq!(thinner.take([progress(1)], 1), []);
        assert_eq!(thinner.take([Update::Reset], 2), [Update::Reset]);
        assert_eq!(thinner.take([progress(2)], 3), []);
        let operations = |so_many| Update::from(Section::Operations(so_many));
        assert_eq!(thinner.take([operations(9)], 3), []);
        assert_eq!(thinner.take([Update::Reset, progress(2), operations(1)], 3), [Update::Reset]);
        let name = Update::Class { id: ClassId(0), name: "a.A".into() };
        assert_eq!(thinner.take([name.clone(), progress(3), operations(2)], 4), [name]);
        assert_eq!(
            thinner.take([Update::End], 5),
            [
                Update::Step(vec![
                    Section::Progress(Box::new(Progress { duration_ms: 3, ..Progress::default() })),
                    Section::Operations(2)
                ]),
                Update::End
            ]
        );
    }
}
