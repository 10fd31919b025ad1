//! How old what lives longest became, in words.
//!
//! Not here: how that is known (`mayfly-profile`, `old`).

use mayfly_profile::OldAge;

use crate::units;

/// As a sentence goes on.
pub(super) fn at_age(age: OldAge) -> String {
    match age {
        OldAge::Median(ms) => format!("at a median age of {}", units::duration(ms)),
        OldAge::AtLeast(ms) => format!("at a median age of at least {}", units::duration(ms)),
    }
}

/// As a table has it.
pub fn old_age(age: OldAge) -> String {
    match age {
        OldAge::Median(ms) => units::duration(ms),
        OldAge::AtLeast(ms) => format!("≥{}", units::duration(ms)),
    }
}
