//! All that is known of the classes, sites and objects of one profile, whatever engine finds them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mayfly_jvmti::{Jni, JvmtiEnv};
use mayfly_profile::{Dropped, Tracking};
use mayfly_tracking::{Budget, ClassTable, Clock, Nurseries, Scopes, Shares, SiteTable};

use super::frames::KnownFrames;
use super::loaders::Loaders;
use super::operations::Operations;
use super::soft::SoftClasses;
use super::switches::Switches;
use super::threads::Pools;
use super::traces::Traces;
use super::weak::WeakReferences;
use super::young::Young;
use crate::plan::{Counting, HandedOver, Plan};

/// Why objects are not followed where young collections keep what is followed.
const HELD: &str = "this collector keeps followed objects until it collects the old generation: no more than a share of the heap";

/// Of classes beyond some 260,000: counted by size, as one class.
const OTHERS: &str = "their classes only, there are too many: counted as (other classes)";

/// Shared by an engine, which adds, and a session, which reads.
pub(crate) struct Shared {
    /// The first of the process has 1, the next one 2: threads know by it whose what they keep is.
    pub(crate) number: u64,
    /// Which way the session goes.
    pub(crate) plan: Plan,
    pub(crate) classes: ClassTable,
    pub(crate) sites: SiteTable,
    pub(crate) scopes: Scopes,
    pub(crate) clock: Arc<Clock>,
    pub(crate) budget: Arc<Budget>,
    pub(crate) nurseries: Nurseries,
    /// Whom it is the turn of, with `#track-balanced`.
    pub(crate) shares: Option<Shares>,
    pub(crate) switches: Switches,
    pub(crate) operations: Operations,
    pub(crate) references: WeakReferences,
    pub(crate) traces: Traces,
    pub(crate) soft: SoftClasses,
    /// What a census reads, if there is one.
    pub(crate) young: Young,
    pub(super) frames: KnownFrames,
    pub(super) pools: Pools,
    pub(super) loaders: Loaders,
}

impl Shared {
    /// Nobody yet. What tracked objects and stacks may take is what the plan says.
    pub(crate) fn new(plan: Plan) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let budget = Arc::new(Budget::new(plan.memory.objects));
        let has_shares = plan.counting == Counting::Hooks(HandedOver::Due);
        let clock = Arc::<Clock>::default();
        Self {
            number: NUMBERS.fetch_add(1, Relaxed) + 1,
            classes: if has_shares { ClassTable::with_dues() } else { ClassTable::default() },
            shares: has_shares.then(|| Shares::new(plan.tracking != Tracking::Balanced)),
            sites: SiteTable::new(plan.memory.stacks),
            scopes: Scopes::default(),
            nurseries: Nurseries::new(Arc::clone(&budget), Arc::clone(&clock)),
            clock,
            budget,
            switches: Switches::default(),
            operations: Operations::default(),
            references: WeakReferences::default(),
            traces: Traces::default(),
            soft: SoftClasses::default(),
            young: Young::default(),
            frames: KnownFrames::default(),
            pools: Pools::default(),
            loaders: Loaders::default(),
            plan,
        }
    }

    /// The program did so many more operations: they count while allocations do. Neither blocks nor allocates.
    pub(crate) fn count_operations(&self, operations: u64) {
        if self.switches.is_active() && !self.switches.is_finished() {
            self.operations.add(operations);
        }
    }

    /// The running thread works for the pool of this name, or, without one, for that of its own name; whether stacks name it.
    pub(crate) fn set_pool(&self, jvmti: &JvmtiEnv, jni: Jni<'_>, pool: Option<&str>) -> bool {
        self.plan.threads && self.pools.set_of_this_thread(jvmti, jni, &self.sites, self.number, pool)
    }

    /// What could not be kept as it should, by cause.
    pub(crate) fn dropped(&self) -> Vec<Dropped> {
        let no_room = if self.budget.bounds_held() { HELD } else { "no room within #memlimit" };
        [
            (no_room, self.nurseries.dropped()),
            ("their stacks only, no room within #memlimit", self.sites.overflowed()),
            (OTHERS, self.classes.in_other_classes()),
        ]
        .into_iter()
        .filter(|&(_, objects)| objects > 0)
        .map(|(cause, objects)| Dropped { cause: cause.into(), objects })
        .collect()
    }

    /// Native memory held beside what the agent's allocator knows of, in bytes.
    pub(crate) fn native_bytes(&self) -> u64 {
        let shares = self.shares.as_ref().map_or(0, |shares| shares.mapped_bytes(self.classes.len()));
        self.classes.mapped_bytes() + shares + self.budget.handle_bytes()
    }
}
