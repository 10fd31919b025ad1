//! The scopes in which most was allocated, and what survived them.

use mayfly_profile::ScopeProfile;

use super::Screen;
use crate::scopes::path;
use crate::table::fitted;
use crate::units;

/// Rows.
const ROWS: usize = 3;

impl Screen<'_> {
    /// As a table; nothing if no scope was entered.
    pub(super) fn scopes(&self) -> Vec<String> {
        let all = &self.profile.scopes;
        let mut scopes: Vec<_> =
            all.iter().map(|scope| (scope.allocated_with_inner(all).bytes, scope)).collect();
        if scopes.is_empty() {
            return Vec::new();
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
        lines
    }
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
