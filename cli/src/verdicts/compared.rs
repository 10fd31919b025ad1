//! A comparison with what it does not know of its recordings: how many they are, and whose operations it is per.
//!
//! Not here: the comparison (`mayfly-verdicts`), and what it looks like.

use mayfly_report::grouped;
use mayfly_verdicts::{CountedBy, Difference, Side};

/// What `mayfly diff` shows.
pub(crate) struct Compared<'a> {
    pub(crate) difference: &'a Difference,
    pub(crate) sides: [&'a Side<'a>; 2],
    pub(crate) counted_by: CountedBy,
    /// Of all recordings, the side before first.
    pub(crate) files: Vec<String>,
}

impl Compared<'_> {
    /// The recordings of each side.
    pub(super) fn sizes(&self) -> [usize; 2] {
        self.sides.map(|side| side.runs.len())
    }

    /// Operations of a recording of each side, on average; `None` where whole runs are compared.
    pub(super) fn operations(&self) -> Option<[f64; 2]> {
        let mean = |side: &Side<'_>| {
            side.runs.iter().map(|(_, operations)| operations).sum::<f64>() / side.runs.len() as f64
        };
        self.difference.per_operation.then(|| self.sides.map(mean))
    }

    /// Who counted the operations that numbers are divided by, as JSON has it; `None` where they are not.
    pub(super) fn counted_by(&self) -> Option<&'static str> {
        match self.counted_by {
            CountedBy::User => self.difference.per_operation.then_some("user"),
            CountedBy::Program => self.difference.per_operation.then_some("program"),
            CountedBy::Nobody | CountedBy::ProgramInSome { .. } => None,
        }
    }

    /// What numbers are per, in one line; `None`: per run, and there is nothing to be said of it.
    pub(super) fn per(&self) -> Option<String> {
        if let CountedBy::ProgramInSome { recordings } = self.counted_by {
            let all: usize = self.sizes().iter().sum();
            return Some(format!(
                "Whole runs are compared: only {recordings} of {all} recordings say how many operations the program did."
            ));
        }
        let [before, after] = self.operations()?.map(number);
        let who =
            if self.counted_by == CountedBy::Program { "as the program counted them" } else { "as given" };
        Some(format!("Allocated bytes are per operation, {who}: {before} a recording before, {after} after."))
    }
}

/// Of operations: whole, unless there are few.
fn number(operations: f64) -> String {
    let shown_whole = operations >= 100.0 || operations.fract() == 0.0;
    if shown_whole { grouped(operations.round() as u64) } else { format!("{operations:.2}") }
}
