//! Scopes: what was allocated in them and what survived them.

use std::collections::BTreeMap;
use std::mem;

use crate::lifetime::scope::{self, ScopeCounts, ScopeProfile};
use crate::stream::dictionary::{ApplyError, Dictionary};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

/// By path.
pub(crate) type Scopes = BTreeMap<Vec<String>, ScopeCounts>;

impl Kind for Scopes {
    fn fold(&mut self, section: Section, _: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Scopes(scopes) = section else { return Ok(()) };
        self.extend(scopes.into_iter().map(|scope| (scope.path.clone(), scope)));
        Ok(())
    }

    fn take(&mut self) -> Vec<Section> {
        section(mem::take(self).into_values().collect()).into_iter().collect()
    }

    fn clear(&mut self) {
        BTreeMap::clear(self);
    }

    fn write_into(&self, names: &Dictionary, profile: &mut Profile) {
        profile.scopes =
            self.values().map(|counts| ScopeProfile::named(counts, |id| names.class(id))).collect();
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        section(profile.scopes.iter().map(|scope| scope.counts(|name| naming.class(name))).collect())
    }

    fn since(&self, later: &mut Profile, earlier: &Profile) {
        for scope in &mut later.scopes {
            if let Some(before) = earlier.scopes.iter().find(|before| before.path == scope.path) {
                *scope = mem::take(scope).since(before);
            }
        }
    }

    fn merge(&self, into: &mut Profile, other: &mut Profile) {
        into.scopes = scope::joined(mem::take(&mut into.scopes), mem::take(&mut other.scopes));
    }
}

fn section(scopes: Vec<ScopeCounts>) -> Option<Section> {
    (!scopes.is_empty()).then_some(Section::Scopes(scopes))
}
