//! Starting a target JVM with the agent inside, and seeing it to its end.
//!
//! Not here: attaching to a running JVM; what the commands print.

pub(crate) mod agent_library;
pub(crate) mod java;
pub(crate) mod launch;
pub(crate) mod recording_files;
pub(crate) mod signals;
