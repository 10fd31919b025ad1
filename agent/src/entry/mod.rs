//! Where the JVM comes in: its events, native methods of the Java side, and the start.
//!
//! Raw arguments become typed ones here; what is done is the other rooms' business.

mod events;
pub mod exports;
pub mod exports_api;
mod in_process;
mod loaded;
pub mod marker;
mod mbean;
mod natives;
mod starting;
mod startup;
