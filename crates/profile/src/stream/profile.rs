//! A whole profile at one moment: what reports, diffs and checks read.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::census::Census;
use crate::facts::collection::{Collection, Flag};
use crate::facts::estimate::ClassEstimate;
use crate::facts::off_heap::Holders;
use crate::facts::part::Part;
use crate::facts::readings::Readings;
use crate::facts::retention::RetentionRow;
use crate::facts::rotation::Rotation;
use crate::facts::run::RunInfo;
use crate::facts::share::Share;
use crate::facts::source::{Labels, Source};
use crate::facts::stack::Stack;
use crate::facts::tally::Tally;
use crate::facts::trace::Traces;
use crate::facts::trust::Trust;
use crate::lifetime::lifetimes::{ByteAges, Lifetimes};
use crate::lifetime::scope::ScopeProfile;
use crate::lifetime::site_lifetimes::SiteLifetimes;
use crate::stream::point::Point;
use crate::stream::remembered::Remembered;

/// Everything known of a run at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// How the run was set up.
    pub run: RunInfo,
    /// Profiled time since the start or the last reset, in milliseconds.
    pub duration_ms: u64,
    /// Collections seen so far.
    pub gcs: u32,
    /// How often all counts were set to zero: they tell of objects born since the last time.
    pub resets: u32,
    /// Operations that the program reported since the last time; 0: it reported none.
    pub operations: u64,
    /// Per class name (loaders merged), most bytes first: of what was allocated, not of what was executed and optimised away.
    pub classes: Vec<ClassProfile>,
    /// Per class and stack, most bytes allocated first. Empty without `#trace`.
    pub sites: Vec<SiteProfile>,
    /// What samples say of classes, by name, whatever was filtered out; empty if the JVM did not sample for us.
    pub estimates: BTreeMap<String, ClassEstimate>,
    /// Of how many objects of a class the lifetimes are, by name, where not each was followed; only with [`crate::facts::run::Tracking::Balanced`].
    pub shares: BTreeMap<String, Share>,
    /// Classes of soft references, whatever they are called.
    pub soft_classes: BTreeSet<String>,
    /// Who holds what grows, as the program's end began; empty where nothing surely grew, or it was not looked for.
    pub retention: Vec<RetentionRow>,
    /// Objects on the heap of classes of which something grows, by name, made before profiling began or since; empty where they were not counted.
    pub on_heap: BTreeMap<String, u64>,
    /// Scopes that were entered, in the order of their names; each is followed by those inside of it.
    pub scopes: Vec<ScopeProfile>,
    /// How much of the truth this is.
    pub trust: Trust,
    /// Whether the recording was closed by the agent (`false`: the JVM died, or is still running).
    pub complete: bool,
    /// Which part of the recorded profile this is.
    pub part: Part,
    /// Which files of its run's recording it is of, where that is in several; `None`: it is in one.
    pub rotation: Option<Rotation>,
    /// The newest collections since the last reset, the oldest of them first; of several JVMs none.
    pub collections: Vec<Collection>,
    /// Flags of the JVM that say how it collects; empty if it does not show them.
    pub flags: Vec<Flag>,
    /// What happened when; empty unless it was asked for.
    pub history: Vec<Point>,
    /// As of when what is live is known.
    pub live_as_of: LiveAsOf,
    /// What tells it from other recordings; of a merged one what all of them have alike.
    pub labels: Labels,
    /// The recordings that it was merged from; empty if it is one.
    pub sources: Vec<Source>,
    /// What the JVM published of itself; of several none.
    pub readings: Readings,
    /// Which requests' objects are still there; `None`: none was made where a request was known.
    pub traces: Option<Traces>,
    /// Which objects stand for memory outside of the heap; `None`: none was followed.
    pub holders: Option<Holders>,
    /// What was read of young collections; `None`: nobody read them, or it is not of this part alone.
    pub census: Option<Census>,
    /// What [`Self::bytes_between_samples`] made of all estimates.
    pub apart: Remembered<Option<f64>>,
    /// The oldest ages at which anything was known alive before classes were left out, in milliseconds and in bytes allocated since; `None`: all
    /// classes are there.
    pub oldest_of_all: Option<[u64; 2]>,
}

/// As of when it is known what is live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LiveAsOf {
    /// An earlier recording does not say it: live is what was not seen dead by its end.
    #[default]
    End,
    /// There was no collection: what is live is not known.
    NoCollection,
    /// After the collection at that time, in milliseconds of the profiled time.
    Ms(u64),
    /// Of several recordings: each after the last collection of its own JVM. What was not collected at all is not judged.
    Each,
}

impl LiveAsOf {
    /// As a stream has [`Self::Each`]: no profiled time is as long.
    pub(crate) const EACH_MS: u64 = u64::MAX;

    /// As a stream has it; `None`: it does not.
    pub(crate) fn streamed(self) -> Option<Option<u64>> {
        match self {
            Self::End => None,
            Self::NoCollection => Some(None),
            Self::Ms(ms) => Some(Some(ms)),
            Self::Each => Some(Some(Self::EACH_MS)),
        }
    }

    /// Of what a stream has.
    pub(crate) fn of_stream(as_of_ms: Option<u64>) -> Self {
        match as_of_ms {
            None => Self::NoCollection,
            Some(Self::EACH_MS) => Self::Each,
            Some(ms) => Self::Ms(ms),
        }
    }
}

impl ClassProfile {
    /// Tracked objects that were not seen dead: those that are live, and those that no collection has judged.
    pub fn not_seen_dead(&self) -> Tally {
        both(self.live, self.unjudged)
    }
}

impl SiteProfile {
    /// As [`ClassProfile::not_seen_dead`].
    pub fn not_seen_dead(&self) -> Tally {
        both(self.live, self.unjudged)
    }
}

fn both(live: Option<Tally>, unjudged: Tally) -> Tally {
    let mut all = live.unwrap_or_default();
    all.add(unjudged);
    all
}

impl Profile {
    /// Whether several recordings are in it.
    pub fn is_merged(&self) -> bool {
        !self.sources.is_empty()
    }

    /// Whether it was merged from recordings of several runs: files of one are not that.
    pub fn is_of_several_jvms(&self) -> bool {
        self.is_merged() && self.rotation.is_none()
    }

    /// Whether not even a first step of counts was recorded: the JVM was killed, or died, before it was written. Nothing is known
    /// of what it allocated.
    pub fn is_blank(&self) -> bool {
        !self.complete && self.duration_ms == 0 && self.classes.is_empty() && self.trust.accounted_bytes == 0
    }

    /// Classes of which more was executed than allocated, beyond the error of the estimate: the JIT compiler removed
    /// allocations. In the order of the classes.
    pub fn removed_by_jit(&self) -> impl Iterator<Item = (&ClassProfile, ClassEstimate)> {
        let removed = self.classes.iter().filter(|class| self.is_optimised_away(class));
        removed.map(|class| (class, self.estimates.get(&class.name).copied().unwrap_or_default()))
    }
}

/// One class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassProfile {
    /// As `Class.getName()` gives it, e.g. `[B`, `java.lang.String`.
    pub name: String,
    /// All objects allocated: exact in the `exact` engine.
    pub allocated: Tally,
    /// Tracked objects that were there after the last collection ([`Profile::live_as_of`]); `None` when deaths are not followed, or
    /// nothing was collected.
    pub live: Option<Tally>,
    /// Tracked objects that no collection has judged: they were born since.
    pub unjudged: Tally,
    /// Tracked objects seen dead, per lifetime bucket; empty when deaths are not followed.
    pub collected: Vec<Tally>,
    /// Lifetimes of tracked objects; `None` until something is known.
    pub lifetimes: Option<Lifetimes>,
    /// The same ages weighted by bytes; `None` where a recording does not hold them.
    pub byte_ages: Option<ByteAges>,
    /// Mean bytes between the samples by which these objects were followed, by the bytes that they stand for; `None` where it is that of all
    /// ([`Profile::bytes_between_samples`]).
    pub between_samples: Option<u64>,
}

/// Objects of one class allocated through one stack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteProfile {
    /// Class of the allocated objects.
    pub class: String,
    /// Innermost frame first.
    pub stack: Stack,
    /// Objects allocated here.
    pub allocated: Tally,
    /// Of these, those that were there after the last collection; `None` when deaths are not followed, nothing was collected, or none
    /// of them was followed.
    pub live: Option<Tally>,
    /// Of these, those that no collection has judged: they were born since.
    pub unjudged: Tally,
    /// Of these, seen dead, per lifetime bucket; empty when deaths are not followed.
    pub collected: Vec<Tally>,
    /// Sum of size × lifetime over the dead, in byte-seconds.
    pub byte_seconds: f64,
    /// Relative standard error of `allocated`, as stacks were sampled; 0 if each was taken.
    pub error: f64,
    /// How long its tracked objects lived, not scaled to all of them; `None` where a recording does not hold it.
    pub lifetimes: Option<Box<SiteLifetimes>>,
    /// Mean bytes between the samples by which these objects were followed, by the bytes that they stand for; `None` where it is that of all
    /// ([`Profile::bytes_between_samples`]).
    pub between_samples: Option<u64>,
}
