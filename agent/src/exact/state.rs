//! What the exact engine holds, and its start: the Java side defined, found, and told what this session is.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use mayfly_jvmti::{CallbackContext, ClassFileLoadHookEvent, Jni, ObjectSizes};

use super::attached::Attached;
use super::counters::Counters;
use super::hooks::{self, Hooks, SessionConstants};
use super::rewriting::Rewriting;
use super::stand_ins::StandIns;
use super::unseen::Unseen;
use crate::conduct::notice::refuse_launch;
use crate::plan::{Counting, HandedOver, Plan, Stacks};
use crate::target_jvm::Target;
use crate::tracking::Shared;

/// What a session needs besides whose hooks make no tests.
pub(super) struct Prepared {
    /// Sizes of objects by class.
    pub(super) sizes: ObjectSizes,
    /// Where objects of `java.lang.Thread` are counted.
    pub(super) thread_cell: u32,
}

/// Counts by hooks in rewritten classes.
pub(crate) struct Exact {
    pub(super) target: &'static Target,
    pub(super) shared: Arc<Shared>,
    pub(super) counters: Arc<Counters>,
    pub(super) rewriting: Rewriting,
    /// What the JVM's sampler tells; `None` if another agent has it.
    pub(super) unseen: Option<Unseen>,
    /// Bytes of objects that were made to learn the size of a class's objects.
    pub(super) examples: AtomicU64,
    /// Objects seen by `#every`.
    pub(super) examined: AtomicU64,
    /// Found at VMInit, or when all classes are about to be rewritten.
    pub(super) hooks: OnceLock<Hooks>,
    /// There in a session that prepares threads and classes.
    pub(super) prepared: OnceLock<Prepared>,
    /// `None`: it was there from the launch on.
    pub(super) attached: Option<Attached>,
}

impl Exact {
    /// Before any Java runs: nothing is counted yet.
    pub(crate) fn new(target: &'static Target, shared: Arc<Shared>, unseen: Option<Unseen>) -> Self {
        Self::with(target, shared, unseen, None)
    }

    pub(super) fn with(
        target: &'static Target,
        shared: Arc<Shared>,
        unseen: Option<Unseen>,
        attached: Option<Attached>,
    ) -> Self {
        let plan = &shared.plan;
        let counters = match attached {
            Some(_) => Counters::again(plan),
            None => Arc::new(Counters::new(plan)),
        };
        let stand_ins = attached.as_ref().map(Attached::stand_ins);
        let session = session_constants(plan, &counters, stand_ins);
        Self {
            attached: attached
                .map(|attached| attached.with_class_file(hooks::class_file(target.jdk, session))),
            rewriting: Rewriting::new(&shared, stand_ins.is_none()),
            counters,
            target,
            shared,
            unseen,
            examples: AtomicU64::new(0),
            examined: AtomicU64::new(0),
            hooks: OnceLock::new(),
            prepared: OnceLock::new(),
        }
    }

    /// Defines the Java side, in the early start phase: rewritten code needs it from its first allocation on.
    pub(crate) fn define_hooks(&self, jni: Jni<'_>) {
        let session = session_constants(&self.shared.plan, &self.counters, None);
        if !hooks::define(jni, &hooks::class_file(self.target.jdk, session)) {
            refuse_launch(
                "the JVM does not take java.lang.MayflyHooks: is java.base patched, or another agent in the way?",
            );
        }
    }

    /// Finds the Java side at VMInit, and makes it ready to count.
    pub(crate) fn connect_hooks(&self, jni: Jni<'_>) {
        let session = session_constants(&self.shared.plan, &self.counters, None);
        let connected = hooks::connect(jni, &self.target.jvmti, session).and_then(|hooks| {
            let hooks = self.hooks.get_or_init(|| hooks);
            if session.arriving.is_some() { self.prepare_all(jni, hooks) } else { Ok(()) }
        });
        connected.unwrap_or_else(|error| refuse_launch(&error.to_string()));
    }

    /// Rewrites a class that is being loaded.
    pub(crate) fn rewrite<'event>(
        &self,
        context: &CallbackContext<'event>,
        event: ClassFileLoadHookEvent<'event>,
    ) {
        self.note_redefinition(context, &event);
        let mended = self.with_lost_parameters(context, &event);
        let mended = mended.as_deref();
        if self.shared.switches.is_finished() {
            return mended.map_or((), |class| self.rewriting.replace(class, context, event));
        }
        let name = event.name();
        if let Some(own) = self.own_class(name) {
            return self.rewriting.replace(own, context, event);
        }
        let counts_places = self.shared.plan.stacks == Stacks::ByPlace;
        let places = counts_places.then_some((&self.counters.places, &*self.shared));
        if self.rewriting.rewrite(places, mended, context, event) {
            self.note_changed(name);
        }
    }

    /// Whether `#gc-every` asks for collections on the threads that allocate.
    #[inline]
    pub(crate) fn forces_collections(&self) -> bool {
        self.shared.plan.collects_each.is_some()
    }

    /// Mean bytes between objects of frequent classes that the JVM's sampler chooses; `None` where it is not ours, or hooks can't
    /// be told.
    pub(super) fn sampling_of_frequent_classes(&self) -> Option<u64> {
        self.unseen.as_ref().filter(|_| self.prepared.get().is_some()).map(Unseen::interval)
    }

    /// Whether much is allocated by threads that live briefly.
    pub(super) fn threads_are_brief(&self) -> bool {
        self.unseen.as_ref().is_some_and(Unseen::threads_are_brief)
    }

    /// What of the Java side is needed to count, once it is there.
    pub(super) fn hooks(&self) -> Option<&Hooks> {
        self.hooks.get()
    }

    /// The same until the end of counting.
    pub(super) fn hooks_in_use(&self) -> Option<&Hooks> {
        self.hooks.get().filter(|_| !self.shared.switches.is_finished())
    }
}

/// What the Java side is patched for.
pub(super) fn session_constants(
    plan: &Plan,
    counters: &Counters,
    stand_ins: Option<StandIns>,
) -> SessionConstants {
    let hands_each_over = plan.hands_each_over();
    let shares = plan.counting == Counting::Hooks(HandedOver::Due);
    let by_place = plan.stacks == Stacks::ByPlace;
    let prepares = plan.can_prepare() && stand_ins.is_none() && ObjectSizes::are_exported();
    SessionConstants {
        hands_over: hands_each_over,
        smallest: plan.filter.min_bytes,
        stacks: hands_each_over && plan.stacks.are_taken() && !by_place,
        shares,
        places: if by_place { counters.places.address() } else { 0 },
        no_tests: prepares && !shares,
        arriving: prepares.then(|| counters.slabs.of_arriving()),
        stand_ins,
    }
}
