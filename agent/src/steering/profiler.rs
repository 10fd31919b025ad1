//! What profiles: one at a time, there from the launch on, or from when somebody asked for it until somebody stops it, or never.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use mayfly_jvmti::CallbackContext;
use mayfly_profile::Profile;

use super::precision::Precision;
use super::slot::Slot;
use super::worker_thread::WorkerThread;
use crate::census::CensusSlot;
use crate::engine::Engine;
use crate::options::Options;
use crate::output::Output;
use crate::session::Session;
use crate::target_jvm::Target;
use crate::tracking::Shared;

static PROFILER: ArcSwapOption<Profiler> = ArcSwapOption::const_empty();

/// Who had it begin.
#[derive(Clone, Debug)]
pub(crate) enum Begun {
    /// The command line of the JVM.
    AtLaunch,
    /// Somebody, while the JVM ran.
    Attached {
        /// The options that were given then.
        options: String,
        /// After which time it ends by itself.
        stop_after: Option<Duration>,
    },
}

/// An engine that counts, a session that adds up, and where that goes.
pub(crate) struct Profiler {
    pub(crate) target: &'static Target,
    /// What the user asked for: what depends on the mode is in the plan.
    pub(super) options: Options,
    pub(crate) shared: Arc<Shared>,
    pub(crate) engine: Arc<dyn Engine>,
    pub(super) begun: Begun,
    pub(super) output: Output,
    /// Opened at VMInit. Its lock also orders what is done with the profiler.
    pub(super) session: Slot<Session>,
    /// What is read of young collections, if that was asked for.
    pub(super) census: CensusSlot,
    pub(super) precision: Precision,
    /// The program is over: the last collection was begun.
    pub(super) collected_last: AtomicBool,
    own_cpu_us: AtomicU64,
    /// What the JVM had allocated before it could be compared with: 0 if the agent was there from the start.
    pub(super) allocated_before: AtomicU64,
    /// Woken after a collection.
    pub(super) worker: WorkerThread,
}

impl Profiler {
    /// Nothing is counted yet.
    pub(crate) fn new(
        target: &'static Target,
        options: Options,
        shared: Arc<Shared>,
        engine: Arc<dyn Engine>,
        output: Output,
        begun: Begun,
    ) -> Self {
        Self {
            precision: Precision::new(options.gc_every_bytes),
            options,
            target,
            shared,
            engine,
            begun,
            output,
            session: Slot::default(),
            census: CensusSlot::default(),
            collected_last: AtomicBool::new(false),
            own_cpu_us: AtomicU64::new(0),
            allocated_before: AtomicU64::new(0),
            worker: WorkerThread::default(),
        }
    }

    /// Makes it the one of this process. The caller knows that there is none.
    pub(crate) fn set(profiler: Self) -> Arc<Self> {
        let profiler = Arc::new(profiler);
        PROFILER.store(Some(Arc::clone(&profiler)));
        profiler
    }

    /// The profiler, if there is one. Neither blocks nor allocates.
    pub(crate) fn get() -> Option<Arc<Self>> {
        PROFILER.load_full()
    }

    /// There is none any more.
    pub(super) fn clear() {
        PROFILER.store(None);
    }

    /// The options that it began with, as they were given.
    pub(crate) fn option_text(&self) -> &str {
        match &self.begun {
            Begun::AtLaunch => &self.target.option_text,
            Begun::Attached { options, .. } => options,
        }
    }

    /// Whether it can end while the JVM goes on.
    pub(crate) fn can_be_stopped(&self) -> bool {
        self.engine.can_end()
    }

    /// The profile as its readers know it; whole once it ended.
    pub(crate) fn last_profile(&self) -> Profile {
        self.output.profile()
    }

    /// The same with what happened when.
    pub(super) fn profile_with_history(&self) -> Profile {
        self.output.profile_with_history()
    }

    /// Whether allocations are counted now.
    pub(crate) fn is_active(&self) -> bool {
        self.shared.switches.is_active()
    }

    /// Whether nothing is counted any more, and never again.
    pub(crate) fn is_finished(&self) -> bool {
        self.shared.switches.is_finished()
    }

    /// Whether the program is over and the JVM on its way out.
    pub(super) fn is_ending(&self) -> bool {
        self.collected_last.load(Relaxed)
    }

    /// CPU time of the agent's own thread so far.
    pub(super) fn own_cpu(&self) -> Duration {
        Duration::from_micros(self.own_cpu_us.load(Relaxed))
    }

    pub(super) fn set_own_cpu(&self, time: Duration) {
        self.own_cpu_us.store(time.as_micros() as u64, Relaxed);
    }

    /// Looks for a tracer that says which requests threads work for, if who survives is known at all.
    pub(super) fn look_for_tracer(&self) {
        if self.shared.plan.lifetimes {
            self.shared.traces.look();
        }
    }

    /// A collection began. Called inside a GC callback: it neither blocks nor allocates.
    pub(crate) fn gc_started(&self, event: &CallbackContext<'_>) {
        let clock = &self.shared.clock;
        self.target.gc_begins(clock.now_ms());
        clock.gc_started();
        self.census.gc_begins(event, clock.is_forcing());
    }

    /// A collection ended. As [`Self::gc_started`].
    pub(crate) fn gc_finished(&self, event: &CallbackContext<'_>) {
        let (clock, kind) = (&self.shared.clock, self.target.gc_kind());
        self.census.gc_ends(event, kind, &self.shared.young);
        self.target.gc_ends(clock.gcs(), kind);
        self.shared.references.collection_ended();
        clock.gc_finished(kind);
        self.worker.wake();
    }
}

/// After a panic, on any thread, be it in a collection's callback: nothing is counted or tracked any more. The worker
/// writes what was counted.
pub(crate) fn switch_off() {
    if let Some(profiler) = Profiler::get() {
        profiler.shared.switches.fail();
        profiler.worker.wake();
    }
}
