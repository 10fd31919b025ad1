//! The scopes in which most was allocated, what survived them, for how long, and how to learn who holds it.

use std::cmp::Reverse;

use mayfly_profile::{Outcome, ScopeClass, ScopeProfile, Tally, TallyVariance, Tracking, is_of_the_program};

use super::Screen;
use crate::names::class_text;
use crate::scopes::{live, not_known, outliving, path, pid, survivors as survived};
use crate::table::fitted;
use crate::text::shorten;
use crate::units;

/// Rows.
const ROWS: usize = 3;

/// Classes of survivors.
const CLASSES: usize = 3;

/// As [`units::plus_minus`] has it.
const FEW_SAMPLES: &str = "few samples";

/// Why it is not known what survives.
const BALANCED: &str = "?, few samples: a share of the objects was followed, too few of these; mayfly run --scope … --every-object follows each";
const THINNED: &str = "?, few samples: there was no room to follow each object; #memlimit-SIZE gives it more";

/// Columns of a scope's name in a sentence.
const NAME: usize = 40;

impl Screen<'_> {
    /// As a table, and what survives the one that most survives, in parts of which the first is needed; nothing if no scope was entered.
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
            format!("Scopes, with those inside of them (died and survived: of their own){more}:")
        } else {
            format!("Scopes, with those inside of them (survivors need #trackcollections){more}:")
        };
        let mut cells = vec![headings(followed)];
        cells.extend(scopes.iter().take(ROWS).map(|&(bytes, scope)| self.cells_of(scope, bytes, followed)));
        let mut lines = vec![String::new()];
        lines.extend(self.wrap(0, &heading));
        let why = self.why_not_known(&cells);
        lines.extend(fitted(&with_errors(cells), "  ", self.columns).lines().map(str::to_owned));
        lines.extend(why.iter().flat_map(|text| self.wrap(2, text)));
        let bytes = |scope: &ScopeProfile| survived(scope.outcome().unwrap_or_default()).bytes;
        let most = scopes.iter().map(|(_, scope)| scope);
        let most = most.max_by_key(|scope| (self.surely_survived(scope), bytes(scope)));
        let survivors = most.filter(|scope| bytes(scope) > 0).map(|scope| self.survivors(scope));
        (lines, survivors.unwrap_or_default())
    }

    /// Why cells of the table state no number, and what would give it.
    fn why_not_known(&self, cells: &[Vec<String>]) -> Option<String> {
        let unknown = |cell: &String| cell == "?" || cell == FEW_SAMPLES;
        let why = match self.profile.run.tracking {
            Tracking::Balanced => BALANCED,
            _ => THINNED,
        };
        cells.iter().flatten().any(unknown).then(|| why.to_owned())
    }

    /// Bytes that survived a scope, less two errors: what rests on few samples is not chosen before what is known.
    fn surely_survived(&self, scope: &ScopeProfile) -> u64 {
        let bytes = survived(scope.outcome().unwrap_or_default()).bytes;
        let error = self.variances.of_outcome(scope, survived).bytes.sqrt();
        bytes.saturating_sub((2.0 * error).ceil() as u64)
    }

    /// What survives a scope, for how long, and how to learn who holds it.
    fn survivors(&self, scope: &ScopeProfile) -> Vec<Vec<String>> {
        let all = survived(scope.outcome().unwrap_or_default());
        let per_entry = all.bytes.checked_div(scope.entries).map_or("?".into(), units::bytes);
        let per_entry = at_least(scope, all, per_entry);
        let sureness = match sureness(all, self.variances.of_outcome(scope, survived)) {
            text if text.is_empty() => text,
            text => format!(" ({text})"),
        };
        let how_long = scope.outliving().map_or("not known".into(), |survival| outliving(&survival));
        let classes = by_survivors(scope, |outcome| outcome.survived.bytes);
        let more = match classes.len().saturating_sub(CLASSES) {
            0 => String::new(),
            more => format!(", {more} more classes"),
        };
        let of = shorten(&path(scope), NAME, "...");
        let rows: Vec<_> =
            classes.iter().take(CLASSES).map(|&(class, outcome)| self.survivor(class, outcome)).collect();
        let sentence =
            format!("Survivors of {of}: {per_entry} per entry{sureness}{more}; they outlive it by:");
        let mut lines = self.wrap(2, &sentence);
        lines.extend(self.wrap(4, &how_long));
        let heading = ["survived", "±", "objects", "live of it", "class"].map(str::to_owned).to_vec();
        let cells = with_errors(std::iter::once(heading).chain(rows).collect());
        lines.extend(fitted(&cells, "    ", self.columns).lines().map(str::to_owned));
        let more = [not_known(scope), self.who_holds(scope)];
        let more = more.into_iter().flatten().map(|text| self.wrap(4, &text));
        std::iter::once(lines).chain(more).collect()
    }

    /// Cells of a class that survived.
    fn survivor(&self, class: &ScopeClass, outcome: Outcome) -> Vec<String> {
        let of = |part: fn(Outcome) -> Tally| self.variances.of_outcome_of_class(class, part);
        vec![
            units::bytes(outcome.survived.bytes),
            sureness(outcome.survived, of(survived)),
            units::count(outcome.survived.objects),
            about(outcome.survived_live, of(live)),
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
                    let [inside, lived] = [outcome.inside, outcome.survived_live];
                    [
                        at_least(scope, inside, about(inside, of(|outcome| outcome.inside))),
                        at_least(scope, outcome.survived, units::bytes(outcome.survived.bytes)),
                        sureness(outcome.survived, of(survived)),
                        at_least(scope, lived, about(lived, of(live))),
                    ]
                }
                None if scope.outlived.is_some() => ["?", "?", "", "?"].map(str::to_owned),
                None => ["-", "-", "", "-"].map(str::to_owned),
            });
        }
        cells.push(path(scope));
        cells
    }

    /// The commands that answer it while the program runs, and who makes them when it has ended.
    fn who_holds(&self, scope: &ScopeProfile) -> Option<String> {
        let live = |outcome: Outcome| outcome.survived_live.bytes;
        let classes: Vec<_> =
            by_survivors(scope, live).into_iter().filter(|(_, outcome)| live(*outcome) > 0).collect();
        // Of the program's own classes there are fewer objects, and what holds those holds the others.
        let (class, _) =
            classes.iter().find(|(class, _)| is_of_the_program(&class.name)).or(classes.first())?;
        let class = quoted(&class_text(&class.name));
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

/// The text of a part of all that a scope made, where much more may be of classes of which nothing is known.
fn at_least(scope: &ScopeProfile, part: Tally, text: String) -> String {
    match scope.is_at_least(part) {
        false => text,
        true if part.is_empty() || text == "?" => "?".to_owned(),
        true => format!("≥{}", text.trim_start_matches('~')),
    }
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
    let survival: &[&str] = if followed { &["died inside", "survived", "±", "live of it"] } else { &[] };
    let names = ["entries", "allocated", "per entry"].iter().chain(survival).chain(&["scope"]);
    names.map(|name| (*name).to_owned()).collect()
}
