//! The kinds of facts that steps tell, one file each; whoever folds, repeats, thins or writes a stream goes through this list.
//!
//! A new kind is a file here, a row of [`Section`], and a row of the table below. A new number of a run needs none.

pub(crate) mod between_samples;
pub(crate) mod census;
pub(crate) mod collections;
pub(crate) mod counts;
pub(crate) mod course;
pub(crate) mod holders;
mod large_freed;
pub(crate) mod lifetimes;
pub(crate) mod live;
pub(crate) mod on_heap;
pub(crate) mod once;
pub(crate) mod operations;
pub(crate) mod readings;
pub(crate) mod retention;
pub(crate) mod rotation;
pub(crate) mod scope_details;
pub(crate) mod scopes;
pub(crate) mod shares;
pub(crate) mod soft_classes;
pub(crate) mod traces;

use crate::facts::collection::{Collections, Flag};
use crate::facts::readings::Readings;
use crate::facts::rotation::Rotation;
use crate::facts::source::{Labels, Source};
use crate::stream::course::Course;
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::kinds::between_samples::KnownBetweenSamples;
use crate::stream::kinds::census::Censuses;
use crate::stream::kinds::counts::Counts;
use crate::stream::kinds::holders::KnownHolders;
use crate::stream::kinds::large_freed::LargeFreed;
use crate::stream::kinds::lifetimes::KnownLifetimes;
use crate::stream::kinds::live::Live;
use crate::stream::kinds::on_heap::OnHeap;
use crate::stream::kinds::operations::Operations;
use crate::stream::kinds::retention::Retention;
use crate::stream::kinds::scope_details::ScopeDetails;
use crate::stream::kinds::scopes::Scopes;
use crate::stream::kinds::shares::Shares;
use crate::stream::kinds::soft_classes::SoftClasses;
use crate::stream::kinds::traces::Traced;
use crate::stream::update::{SECTION_KINDS, Section};

/// Lists the kinds: where [`Facts`] has what was recorded of each, and its section.
macro_rules! kinds {
    ($($field:ident: $kind:ty = $section:pat,)+) => {
        /// All that the steps of a stream have recorded.
        #[derive(Clone, Debug, Default)]
        pub(crate) struct Facts {
            $(pub(crate) $field: $kind,)+
        }

        impl Facts {
            /// Each kind, in the order in which a step has them.
            pub(crate) fn all(&self) -> [&dyn Kind; SECTION_KINDS] {
                [$(&self.$field,)+]
            }

            /// The same, to be changed.
            pub(crate) fn all_mut(&mut self) -> [&mut dyn Kind; SECTION_KINDS] {
                [$(&mut self.$field,)+]
            }

            /// The kind that a section is of.
            pub(crate) fn kind_of(&mut self, section: &Section) -> &mut dyn Kind {
                match section {
                    $($section => &mut self.$field,)+
                }
            }
        }
    };
}

kinds! {
    counts: Counts = Section::Progress(_),
    live: Live = Section::Live(_),
    lifetimes: KnownLifetimes = Section::Lifetimes(_),
    shares: Shares = Section::Shares(_),
    scopes: Scopes = Section::Scopes(_),
    operations: Operations = Section::Operations(_),
    census: Censuses = Section::Census(_),
    collections: Collections = Section::Collections(_),
    flags: Vec<Flag> = Section::Flags(_),
    labels: Labels = Section::Labels(_),
    sources: Vec<Source> = Section::Sources(_),
    readings: Readings = Section::Readings(_),
    rotation: Option<Rotation> = Section::Rotation { .. },
    traces: Traced = Section::Traces(_),
    holders: KnownHolders = Section::Holders(_),
    course: Course = Section::Course(_),
    soft_classes: SoftClasses = Section::SoftClasses(_),
    retention: Retention = Section::Retention(_),
    large_freed: LargeFreed = Section::LargeFreed(_),
    between_samples: KnownBetweenSamples = Section::BetweenSamples(_),
    scope_details: ScopeDetails = Section::ScopeDetails(_),
    on_heap: OnHeap = Section::OnHeap(_),
}

impl Facts {
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
