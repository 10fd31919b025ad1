//! libmayfly.so: the agent that runs inside the target JVM.
//!
//! [`exports`] is where the JVM comes in, `lifecycle` what happens when; `startup` decides whether the agent can work.
//! `host` is what every mode has, `remote` how it is reached from outside; all the rest is there only to profile.
//! `rewriting` patches classes as they load, `hooks` owns the Java side, `allocations` takes what the hooks report.
//! One thread (`worker`) sweeps, adds up (`session`) and publishes (`output`). The hot path's data is
//! `mayfly-collector`'s, all unsafe calls are `mayfly-jvmti`'s.

mod allocations;
mod api;
mod brief;
mod control;
mod engine;
pub mod exports;
pub mod exports_api;
mod faults;
mod gc_kinds;
mod heap;
mod hooks;
mod host;
mod lifecycle;
mod mbean;
mod memory;
mod mounting;
mod notice;
pub mod options;
mod output;
mod places;
mod precision;
mod remote;
mod rewriting;
mod session;
mod stacks;
mod startup;
mod stream;
mod trust;
mod unseen;
mod worker;
