//! What of scopes changed since it was last said.

use std::mem;

use mayfly_profile::{ClassId, ScopeClassDetail, ScopeCounts, ScopeDetail, ScopeOutcomeCounts, Section};
use mayfly_tracking::{NodeId, ScopeOutcomes, ScopeTotal};

use crate::tracking::Shared;

/// What the stream has said of scopes so far, by node.
#[derive(Debug, Default)]
pub(super) struct ScopeStream(Vec<ScopeCounts>);

impl ScopeStream {
    /// The scopes that changed, as far as their classes are among the first `named`, and how sure that is; nothing if none did. Both `totals` and `outcomes` are
    /// by node.
    pub(super) fn changed(
        &mut self,
        shared: &Shared,
        named: usize,
        totals: &[ScopeTotal],
        outcomes: Vec<ScopeOutcomes>,
    ) -> Vec<Section> {
        let mut outcomes = outcomes.into_iter();
        let (mut changed, mut details) = (Vec::new(), Vec::new());
        self.0.resize_with(totals.len().max(self.0.len()), ScopeCounts::default);
        for (node, (total, said)) in totals.iter().zip(&mut self.0).enumerate() {
            let mut outcomes = outcomes.next().unwrap_or_default();
            let classes = mem::take(&mut outcomes.details);
            let outcomes = shared.plan.scope_survivors.then_some(outcomes);
            let Some(path) = u8::try_from(node).ok().and_then(|node| shared.scopes.path(NodeId(node))) else {
                continue;
            };
            let now = counts(path, total, outcomes, named);
            let is_there = now.entries > 0 || !now.allocated.is_empty();
            if now != *said && (is_there || !said.path.is_empty()) {
                *said = now.clone();
                let classes = of_named(shared, named, classes);
                details.push(ScopeDetail { path: now.path.clone(), threads: total.threads, classes });
                changed.push(now);
            }
        }
        let scopes = (!changed.is_empty()).then_some(Section::Scopes(changed));
        let details = (!details.is_empty()).then_some(Section::ScopeDetails(details));
        scopes.into_iter().chain(details).collect()
    }

    /// All counts begin again from zero.
    pub(super) fn reset(&mut self) {
        self.0.clear();
    }
}

/// Those of the first `named` classes; of one whose objects the JVM's sampler chooses, in scopes too, they do not say how sure they are.
fn of_named(
    shared: &Shared,
    named: usize,
    mut classes: Vec<(ClassId, ScopeClassDetail)>,
) -> Vec<(ClassId, ScopeClassDetail)> {
    classes.retain(|(id, _)| id.row() < named);
    for (id, detail) in &mut classes {
        let by_sampler = shared.shares.as_ref().is_some_and(|shares| shares.is_fast(*id));
        detail.variance = detail.variance.filter(|_| !by_sampler);
    }
    classes
}

fn counts(
    path: Vec<String>,
    total: &ScopeTotal,
    outcomes: Option<ScopeOutcomes>,
    named: usize,
) -> ScopeCounts {
    let classes = total.classes.iter().take(named).enumerate();
    let allocated = classes.filter(|(_, class)| !class.counted.is_empty());
    let outcomes = outcomes.map(|ScopeOutcomes { classes, outlived, .. }| ScopeOutcomeCounts {
        classes: classes.into_iter().filter(|(id, _)| id.row() < named).collect(),
        outlived,
    });
    ScopeCounts {
        path,
        entries: total.entries,
        ended: total.ended,
        allocated: allocated.map(|(id, class)| (ClassId::of_row(id), class.counted)).collect(),
        outcomes,
    }
}
