//! What else is known of scopes: how sure it is what became of their objects, where not each was followed, and what the first entry of each
//! thread left.

use std::collections::BTreeMap;
use std::mem;

use crate::facts::ids::ClassId;
use crate::lifetime::scope::{ScopeClassDetail, ScopeDetail};
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes};
use crate::stream::kind::Kind;
use crate::stream::naming::Naming;
use crate::stream::profile::Profile;
use crate::stream::update::Section;

/// By path.
pub(crate) type ScopeDetails = BTreeMap<Vec<String>, ScopeDetail>;

impl Kind for ScopeDetails {
    fn fold(&mut self, section: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::ScopeDetails(scopes) = section else { return Ok(()) };
        let mut named = Ok(());
        for mut scope in scopes {
            named = named.and(keep_named_classes(&mut scope.classes, names, |row| row.0));
            self.insert(scope.path.clone(), scope);
        }
        named
    }

    fn take(&mut self) -> Vec<Section> {
        section(mem::take(self).into_values().collect()).into_iter().collect()
    }

    fn clear(&mut self) {
        BTreeMap::clear(self);
    }

    /// Of scopes that are there already.
    fn write_into(&self, names: &Dictionary, profile: &mut Profile) {
        for scope in &mut profile.scopes {
            let Some(known) = self.get(&scope.path) else { continue };
            scope.threads = Some(known.threads);
            for &(id, detail) in &known.classes {
                let Some(name) = names.class(id) else { continue };
                if let Some(class) = scope.classes.iter_mut().find(|class| class.name == *name) {
                    match &mut class.detail {
                        Some(known) => known.add(detail),
                        none => *none = Some(detail),
                    }
                }
            }
        }
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        let mut scopes = Vec::new();
        for scope in &profile.scopes {
            let Some(threads) = scope.threads else { continue };
            let known = scope.classes.iter().filter_map(|class| Some((&class.name, class.detail?)));
            let classes: Vec<(ClassId, ScopeClassDetail)> =
                known.map(|(name, detail)| (naming.class(name), detail)).collect();
            scopes.push(ScopeDetail { path: scope.path.clone(), threads, classes });
        }
        section(scopes)
    }
}

fn section(scopes: Vec<ScopeDetail>) -> Option<Section> {
    (!scopes.is_empty()).then_some(Section::ScopeDetails(scopes))
}
