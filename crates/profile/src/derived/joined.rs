//! The files of one run's recording as one profile, whatever the order in which they are taken.
//!
//! Each says what was born and what died in its own time, so these add up as in a merge. Who lives on is in each file at whose end it
//! lived: of a run those of the last file count. Not here: which file is whose (`facts/rotation`).

use crate::derived::sources;
use crate::facts::trust::Trust;
use crate::lifetime::lifetimes::{ByteAges, Lifetimes};
use crate::stream::profile::Profile;

impl Profile {
    /// Whether both are other files of one run, and nothing else.
    pub fn is_of_one_run(&self, other: &Self) -> bool {
        let (Some(ours), Some(theirs)) = (self.rotation, other.rotation) else { return false };
        let is_one = |profile: &Self| profile.sources.len() <= 1;
        let is_same = self.run == other.run && self.labels == other.labels;
        is_same && is_one(self) && is_one(other) && ours.last != theirs.last
    }

    /// Files of one run as one. Commutative and associative, as a merge is; `other` [is of the same run](Self::is_of_one_run).
    pub fn joined(self, other: Self) -> Self {
        let last = |profile: &Self| profile.rotation.map(|files| files.last);
        let (earlier, later) = if last(&self) <= last(&other) { (self, other) } else { (other, self) };
        let rotation = earlier.rotation.zip(later.rotation).map(|(ours, theirs)| ours.and(theirs));
        let begins_ms = earlier.begins_ms().min(later.begins_ms());
        let is_whole = rotation.is_some_and(|files| files.is_from_the_start() && files.missing() == 0);
        let during_ms = (!is_whole).then(|| (begins_ms, earlier.ends_ms().max(later.ends_ms())));
        let trust = later.trust.after(&earlier.trust);
        let (live_as_of, complete, readings) = (later.live_as_of, later.complete, later.readings.clone());
        let (traces, holders) = (later.traces.clone(), later.holders.clone());
        let mut all = earlier.without_living().merge(later);
        all.part.during_ms = during_ms;
        all.sources.clear();
        let mut all = Self { trust, live_as_of, complete, readings, traces, holders, rotation, ..all }
            .without_guesses();
        // What was calibrated is not calibrated again.
        all.sources = vec![sources::source_of(&all)];
        all
    }

    /// How old is, at the end, what was made at such a moment of the profiled time; `None` of several JVMs, each of which has a clock of its
    /// own.
    pub fn age_ms(&self, born_ms: u64) -> Option<u64> {
        (!self.is_of_several_jvms()).then(|| self.ends_ms().saturating_sub(born_ms))
    }

    fn begins_ms(&self) -> u64 {
        self.part.during_ms.map_or(0, |(from_ms, _)| from_ms)
    }

    fn ends_ms(&self) -> u64 {
        self.part.during_ms.map_or(self.duration_ms, |(_, to_ms)| to_ms)
    }

    /// What was born and what died, without who lived at the end.
    fn without_living(mut self) -> Self {
        for class in &mut self.classes {
            class.live = class.live.map(|_| Default::default());
            class.unjudged = Default::default();
            if let Some(Lifetimes { ms, gcs, bytes, .. }) = &mut class.lifetimes {
                [ms, gcs, bytes].into_iter().for_each(|ages| ages.forget_living());
            }
            if let Some(ByteAges { ms, gcs, bytes }) = &mut class.byte_ages {
                [ms, gcs, bytes].into_iter().for_each(|ages| ages.forget_living());
            }
        }
        for site in &mut self.sites {
            site.live = site.live.map(|_| Default::default());
            site.unjudged = Default::default();
            if let Some(lifetimes) = &mut site.lifetimes {
                lifetimes.ms.forget_living();
                lifetimes.bytes.forget_living();
            }
        }
        self.scopes
            .iter_mut()
            .filter_map(|scope| scope.outlived.as_mut())
            .for_each(|ages| ages.forget_living());
        self
    }
}

impl Trust {
    /// That of a file and of what came before it in the same run. What is left out, and what the agent holds, is so at the end.
    fn after(&self, earlier: &Self) -> Self {
        let mut both = self.both(earlier);
        for part in &mut both.remainder {
            if let Some(last) = self.remainder.iter().find(|of| of.is_of_cause(part)) {
                part.error_bytes = last.error_bytes;
            }
        }
        both.remainder.retain(|part| part.bytes != 0);
        // A file that ended before its first step knows of no counter.
        let earlier_bytes = earlier.jvm_allocated_bytes.unwrap_or(0);
        both.jvm_allocated_bytes = self.jvm_allocated_bytes.map(|bytes| bytes.saturating_add(earlier_bytes));
        both.cost.native_bytes = self.cost.native_bytes;
        Self { refusals: self.refusals.clone(), dropped: self.dropped.clone(), ..both }
    }
}
