//! The scopes in which most was allocated, what survived them, for how long, and how to learn who holds it.

use std::cmp::Reverse;

use mayfly_profile::{
    LaterEntries, Outcome, ScopeClass, ScopeProfile, Tally, TallyVariance, Tracking, is_of_the_program,
};

use super::Screen;
use crate::names::class_text;
use crate::process::pid;
use crate::scopes::{live, not_known, outliving, path, survivors as survived};
use crate::table::fitted;
use crate::text::shorten;
use crate::units;

/// Rows.
const ROWS: usize = 5;

/// Classes of survivors of the scope that most survives, and of each other.
const CLASSES: usize = 3;
const CLASSES_OF_OTHERS: usize = 2;

/// As [`units::plus_minus`] has it.
const FEW_SAMPLES: &str = "few samples";

/// Why it is not known what survives.
const FEW_FOLLOWED: &str = "?, few samples: too few of these were followed; --every-object follows each";
const THINNED: &str = "?, few samples: there was no room to follow each; #memlimit-SIZE gives it more";

/// Why it is more.
const NO_ROOM: &str = "≥: no more objects of scopes are looked after at once than there is room for; --include CLASSES leaves out others";

/// Why it is less.
const AT_MOST: &str = "≤: what this collector leaves may be dead, so that it survived is not proved; Serial, Parallel and G1 tell";

/// If so many of the survivors are still there, that is what there is to know of how long they stay.
const MOSTLY: f64 = 0.5;

/// Columns of a scope's name in a sentence.
const NAME: usize = 40;

impl Screen<'_> {
    /// As a table, and what survives each, in parts of which the first are needed most; nothing if no scope was entered.
    pub(super) fn scopes(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let all = &self.profile.scopes;
        let mut scopes: Vec<_> =
            all.iter().map(|scope| (scope.allocated_with_inner(all).bytes, scope)).collect();
        if scopes.is_empty() {
            return <(Vec<String>, Vec<Vec<String>>)>::default();
        }
        scopes.sort_by(|(bytes, scope), (others, other)| {
            others.cmp(bytes).then_with(|| scope.path.cmp(&other.path))
        });
        let followed = scopes.iter().any(|(_, scope)| scope.outlived.is_some());
        let more = match scopes.len().saturating_sub(ROWS) {
            0 => String::new(),
            more => format!(", {more} more"),
        };
        let heading = if followed {
            format!("Scopes, with those inside of them (survived: of their own){more}:")
        } else {
            format!("Scopes, with those inside of them (survivors need #trackcollections){more}:")
        };
        let mut cells = vec![headings(followed)];
        cells.extend(scopes.iter().take(ROWS).map(|&(bytes, scope)| self.cells_of(scope, bytes, followed)));
        let mut lines = vec![String::new()];
        lines.extend(self.wrap(0, &heading));
        let at_most = (followed && self.is_at_most()).then(|| AT_MOST.to_owned());
        let why = self.why_not_known(&cells).into_iter().chain(at_most.or_else(|| why_at_least(&scopes)));
        lines.extend(fitted(&with_errors(cells), "  ", self.columns).lines().map(str::to_owned));
        lines.extend(why.flat_map(|text| self.wrap(2, &text)));
        let bytes = |scope: &ScopeProfile| survived(scope.outcome().unwrap_or_default()).bytes;
        let mut most: Vec<&ScopeProfile> = scopes.iter().map(|&(_, scope)| scope).collect();
        most.retain(|scope| bytes(scope) > 0);
        most.sort_by_key(|scope| Reverse((self.surely_survived(scope), bytes(scope))));
        most.truncate(ROWS);
        let mut parts = self.survivors(&most);
        let more = most.first().map(|scope| [not_known(scope), self.who_holds(&most)]);
        parts.extend(more.into_iter().flatten().flatten().map(|text| self.wrap(4, &text)));
        (lines, parts)
    }

    /// Why cells of the table state no number, and what would give it.
    fn why_not_known(&self, cells: &[Vec<String>]) -> Option<String> {
        let unknown = |cell: &String| cell == "?" || cell == FEW_SAMPLES;
        let why = match self.profile.run.tracking {
            Tracking::Balanced | Tracking::ByteSample(_) => FEW_FOLLOWED,
            _ => THINNED,
        };
        cells.iter().flatten().any(unknown).then(|| why.to_owned())
    }

    /// Bytes that survived a scope, less two errors: what rests on few samples is not chosen before what is known.
    fn surely_survived(&self, scope: &ScopeProfile) -> u64 {
        let bytes = survived(scope.outcome().unwrap_or_default()).bytes;
        let error = self.variances.of_outcome(scope, survived).bytes.sqrt();
        surely(bytes, error)
    }

    /// What survives each scope, and for how long: a sentence, and rows of one table; the first has its headings.
    fn survivors(&self, scopes: &[&ScopeProfile]) -> Vec<Vec<String>> {
        let named = |(number, scope): (usize, &&ScopeProfile)| {
            let mut classes = self.surest_first(scope);
            let most = if number == 0 { CLASSES } else { CLASSES_OF_OTHERS };
            // What remains of the program's own is among them, else one of its own, if any survived.
            let remains = remaining(&[*scope]).and_then(|kept| at(&classes, |class| class.name == kept.name));
            let own = at(&classes, |class| is_of_the_program(&class.name));
            if let Some(own) = remains.or(own).filter(|&own| own >= most) {
                classes.swap(own, most - 1);
            }
            let entries = scope.later().map_or(scope.entries, |later| later.entries);
            let rows = classes.iter().take(most);
            let rows: Vec<_> = rows.map(|&(class, outcome)| self.survivor(entries, class, outcome)).collect();
            (self.survival(scope, classes.len() - rows.len()), rows)
        };
        let (sentences, rows): (Vec<_>, Vec<_>) = scopes.iter().enumerate().map(named).unzip();
        let heading =
            ["survived", "±", "objects", "per entry", "live of it", "class"].map(str::to_owned).to_vec();
        let cells = with_errors(std::iter::once(heading).chain(rows.iter().flatten().cloned()).collect());
        let table = fitted(&cells, "    ", self.columns);
        let (mut table, mut heading) = (table.lines().map(str::to_owned), 1);
        let part = |(sentence, rows): (&String, &Vec<Vec<String>>)| {
            let mut lines = self.wrap(2, sentence);
            lines.extend(table.by_ref().take(std::mem::take(&mut heading) + rows.len()));
            lines
        };
        sentences.iter().zip(&rows).map(part).collect()
    }

    /// How much survives an entry, and for how long; so many classes are not named.
    fn survival(&self, scope: &ScopeProfile, more: usize) -> String {
        let all = survived(scope.outcome().unwrap_or_default());
        let later = scope.later();
        let of_each = || all.bytes.checked_div(scope.entries).map_or("?".into(), units::bytes);
        let per_entry = later.map_or_else(of_each, |later| units::bytes(later.bytes_per_entry()));
        let per_entry = self.bounded(scope, all, per_entry);
        let without = later.and_then(without).unwrap_or_default();
        let sureness = match sureness(all, self.variances.of_outcome(scope, survived)) {
            text if text.is_empty() => text,
            text => format!(" ({text})"),
        };
        let how_long = scope.outliving().filter(|_| !self.is_at_most());
        let how_long = how_long.map_or("not known".into(), |survival| outliving(&survival));
        let more = match more {
            0 => String::new(),
            more => format!(", {more} more classes"),
        };
        let of = shorten(&path(scope), NAME, "...");
        let lived = scope.outcome().unwrap_or_default().survived_live;
        let is_known = about(lived, self.variances.of_outcome(scope, live)) != "?";
        let still = match lived.bytes as f64 / (all.bytes as f64).max(1.0) {
            share if is_known && share >= MOSTLY && !self.is_at_most() => {
                format!("; {} of the bytes are still live", units::whole_percent(share))
            }
            _ => String::new(),
        };
        format!(
            "Survivors of {of}: {per_entry} per entry{sureness}{without}{more}{still}; they outlive it by: {how_long}"
        )
    }

    /// Whether what a collection leaves may be dead: then what survived is an upper bound.
    fn is_at_most(&self) -> bool {
        self.profile.run.jvm.lifetimes_are_upper_bounds()
    }

    /// The text of a part of all that a scope made, where much more may be of classes of which nothing is known.
    fn bounded(&self, scope: &ScopeProfile, part: Tally, text: String) -> String {
        let is_at_least = scope.is_at_least(part);
        if is_at_least && part.is_empty() && !self.is_at_most() {
            return "?".to_owned();
        }
        self.with_bound(text, is_at_least)
    }

    /// Behind the sign that it is less, where a collection does not prove what is alive; or more, if that is known.
    fn with_bound(&self, text: String, is_at_least: bool) -> String {
        match is_at_least {
            _ if self.is_at_most() => less_than(&text),
            true => more_than(&text),
            false => text,
        }
    }

    /// The classes of what survived it, those of which most surely did first; of those that rest on few samples the largest.
    fn surest_first<'s>(&self, scope: &'s ScopeProfile) -> Vec<(&'s ScopeClass, Outcome)> {
        let mut all = by_survivors(scope, |outcome| outcome.survived.bytes);
        all.sort_by_cached_key(|(class, outcome)| {
            let error = self.variances.of_outcome_of_class(class, survived).bytes.sqrt();
            Reverse((surely(class.survived_later().bytes, error), outcome.survived.bytes))
        });
        all
    }

    /// Cells of a class that survived, with its objects for each of so many entries.
    fn survivor(&self, entries: u64, class: &ScopeClass, outcome: Outcome) -> Vec<String> {
        let of = |part: fn(Outcome) -> Tally| self.variances.of_outcome_of_class(class, part);
        let bounded = |text: String| self.with_bound(text, outcome.is_at_least());
        vec![
            bounded(units::bytes(outcome.survived.bytes)),
            sureness(outcome.survived, of(survived)),
            bounded(units::count(outcome.survived.objects)),
            bounded(each(class.survived_later().objects, entries)),
            bounded(about(outcome.survived_live, of(live))),
            class_text(&class.name),
        ]
    }

    fn cells_of(&self, scope: &ScopeProfile, bytes: u64, followed: bool) -> Vec<String> {
        let mut cells = vec![
            units::count(scope.entries),
            units::bytes(bytes),
            bytes.checked_div(scope.entries).map_or("-".into(), units::bytes),
        ];
        if followed {
            let of = |part: fn(Outcome) -> Tally| self.variances.of_outcome(scope, part);
            cells.extend(match scope.outcome() {
                Some(outcome) => {
                    let lived = outcome.survived_live;
                    [
                        self.bounded(scope, outcome.survived, units::bytes(outcome.survived.bytes)),
                        sureness(outcome.survived, of(survived)),
                        self.bounded(scope, lived, about(lived, of(live))),
                    ]
                }
                None if scope.outlived.is_some() => ["?", "", "?"].map(str::to_owned),
                None => ["-", "", "-"].map(str::to_owned),
            });
        }
        cells.push(path(scope));
        cells
    }

    /// The commands that answer it while the program runs, and who makes them when it has ended.
    fn who_holds(&self, scopes: &[&ScopeProfile]) -> Option<String> {
        let class = quoted(&class_text(&remaining(scopes)?.name));
        let holders = |pid: &str| format!("mayfly heap paths {pid} --to {class}");
        Some(match pid(self.profile) {
            Some(pid) => format!("who holds them: {}", holders(&pid.to_string())),
            None => format!(
                "who makes them: mayfly report --include {class} FILE; who holds them, while it runs: {}",
                holders("PID")
            ),
        })
    }
}

/// What an entry leaves does not have in it: what was made once.
fn without(later: LaterEntries<'_>) -> Option<String> {
    let first = later.first_survived.bytes;
    let is_much = 10 * first > later.survived.bytes;
    let first = is_much.then(|| format!("{} of each thread's first one", units::bytes(first)));
    let lone = later.lone.map(|(class, bytes)| format!("a {} of {}", class_text(class), units::bytes(bytes)));
    let both: Vec<_> = first.into_iter().chain(lone).collect();
    (!both.is_empty()).then(|| format!(" without {}", both.join(" and ")))
}

/// How many objects each of so many entries left, on average.
fn each(objects: u64, entries: u64) -> String {
    let number = objects as f64 / entries.max(1) as f64;
    match number {
        0.0 => "0".to_owned(),
        ..0.01 => "<0.01".to_owned(),
        ..10.0 => format!("{number:.2}"),
        ..100.0 => format!("{number:.1}"),
        _ => units::count(number.round() as u64),
    }
}

/// Why parts are more than stated, and what would give more.
fn why_at_least(scopes: &[(u64, &ScopeProfile)]) -> Option<String> {
    let is_full =
        |(_, scope): &(u64, &ScopeProfile)| scope.outcome().is_some_and(|outcome| outcome.is_at_least());
    scopes.iter().any(is_full).then(|| NO_ROOM.to_owned())
}

/// Bytes, less two standard errors.
fn surely(bytes: u64, error: f64) -> u64 {
    bytes.saturating_sub((2.0 * error).ceil() as u64)
}

/// For a shell, to which `$` and `[` mean something.
fn quoted(name: &str) -> String {
    if name.contains(['$', '[', ';']) { format!("'{name}'") } else { name.to_owned() }
}

/// The classes of survivors, most of these bytes first.
fn by_survivors(scope: &ScopeProfile, bytes: impl Fn(Outcome) -> u64) -> Vec<(&ScopeClass, Outcome)> {
    let classes = scope.classes.iter().filter_map(|class| Some((class, class.outcome?)));
    let mut classes: Vec<_> = classes.filter(|(_, outcome)| outcome.survived.objects > 0).collect();
    classes.sort_by_key(|(class, outcome)| (Reverse(bytes(*outcome)), class.name.as_str()));
    classes
}

/// The class of the program's own of which most is live, of the first of these scopes that has one: there are fewer of them, and what holds
/// those holds the others.
fn remaining<'s>(scopes: &[&'s ScopeProfile]) -> Option<&'s ScopeClass> {
    let live = |outcome: Outcome| outcome.survived_live.bytes;
    let classes = scopes.iter().flat_map(|scope| by_survivors(scope, live));
    let classes: Vec<_> = classes.filter(|(_, outcome)| live(*outcome) > 0).collect();
    let own = classes.iter().find(|(class, _)| is_of_the_program(&class.name));
    own.or(classes.first()).map(|(class, _)| *class)
}

/// Where the first such class is.
fn at(classes: &[(&ScopeClass, Outcome)], is_it: impl Fn(&ScopeClass) -> bool) -> Option<usize> {
    classes.iter().position(|(class, _)| is_it(class))
}

/// How sure the bytes are; nothing where they are exact.
fn sureness(part: Tally, variance: TallyVariance) -> String {
    if variance.bytes == 0.0 { String::new() } else { units::plus_minus(variance.relative(part).1) }
}

/// Bytes, marked where they are an estimate; `?` where they rest on too few samples, and none where none was seen.
fn about(part: Tally, variance: TallyVariance) -> String {
    if variance.bytes == 0.0 {
        return units::bytes(part.bytes);
    }
    if !part.is_empty() && units::is_few_samples(variance.relative(part).1) {
        return "?".to_owned();
    }
    format!("~{}", units::bytes(part.bytes))
}

/// That it is less; nothing of what is not known.
fn less_than(text: &str) -> String {
    if text == "?" { text.to_owned() } else { format!("≤{}", text.trim_start_matches('~')) }
}

/// That it is more; nothing of what is not known.
fn more_than(text: &str) -> String {
    if text == "?" { text.to_owned() } else { format!("≥{}", text.trim_start_matches('~')) }
}

/// The same rows without the column of errors where no number has one.
fn with_errors(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let Some(column) = rows.first().and_then(|heading| heading.iter().position(|name| name == "±")) else {
        return rows;
    };
    if rows.iter().skip(1).all(|row| row[column].is_empty()) {
        rows.iter_mut().for_each(|row| drop(row.remove(column)));
    }
    rows
}

fn headings(followed: bool) -> Vec<String> {
    let survival: &[&str] = if followed { &["survived", "±", "live of it"] } else { &[] };
    let names = ["entries", "allocated", "per entry"].iter().chain(survival).chain(&["scope"]);
    names.map(|name| (*name).to_owned()).collect()
}
