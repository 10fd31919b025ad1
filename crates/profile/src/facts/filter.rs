//! Which classes a report shows: InMemProfiler's `#include`, `#exclude` and `#exactmatch`.
//!
//! Not here: parsing options; what the agent tracks; a profile without the others (`shown`).

use crate::facts::class_name::jvm_class;

/// Class names to keep and to leave out, as `Class.getName()` spells them (`[C`, `a.B$C`); arrays may be spelled as in sources, too
/// (`char[]`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassFilter {
    /// Prefixes of names to keep; empty keeps all.
    pub include: Vec<String>,
    /// Prefixes of names to leave out, of those kept.
    pub exclude: Vec<String>,
    /// Whether both lists hold whole names instead of prefixes.
    pub exact_match: bool,
}

impl ClassFilter {
    /// Whether classes of this name pass.
    pub fn admits(&self, name: &str) -> bool {
        let listed = |list: &[String]| {
            list.iter().map(|entry| jvm_class(entry)).any(|entry| match self.exact_match {
                true => name == entry,
                false => name.starts_with(&*entry),
            })
        };
        (self.include.is_empty() || listed(&self.include)) && !listed(&self.exclude)
    }

    /// Whether every name passes.
    pub fn admits_all(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }
}
