//! Who holds what grows, once, when the program's end begins.

use std::mem;

use crate::facts::retention::{RetentionCount, RetentionRow};
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes};
use crate::stream::kind::Kind;
use crate::stream::naming::{Naming, ids_of_sites};
use crate::stream::profile::Profile;
use crate::stream::update::Section;

/// As of the newest step that told them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Retention(Vec<RetentionCount>);

impl Kind for Retention {
    fn fold(&mut self, section: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Retention(mut rows) = section else { return Ok(()) };
        let named = keep_named_classes(&mut rows, names, |row| row.class);
        self.0 = rows;
        named
    }

    fn take(&mut self) -> Vec<Section> {
        section(mem::take(&mut self.0)).into_iter().collect()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn write_into(&self, names: &Dictionary, profile: &mut Profile) {
        let named = |row: &RetentionCount| {
            let class = names.class(row.class)?.clone();
            let stack = row.site.map(|site| names.stack_of(site)).unwrap_or_default();
            Some(RetentionRow { class, stack, looked: row.looked, path: row.path.clone() })
        };
        profile.retention = self.0.iter().filter_map(named).collect();
        // Several ids may have one name.
        join(&mut profile.retention);
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        if profile.retention.is_empty() {
            return None;
        }
        let sites = ids_of_sites(&profile.sites);
        let rows = profile.retention.iter().map(|row| RetentionCount {
            class: naming.class(&row.class),
            site: sites.get(&(row.class.as_str(), &row.stack)).copied(),
            looked: row.looked,
            path: row.path.clone(),
        });
        section(rows.collect())
    }

    fn merge(&self, into: &mut Profile, other: &mut Profile) {
        into.retention.append(&mut other.retention);
        join(&mut into.retention);
    }
}

/// One path of a class and stack, and one of those at work: that of most objects.
fn join(rows: &mut Vec<RetentionRow>) {
    fn key(row: &RetentionRow) -> impl Ord + '_ {
        (&row.class, &row.stack, row.is_at_work())
    }
    rows.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| (b.looked, &b.path).cmp(&(a.looked, &a.path))));
    rows.dedup_by(|a, b| key(a) == key(b));
}

fn section(rows: Vec<RetentionCount>) -> Option<Section> {
    (!rows.is_empty()).then_some(Section::Retention(rows))
}
