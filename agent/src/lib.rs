//! libmayfly.so: the agent that runs inside the target JVM.

pub mod options;
