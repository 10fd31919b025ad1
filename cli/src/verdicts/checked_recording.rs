//! A recording with the outcome of its check, as all forms take it.

use mayfly_verdicts::Checked;

/// A recording that was held against a budget.
#[derive(Debug)]
pub(crate) struct CheckedRecording {
    /// As the command line names it.
    pub(crate) recording: String,
    /// Where the budget is.
    pub(crate) budget: String,
    /// What came out.
    pub(crate) checked: Checked,
}
