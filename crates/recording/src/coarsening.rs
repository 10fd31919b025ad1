//! Steps of long ago become fewer: seconds apart when they are minutes old, minutes apart when they are hours old.
//!
//! A recording then grows with the logarithm of its time. Not here: when that is done, and with which file (the agent's
//! `output/rewritten`).

use mayfly_profile::{HeldSteps, Progress, Update};

use crate::thinning::step_of;

/// Steps are no nearer than this, if they are merged at all.
const LEAST_MS: u64 = 1_000;
/// Collections that are kept: the newest.
const COLLECTIONS: u32 = 16 << 10;

/// Where a recording has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// How often all counts were set to zero.
    pub resets: u32,
    /// Profiled time since then.
    pub ms: u64,
    /// Collections so far.
    pub gcs: u32,
}

impl Reached {
    /// Notes an update.
    pub fn note(&mut self, update: &Update) {
        if let Some(progress) = update.progress() {
            (self.ms, self.gcs) = (progress.duration_ms, progress.gcs);
        } else if *update == Update::Reset {
            (self.resets, self.ms) = (self.resets + 1, 0);
        }
    }
}

/// How far steps are apart: their age times two to this power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coarseness(i32);

impl Default for Coarseness {
    fn default() -> Self {
        Self::FINE
    }
}

impl Coarseness {
    /// A step a second for the last minute.
    pub const FINE: Self = Self(-6);
    /// One for the last hour, and one for the hours before.
    pub const MOST: Self = Self(3);

    /// The next that leaves fewer steps; this one if there is none.
    #[must_use]
    pub fn coarser(self) -> Self {
        Self((self.0 + 1).min(Self::MOST.0))
    }

    /// The share that is left of a stream of so many seconds with a step each.
    pub(crate) fn share_left(self, seconds: f64) -> f64 {
        let fine = 2f64.powi(-self.0);
        if seconds <= fine { 1.0 } else { (fine + fine * (seconds / fine).ln()) / seconds }
    }

    /// How far steps of this age are apart: a power of two in seconds, so that those that were merged stay together.
    fn width_ms(self, age_ms: u64) -> u64 {
        let width = if self.0 < 0 { age_ms >> -self.0 } else { age_ms << self.0 };
        LEAST_MS << (width / LEAST_MS).checked_ilog2().unwrap_or(0)
    }
}

/// Merges the steps of a stream.
#[derive(Debug)]
pub(crate) struct Coarsening {
    until: Reached,
    coarseness: Coarseness,
    resets: u32,
    held: HeldSteps,
    /// The part of time that the steps held back are of: its width, and which one it is.
    part: Option<(u64, u64)>,
}

impl Coarsening {
    /// Of a stream that has come so far.
    pub(crate) fn new(until: Reached, coarseness: Coarseness) -> Self {
        Self { until, coarseness, resets: 0, held: HeldSteps::default(), part: None }
    }

    /// Takes the next update; what is to be written of it and of those before.
    pub(crate) fn take(&mut self, update: Update) -> Vec<Update> {
        let mut due = Vec::new();
        if let Some(progress) = update.progress() {
            let part = Some(self.part_of(progress));
            if part != self.part && self.is_current() {
                due.extend(self.rest());
            }
            self.part = part;
        }
        match update {
            // A later step stands for others, not for what is taken off.
            base if base.is_base() => due.push(base),
            Update::Step(step) => due.extend(step_of(self.held.add(step, self.first_gc()))),
            // What was counted before is void.
            Update::Reset => {
                self.held.clear();
                (self.resets, self.part) = (self.resets + 1, None);
                due.push(Update::Reset);
            }
            other => due.push(other),
        }
        due
    }

    /// What was held back, as the stream has come to its end.
    pub(crate) fn rest(&mut self) -> Option<Update> {
        self.held.release().map(Update::Step)
    }

    /// The first collection that is kept: none of those before a reset.
    fn first_gc(&self) -> u32 {
        if self.is_current() { self.until.gcs.saturating_sub(COLLECTIONS) } else { u32::MAX }
    }

    /// Whether no reset follows.
    fn is_current(&self) -> bool {
        self.resets >= self.until.resets
    }

    fn part_of(&self, progress: &Progress) -> (u64, u64) {
        let width = self.coarseness.width_ms(self.until.ms.saturating_sub(progress.duration_ms));
        (width, progress.duration_ms / width)
    }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{ClassCounts, ClassId, Collection, ProfileBuilder, Section, Tally};

    use super::*;

    fn step(second: u64) -> Update {
        let counts = ClassCounts {
            id: ClassId((second % 7) as u32),
            allocated: Tally::of(second + 1, 16),
            lifetimes: None,
        };
        Update::from(Progress { duration_ms: second * 1_000, classes: vec![counts], ..Progress::default() })
    }

    fn coarsened(updates: &[Update], coarseness: Coarseness) -> Vec<Update> {
        let mut until = Reached::default();
        updates.iter().for_each(|update| until.note(update));
        let mut coarsening = Coarsening::new(until, coarseness);
        let mut all: Vec<_> = updates.iter().cloned().flat_map(|update| coarsening.take(update)).collect();
        all.extend(coarsening.rest());
        all
    }

    fn seconds(updates: &[Update]) -> Vec<u64> {
        updates.iter().filter_map(|update| Some(update.progress()?.duration_ms / 1_000)).collect()
    }

    fn profile(updates: &[Update]) -> mayfly_profile::Profile {
        let mut builder = ProfileBuilder::new();
        updates.iter().cloned().for_each(|update| builder.apply(update).expect("fits"));
        builder.profile()
    }

    fn stream(hours: u64) -> Vec<Update> {
        let name = |id| Update::Class { id: ClassId(id), name: format!("a.C{id}") };
        let start = std::iter::once(Update::Start(Box::default())).chain((0..7).map(name));
        start.chain((0..=hours * 3_600).map(step)).collect()
    }

    #[test]
    fn the_newest_steps_stay_and_the_end_is_the_same() {
        let all = stream(3);
        let coarse = coarsened(&all, Coarseness::FINE);
        let kept = seconds(&coarse);
        assert!(kept.len() < 600, "{}", kept.len());
        assert!(kept.ends_with(&(10_700..=10_800).collect::<Vec<_>>()), "{kept:?}");
        let apart = |at: usize| kept[at + 1] - kept[at];
        assert!((64..=256).contains(&apart(3)), "hours ago: {} s apart", apart(3));
        assert_eq!(profile(&coarse), profile(&all));
    }

    #[test]
    fn what_was_merged_stays_so_however_often_it_is_done() {
        let all = stream(1);
        let (once, mut twice) = (coarsened(&all, Coarseness::FINE), Vec::new());
        for second in [1_000, 2_000, 3_000, 3_600] {
            let upto =
                |update: &&Update| seconds(std::slice::from_ref(*update)).iter().all(|&at| at <= second);
            let from = seconds(&twice).last().copied();
            let newer = |update: &&Update| match seconds(std::slice::from_ref(*update)).first() {
                Some(&at) => from.is_none_or(|from| at > from),
                None => from.is_none(),
            };
            twice.extend(all.iter().filter(upto).filter(newer).cloned().collect::<Vec<_>>());
            twice = coarsened(&twice, Coarseness::FINE);
        }
        let (once, twice) = (seconds(&once), seconds(&twice));
        assert!(twice.len() <= once.len() + 40, "{} and {}", once.len(), twice.len());
    }

    #[test]
    fn each_grade_leaves_fewer_steps() {
        let all = stream(2);
        let mut coarseness = Coarseness::FINE;
        let mut before = usize::MAX;
        while coarseness != Coarseness::MOST {
            let steps = seconds(&coarsened(&all, coarseness)).len();
            assert!(steps < before, "{steps} after {before} by {coarseness:?}");
            (before, coarseness) = (steps, coarseness.coarser());
        }
        assert!(before < 20, "{before} steps");
    }

    #[test]
    fn of_what_was_set_to_zero_nothing_is_kept_but_names() {
        let mut all = stream(1);
        all.push(Update::Reset);
        all.extend((0..100).map(step));
        let coarse = coarsened(&all, Coarseness::FINE);
        assert!(seconds(&coarse).len() <= 100, "{:?}", seconds(&coarse));
        assert_eq!(profile(&coarse), profile(&all));
    }

    #[test]
    fn so_many_collections_are_kept() {
        let gcs = COLLECTIONS + 100;
        let one =
            |number| Update::from(Section::Collections(vec![Collection { number, ..Collection::default() }]));
        let mut all: Vec<_> = (0..gcs).map(one).collect();
        all.push(Update::from(Progress { gcs, duration_ms: 9, ..Progress::default() }));
        let kept = coarsened(&all, Coarseness::FINE);
        let first = kept.iter().find_map(|update| match update {
            Update::Step(step) => match &step[..] {
                [Section::Collections(collections)] => Some(collections[0].number),
                _ => None,
            },
            _ => None,
        });
        assert_eq!((first, kept.len()), (Some(100), COLLECTIONS as usize + 1));
    }
}
