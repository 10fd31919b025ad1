//! The scopes in which most was allocated, what survived them, for how long, and how to learn who holds it.

use std::cmp::Reverse;

use mayfly_profile::{Outcome, ScopeProfile, is_of_the_program};

use super::Screen;
use crate::names::class_text;
use crate::scopes::{not_known, outliving, path};
use crate::table::fitted;
use crate::text::shorten;
use crate::units;

/// Rows.
const ROWS: usize = 3;

/// Classes of survivors.
const CLASSES: usize = 3;

/// Columns of a scope's name in a sentence.
const NAME: usize = 40;

impl Screen<'_> {
    /// As a table, and what survives the one that most survives; nothing if no scope was entered.
    pub(super) fn scopes(&self) -> [Vec<String>; 2] {
        let all = &self.profile.scopes;
        let mut scopes: Vec<_> =
            all.iter().map(|scope| (scope.allocated_with_inner(all).bytes, scope)).collect();
        if scopes.is_empty() {
            return <[Vec<String>; 2]>::default();
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
        cells.extend(scopes.iter().take(ROWS).map(|&(bytes, scope)| cells_of(scope, bytes, followed)));
        let mut lines = vec![String::new(), self.fit(&heading)];
        lines.extend(fitted(&cells, "  ", self.columns).lines().map(str::to_owned));
        let most = scopes.iter().map(|(_, scope)| scope).max_by_key(|scope| survived(scope));
        let survivors = most.filter(|scope| survived(scope) > 0).map(|scope| self.survivors(scope));
        [lines, survivors.unwrap_or_default()]
    }

    /// What survives a scope, for how long, and how to learn who holds it.
    fn survivors(&self, scope: &ScopeProfile) -> Vec<String> {
        let per_entry = survived(scope).checked_div(scope.entries).map_or("?".into(), units::bytes);
        let how_long = scope.outliving().map_or("not known".into(), |survival| outliving(&survival));
        let classes = by_survivors(scope, |outcome| outcome.survived.bytes);
        let more = match classes.len().saturating_sub(CLASSES) {
            0 => String::new(),
            more => format!(", {more} more classes"),
        };
        let of = shorten(&path(scope), NAME, "...");
        let mut cells = vec![["survived", "objects", "live of it", "class"].map(str::to_owned).to_vec()];
        cells.extend(classes.iter().take(CLASSES).map(|(name, Outcome { survived, survived_live, .. })| {
            let numbers = [
                units::bytes(survived.bytes),
                units::count(survived.objects),
                units::bytes(survived_live.bytes),
            ];
            numbers.into_iter().chain([class_text(name)]).collect()
        }));
        let mut lines =
            vec![self.fit(&format!("  Survivors of {of}: {per_entry} per entry{more}; they outlive it by:"))];
        lines.push(self.fit(&format!("    {how_long}")));
        lines.extend(fitted(&cells, "    ", self.columns).lines().map(str::to_owned));
        lines.extend(not_known(scope).map(|text| self.fit(&format!("    {text}"))));
        lines.extend(self.who_holds(scope).iter().flat_map(|text| self.wrap(4, text)));
        lines
    }

    /// The commands that answer it, while the program runs.
    fn who_holds(&self, scope: &ScopeProfile) -> Option<String> {
        let live = |outcome: Outcome| outcome.survived_live.bytes;
        let classes: Vec<_> =
            by_survivors(scope, live).into_iter().filter(|(_, outcome)| live(*outcome) > 0).collect();
        // Of the program's own classes there are fewer objects, and what holds those holds the others.
        let (class, _) = classes.iter().find(|(name, _)| is_of_the_program(name)).or(classes.first())?;
        let pid = self.profile.run.jvm.pid;
        Some(format!("who holds them: mayfly heap paths {pid} --to {}", quoted(&class_text(class))))
    }
}

/// For a shell, to which `$` and `[` mean something.
fn quoted(name: &str) -> String {
    if name.contains(['$', '[', ';']) { format!("'{name}'") } else { name.to_owned() }
}

fn survived(scope: &ScopeProfile) -> u64 {
    scope.outcome().unwrap_or_default().survived.bytes
}

/// The classes of survivors, most of these bytes first.
fn by_survivors(scope: &ScopeProfile, bytes: impl Fn(Outcome) -> u64) -> Vec<(&str, Outcome)> {
    let classes = scope.classes.iter().filter_map(|class| Some((class.name.as_str(), class.outcome?)));
    let mut classes: Vec<_> = classes.filter(|(_, outcome)| outcome.survived.objects > 0).collect();
    classes.sort_by_key(|(name, outcome)| (Reverse(bytes(*outcome)), *name));
    classes
}

fn headings(followed: bool) -> Vec<String> {
    let survival: &[&str] = if followed { &["died inside", "survived", "live of it"] } else { &[] };
    let names = ["entries", "allocated", "per entry"].iter().chain(survival).chain(&["scope"]);
    names.map(|name| (*name).to_owned()).collect()
}

fn cells_of(scope: &ScopeProfile, bytes: u64, followed: bool) -> Vec<String> {
    let mut cells = vec![
        units::count(scope.entries),
        units::bytes(bytes),
        bytes.checked_div(scope.entries).map_or("-".into(), units::bytes),
    ];
    if followed {
        let known = scope.outcome().map(|outcome| [outcome.inside, outcome.survived, outcome.survived_live]);
        cells.extend(
            known.map_or(["-"; 3].map(str::to_owned), |tallies| {
                tallies.map(|tally| units::bytes(tally.bytes))
            }),
        );
    }
    cells.push(path(scope));
    cells
}
