//! What the heap commands share: dump files, objects by name, tables, JSON.
//!
//! Not here: the commands (`commands/heap/`), formats and algorithms (`mayfly-heap`).

pub(crate) mod class_name;
pub(crate) mod class_rows;
pub(crate) mod columns;
pub(crate) mod compressed;
pub(crate) mod document;
pub(crate) mod dump_file;
pub(crate) mod error;
mod index_file;
mod mapping;
pub(crate) mod owning_field;
pub(crate) mod pages;
pub(crate) mod progress;
pub(crate) mod remarks;
pub(crate) mod root_kind;
pub(crate) mod selection;
pub(crate) mod summary_file;
