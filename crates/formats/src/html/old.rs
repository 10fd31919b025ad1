//! What is old and alive: the first question to a page. By who made it.
//!
//! Not here: what is old (`mayfly-profile`, `old`), and who holds it, which a recording knows of what grows alone (`growing`).

use mayfly_profile::{BlameRules, Growing, OLD_PART, OldRow, Profile};
use mayfly_report::{count, holder_of, old_age, place_text, readable_class, size};

/// Rows.
const ROWS: usize = 8;
/// Less of the bytes of all rows is not worth one.
const LITTLE: f64 = 0.01;

/// Live objects that one method made, and that a collection has left.
pub(super) struct OldAlive {
    /// The class that most of it is of, as the page's rows name it.
    pub(super) class: String,
    /// As Java spells it, with how many others.
    pub(super) what: String,
    pub(super) bytes: u64,
    pub(super) size: String,
    pub(super) objects: String,
    pub(super) age: String,
    /// Older than so many milliseconds.
    pub(super) from_ms: u64,
    /// The method; empty where it is not known.
    pub(super) made_by: String,
    /// Who holds it; empty where that is not known.
    pub(super) holder: String,
}

/// The rows, most bytes first.
pub(super) fn rows(profile: &Profile, growing: Option<&Growing>) -> Vec<OldAlive> {
    if !profile.run.lifetimes {
        return Vec::new();
    }
    let rules = rules(profile);
    let mut rows = profile.old(&rules);
    rows.retain(|row| !row.old.live.is_empty());
    rows.sort_by_key(|row| std::cmp::Reverse(row.old.live.bytes));
    let all: u64 = rows.iter().map(|row| row.old.live.bytes).fold(0, u64::saturating_add);
    rows.retain(|row| row.old.live.bytes as f64 >= LITTLE * all as f64);
    rows.truncate(ROWS);
    let at_most = if profile.live_is_at_most() { "at most " } else { "" };
    let row = |row: &OldRow<'_>| OldAlive {
        class: row.class.to_owned(),
        what: match row.others {
            0 => readable_class(row.class),
            others => format!("{} and {others} more", readable_class(row.class)),
        },
        bytes: row.old.live.bytes,
        size: match at_least(profile, row) {
            "" => format!("{at_most}{}", size(row.old.live.bytes)),
            at_least => format!("{at_least}{}", size(row.old.live.bytes)),
        },
        objects: count(row.old.live.objects),
        age: old_age(row.live_age()),
        from_ms: (row.old.age_ms * OLD_PART) as u64,
        made_by: row.method.map(|(class, method)| place_text(class, method, row.line)).unwrap_or_default(),
        holder: growing.and_then(|growing| holder_of((profile, &rules), growing, row)).unwrap_or_default(),
    };
    rows.iter().map(row).collect()
}

/// Before a number that lacks dropped objects.
fn at_least(profile: &Profile, row: &OldRow<'_>) -> &'static str {
    let class = profile.classes.iter().find(|class| class.name == row.class);
    let dropped = class.and_then(|class| profile.dropped_beside(class, row.old.live));
    if dropped.is_some() { "at least " } else { "" }
}

/// As the first screen charges: the first frame outside of the JDK, unless the recorded run said otherwise.
fn rules(profile: &Profile) -> BlameRules {
    let mut rules = profile.run.view.rules.clone();
    if rules.ignore.is_empty() {
        rules.ignore = BlameRules::outside_the_jdk().ignore;
    }
    rules
}
