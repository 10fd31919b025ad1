//! The kinds of facts that steps tell, one file each; whoever folds, repeats, thins or writes a stream goes through this list.
//!
//! A new kind is a file here, a row of [`Section`], and a row of each table below. A new number of a run needs none.

pub(crate) mod census;
pub(crate) mod collections;
pub(crate) mod counts;
pub(crate) mod course;
pub(crate) mod flags;
pub(crate) mod holders;
pub(crate) mod labels;
pub(crate) mod lifetimes;
pub(crate) mod live;
pub(crate) mod operations;
pub(crate) mod readings;
pub(crate) mod retention;
pub(crate) mod rotation;
pub(crate) mod scopes;
pub(crate) mod shares;
pub(crate) mod soft_classes;
pub(crate) mod sources;
pub(crate) mod traces;

use crate::facts::collection::{Collections, Flag};
use crate::facts::readings::Readings;
use crate::facts::rotation::Rotation;
use crate::facts::source::{Labels, Source};
use crate::stream::course::Course;
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::kinds::census::Censuses;
use crate::stream::kinds::counts::Counts;
use crate::stream::kinds::holders::KnownHolders;
use crate::stream::kinds::lifetimes::KnownLifetimes;
use crate::stream::kinds::live::Live;
use crate::stream::kinds::operations::Operations;
use crate::stream::kinds::retention::Retention;
use crate::stream::kinds::scopes::Scopes;
use crate::stream::kinds::shares::Shares;
use crate::stream::kinds::soft_classes::SoftClasses;
use crate::stream::kinds::traces::Traced;
use crate::stream::update::{SECTION_KINDS, Section};

/// All that the steps of a stream have told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) counts: Counts,
    pub(crate) live: Live,
    pub(crate) lifetimes: KnownLifetimes,
    pub(crate) shares: Shares,
    pub(crate) scopes: Scopes,
    pub(crate) operations: Operations,
    pub(crate) census: Censuses,
    pub(crate) collections: Collections,
    pub(crate) flags: Vec<Flag>,
    pub(crate) labels: Labels,
    pub(crate) sources: Vec<Source>,
    pub(crate) readings: Readings,
    pub(crate) rotation: Option<Rotation>,
    pub(crate) traces: Traced,
    pub(crate) holders: KnownHolders,
    pub(crate) course: Course,
    pub(crate) soft_classes: SoftClasses,
    pub(crate) retention: Retention,
}

impl Facts {
    /// Each kind, in the order in which a step tells them.
    pub(crate) fn all(&self) -> [&dyn Kind; SECTION_KINDS] {
        [
            &self.counts,
            &self.live,
            &self.lifetimes,
            &self.shares,
            &self.scopes,
            &self.operations,
            &self.census,
            &self.collections,
            &self.flags,
            &self.labels,
            &self.sources,
            &self.readings,
            &self.rotation,
            &self.traces,
            &self.holders,
            &self.course,
            &self.soft_classes,
            &self.retention,
        ]
    }

    /// The same, to be changed.
    pub(crate) fn all_mut(&mut self) -> [&mut dyn Kind; SECTION_KINDS] {
        [
            &mut self.counts,
            &mut self.live,
            &mut self.lifetimes,
            &mut self.shares,
            &mut self.scopes,
            &mut self.operations,
            &mut self.census,
            &mut self.collections,
            &mut self.flags,
            &mut self.labels,
            &mut self.sources,
            &mut self.readings,
            &mut self.rotation,
            &mut self.traces,
            &mut self.holders,
            &mut self.course,
            &mut self.soft_classes,
            &mut self.retention,
        ]
    }

    /// The kind that a section is of.
    pub(crate) fn kind_of(&mut self, section: &Section) -> &mut dyn Kind {
        match section {
            Section::Progress(_) => &mut self.counts,
            Section::Live(_) => &mut self.live,
            Section::Lifetimes(_) => &mut self.lifetimes,
            Section::Shares(_) => &mut self.shares,
            Section::Scopes(_) => &mut self.scopes,
            Section::Operations(_) => &mut self.operations,
            Section::Census(_) => &mut self.census,
            Section::Collections(_) => &mut self.collections,
            Section::Flags(_) => &mut self.flags,
            Section::Labels(_) => &mut self.labels,
            Section::Sources(_) => &mut self.sources,
            Section::Readings(_) => &mut self.readings,
            Section::Rotation { .. } => &mut self.rotation,
            Section::Traces(_) => &mut self.traces,
            Section::Holders(_) => &mut self.holders,
            Section::Course(_) => &mut self.course,
            Section::SoftClasses(_) => &mut self.soft_classes,
            Section::Retention(_) => &mut self.retention,
        }
    }

    /// Takes a section of a step ([`Kind::fold`]).
    pub(crate) fn fold(&mut self, section: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        self.kind_of(&section).fold(section, names)
    }

    /// All of it as one step.
    pub(crate) fn take(&mut self) -> Vec<Section> {
        self.all_mut().into_iter().flat_map(Kind::take).collect()
    }

    /// The sections of a step that a later step does not stand for, and the others.
    pub(crate) fn apart(&mut self, step: Vec<Section>) -> (Vec<Section>, Vec<Section>) {
        step.into_iter().partition(|section| !self.kind_of(section).is_cumulative())
    }
}
