//! One frame of a stack.
//!
//! Not here: which frames are blamed (`blame`), how stacks are taken, which is the agent's.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// One frame of a stack. Texts are shared: a frame stands in thousands of stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// Declaring class, as `Class.getName()` gives it.
    pub class: Arc<str>,
    /// Method name.
    pub method: Arc<str>,
    /// Source file, if the class tells.
    pub file: Option<Arc<str>>,
    /// Line; only with `#lines` or `#detailedtrace`, or by the sampled engine.
    pub line: Option<u32>,
}

impl Frame {
    /// Whether its class starts with one of these.
    pub(crate) fn starts_with_any(&self, prefixes: &[String]) -> bool {
        prefixes.iter().any(|prefix| self.class.starts_with(prefix))
    }
}
