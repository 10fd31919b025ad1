//! How long bytes lived, as a histogram on a scale by factors, in three lines.
//!
//! Not here: its rows (`mayfly-profile`), which are those of every other output.

use mayfly_profile::{LifeRange, LifeRow};

use super::Screen;
use crate::bars::bar;
use crate::text::{pad, pad_left, width};
use crate::units;

/// Spaces between columns.
const BETWEEN: usize = 2;
/// Columns of a bar.
const BAR: usize = 6;

/// A bar of all.
const HIGHEST: u64 = 1_000;

/// A column.
struct Age {
    label: String,
    bytes: u64,
}

impl Screen<'_> {
    /// Labels, bars, and shares; nothing where no lifetime is known.
    pub(super) fn lives(&self) -> Vec<String> {
        if !self.profile.run.lifetimes {
            return Vec::new();
        }
        let there = if self.live_is_at_most { "not seen dead" } else { "still there" };
        let age = |row| Age::of(row, there);
        let mut ages: Vec<_> = self.profile.life_rows().into_iter().map(age).collect();
        let all = ages.iter().fold(0u64, |sum, age| sum.saturating_add(age.bytes));
        if all == 0 {
            return Vec::new();
        }
        // What is too narrow to be seen tells nothing.
        ages.retain(|age| age.bytes > 0);
        let widths: Vec<_> = ages.iter().map(|age| width(&age.label).max(BAR)).collect();
        let row = |cell: &dyn Fn(&Age, usize) -> String| {
            let cells: Vec<_> = ages.iter().zip(&widths).map(|(age, &columns)| cell(age, columns)).collect();
            self.fit(&format!("  {}", cells.join(&" ".repeat(BETWEEN))))
        };
        let mut lines = vec![String::new()];
        lines.extend(self.wrap(0, "How long bytes lived at least (a quarter of a bar is a factor of ten):"));
        lines.extend([
            row(&|age, columns| pad_left(&age.label, columns)),
            row(&|age, columns| pad_left(&share(age.bytes, all), columns)),
            row(&|age, columns| pad(&bar(height(age.bytes, all), HIGHEST, BAR, true), columns)),
        ]);
        lines
    }
}

impl Age {
    fn of(row: LifeRow, there: &str) -> Self {
        let label = match row.range {
            LifeRange::BeforeFirstGc { .. } => "before any GC".to_owned(),
            LifeRange::Gone { at_most_ms } => format!("≤{}", units::rough_duration(at_most_ms as f64)),
            LifeRange::Alive { from_ms: 0, to_ms: Some(to_ms) } => {
                format!("<{}", units::rough_duration(to_ms as f64))
            }
            LifeRange::Alive { from_ms, .. } => format!("≥{}", units::rough_duration(from_ms as f64)),
            LifeRange::Live => there.to_owned(),
            LifeRange::NotJudged => "not judged".to_owned(),
        };
        Self { label, bytes: row.tally.bytes }
    }
}

/// On a scale of factors: all is [`HIGHEST`], a tenth of it a quarter less; the least still shows.
fn height(part: u64, all: u64) -> u64 {
    let tens = (part as f64 / all.max(1) as f64).log10();
    (HIGHEST as f64 * (1.0 + tens / 4.0)).max(1.0) as u64
}

/// Small shares are not nothing.
fn share(part: u64, all: u64) -> String {
    let percent = 100.0 * part as f64 / all.max(1) as f64;
    match percent {
        p if p < 0.1 => "<0.1 %".to_owned(),
        p if p < 9.95 => format!("{p:.1} %"),
        p if p > 99.5 && part < all => ">99 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_is_a_quarter_less() {
        assert_eq!([1_000_000, 100_000, 1_000, 1].map(|part| height(part, 1_000_000)), [1_000, 750, 250, 1]);
    }

    #[test]
    fn a_share_is_neither_all_nor_nothing_unless_it_is() {
        assert_eq!(
            [(0, 10_000), (1, 10_000), (150, 10_000), (5_000, 10_000), (9_999, 10_000), (10, 10)]
                .map(|(a, b)| share(a, b)),
            ["<0.1 %", "<0.1 %", "1.5 %", "50 %", ">99 %", "100 %"]
        );
    }
}
