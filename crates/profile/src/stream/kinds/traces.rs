//! Which requests' objects are still there.

use crate::facts::trace::{TraceCount, TraceCounts, TracedObjects, Traces};
use crate::stream::dictionary::{ApplyError, Dictionary, keep_named_classes};
use crate::stream::kind::Kind;
use crate::stream::naming::{Naming, ids_of_sites};
use crate::stream::profile::Profile;
use crate::stream::update::Section;

/// As of the newest step that told them; `None`: no object was made in a span.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traced(Option<TraceCounts>);

impl Kind for Traced {
    fn fold(&mut self, said: Section, names: Option<&Dictionary>) -> Result<(), ApplyError> {
        let Section::Traces(mut counts) = said else { return Ok(()) };
        let named = keep_named_classes(&mut counts.rows, names, |row| row.class);
        self.0 = Some(counts);
        named
    }

    fn take(&mut self) -> Vec<Section> {
        self.0.take().map(Section::Traces).into_iter().collect()
    }

    fn clear(&mut self) {
        self.0 = None;
    }

    fn write_into(&self, names: &Dictionary, profile: &mut Profile) {
        let Some(TraceCounts { rows, others, traces, unknown, forgotten }) = self.0.clone() else { return };
        let named = |row: TraceCount| {
            let class = names.class(row.class)?.clone();
            let stack = row.site.map(|site| names.stack_of(site)).unwrap_or_default();
            let TraceCount { context, live, born_ms, .. } = row;
            Some(TracedObjects { context, class, stack, live, born_ms })
        };
        let rows = rows.into_iter().filter_map(named).collect();
        // Several ids may have one name.
        let all = Traces { others, traces, unknown, forgotten, ..Traces::default() };
        profile.traces = Some(all.join(Traces { rows, ..Traces::default() }));
    }

    fn section_of<'a>(&self, profile: &'a Profile, naming: &mut Naming<'a>) -> Option<Section> {
        let traces = profile.traces.as_ref()?;
        let sites = ids_of_sites(&profile.sites);
        let rows = traces.rows.iter().map(|row| TraceCount {
            context: row.context,
            class: naming.class(&row.class),
            site: sites.get(&(row.class.as_str(), &row.stack)).copied(),
            live: row.live,
            born_ms: row.born_ms,
        });
        let Traces { others, traces, unknown, forgotten, .. } = *traces;
        Some(Section::Traces(TraceCounts { rows: rows.collect(), others, traces, unknown, forgotten }))
    }

    fn merge(&self, into: &mut Profile, other: &mut Profile) {
        into.traces = match (into.traces.take(), other.traces.take()) {
            (Some(ours), Some(theirs)) => Some(ours.join(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
    }
}
