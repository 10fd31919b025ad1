//! The heap as it is at one moment, when somebody asks: a summary by class, or a dump of all objects.
//!
//! Each walk has a JVMTI environment of its own, and needs nobody who profiles. What is asked for by the
//! options of the launch is in `occasions`; other askers call [`summary`] and [`dump`]. Everything of ours is native
//! memory of bounded size, so that it works in a heap that is full. Analysis is the reader's.

mod buffers;
mod classes;
mod dump;
mod dump_file;
mod error;
mod facts;
mod identities;
mod names;
mod occasions;
mod own;
mod snapshot;
mod summary;
mod summary_file;
mod turn;
mod walk_encoder;

pub(crate) use dump::Series;
pub(crate) use dump_file::dump;
pub(crate) use error::HeapError;
pub(crate) use facts::dump_facts;
pub(crate) use identities::{forget, kept_until};
pub(crate) use occasions::{announce, at_exhaustion, at_exit, listen, on_request};
pub(crate) use snapshot::{Targets, snapshot};
pub(crate) use summary::summary;
pub(crate) use turn::Before;
