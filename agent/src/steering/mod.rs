//! Holds the engine, the session and the output together: begins, pauses, resets, reports, ends.
//!
//! Asked by the program through the Java API, by options, by requests from outside, or by the JVM. Knows an engine only by
//! its interface.

mod begin;
mod collecting;
mod control;
mod end;
mod holders;
mod outside;
mod precision;
mod profiler;
mod slot;
mod status;
mod worker;
mod worker_thread;

pub(crate) use begin::begin;
pub(crate) use collecting::{
    collect_and_look, collect_at_the_end_of_main, collect_if_due, collect_last, collect_now, force_gc,
};
pub(crate) use control::{
    operations, pause, report_and_wait, reset, set_pool, snapshot, start, trace, watch,
};
pub(crate) use end::{finish, stop, stop_and_restore};
pub(crate) use profiler::{Begun, Profiler, switch_off};
pub(crate) use status::status;

pub(crate) use crate::output::{WatchError, Watcher};
