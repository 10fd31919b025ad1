//! The JVM that we are in, and what is true of it: its facts, its own count of allocated bytes, its collector, its release.
//!
//! Knows nothing of profiling. A new JDK release begins in `release`.

mod aot;
mod buffer;
mod carriers;
mod collector;
mod counter;
mod flags;
mod gc_kinds;
mod gc_log;
mod heap_use;
pub(crate) mod identity;
mod jvm;
mod outside_memory;
mod process_memory;
mod published;
pub(crate) mod release;

pub(crate) use aot::AotCache;
pub(crate) use buffer::{
    Picked, give_sampler_back, note_launch, note_sample, note_thread, renew_buffer, set_sampling_interval,
};
pub(crate) use collector::{clears_slots_in_its_pause, keeps_young_tracked_objects, stops_the_world};
pub(crate) use flags::compiles_huge_methods;
pub(crate) use gc_log::LargeBytes;
pub(crate) use jvm::{JvmAccess, Target};
pub(crate) use release::FIRST_WITH_FILLER_CLASSES;
