//! The commands, one file each: from parsed arguments to an exit code.

pub(crate) mod advise;
pub(crate) mod agent;
pub(crate) mod attach;
pub(crate) mod check;
pub(crate) mod cost;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod heap;
pub(crate) mod help_files;
pub(crate) mod leaks;
pub(crate) mod live;
pub(crate) mod mcp;
pub(crate) mod merge;
mod next_commands;
pub(crate) mod ps;
pub(crate) mod push;
pub(crate) mod record;
pub(crate) mod report;
mod report_by;
pub(crate) mod run;
mod run_view;
pub(crate) mod snapshot;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod steer;
