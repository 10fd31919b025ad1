//! Folds the stream of [`Update`]s: names, and the newest counts of each id.
//!
//! Not here: the profile that they make (`by_name`), reading updates from bytes (`mayfly-recording`).

use std::collections::BTreeSet;

use crate::facts::collection::Collections;
use crate::facts::ids::ClassId;
use crate::facts::off_heap::OffHeap;
use crate::facts::readings::CLASSES_LOADED;
use crate::facts::run::RunInfo;
use crate::facts::soft::{HELD_BY_JDK, is_soft};
use crate::stream::course::Course;
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::history::History;
use crate::stream::kind::Kind;
use crate::stream::kinds::Facts;
use crate::stream::profile::Profile;
use crate::stream::update::{ClassCounts, Progress, Section, Update};

/// Folds a stream of updates, each replacing the older counts of its ids, into the profile as of the last one.
#[derive(Clone, Debug, Default)]
pub struct ProfileBuilder {
    pub(crate) run: Option<RunInfo>,
    pub(crate) resets: u32,
    pub(crate) complete: bool,
    pub(crate) names: Dictionary,
    pub(crate) facts: Facts,
    pub(crate) history: History,
    /// Classes of soft references, and of what the JDK holds by one for each class that is looked at by reflection.
    soft: BTreeSet<ClassId>,
    reflected: BTreeSet<ClassId>,
    /// What was counted before this file of several began.
    pub(crate) base: Option<Box<Profile>>,
}

impl ProfileBuilder {
    /// A builder that has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder that keeps no more than so many of the newest collections.
    pub fn keeping_collections(most: usize) -> Self {
        let facts = Facts { collections: Collections::keeping(most), ..Facts::default() };
        Self { facts, ..Self::default() }
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
                if self.names.classes.index(id).is_none() {
                    self.history.class_met();
                }
                self.names.classes.set(id, name);
            }
            Update::Frame { id, frame } => self.names.name_frame(id, frame),
            Update::Site { id, class, stack } => return self.names.name_site(id, class, &stack),
            base if base.is_base() => return self.begin(base),
            Update::Step(sections) => return self.step(sections),
            Update::Reset => self.reset(),
            Update::End => self.complete = true,
        }
        Ok(())
    }

    /// Whether the stream has come to its end.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Resets so far.
    pub fn resets(&self) -> u32 {
        self.resets
    }

    /// Profiled time since the start or the last reset, in milliseconds.
    pub(crate) fn duration_ms(&self) -> u64 {
        self.facts.counts.newest.duration_ms
    }

    /// What happened when.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// What happened when, for a reader whose steps are coarser.
    pub fn course(&self) -> Course {
        Course::of(self.history.points())
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

    /// A file of several begins: what was counted so far is not its own.
    fn begin(&mut self, base: Update) -> Result<(), ApplyError> {
        let Update::Step(sections) = base else { return Ok(()) };
        let fits = self.step(sections);
        self.base = None;
        self.base = Some(Box::new(self.profile()));
        self.history.forget();
        fits
    }

    /// Folds all that fits; what does not fit first is told.
    fn step(&mut self, sections: Vec<Section>) -> Result<(), ApplyError> {
        let mut all_fit = Ok(());
        for section in sections {
            self.note_before(&section);
            let is_of_the_living = matches!(section, Section::Live(_));
            let fits = self.facts.fold(section, Some(&self.names));
            if is_of_the_living && let Some(bytes) = self.facts.live.bytes() {
                self.history.tracked_after_gc(bytes);
            }
            all_fit = all_fit.and(fits);
        }
        all_fit
    }

    /// What goes into the history, before counts replace older ones.
    fn note_before(&mut self, section: &Section) {
        match section {
            Section::Progress(progress) => self.note_progress(progress),
            Section::Collections(ended) => {
                let gc = self.run.as_ref().map(|run| run.jvm.gc).unwrap_or_default();
                if let Some(bytes) = ended.iter().rev().find_map(|collection| collection.used_after(gc)) {
                    self.history.used_after_gc(bytes);
                }
            }
            Section::Readings(readings) => {
                if let Some(now) = OffHeap::of(readings) {
                    self.history.off_heap(now);
                }
                if let Some(&now) = readings.0.get(&CLASSES_LOADED) {
                    self.history.classes_loaded(now);
                }
            }
            Section::Course(course) => self.history.is_known_as(course.points()),
            _ => {}
        }
    }

    fn note_progress(&mut self, progress: &Progress) {
        let dead = |counts: &ClassCounts| {
            let collected = counts.lifetimes.iter().flat_map(|tracked| &tracked.collected);
            collected.fold(0u64, |sum, dead| sum.saturating_add(dead.bytes))
        };
        let turns = progress
            .classes
            .iter()
            .map(|now| (self.facts.counts.classes.get(&now.id).map_or(0, dead), dead(now)));
        let made = |is_one: &dyn Fn(ClassId) -> bool| {
            let classes = progress.classes.iter().filter(|now| is_one(now.id));
            classes.fold(0u64, |sum, now| {
                let before =
                    self.facts.counts.classes.get(&now.id).map_or(0, |counts| counts.allocated.objects);
                sum.saturating_add(now.allocated.objects.saturating_sub(before))
            })
        };
        let is_soft = |class| self.soft.contains(&class) || self.facts.soft_classes.contains(&class);
        let of_jdk = made(&|class| self.reflected.contains(&class));
        let of_program = made(&is_soft).saturating_sub(of_jdk);
        self.history.soft_references(of_program);
        self.history.step(progress, turns);
    }

    fn reset(&mut self) {
        self.resets += 1;
        self.facts.all_mut().into_iter().for_each(Kind::clear);
        self.history.reset();
        // These are never set to zero.
        if let Some(base) = self.base.take() {
            let Profile { trust, gcs, resets, .. } = *base;
            self.base = Some(Box::new(Profile { trust, gcs, resets, ..Profile::default() }));
        }
    }
}
