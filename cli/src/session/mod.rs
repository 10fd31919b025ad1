//! Target JVMs: starting one with the agent inside and seeing it to its end; finding, attaching to and asking one that runs.
//!
//! Not here: what the commands print.

pub(crate) mod agent_library;
pub(crate) mod attach;
pub(crate) mod connect;
mod elf;
pub(crate) mod examination;
pub(crate) mod folder;
pub(crate) mod gc_threads;
pub(crate) mod java;
pub(crate) mod jvms;
pub(crate) mod kept_output;
pub(crate) mod launch;
mod library_copy;
pub(crate) mod measured_run;
pub(crate) mod memory_limit;
pub(crate) mod outline;
pub(crate) mod output_tail;
pub(crate) mod perf_data;
pub(crate) mod process;
pub(crate) mod recording_files;
pub(crate) mod signals;
pub(crate) mod unreachable;
pub(crate) mod writer;
