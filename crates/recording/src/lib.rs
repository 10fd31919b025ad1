//! Recordings: the stream of [`mayfly_profile::Update`]s as bytes and back. Append-only, framed, checksummed,
//! versioned.
//!
//! [`control`] holds the requests to a running agent and its answers, framed the same way.
//!
//! Sans-I/O: bytes in, updates out, and the reverse. Opening, appending to and syncing files or sockets is the
//! agent's and the CLI's. The layout is drawn in [`frame`], where the bytes are written; what its payloads mean is
//! a module of the format's version.

mod coarsening;
pub mod control;
mod fields;
pub mod frame;
mod newest;
mod profile;
mod reader;
mod rewriting;
mod sections;
mod shape;
mod thinning;
mod totals;
mod v3;
mod writer;

pub use coarsening::{Coarseness, Reached};
pub use frame::FORMAT_VERSION;
pub use profile::{read_profile, write_profile};
pub use reader::{Damage, ReadError, RecordingReader};
pub use rewriting::{Rewriting, Room};
pub use thinning::{Growth, Thinner};
pub use totals::read_totals;
pub use writer::{RecordingWriter, WriteError};
