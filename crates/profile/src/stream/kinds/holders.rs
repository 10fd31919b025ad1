//! Which followed objects stand for memory outside of the heap.

use crate::facts::off_heap::{HolderCount, HolderCounts, HolderRow, Holders};
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes};
use crate::stream::kind::Kind;
use crate::stream::naming::{Naming, ids_of_sites};
use crate::stream::profile::Profile;
use crate::stream::update::Section;

/// As of the newest step that told them; `None`: none was followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownHolders(Option<HolderCounts>);

impl Kind for KnownHolders {
    fn fold(&mut self, said: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Holders(mut counts) = said else { return Ok(()) };
        let named = keep_named_classes(&mut counts.rows, names, |row| row.class);
        self.0 = Some(counts);
        named
    }

    fn take(&mut self) -> Vec<Section> {
        self.0.take().map(Section::Holders).into_iter().collect()
    }

    fn clear(&mut self) {
        self.0 = None;
    }

    fn write_into(&self, names: &Dictionary, profile: &mut Profile) {
        let Some(HolderCounts { rows, others, unknown }) = self.0.clone() else { return };
        let named = |row: HolderCount| {
            let class = names.class(row.class)?.clone();
            let stack = row.site.map(|site| names.stack_of(site)).unwrap_or_default();
            Some(HolderRow { class, stack, held: row.held, born_ms: row.born_ms })
        };
        let rows = rows.into_iter().filter_map(named).collect();
        // Several ids may have one name.
        let all = Holders { others, unknown, ..Holders::default() };
        profile.holders = Some(all.join(Holders { rows, ..Holders::default() }));
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        let holders = profile.holders.as_ref()?;
        let sites = ids_of_sites(&profile.sites);
        let rows = holders.rows.iter().map(|row| HolderCount {
            class: naming.class(&row.class),
            site: sites.get(&(row.class.as_str(), &row.stack)).copied(),
            held: row.held,
            born_ms: row.born_ms,
        });
        let Holders { others, unknown, .. } = *holders;
        Some(Section::Holders(HolderCounts { rows: rows.collect(), others, unknown }))
    }

    fn merge(&self, into: &mut Profile, other: &mut Profile) {
        into.holders = match (into.holders.take(), other.holders.take()) {
            (Some(ours), Some(theirs)) => Some(ours.join(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
    }
}
