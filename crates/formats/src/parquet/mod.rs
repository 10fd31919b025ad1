//! Parquet: six tables, each a file of its own. Their columns are described in `docs/guide/formats.md`.
//!
//! Numbers that a run did not follow are null. Not here: how a file is spelled (`file`), and where it goes.

mod file;
mod fleet;
mod tables;
mod thrift;

pub use self::fleet::fleet_tables;
pub use self::tables::{Table, parquet};
