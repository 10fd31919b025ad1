//! The live view on a terminal: where updates come from, keys, signals, and what is done outside of the view.
//!
//! Not here: what is shown (`mayfly-live`). Nothing here knows the commands.

pub(crate) mod awaited_file;
pub(crate) mod blocks;
mod feed;
pub(crate) mod growing_file;
mod heap_path;
pub(crate) mod kept_stream;
mod keys;
pub(crate) mod screen;
mod snapshot;
pub(crate) mod source;
mod stop;
mod terminal;
pub(crate) mod watched_jvm;

pub(crate) use terminal::takes_a_view;
