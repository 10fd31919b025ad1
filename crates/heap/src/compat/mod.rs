//! What INSANE writes and reads: its XML, and the binary form of that. Nothing but `open` knows of it.
//!
//! Not here: its way of naming paths, which is ours, too (`paths`).

pub mod sbih;
pub mod xml;
