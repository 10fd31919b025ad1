//! What the text of a report says of itself.

use mayfly_report::Occasion;

/// It was asked for on the command line.
pub(super) fn occasion() -> Occasion {
    Occasion { timestamp: None, reason: "mayfly report".to_owned() }
}
