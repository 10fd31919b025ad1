//! What `mayfly report` writes: a profile as bytes, one file per format.
//!
//! Not here: the text itself (`mayfly-report`, shared with the agent), and reading recordings (`mayfly-recording`).

pub(crate) mod json;
pub(crate) mod text;
pub(crate) mod view;
