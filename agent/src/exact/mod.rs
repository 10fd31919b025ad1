//! The engine that counts every allocation: classes are rewritten as they load, and their hooks count in slabs.
//!
//! Also what only such an engine needs: who made what no hook sees. What it shares with other engines is in `tracking`.

mod allocations;
mod attached;
mod begin_attached;
mod counters;
mod counting;
mod following;
mod hooks;
mod loaded_classes;
mod maker;
mod numbering;
mod places;
mod prepared;
mod rewriting;
mod sampler;
mod scopes;
mod spending;
mod stand_ins;
mod state;
mod thread;
mod unseen;
mod virtual_threads;

pub(crate) use allocations::{HandedOver, enter, track, untrack};
pub(crate) use attached::AttachError;
pub(crate) use following::{NextDue, follow, unfollow};
pub(crate) use places::{Sampled, enter as enter_place, enter_pair, sample};
pub(crate) use sampler::ask_for_sampler;
pub(crate) use scopes::{enter_inner, note_entry, scope_name};
pub(crate) use state::Exact;
