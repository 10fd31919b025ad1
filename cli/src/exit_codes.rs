//! The exit codes of `mayfly`: part of its interface, see `docs/guide/cli.md`.
//!
//! `mayfly run` returns the program's own code instead, or 128 + N when signal N ended it.

/// All went well. A reader that closed our pipe early counts as well.
pub(crate) const SUCCESS: u8 = 0;
/// A check failed.
pub(crate) const CHECK_FAILED: u8 = 1;
/// The command can't be carried out as given: bad arguments, no agent, a program that can't be started, an output
/// that can't be written; a check that can't be decided.
pub(crate) const USAGE: u8 = 2;
/// A running JVM can't be reached, or its agent can't do what it was asked.
pub(crate) const UNREACHABLE: u8 = 3;
/// The recording is missing, unreadable, or not one of ours.
pub(crate) const RECORDING_UNREADABLE: u8 = 4;
/// Added to the number of the signal that ended the program, as shells do.
pub(crate) const KILLED_BY_SIGNAL: u8 = 128;
