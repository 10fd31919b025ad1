//! How the agent behaves in somebody else's JVM: what it says, what it takes, and how its own faults end.

pub(crate) mod descriptors;
pub(crate) mod faults;
pub(crate) mod memory;
pub(crate) mod notice;
pub(crate) mod own_threads;
