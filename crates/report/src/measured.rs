//! A measure of a class in a cell of a table: the number in the unit that suits it, or what it is above.
//!
//! Not here: which measures there are (`mayfly-profile`).

use mayfly_profile::{Measure, Quantile, Unit};

use crate::units;
use crate::units::whole_percent;

/// For a screen: short; `>` where it was not reached, as too many still live. `None`: nothing is known.
pub fn measured(measure: &Measure, of: Quantile) -> Option<String> {
    match of.point {
        Some(point) => Some(number(measure.unit, point)),
        None => (of.low > 0.0).then(|| match measure.unit {
            Unit::Seconds => format!(">{}", units::rough_duration(of.low * 1_000.0)),
            unit => format!(">{}", number(unit, of.low)),
        }),
    }
}

/// A number in words.
pub fn number(unit: Unit, number: f64) -> String {
    match unit {
        Unit::Bytes | Unit::ByteSeconds => units::bytes(number.round() as u64),
        Unit::Objects => units::count(number.round() as u64),
        Unit::Seconds => units::duration(number * 1_000.0),
        Unit::Collections => format!("{number:.0}"),
        Unit::Share => whole_percent(number),
    }
}

/// The same below a heading that names the unit: objects to the last one, seconds without theirs.
pub(crate) fn below_heading(unit: Unit, of: f64) -> String {
    match unit {
        Unit::Objects => format!("{of:.0}"),
        Unit::Seconds => units::seconds(of * 1_000.0),
        unit => number(unit, of),
    }
}
