//! Folds the stream of [`Update`]s: names, and the newest counts of each id.
//!
//! Not here: the profile that they make (`by_name`), reading updates from bytes (`mayfly-recording`).

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::Arc;

use crate::facts::census::{CensusCounts, CensusReach, ClassCensus};
use crate::facts::collection::{Collection, Collections, Flag};
use crate::facts::estimate::ClassEstimate;
use crate::facts::frame::Frame;
use crate::facts::ids::{ClassId, FrameId, SiteId};
use crate::facts::run::RunInfo;
use crate::facts::share::Share;
use crate::facts::soft::{HELD_BY_JDK, is_soft};
use crate::facts::source::{Labels, Source};
use crate::facts::stack::{StackIndex, StackTree};
use crate::facts::tally::Tally;
use crate::facts::trust::Trust;
use crate::lifetime::fates::{Fates, Stamp};
use crate::lifetime::lifetimes::ByteAges;
use crate::lifetime::scope::ScopeCounts;
use crate::stream::history::History;
use crate::stream::names::Names;
use crate::stream::profile::LiveAsOf;
use crate::stream::update::{ClassCounts, FateCounts, LiveCounts, Progress, SiteCounts, Update};
use crate::stream::versions::Versions;

/// Why an update could not be applied in full. What could be applied was; the builder stays usable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// Counts or sites refer to ids that were never named: their numbers are left out of the profile.
    #[error(
        "{count} {what} of the stream were never named (the first has id {first}): their counts are left out; \
         the start of the stream is missing or damaged"
    )]
    Unnamed {
        /// `classes`, `frames` or `sites`.
        what: &'static str,
        /// The first unnamed id.
        first: u32,
        /// How many ids this update uses without a name.
        count: usize,
    },
    /// A stream starts once: two were joined. The second start is ignored.
    #[error("the stream starts twice: two recordings were joined; read them one by one")]
    SecondStart,
    /// Something followed the end of the stream. It is ignored.
    #[error("an update follows the end of the stream and is ignored; two recordings were joined")]
    AfterEnd,
}

/// A site by the indexes of its class name and frames.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SiteKey {
    pub(crate) class: usize,
    pub(crate) stack: StackIndex,
}

/// Folds a stream of updates, each replacing the older counts of its ids, into the profile as of the last one.
#[derive(Clone, Debug, Default)]
pub struct ProfileBuilder {
    pub(crate) run: Option<RunInfo>,
    pub(crate) duration_ms: u64,
    pub(crate) gcs: u32,
    pub(crate) resets: u32,
    pub(crate) operations: u64,
    pub(crate) trust: Trust,
    pub(crate) complete: bool,
    pub(crate) class_names: Names<ClassId, String>,
    pub(crate) frames: Names<FrameId, Arc<Frame>>,
    /// Of indexes of frames, not of their ids.
    pub(crate) stacks: StackTree,
    pub(crate) site_keys: Names<SiteId, SiteKey>,
    pub(crate) class_counts: Versions<ClassId, ClassCounts>,
    pub(crate) site_counts: Versions<SiteId, SiteCounts>,
    pub(crate) estimates: Versions<ClassId, ClassEstimate>,
    pub(crate) class_ages: Versions<ClassId, ByteAges>,
    pub(crate) shares: Versions<ClassId, Share>,
    pub(crate) live_as_of: LiveAsOf,
    pub(crate) census_reach: Option<CensusReach>,
    pub(crate) class_census: Versions<ClassId, ClassCensus>,
    pub(crate) class_live: Versions<ClassId, Tally>,
    pub(crate) site_live: Versions<SiteId, Tally>,
    /// By path.
    pub(crate) scopes: BTreeMap<Vec<String>, ScopeCounts>,
    /// With the moment as of which they were told.
    pub(crate) site_fates: Versions<SiteId, (Stamp, Fates)>,
    pub(crate) stamp: Stamp,
    pub(crate) collections: Collections,
    pub(crate) flags: Vec<Flag>,
    pub(crate) labels: Labels,
    pub(crate) sources: Vec<Source>,
    pub(crate) history: History,
    /// Classes of soft references, and of what the JDK holds by one for each class that is looked at by reflection.
    soft: BTreeSet<ClassId>,
    reflected: BTreeSet<ClassId>,
}

impl ProfileBuilder {
    /// A builder that has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder that keeps no more than so many of the newest collections.
    pub fn keeping_collections(most: usize) -> Self {
        Self { collections: Collections::keeping(most), ..Self::default() }
    }

    /// Applies the next update of the stream.
    ///
    /// # Errors
    /// The update does not fit what came before; as much of it as does was applied, and later updates are welcome.
    pub fn apply(&mut self, update: Update) -> Result<(), ApplyError> {
        if self.complete {
            return Err(ApplyError::AfterEnd);
        }
        match update {
            Update::Start(run) => return self.start(*run),
            Update::Class { id, name } => {
                if is_soft(&name) {
                    self.soft.insert(id);
                } else if name == HELD_BY_JDK {
                    self.reflected.insert(id);
                }
                if self.class_names.index(id).is_none() {
                    self.history.class_met();
                }
                self.class_names.set(id, name);
            }
            Update::Frame { id, frame } => self.frames.set(id, frame.into()),
            Update::Site { id, class, stack } => return self.name_site(id, class, &stack),
            Update::Progress(progress) => return self.progress(*progress),
            Update::Fates(fates) => return self.fates(*fates),
            Update::Shares(shares) => return self.shares(shares),
            Update::Live(live) => return self.live(live),
            Update::Scopes(scopes) => {
                self.scopes.extend(scopes.into_iter().map(|scope| (scope.path.clone(), scope)));
            }
            Update::Operations(operations) => self.operations = operations,
            Update::Collections(collections) => self.collected(collections),
            Update::Flags(flags) => self.flags = flags,
            Update::Labels(labels) => self.labels = labels,
            Update::Sources(sources) => self.sources = sources,
            Update::Census(census) => return self.census(*census),
            Update::Reset => self.reset(),
            Update::End => self.complete = true,
        }
        Ok(())
    }

    /// Resets so far.
    pub fn resets(&self) -> u32 {
        self.resets
    }

    /// What happened when.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Number of lifetime buckets of the run.
    pub(crate) fn bucket_count(&self) -> usize {
        self.run.as_ref().map_or_else(|| RunInfo::default().buckets.len(), |run| run.buckets.len())
    }

    fn start(&mut self, run: RunInfo) -> Result<(), ApplyError> {
        if self.run.is_some() {
            return Err(ApplyError::SecondStart);
        }
        self.run = Some(run);
        Ok(())
    }

    fn name_site(&mut self, id: SiteId, class: ClassId, stack: &[FrameId]) -> Result<(), ApplyError> {
        let class = self.class_names.index(class).ok_or(unnamed("classes", class.0, 1))?;
        let missing: Vec<_> = stack.iter().filter(|&&frame| self.frames.index(frame).is_none()).collect();
        if let Some(&&first) = missing.first() {
            return Err(unnamed("frames", first.0, missing.len()));
        }
        let frames = stack.iter().filter_map(|&frame| self.frames.index(frame).map(FrameId::of_row));
        let stack = self.stacks.index(&frames.collect::<Vec<_>>());
        self.site_keys.set(id, SiteKey { class, stack });
        Ok(())
    }

    fn progress(&mut self, mut progress: Progress) -> Result<(), ApplyError> {
        self.note_history(&progress);
        self.duration_ms = progress.duration_ms;
        self.gcs = progress.gcs;
        self.estimates.extend(progress.estimates);
        self.trust = progress.trust;
        let unnamed_classes = take_unnamed(&mut progress.classes, &self.class_names, |counts| counts.id);
        let unnamed_sites = take_unnamed(&mut progress.sites, &self.site_keys, |counts| counts.id);
        self.class_counts.extend(progress.classes.into_iter().map(|counts| (counts.id, counts)));
        self.site_counts.extend(progress.sites.into_iter().map(|counts| (counts.id, counts)));
        all_named(unnamed_classes, unnamed_sites)
    }

    /// Before its counts replace older ones.
    fn note_history(&mut self, progress: &Progress) {
        let dead = |counts: &ClassCounts| {
            let collected = counts.lifetimes.iter().flat_map(|tracked| &tracked.collected);
            collected.fold(0u64, |sum, dead| sum.saturating_add(dead.bytes))
        };
        let turns =
            progress.classes.iter().map(|now| (self.class_counts.get(&now.id).map_or(0, dead), dead(now)));
        let made = |of: &BTreeSet<ClassId>| {
            let classes = progress.classes.iter().filter(|now| of.contains(&now.id));
            classes.fold(0u64, |sum, now| {
                let before = self.class_counts.get(&now.id).map_or(0, |counts| counts.allocated.objects);
                sum.saturating_add(now.allocated.objects.saturating_sub(before))
            })
        };
        let of_program = made(&self.soft).saturating_sub(made(&self.reflected));
        self.history.soft_references(of_program);
        self.history.step(progress, turns);
    }

    fn collected(&mut self, ended: Vec<Collection>) {
        let gc = self.run.as_ref().map(|run| run.jvm.gc).unwrap_or_default();
        if let Some(bytes) = ended.iter().rev().find_map(|collection| collection.used_after(gc)) {
            self.history.used_after_gc(bytes);
        }
        self.collections.extend(ended);
    }

    fn fates(&mut self, mut fates: FateCounts) -> Result<(), ApplyError> {
        self.stamp = fates.stamp;
        let unnamed_classes = take_unnamed(&mut fates.classes, &self.class_names, |told| told.0);
        let unnamed_sites = take_unnamed(&mut fates.sites, &self.site_keys, |told| told.0);
        self.class_ages.extend(fates.classes);
        self.site_fates.extend(fates.sites.into_iter().map(|(id, known)| (id, (fates.stamp, known))));
        all_named(unnamed_classes, unnamed_sites)
    }

    fn live(&mut self, mut live: LiveCounts) -> Result<(), ApplyError> {
        self.live_as_of = LiveAsOf::of_stream(live.as_of_ms);
        let unnamed_classes = take_unnamed(&mut live.classes, &self.class_names, |told| told.0);
        let unnamed_sites = take_unnamed(&mut live.sites, &self.site_keys, |told| told.0);
        self.class_live.extend(live.classes);
        self.site_live.extend(live.sites);
        if live.as_of_ms.is_some() {
            let bytes = self.class_live.values().fold(0u64, |sum, live| sum.saturating_add(live.bytes));
            self.history.tracked_after_gc(bytes);
        }
        all_named(unnamed_classes, unnamed_sites)
    }

    fn shares(&mut self, mut shares: Vec<(ClassId, Share)>) -> Result<(), ApplyError> {
        let unnamed_classes = take_unnamed(&mut shares, &self.class_names, |told| told.0);
        self.shares.extend(shares);
        all_named(unnamed_classes, None)
    }

    fn census(&mut self, mut census: CensusCounts) -> Result<(), ApplyError> {
        let unnamed_classes = take_unnamed(&mut census.classes, &self.class_names, |told| told.0);
        self.census_reach = Some(census.reach);
        self.class_census.extend(census.classes);
        all_named(unnamed_classes, None)
    }

    fn reset(&mut self) {
        self.duration_ms = 0;
        self.operations = 0;
        self.resets += 1;
        self.class_counts.clear();
        self.site_counts.clear();
        self.estimates.clear();
        self.class_ages.clear();
        self.shares.clear();
        self.census_reach = None;
        self.class_census.clear();
        self.class_live.clear();
        self.site_live.clear();
        self.scopes.clear();
        self.site_fates.clear();
        self.collections.clear();
        self.history.reset();
    }
}

/// Takes out what has no name: the first id, and how many there are.
fn take_unnamed<T, I: Copy + Ord + Hash, N: Hash + Eq>(
    told: &mut Vec<T>,
    names: &Names<I, N>,
    id: impl Fn(&T) -> I,
) -> Option<(I, usize)> {
    let (all, mut first) = (told.len(), None);
    told.retain(|one| {
        let is_named = names.index(id(one)).is_some();
        if !is_named {
            first.get_or_insert(id(one));
        }
        is_named
    });
    first.map(|first| (first, all - told.len()))
}

fn all_named(classes: Option<(ClassId, usize)>, sites: Option<(SiteId, usize)>) -> Result<(), ApplyError> {
    match (classes, sites) {
        (Some((first, count)), _) => Err(unnamed("classes", first.0, count)),
        (None, Some((first, count))) => Err(unnamed("sites", first.0, count)),
        (None, None) => Ok(()),
    }
}

fn unnamed(what: &'static str, first: u32, count: usize) -> ApplyError {
    ApplyError::Unnamed { what, first, count }
}
