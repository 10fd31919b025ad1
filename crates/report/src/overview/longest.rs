//! What lives longest: what is old and still there, or died old, and who made it.
//!
//! Not here: what is old (`mayfly-profile`, `old`).

use mayfly_profile::{OldRow, Tally, is_of_the_jdk};

use super::Screen;
use crate::names::{class_text, place_text};
use crate::table::fitted;
use crate::text::shorten;
use crate::units;

/// Rows.
const ROWS: usize = 3;
/// Only rows with at least this share of all that is old, by bytes and age.
const LEAST_SHARE: f64 = 0.01;
/// Fewer samples of what is old are no ground to rank by.
const LEAST_SAMPLES: f64 = 3.0;
/// Own code is named first if it holds this share of what the first row does.
const OWN_SHARE: f64 = 0.05;
/// What died at less than this share of the profiled time did not become old.
const YOUNG: f64 = 0.01;
/// Columns of a name in a row.
const NAME: usize = 36;

impl Screen<'_> {
    /// What was held most and longest first.
    pub(super) fn long_lived(&self) -> Vec<OldRow<'_>> {
        if !self.profile.run.lifetimes {
            return Vec::new();
        }
        let mut rows = self.profile.old(&self.rules);
        let all: f64 = rows.iter().map(|row| row.old.weight).sum();
        rows.retain(|row| row.old.weight >= all * LEAST_SHARE && self.is_known(row, row.old.all()));
        rows.truncate(ROWS);
        rows
    }

    /// The row that a sentence is about: of the program's own code, if that holds enough.
    pub(super) fn longest(&self) -> Option<OldRow<'_>> {
        let rows = self.long_lived();
        let most = rows.first()?.old.weight;
        let own = |row: &&OldRow<'_>| {
            row.method.is_some_and(|(class, _)| !is_of_the_jdk(class)) && row.old.weight >= most * OWN_SHARE
        };
        rows.iter().find(own).or(rows.first()).cloned()
    }

    /// As a table.
    pub(super) fn longest_lived(&self) -> Vec<String> {
        let rows = self.long_lived();
        if rows.is_empty() {
            return Vec::new();
        }
        let mut cells = vec![["live", "died old", "age", "class", "made by"].map(str::to_owned).to_vec()];
        cells.extend(rows.iter().map(|row| {
            let size = |tally: Tally| format!("{}{}", self.about(row), units::bytes(tally.bytes));
            vec![size(row.old.live), size(row.old.dead), age(row), classes(row), made_by(row)]
        }));
        let heading =
            "Longest lived: what a collection has left (age: on average, for sure), and who made it:";
        let mut lines = vec![String::new()];
        lines.extend(self.wrap(0, heading));
        lines.extend(fitted(&cells, "  ", self.columns).lines().map(str::to_owned));
        lines
    }

    /// Before a number that is estimated.
    fn about(&self, row: &OldRow<'_>) -> &'static str {
        let estimated = self.is_sampled() || self.profile.shares.contains_key(row.class);
        if estimated { "~" } else { "" }
    }

    /// Whether enough of such a part of it was followed.
    pub(super) fn is_known(&self, row: &OldRow<'_>, part: Tally) -> bool {
        let class = self.profile.classes.iter().find(|class| class.name == row.class);
        let samples = class.and_then(|class| self.profile.samples_behind(class, part));
        samples.is_none_or(|samples| samples >= LEAST_SAMPLES)
    }
}

/// The sentence about it, of a profiled time; `is_seen`: a collection has looked at what is old.
pub(super) fn sentence(row: &OldRow<'_>, profiled_ms: u64, is_seen: bool) -> String {
    let (live, dead) = (units::bytes(row.old.live.bytes), units::bytes(row.old.dead.bytes));
    let (name, age) = (classes(row), age(row));
    let verb = if row.others == 0 { "lives" } else { "live" };
    match row.old.live.bytes >= row.old.dead.bytes {
        // No collection has looked at them lately.
        true if !is_seen => {
            format!("{name} {verb} longest: {live} are at least {age} old and not seen dead")
        }
        true if row.old.dead.is_empty() => {
            format!("{name} {verb} longest: {live} are still there, {age} old or so")
        }
        true => format!("{name} {verb} longest: {live} are still there, {age} old or so, {dead} died old"),
        false if row.old.age_ms < profiled_ms as f64 * YOUNG => {
            format!("hardly anything became old: what lived longest, {dead} of {name}, died {age} old or so")
        }
        false => format!("{name} {verb} longest: {dead} died {age} old or so, {live} are still there"),
    }
}

/// Who made it, if that is known.
pub(super) fn maker(row: &OldRow<'_>) -> Option<String> {
    row.method.map(|(class, method)| format!("made by {}", place_text(class, method, row.line)))
}

fn age(row: &OldRow<'_>) -> String {
    units::duration(row.old.age_ms)
}

fn classes(row: &OldRow<'_>) -> String {
    let name = shorten(&class_text(row.class), NAME, "...");
    match row.others {
        0 => name,
        more => format!("{name} and {more} more"),
    }
}

fn made_by(row: &OldRow<'_>) -> String {
    let Some((class, method)) = row.method else { return "?".to_owned() };
    shorten(&place_text(class, method, row.line), NAME, "...")
}
