//! Recordings: the stream of [`mayfly_profile::Update`]s as bytes and back. Append-only, framed, checksummed,
//! versioned.
//!
//! [`control`] holds the requests to a running agent and its answers, framed the same way.
//!
//! Sans-I/O: bytes in, updates out, and the reverse. Opening, appending to and syncing files or sockets is the
//! agent's and the CLI's. The layout is drawn in [`frame`], where the bytes are written; what its payloads mean is a
//! module per version of the format, of which the newest is written and all are read.

pub mod control;
pub mod frame;
mod profile;
mod reader;
mod thinning;
mod v1;
mod v2;
mod writer;

pub use frame::FORMAT_VERSION;
pub use profile::{read_profile, write_profile};
pub use reader::{Damage, ReadError, RecordingReader};
pub use thinning::{Growth, Thinner};
pub use writer::{RecordingWriter, WriteError};
