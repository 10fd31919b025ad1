//! How far a file was read, for whoever waits.

/// Called from time to time with the bytes read so far, of so many. Files that are read twice count twice.
pub type Progress<'p> = &'p mut dyn FnMut(u64, u64);
