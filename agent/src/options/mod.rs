//! The agent's options: `#name` or `#name-value`, joined without spaces, as InMemProfiler wrote them.
//!
//! One table (`table/`, a file per subject) drives parsing, suggestions and `#help`. Pure: no file, clock, terminal or JVM is asked;
//! whether a folder can be written or the JVM can sample is found out by those who use the options.

mod error;
mod heap;
mod help;
pub mod name;
mod parse;
mod settings;
mod spec;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use error::OptionError;
pub use help::help;
pub use parse::continues_without;
pub use settings::{Bounds, HeapOptions, Live, Options, Periodic, Resets, SampleRate, ScopeMethod};
