//! The commands, one file each: from parsed arguments to an exit code.

pub(crate) mod demo;
mod next_commands;
pub(crate) mod report;
pub(crate) mod run;
