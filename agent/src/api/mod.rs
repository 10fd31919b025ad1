//! What stands behind the Java API's questions: about the heap (`io.mayfly.Natives`: sizes, counts, paths), and about the
//! profile so far.
//!
//! The heap can be asked in every JVM that has this library in it, whether or not it was started or attached as an agent: all
//! that is needed comes with the call. Not here: the native methods themselves (`entry`), and what their answers mean to
//! an assertion, which Java decides.

mod allocations;
mod count;
mod environment;
mod error;
mod fields;
mod own_frame;
mod paths;
mod profile;
mod rows;
mod snapshot;
mod steps;
mod survivors;

pub(crate) use crate::heap::Targets;
pub(crate) use allocations::{allocations, can_watch, left};
pub(crate) use count::count;
pub(crate) use environment::{collect, size};
pub(crate) use error::ApiError;
pub(crate) use fields::{fields, interesting_roots};
pub(crate) use paths::{Search, paths, retained};
pub(crate) use profile::{profile, totals};
pub(crate) use steps::Steps;
pub(crate) use survivors::{Survivors, survivors};

/// Version of the native methods, which the Java side compares with its own.
pub(crate) const VERSION: i32 = 4;
