//! The live view: the state of a screen that follows a stream of updates, and how it is drawn.
//!
//! [`State`] takes updates and keys and knows no terminal; [`draw`] puts it into a grid of characters and changes nothing.
//! Pure: no terminal, no clock, no files. Not here: where updates come from, and what a terminal is set to (the CLI).

mod bars;
mod follow;
mod key;
mod look;
mod rows;
mod screen;
mod shown;
mod state;
mod steer;
mod table;
mod view;

pub use key::Key;
pub use look::Look;
pub use state::{Effect, State};
pub use view::{LEAST_COLUMNS, LEAST_ROWS, draw};
