//! Drives the slabs: reads what all threads have counted, by class and by place, and makes rows of sites of it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use mayfly_profile::{Dropped, SiteCounts, SiteId, Tracking};
use mayfly_tracking::{
    ClassTotal, CpuBudget, PlaceTable, ScopeTotal, SiteRows, Slabs, Tables, budget_of_stacks,
};
use rustc_hash::FxHashSet;

use crate::plan::{Plan, Stacks};
use crate::tracking::Shared;

const ELSEWHERE: &str = "their sites only, there are too many allocating instructions";
const UNPREPARED: &str = "some objects of classes that the JVM had not announced yet";
const SHARING: &str =
    "some objects of threads that shared counters, as there was no address space left for theirs";

/// All counters in native memory.
pub(super) struct Counters {
    pub(super) slabs: Slabs,
    pub(super) places: PlaceTable,
    pub(super) stack_budget: CpuBudget,
    /// Objects of classes without a cell, when totals were last read.
    unprepared: AtomicU64,
    rows: Mutex<SiteRows>,
    /// Scopes as of the last reset, by node.
    scopes_before: Mutex<Vec<ScopeTotal>>,
}

/// Where each object is followed, a process that does little pays much for each anyway: who makes what stays is to be known as well.
fn stack_budget(plan: &Plan) -> CpuBudget {
    const BESIDE_EACH_OBJECT: u64 = 10;
    let budget = budget_of_stacks();
    if plan.tracking == Tracking::EveryObject { budget.where_idle(BESIDE_EACH_OBJECT) } else { budget }
}

impl Counters {
    /// As this plan needs them.
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            slabs: Slabs::new(counts_places(plan)),
            places: PlaceTable::new(),
            stack_budget: stack_budget(plan),
            unprepared: AtomicU64::new(0),
            rows: Mutex::new(SiteRows::new(plan.lines)),
            scopes_before: Mutex::default(),
        }
    }

    /// For a session that is not the JVM's first. Hooks of an earlier one may be about to count, or to look a place up, on threads
    /// that stand still in them: what they have the address of stays mapped, and is used again.
    pub(super) fn again(plan: &Plan) -> Arc<Self> {
        static KEPT: Mutex<Vec<Arc<Counters>>> = Mutex::new(Vec::new());
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let fits =
            |it: &Arc<Self>| Arc::strong_count(it) == 1 && it.slabs.have_places() == counts_places(plan);
        let free = kept.iter().position(fits).map(|at| kept.swap_remove(at));
        let counters = Arc::new(match free.and_then(Arc::into_inner) {
            Some(Self { slabs, places, .. }) => {
                slabs.forget();
                Self { slabs, places: places.renewed(), ..Self::new(plan) }
            }
            None => Self::new(plan),
        });
        kept.push(Arc::clone(&counters));
        counters
    }

    /// Totals of classes, and the rows of sites that changed or are asked for, if places are counted.
    pub(super) fn read(
        &self,
        shared: &Shared,
        asked: &FxHashSet<SiteId>,
    ) -> (Vec<ClassTotal>, Vec<SiteCounts>) {
        let words = self.slabs.words(&shared.classes, &self.places);
        let totals = words.classes(&shared.classes, &self.places);
        self.unprepared.store(words.without_cell(), Relaxed);
        let rows = || self.with_rows(|rows| rows.changed(&words, self.tables(shared), asked));
        let sites = if counts_places(&shared.plan) { rows() } else { Vec::new() };
        (totals, sites)
    }

    /// Rows of sites begin again from zero; the totals that they begin from.
    pub(super) fn reset(&self, shared: &Shared) -> Vec<ClassTotal> {
        self.slabs.forget_largest(&shared.classes, &self.places);
        if let Some(shares) = &shared.shares {
            shares.reset();
            self.slabs.forget_dues(&shared.classes, &self.places);
        }
        *self.scopes_before.lock().unwrap_or_else(PoisonError::into_inner) =
            self.slabs.scopes(&shared.classes, &self.places);
        let words = self.slabs.words(&shared.classes, &self.places);
        self.with_rows(|rows| rows.reset(&words, self.tables(shared)));
        words.classes(&shared.classes, &self.places)
    }

    /// What was counted in scopes from the last reset on, by node.
    pub(super) fn scopes(&self, shared: &Shared) -> Vec<ScopeTotal> {
        let before = self.scopes_before.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scopes = self.slabs.scopes(&shared.classes, &self.places);
        scopes.iter_mut().zip(before.iter()).for_each(|(scope, before)| scope.subtract(before));
        scopes
    }

    /// A thread ends: its counts are kept.
    pub(super) fn close(&self, slab: u64, shared: &Shared) {
        self.slabs.close(slab, &shared.classes, &self.places);
    }

    /// What may be missing, by cause.
    pub(super) fn dropped(&self) -> Vec<Dropped> {
        let elsewhere = self.places.counted_elsewhere();
        let mut dropped = Vec::new();
        if elsewhere > 0 {
            dropped.push(Dropped { cause: ELSEWHERE.into(), objects: elsewhere });
        }
        if self.unprepared.load(Relaxed) > 0 {
            dropped.push(Dropped { cause: UNPREPARED.into(), objects: self.unprepared.load(Relaxed) });
        }
        if self.slabs.sharing() > 0 {
            dropped.push(Dropped { cause: SHARING.into(), objects: 0 });
        }
        dropped
    }

    /// Native memory mapped, in bytes: pages that were touched as of when all counters were last looked at.
    pub(super) fn mapped_bytes(&self) -> u64 {
        self.slabs.bytes() + self.places.mapped_bytes()
    }

    /// Looks at all counters, for no more than that.
    pub(super) fn look(&self, shared: &Shared) {
        self.slabs.words(&shared.classes, &self.places);
    }

    fn tables<'a>(&'a self, shared: &'a Shared) -> Tables<'a> {
        Tables { classes: &shared.classes, places: &self.places, sites: &shared.sites }
    }

    fn with_rows<R>(&self, action: impl FnOnce(&mut SiteRows) -> R) -> R {
        action(&mut self.rows.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn counts_places(plan: &Plan) -> bool {
    plan.stacks == Stacks::ByPlace
}
