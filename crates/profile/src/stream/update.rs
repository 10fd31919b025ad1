//! What a running agent says, step by step: the one stream behind console, report and recording.
//!
//! Names are said once, before the first count that uses them. Counts are cumulative since the start or the last
//! reset: the newest value of an id replaces older ones, so losing the tail of a stream loses only its last interval.

use serde::{Deserialize, Serialize};

use crate::facts::census::CensusCounts;
use crate::facts::collection::{Collection, Flag};
use crate::facts::estimate::ClassEstimate;
use crate::facts::frame::Frame;
use crate::facts::ids::{ClassId, FrameId, SiteId};
use crate::facts::off_heap::HolderCounts;
use crate::facts::readings::Readings;
use crate::facts::retention::RetentionCount;
use crate::facts::rotation::Rotation;
use crate::facts::run::RunInfo;
use crate::facts::share::Share;
use crate::facts::source::{Labels, Source};
use crate::facts::tally::Tally;
use crate::facts::trace::TraceCounts;
use crate::facts::trust::Trust;
use crate::lifetime::lifetimes::{ByteAges, Lifetimes};
use crate::lifetime::scope::{ScopeCounts, ScopeDetail};
use crate::lifetime::site_lifetimes::{SiteLifetimes, Stamp};
use crate::stream::course::Course;

/// One message of the stream. Its bytes are `mayfly-recording`'s.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// First of a stream, once.
    Start(Box<RunInfo>),
    /// Names a class.
    Class {
        /// The id being named.
        id: ClassId,
        /// As `Class.getName()` gives it.
        name: String,
    },
    /// Names a frame.
    Frame {
        /// The id being named.
        id: FrameId,
        /// The frame.
        frame: Frame,
    },
    /// Names a site.
    Site {
        /// The id being named.
        id: SiteId,
        /// Class of the allocated objects.
        class: ClassId,
        /// Innermost frame first.
        stack: Vec<FrameId>,
    },
    /// What is new of each kind of fact, as of one moment.
    Step(Vec<Section>),
    /// All counts start again from zero; names stay.
    Reset,
    /// The agent closed the stream: nothing follows.
    End,
}

/// What a step says of one kind of fact (`kinds`). In a recording the place in this list is its tag: a new one is added at
/// the end, and none is moved or taken away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Section {
    /// New values for some classes and sites, and the state of the whole.
    Progress(Box<Progress>),
    /// New values of what is live, after a sweep; one without a moment says that there was no collection yet.
    Live(LiveCounts),
    /// New values of how long the objects of some classes and sites lived.
    Lifetimes(Box<LifetimeHistograms>),
    /// New values of how many objects of some classes were followed, where not each was.
    Shares(Vec<(ClassId, Share)>),
    /// New values of some scopes.
    Scopes(Vec<ScopeCounts>),
    /// Operations that the program has reported, if any.
    Operations(u64),
    /// New values of what was read of young collections.
    Census(Box<CensusCounts>),
    /// Collections that have ended since the last time, in order. One that was told before is told as it was.
    Collections(Vec<Collection>),
    /// Flags of the JVM, once.
    Flags(Vec<Flag>),
    /// What tells this stream from those of other JVMs, once.
    Labels(Labels),
    /// The recordings that this one was merged from, once.
    Sources(Vec<Source>),
    /// Numbers that the JVM publishes of itself, as they are now.
    Readings(Readings),
    /// Which file of several this stream is, once.
    Rotation {
        /// Its number, and how many older ones are gone.
        files: Rotation,
        /// The counts of this step are of the time before this file. It comes before all others.
        is_base: bool,
    },
    /// Which requests' objects are still there, all of it.
    Traces(TraceCounts),
    /// Which objects that stand for memory outside of the heap were not seen dead, all of it.
    Holders(HolderCounts),
    /// What happened when, all of it, at the end: finer than the steps of a recording are.
    Course(Box<Course>),
    /// Which classes are of soft references, all that were met.
    SoftClasses(Vec<ClassId>),
    /// Who holds what grows, all of it, when the program's end begins.
    Retention(Vec<RetentionCount>),
    /// Bytes of large objects that collections freed, by their numbers: of those that were not told before.
    LargeFreed(Vec<(u32, u64)>),
    /// New values of how far apart samples were, of some classes and sites, where a byte sample is followed.
    BetweenSamples(BetweenSamples),
    /// New values of how sure the numbers of some scopes' objects are, and what first entries left.
    ScopeDetails(Vec<ScopeDetail>),
    /// Objects on the heap of classes of which something grows, made before profiling began or since, when a collection was requested.
    OnHeap(Vec<(ClassId, u64)>),
}

/// How many kinds of sections there are.
pub const SECTION_KINDS: usize = 22;

impl Update {
    /// Whether it is a step that tells what was counted before this file of several began: none can stand for it.
    pub fn is_base(&self) -> bool {
        let Self::Step(sections) = self else { return false };
        sections.iter().any(|section| matches!(section, Section::Rotation { is_base: true, .. }))
    }

    /// The time, trust and counts of a step, if it tells them.
    pub fn progress(&self) -> Option<&Progress> {
        let Self::Step(sections) = self else { return None };
        sections.iter().find_map(|section| match section {
            Section::Progress(progress) => Some(&**progress),
            _ => None,
        })
    }

    /// The same, to be changed.
    pub fn progress_mut(&mut self) -> Option<&mut Progress> {
        let Self::Step(sections) = self else { return None };
        sections.iter_mut().find_map(|section| match section {
            Section::Progress(progress) => Some(&mut **progress),
            _ => None,
        })
    }
}

impl From<Section> for Update {
    fn from(section: Section) -> Self {
        Self::Step(vec![section])
    }
}

impl From<Progress> for Update {
    fn from(progress: Progress) -> Self {
        Section::Progress(Box::new(progress)).into()
    }
}

/// How far the stream is, and which counts changed since the last step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Profiled time since the start or the last reset, in milliseconds.
    pub duration_ms: u64,
    /// Collections so far.
    pub gcs: u32,
    /// Trust as of now.
    pub trust: Trust,
    /// Classes whose counts changed.
    pub classes: Vec<ClassCounts>,
    /// Sites whose counts changed.
    pub sites: Vec<SiteCounts>,
    /// Classes whose estimates changed, with their new values.
    pub estimates: Vec<(ClassId, ClassEstimate)>,
}

/// How long the objects of some classes and sites lived, beyond what [`ClassCounts`] and [`SiteCounts`] say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LifetimeHistograms {
    /// As of when.
    pub stamp: Stamp,
    /// Classes whose ages changed.
    pub classes: Vec<(ClassId, ByteAges)>,
    /// Sites whose lifetimes changed; the living of others have only grown older.
    pub sites: Vec<(SiteId, SiteLifetimes)>,
}

/// What a collection has left of the tracked objects of some classes and sites. Who was born since is not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveCounts {
    /// When that collection was, in milliseconds of the profiled time; `None`: there was none.
    pub as_of_ms: Option<u64>,
    /// Classes of which it is another than before.
    pub classes: Vec<(ClassId, Tally)>,
    /// Sites of which it is another than before.
    pub sites: Vec<(SiteId, Tally)>,
}

/// Mean bytes between the samples of a byte sample, by the bytes that they stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BetweenSamples {
    /// Classes of which it is another than before.
    pub classes: Vec<(ClassId, u64)>,
    /// Sites of which it is another than before.
    pub sites: Vec<(SiteId, u64)>,
}

/// Cumulative counts of one class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassCounts {
    /// The class.
    pub id: ClassId,
    /// Everything allocated.
    pub allocated: Tally,
    /// Of what was tracked; `None` when deaths are not followed.
    pub lifetimes: Option<LifetimeCounts>,
}

/// Cumulative counts of the tracked objects of one class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LifetimeCounts {
    /// Tracked objects not yet seen dead.
    pub live: Tally,
    /// Dead ones per bucket.
    pub collected: Vec<Tally>,
    /// Lifetimes of both.
    pub lifetimes: Lifetimes,
}

/// Cumulative counts of one site.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteCounts {
    /// The site.
    pub id: SiteId,
    /// Objects allocated there.
    pub allocated: Tally,
    /// Not yet seen dead; `None` when deaths are not followed.
    pub live: Option<Tally>,
    /// Dead ones per bucket; empty when deaths are not followed.
    pub collected: Vec<Tally>,
    /// Sum of size × lifetime over the dead, in byte-seconds.
    pub byte_seconds: f64,
    /// Relative standard error of `allocated`, as stacks were sampled; 0 if each was taken.
    pub error: f64,
}
