//! What lives longest: what is old and still there, or died old, and who made it.
//!
//! Not here: what is old (`mayfly-profile`, `old`).

use mayfly_profile::{ClassProfile, OldAge, OldRow, Tally, is_of_the_jdk};

use super::Screen;
use super::ages::{at_age, old_age};
use crate::names::{class_text, place_text};
use crate::table::fitted;
use crate::text::shorten;
use crate::units;

/// Rows.
const ROWS: usize = 4;
/// Only rows with at least this share of all that is old, by bytes and age.
const LEAST_SHARE: f64 = 0.01;
/// Fewer samples of what is old are no ground to rank by.
const LEAST_SAMPLES: f64 = 3.0;
/// Relative standard errors of what is live: of what is known well enough to be ranked (+-50 %), and of what is no guess.
const ROUGH: f64 = 0.25;
const ALL_OF_IT: f64 = 1.0;
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
        // Of what is a guess only where nothing else is known.
        let is_well_known = |row: &OldRow<'_>| self.is_sure_of(row, ROUGH);
        let least = if rows.iter().any(is_well_known) { ROUGH } else { ALL_OF_IT };
        rows.retain(|row| self.is_sure_of(row, least));
        rows.truncate(ROWS);
        rows
    }

    /// What of these rows lives long besides what is named, in a line.
    pub(super) fn others_that_live(&self, rows: &[OldRow<'_>], named: &OldRow<'_>) -> Option<String> {
        let others = rows.iter().filter(|row| row.method.is_some() && row.method != named.method);
        let texts: Vec<_> = others
            .map(|row| {
                let (live, dead) = (units::bytes(row.old.live.bytes), units::bytes(row.old.dead.bytes));
                let (about, age) = (self.about(row), old_age(self.profile.age_of(row)));
                // It stands below what is still there: what died has to be said so.
                let sizes = match row.old.lives_on() {
                    true => format!("{about}{live}"),
                    false if row.old.live.is_empty() => format!("{about}{dead} died"),
                    false => format!("{about}{dead} died, {about}{live} live"),
                };
                format!("{} ({sizes}, {age})", made_by(row))
            })
            .collect();
        (!texts.is_empty()).then(|| format!("next: {}", texts.join(", ")))
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
            let age = old_age(self.profile.age_of(row));
            vec![self.live_text(row), size(row.old.dead), age, classes(row), made_by(row)]
        }));
        let heading =
            "Longest lived: what a collection has left (age: the median of its bytes), and who made it:";
        let mut lines = vec![String::new()];
        lines.extend(self.wrap(0, heading));
        lines.extend(fitted(&cells, "  ", self.columns).lines().map(str::to_owned));
        lines
    }

    fn live_text(&self, row: &OldRow<'_>) -> String {
        let sign = if self.live_is_at_most && !row.old.live.is_empty() { "≤" } else { self.about(row) };
        format!("{sign}{}", units::bytes(row.old.live.bytes))
    }

    /// Before a number that is estimated.
    fn about(&self, row: &OldRow<'_>) -> &'static str {
        let estimated = self.is_sampled() || self.profile.shares.contains_key(row.class);
        if estimated { "~" } else { "" }
    }

    /// Whether enough of such a part of it was followed.
    pub(super) fn is_known(&self, row: &OldRow<'_>, part: Tally) -> bool {
        let class = self.profile.classes.iter().find(|class| class.name == row.class);
        class.is_none_or(|class| self.is_known_of(class, part))
    }

    /// Whether the error of what is live of it is no larger than this part of that, if that is what it is shown for.
    fn is_sure_of(&self, row: &OldRow<'_>, most: f64) -> bool {
        !row.old.lives_on() || self.error_of_old(row).is_none_or(|error| error <= most)
    }

    /// Whether enough of such a part of a class was followed.
    pub(super) fn is_known_of(&self, class: &ClassProfile, part: Tally) -> bool {
        self.profile.samples_behind(class, part).is_none_or(|samples| samples >= LEAST_SAMPLES)
    }
}

/// The row that a sentence is about: of the program's own code, whose names begin so, if that holds enough, else of a library's.
pub(super) fn longest<'r, 'p>(rows: &'r [OldRow<'p>], family: Option<&str>) -> Option<&'r OldRow<'p>> {
    let most = rows.first()?.old.weight;
    let made_by = |is_it: &dyn Fn(&str) -> bool| {
        let holds_enough = |row: &&OldRow<'_>| row.old.weight >= most * OWN_SHARE;
        rows.iter().filter(holds_enough).find(|row| row.method.is_some_and(|(class, _)| is_it(class)))
    };
    let own = family.and_then(|family| made_by(&|class| class.starts_with(family)));
    own.or_else(|| made_by(&|class| !is_of_the_jdk(class))).or(rows.first())
}

/// The sentence about it, of such an age; `is_at_most`: what of it is live may be dead, as no collection looked.
pub(super) fn sentence(row: &OldRow<'_>, age: OldAge, profiled_ms: u64, is_at_most: bool) -> String {
    let (live, dead) = (units::bytes(row.old.live.bytes), units::bytes(row.old.dead.bytes));
    let (name, at_age) = (classes(row), at_age(age));
    let verb = if row.others == 0 { "lives" } else { "live" };
    let there = if is_at_most { "not seen dead" } else { "still there" };
    match row.old.lives_on() {
        true if row.old.dead.is_empty() || is_at_most => {
            format!("{name} {verb} longest: {live} are {there}, {at_age}")
        }
        true => format!("{name} {verb} longest: {live} are {there}, {at_age}; {dead} died old"),
        false if row.old.age_ms < profiled_ms as f64 * YOUNG && is_at_most => {
            format!(
                "what lives longest is not known, no collection looked at what is old: {dead} of {name} died {at_age}"
            )
        }
        false if row.old.age_ms < profiled_ms as f64 * YOUNG => {
            format!("hardly anything became old: what lived longest, {dead} of {name}, died {at_age}")
        }
        false if row.old.live.is_empty() => format!("{name} {verb} longest: {dead} died {at_age}"),
        false => format!("{name} {verb} longest: {dead} died {at_age}; {live} are {there}"),
    }
}

/// Who made it, if that is known.
pub(super) fn maker(row: &OldRow<'_>) -> Option<String> {
    row.method.map(|(class, method)| format!("made by {}", place_text(class, method, row.line)))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// "s.u.l.LocaleObjectCache$CacheEntry and 185 more live longest, made by StdDateFormat.<clinit>", of a program that keeps alerts.
    #[test]
    fn what_the_program_itself_makes_is_named_before_what_its_libraries_make() {
        let row = |class: &'static str, weight| {
            let mut row = OldRow::default();
            row.method = Some((class, "make"));
            row.old.weight = weight;
            row
        };
        let named = |rows: &[OldRow<'_>], family| {
            longest(rows, family).and_then(|row| row.method).map(|(class, _)| class.to_owned())
        };
        let rows = [row("java.util.Locale", 9.0), row("lib.Dates", 8.0), row("a.Alerts", 7.0)];
        assert_eq!(named(&rows, Some("a.")).as_deref(), Some("a.Alerts"));
        assert_eq!(named(&rows, None).as_deref(), Some("lib.Dates"), "whose the program is is not known");
        let few = [row("java.util.Locale", 900.0), row("lib.Dates", 80.0), row("a.Alerts", 7.0)];
        assert_eq!(named(&few, Some("a.")).as_deref(), Some("lib.Dates"), "next to nothing");
        assert_eq!(named(&few[..1], Some("a.")).as_deref(), Some("java.util.Locale"));
    }
}
