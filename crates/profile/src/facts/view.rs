//! What of a profile is shown: one choice for the agent's reports, for `mayfly report`, and for every format.
//!
//! Not here: how it is asked for (options, the command line), the part of a profile that it is (`shown`), and what is shown
//! of it (`mayfly-report`).

use crate::facts::blame::BlameRules;
use crate::facts::filter::ClassFilter;

/// A choice of classes and objects, how many rows there are of them, and which frames are blamed. By default all is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Classes shown (`#include`, `#exclude`, `#exactmatch`).
    pub classes: ClassFilter,
    /// Only classes and sites with an object of at least so many bytes are shown (`#largerthan`); 0 shows all.
    pub min_bytes: u64,
    /// Rows of each list at most (`#outputlimit`): classes, sites of each, blamed classes, methods. Sums are not affected.
    pub rows: Option<usize>,
    /// Whether classes to blame are named where there are stacks (`#noblame` clears it).
    pub blame: bool,
    /// Which frames are blamed (`#traceignore`, `#tracetarget`).
    pub rules: BlameRules,
    /// Whether sites are told apart by line, not only by method (`#detailedtrace`).
    pub detailed_trace: bool,
}

impl Default for View {
    fn default() -> Self {
        Self {
            classes: ClassFilter::default(),
            min_bytes: 0,
            rows: None,
            blame: true,
            rules: BlameRules::default(),
            detailed_trace: false,
        }
    }
}
