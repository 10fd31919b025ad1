//! What the garbage collector did for the program: how often, why, for how long, what it moved and what it left.
//!
//! Collections that the agent forced are not the program's and count as nothing here. Not here: what could be done about it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::facts::collection::{Collection, FlagValue, GcKind};
use crate::stream::profile::Profile;

/// What the recorded collections did in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GcWork {
    /// The time that they were in, in milliseconds.
    pub span_ms: u64,
    /// Why they were, most pause first.
    pub causes: Vec<GcCause>,
    /// The longest pause.
    pub longest: Option<LongestPause>,
    /// Bytes that young collections promoted; `None` where there was none, or one of them does not say it.
    pub promoted: Option<u64>,
    /// Bytes of the heap that collections left in use; `None` where none says it.
    pub left: Option<Left>,
    /// The largest heap that the JVM may have (`-Xmx`); `None` if it does not show it.
    pub heap_limit: Option<u64>,
    /// Collections of which neither time nor cause is known.
    pub unknown: u32,
    /// Collections that the agent forced: left out of all else.
    pub forced: u32,
}

/// Collections of one cause and kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GcCause {
    /// In the JVM's words; empty if it does not say.
    pub cause: String,
    /// What they did.
    pub kind: GcKind,
    /// How many pauses.
    pub count: u32,
    /// For how long the program stood still for them, in microseconds.
    pub pause_us: u64,
    /// For the longest of them.
    pub longest_us: u64,
    /// Bytes that those promoted which say it; `None`: none of them does.
    pub promoted: Option<u64>,
}

/// A pause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LongestPause {
    /// When it began, in milliseconds of the profiled time.
    pub at_ms: u64,
    /// How long it was, in microseconds.
    pub us: u64,
    /// Why, in the JVM's words.
    pub cause: String,
}

/// Bytes in use after collections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// The least.
    pub least: u64,
    /// After the last.
    pub last: u64,
    /// The most.
    pub most: u64,
    /// The least in the second half of the collections: no more was live then.
    pub later_least: u64,
    /// The most that a collection of the whole heap left, of those that the program brought about. `None` without one.
    pub full: Option<u64>,
    /// The same of those that the agent forced: what lived while the program ran is gone by then, if that was at its end.
    pub forced: Option<u64>,
}

impl GcWork {
    /// Pauses in all.
    pub fn count(&self) -> u32 {
        self.causes.iter().map(|cause| cause.count).sum()
    }

    /// For how long the program stood still, in microseconds.
    pub fn pause_us(&self) -> u64 {
        self.causes.iter().map(|cause| cause.pause_us).sum()
    }

    /// The share of the time for which the program stood still.
    pub fn pause_share(&self) -> f64 {
        if self.span_ms == 0 { 0.0 } else { self.pause_us() as f64 / 1_000.0 / self.span_ms as f64 }
    }

    /// Pauses and microseconds of those causes that a reader chooses.
    pub fn pauses_by(&self, chosen: impl Fn(&GcCause) -> bool) -> (u32, u64) {
        let causes = self.causes.iter().filter(|cause| chosen(cause));
        causes.fold((0, 0), |(count, us), cause| (count + cause.count, us + cause.pause_us))
    }
}

/// Causes of collections that a command to the JVM brings about: of a dump, of a histogram, or `jcmd GC.run`.
const LOOKS: [&str; 3] = ["Heap Dump Initiated GC", "Heap Inspection Initiated GC", "Diagnostic Command"];

impl Collection {
    /// Whether it was forced from outside: by the agent, to see what is dead, or by who looked into the heap (`mayfly leaks`, `jcmd`).
    pub fn is_forced(&self) -> bool {
        self.cause.contains("Jvmti") || LOOKS.contains(&self.cause.as_str())
    }
}

impl Profile {
    /// A flag of the JVM that is a number, by its name.
    pub fn flag(&self, name: &str) -> Option<u64> {
        match self.flags.iter().find(|flag| flag.name == name)?.value {
            FlagValue::Number(number) => Some(number),
            FlagValue::Switch(_) => None,
        }
    }

    /// The collections that the program brought about.
    pub fn own_collections(&self) -> impl DoubleEndedIterator<Item = &Collection> {
        self.collections.iter().filter(|gc| !gc.is_forced())
    }

    /// What the collector did.
    pub fn gc_work(&self) -> GcWork {
        let known = u32::try_from(self.collections.len()).unwrap_or(u32::MAX);
        let longest = self.own_collections().max_by_key(|gc| gc.pause_us);
        GcWork {
            span_ms: self.duration_ms,
            causes: GcCause::of(self.own_collections()),
            longest: longest.map(|gc| LongestPause {
                at_ms: gc.at_ms,
                us: gc.pause_us,
                cause: gc.cause.clone(),
            }),
            promoted: promoted(self.own_collections()),
            left: self.left(),
            heap_limit: self.flag("MaxHeapSize").filter(|&bytes| bytes > 0),
            unknown: self.gcs.saturating_sub(known),
            forced: known - u32::try_from(self.own_collections().count()).unwrap_or(known),
        }
    }

    fn left(&self) -> Option<Left> {
        let gc = self.run.jvm.gc;
        let all: Vec<u64> = self.own_collections().filter_map(|one| one.used_after(gc)).collect();
        let full = |forced: bool| {
            let full = self.collections.iter().filter(|one| one.kind == GcKind::Full);
            full.filter(|one| one.is_forced() == forced).filter_map(|one| one.used_after(gc)).max()
        };
        Some(Left {
            least: *all.iter().min()?,
            last: *all.last()?,
            most: *all.iter().max()?,
            later_least: *all[all.len() / 2..].iter().min()?,
            full: full(false),
            forced: full(true),
        })
    }
}

impl GcCause {
    /// Collections by cause and kind, most pause first.
    pub fn of<'a>(collections: impl Iterator<Item = &'a Collection>) -> Vec<Self> {
        let mut all: BTreeMap<(&str, &str), Self> = BTreeMap::new();
        for gc in collections {
            let new = || Self { cause: gc.cause.clone(), kind: gc.kind, ..Self::default() };
            all.entry((&gc.cause, gc.kind.name())).or_insert_with(new).add(gc);
        }
        let mut all: Vec<_> = all.into_values().collect();
        all.sort_by_key(|cause| Reverse(cause.pause_us));
        all
    }

    fn add(&mut self, gc: &Collection) {
        self.count += 1;
        self.pause_us = self.pause_us.saturating_add(gc.pause_us);
        self.longest_us = self.longest_us.max(gc.pause_us);
        if let Some(bytes) = gc.promoted() {
            self.promoted = Some(self.promoted.unwrap_or(0).saturating_add(bytes));
        }
    }
}

fn promoted<'a>(collections: impl Iterator<Item = &'a Collection>) -> Option<u64> {
    let mut young = collections.filter(|gc| gc.kind == GcKind::Young).peekable();
    young.peek()?;
    young.map(Collection::promoted).try_fold(0_u64, |sum, bytes| Some(sum.saturating_add(bytes?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::collection::{Flag, GenerationUse};
    use crate::facts::gc::Gc;

    fn gc(at_ms: u64, pause_us: u64, cause: &str) -> Collection {
        let used =
            |before, after| Some(GenerationUse { before: Some(before), after, ..GenerationUse::default() });
        Collection {
            at_ms,
            pause_us,
            cause: cause.to_owned(),
            kind: GcKind::Young,
            young: used(100, 10),
            old: used(50, 50 + at_ms),
            ..Collection::default()
        }
    }

    fn profile(collections: Vec<Collection>) -> Profile {
        let gcs = collections.len() as u32;
        let mut profile = Profile { collections, gcs, duration_ms: 1_000, ..Profile::default() };
        profile.run.jvm.gc = Gc::Serial;
        profile
    }

    #[test]
    fn causes_are_added_up_and_what_the_agent_forces_is_none_of_them() {
        let mut forced = gc(900, 500_000, "JvmtiEnv ForceGarbageCollection");
        forced.kind = GcKind::Full;
        let work = profile(vec![
            gc(1, 2_000, "Allocation Failure"),
            gc(2, 3_000, "Metadata GC Threshold"),
            gc(3, 4_000, "Allocation Failure"),
            forced,
        ])
        .gc_work();
        let causes: Vec<_> =
            work.causes.iter().map(|one| (one.cause.as_str(), one.count, one.pause_us)).collect();
        assert_eq!(causes, [("Allocation Failure", 2, 6_000), ("Metadata GC Threshold", 1, 3_000)]);
        assert_eq!((work.count(), work.pause_us(), work.forced, work.unknown), (3, 9_000, 1, 0));
        assert!((work.pause_share() - 0.009).abs() < 1e-9);
        assert_eq!(work.longest.map(|longest| (longest.at_ms, longest.us)), Some((3, 4_000)));
        assert_eq!(work.promoted, Some(6));
        let (full, forced) = (None, Some(960));
        let left = Left { least: 61, last: 63, most: 63, later_least: 62, full, forced };
        assert_eq!(work.left, Some(left));
    }

    #[test]
    fn what_is_not_known_is_not_zero() {
        let work = Profile { gcs: 3, ..profile(Vec::new()) }.gc_work();
        assert_eq!((work.unknown, work.promoted, work.left, work.heap_limit), (3, None, None, None));
        let silent = Collection { old: None, ..gc(1, 1, "") };
        assert_eq!(profile(vec![gc(1, 1, ""), silent]).gc_work().promoted, None);
    }

    #[test]
    fn the_heaps_limit_is_the_jvms_flag() {
        let flag = Flag { name: "MaxHeapSize".to_owned(), value: FlagValue::Number(64 << 20) };
        let limited = Profile { flags: vec![flag], ..Profile::default() };
        assert_eq!(limited.gc_work().heap_limit, Some(64 << 20));
    }
}
