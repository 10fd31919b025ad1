//! The commands, one file each: from parsed arguments to an exit code.

pub(crate) mod attach;
pub(crate) mod demo;
pub(crate) mod heap;
mod next_commands;
pub(crate) mod ps;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod snapshot;
pub(crate) mod status;
pub(crate) mod steer;
