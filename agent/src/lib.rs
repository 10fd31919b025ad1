//! libmayfly.so: the agent that runs inside the target JVM.
//!
//! Rooms, each of which imports only from those below it (docs/design/agent.md#0034-the-agents-rooms):
//!
//! - [`entry`]: where the JVM comes in: events, native methods, start-up. It knows all the others.
//! - `api`, `remote`, `heap`: questions to the heap, from Java and from outside.
//! - `steering`: holds engine, session and output; begins, pauses, reports, ends.
//! - `exact`, `sampled`: the engines. `session`: adds up, and says what changed. None knows another, only `engine`, the interface.
//! - `census`: young collections, read in their pause.
//! - `tracking`: what engines share. `output`: where the stream goes. `target_jvm`: the JVM and its facts.
//! - `plan`: which way a session goes, by its options. [`options`], `conduct`: what the user asked for; how we behave in
//!   somebody's JVM.
//!
//! The hot path's data is `mayfly-tracking`'s, all unsafe calls are `mayfly-jvmti`'s.

mod api;
mod census;
mod conduct;
mod engine;
pub mod entry;
mod exact;
mod heap;
pub mod options;
mod output;
mod plan;
mod remote;
mod retention;
mod sampled;
mod session;
mod steering;
mod target_jvm;
mod tracking;
