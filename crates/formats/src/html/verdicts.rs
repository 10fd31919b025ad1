//! What the page says of a row of two sides, in words that are given to it.

use serde::Serialize;

/// Verdicts in words: `more, +10.0 %`, `~`. Empty: none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdicts {
    /// On bytes allocated.
    #[serde(rename = "bytes")]
    pub allocated: String,
    /// On bytes live.
    pub live: String,
    /// On lengths of life.
    pub lived: String,
}
