//! Classes and methods: the largest by what they allocated, by what is live of it, and by how long that was held.

use mayfly_profile::{ClassProfile, EngineKind, LiveAsOf, MethodProfile, Tracking};

use super::{LEAST_ROWS, Screen};
use crate::followed::thinned;
use crate::names::{class_text, place_text};
use crate::table::fitted;
use crate::units;

/// A row before it is text: what it is ranked by, and its cells.
struct Row {
    allocated: u64,
    /// Whether that is exact.
    counted: bool,
    executed: u64,
    /// `None`: not known.
    live: Option<u64>,
    byte_seconds: f64,
    /// What these are at least and at most: collections alone show when objects died.
    held_between: (f64, f64),
    /// Whether it may have been held for longer: nobody looked whether it is still there.
    held_at_least: bool,
    /// Whether what lives is estimated from a part of the objects.
    live_estimated: bool,
    name: String,
    /// Why it is shown, if not for what it allocated.
    why: &'static str,
}

/// What lies within this factor is known.
const KNOWN_WITHIN: f64 = 2.0;

const MUCH_LIVE: &str = " (much live)";
const MUCH_HELD: &str = " (much held)";

/// What rows are of. How old the living are is known of classes alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Class,
    Method,
}

impl Row {
    /// For how long a byte was held on average.
    fn held(&self) -> String {
        let text = |of: f64| units::rough_duration(1000.0 * of / self.executed.max(1) as f64);
        let (least, most) = self.held_between;
        match self.byte_seconds > 0.0 {
            false => "?".to_owned(),
            true if self.held_at_least && least > 0.0 => format!("≥{}", text(least)),
            true if self.held_at_least => "?".to_owned(),
            // The middle between two collections is no measure.
            true if least * KNOWN_WITHIN < most => format!("≤{}", text(most)),
            true => text(self.byte_seconds),
        }
    }

    fn is_optimised_away(&self) -> bool {
        self.allocated < self.executed
    }
}

impl Screen<'_> {
    /// The classes that allocated most; below them, marked, what has much live, and what was held much.
    pub(super) fn classes(&self, most: usize) -> Vec<String> {
        let rows: Vec<_> = self.profile.classes.iter().map(|class| self.class_row(class)).collect();
        self.table((Of::Class, "class"), rows, most)
    }

    /// The methods, across all classes.
    pub(super) fn method_rows(&self, most: usize) -> Vec<String> {
        if self.methods.is_empty() {
            return Vec::new();
        }
        let charged =
            if self.rules_given { "by #traceignore and #tracetarget" } else { "first frame outside the JDK" };
        let estimated = self.is_sampled() || !self.profile.shares.is_empty();
        let counted = self.profile.run.engine == EngineKind::Exact && self.profile.is_exact_part();
        let collected = self.profile.live_as_of != LiveAsOf::NoCollection;
        let rows =
            self.methods.iter().map(|method| method_row(method, (counted, estimated), collected)).collect();
        self.table((Of::Method, &format!("method, {charged}")), rows, most)
    }

    /// Whether all of what lives is estimated.
    pub(super) fn is_sampled(&self) -> bool {
        let tracking = self.profile.run.tracking;
        (tracking.follows_a_part() && tracking != Tracking::Balanced) || thinned(self.profile).is_some()
    }

    fn class_row(&self, class: &ClassProfile) -> Row {
        let buckets = &self.profile.run.buckets;
        let byte_seconds = class.byte_seconds(buckets).unwrap_or_default();
        let [mut least, most] = class.byte_seconds_between(buckets).unwrap_or_default();
        if self.profile.run.jvm.lifetimes_are_upper_bounds() {
            least.dead = 0.0;
        }
        let live = class.live.filter(|_| self.profile.knows_live_of(class)).map(|live| live.bytes);
        let allocated = self.profile.allocated_bytes(class);
        // The JVM itself makes objects (`java.lang.Class`), which no hook counts and samples know.
        // In a part of the time most of what is live may be older.
        let is_whole = self.profile.part.during_ms.is_none();
        let by_jvm = live.filter(|&live| is_whole && live > class.allocated.bytes).map(|live| {
            let unseen =
                self.profile.estimates.get(&class.name).map_or(0, |estimate| estimate.unseen.bytes());
            live.max(allocated.saturating_add(unseen))
        });
        Row {
            allocated: by_jvm.unwrap_or(allocated),
            counted: by_jvm.is_none() && self.profile.counts_exactly(class),
            executed: by_jvm.unwrap_or(class.allocated.bytes),
            live,
            byte_seconds: byte_seconds.all(),
            held_between: (least.all(), most.all()),
            held_at_least: byte_seconds.living > 0.0 && self.live_is_at_most,
            live_estimated: self.is_sampled() || self.profile.shares.contains_key(&class.name),
            name: class_text(&class.name),
            why: "",
        }
    }

    fn table(&self, (of, what): (Of, &str), rows: Vec<Row>, most: usize) -> Vec<String> {
        let total = rows.iter().fold(0u64, |sum, row| sum.saturating_add(row.allocated));
        let count = rows.len();
        let lifetimes = self.profile.run.lifetimes;
        let chosen = chosen(of, rows, most, lifetimes);
        let executed = chosen.iter().any(Row::is_optimised_away);
        let what = match count - chosen.len() {
            0 => what.to_owned(),
            more => format!("{what}; {more} more"),
        };
        let mut cells = vec![headings((of, &what), executed, lifetimes)];
        cells.extend(chosen.iter().map(|row| self.cells(of, row, total, executed)));
        let mut lines = vec![String::new()];
        lines.extend(fitted(&cells, "  ", self.columns).lines().map(str::to_owned));
        lines
    }

    fn cells(&self, of: Of, row: &Row, total: u64, executed: bool) -> Vec<String> {
        let estimated = if row.counted { "" } else { "~" };
        let mut cells = vec![
            format!("{estimated}{}", units::bytes(row.allocated)),
            units::whole_percent(row.allocated as f64 / total.max(1) as f64),
        ];
        if executed {
            cells.push(if row.is_optimised_away() { units::bytes(row.executed) } else { String::new() });
        }
        if self.profile.run.lifetimes {
            let live = row.live.map(|live| {
                let sign = match row.live_estimated {
                    _ if self.live_is_at_most && live > 0 => "≤",
                    true => "~",
                    false => "",
                };
                format!("{sign}{}", units::bytes(live))
            });
            cells.push(live.unwrap_or_else(|| "?".to_owned()));
            if of == Of::Class {
                cells.push(row.held());
            }
        }
        let mark = if row.is_optimised_away() { " (optimised away)" } else { "" };
        cells.push(format!("{}{mark}{}", row.name, row.why));
        cells
    }
}

fn headings((of, what): (Of, &str), executed: bool, lifetimes: bool) -> Vec<String> {
    let mut headings = vec!["allocated", "share"];
    headings.extend(executed.then_some("executed"));
    headings.extend(lifetimes.then_some("live"));
    headings.extend((lifetimes && of == Of::Class).then_some("held"));
    headings.push(what);
    headings.into_iter().map(str::to_owned).collect()
}

/// A number with a larger standard error than this share is rough.
const ROUGH: f64 = 0.1;

/// Behind a method that hardly makes anything itself.
pub(super) fn linking(method: &MethodProfile) -> &'static str {
    if method.is_mostly_linking() { " (the JDK links its calls)" } else { "" }
}

fn method_row(method: &MethodProfile, (counted, live_estimated): (bool, bool), known: bool) -> Row {
    let name = match &method.method {
        Some((class, name)) => place_text(class, name, method.line) + linking(method),
        None => "(made without a known place: native code, the JVM)".to_owned(),
    };
    Row {
        allocated: method.allocated_bytes,
        // That all of these are estimates stands below.
        counted: counted && method.error <= ROUGH,
        executed: method.executed_bytes,
        live: known.then_some(method.live_bytes),
        byte_seconds: method.dead_byte_seconds,
        held_between: (0.0, 0.0),
        held_at_least: false,
        live_estimated,
        name,
        why: "",
    }
}

/// At most `most` rows, those that allocated most first; below them, as many as half, what has most live, and what was held most, if it
/// is not among these.
fn chosen(of: Of, mut rows: Vec<Row>, most: usize, lifetimes: bool) -> Vec<Row> {
    rows.sort_by_key(|row| std::cmp::Reverse(row.allocated));
    let allocating = rows.iter().filter(|row| row.allocated > 0).count();
    let others = others(of, &rows, (most / LEAST_ROWS).max(1), lifetimes);
    let below = |first: usize| {
        let mut below: Vec<(usize, &str)> = Vec::new();
        for &(at, why) in others.iter().filter(|(at, _)| *at >= first) {
            if below.len() < most / 2 && below.iter().all(|(other, _)| *other != at) {
                below.push((at, why));
            }
        }
        below
    };
    let has_room = |first: &usize| first + below(*first).len() <= most;
    let first = (0..=allocating.min(most)).rev().find(has_room).unwrap_or(0);
    let below = below(first);
    let why = |at: usize| below.iter().find(|(other, _)| *other == at).map(|(_, why)| *why);
    let rows = rows.into_iter().enumerate().filter(|(at, _)| *at < first || why(*at).is_some());
    rows.map(|(at, row)| Row { why: why(at).unwrap_or_default(), ..row }).collect()
}

/// What else deserves a row, by turns: of what is live, and of what was held, so many each, with the reason.
fn others(of: Of, rows: &[Row], each: usize, lifetimes: bool) -> Vec<(usize, &'static str)> {
    if !lifetimes {
        return Vec::new();
    }
    let order = |key: &dyn Fn(&Row) -> f64, why: &'static str| {
        let mut order: Vec<usize> = (0..rows.len()).filter(|&at| key(&rows[at]) > 0.0).collect();
        order.sort_by(|&a, &b| key(&rows[b]).total_cmp(&key(&rows[a])));
        order.into_iter().map(|at| (at, why)).collect::<Vec<_>>()
    };
    let mut rankings = vec![order(&|row| row.live.unwrap_or(0) as f64, MUCH_LIVE)];
    // Of methods it has no column.
    if of == Of::Class {
        rankings.push(order(&|row| row.byte_seconds, MUCH_HELD));
    }
    (0..each)
        .flat_map(|place| rankings.iter().filter_map(move |ranking| ranking.get(place).copied()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "1.8 s" of objects that lived for a millisecond, between collections each 3.6 s.
    #[test]
    fn what_died_somewhere_between_two_collections_was_held_at_most_so_long() {
        let held = |least: f64, most: f64, held_at_least| {
            let row = Row {
                allocated: 1_000,
                counted: true,
                executed: 1_000,
                live: None,
                byte_seconds: (least + most) / 2.0 * 1_000.0,
                held_between: (least * 1_000.0, most * 1_000.0),
                held_at_least,
                live_estimated: false,
                name: String::new(),
                why: "",
            };
            row.held()
        };
        assert_eq!(held(0.0, 3.6, false), "≤3.6 s");
        assert_eq!(held(3.0, 4.0, false), "3.5 s");
        assert_eq!(held(1.0, 5.0, true), "≥1.0 s");
        assert_eq!(held(0.0, 5.0, true), "?", "nothing is known");
        assert_eq!(held(0.0, 0.0, false), "?");
    }
}
