//! What profiles: one for the process, there from the launch on, or from when somebody asked for it, or never.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::Duration;

use super::precision::Precision;
use super::slot::Slot;
use crate::engine::Engine;
use crate::output::Output;
use crate::session::Session;
use crate::target::Target;
use crate::tracking::Population;

static PROFILER: OnceLock<Profiler> = OnceLock::new();

/// An engine that counts, a session that adds up, and where that goes.
pub(crate) struct Profiler {
    pub(crate) target: &'static Target,
    pub(crate) population: Arc<Population>,
    pub(crate) engine: &'static dyn Engine,
    pub(super) output: Output,
    /// Opened at VMInit. Its lock also orders what is done with the profiler.
    pub(super) session: Slot<Session>,
    pub(super) precision: Precision,
    /// The program is over: the last collection was begun.
    pub(super) collected_last: AtomicBool,
    own_cpu_us: AtomicU64,
    /// The thread to wake after a collection.
    pub(super) worker: OnceLock<Thread>,
}

impl Profiler {
    /// Nothing is counted yet.
    pub(crate) fn new(
        target: &'static Target,
        population: Arc<Population>,
        engine: &'static dyn Engine,
        output: Output,
    ) -> Self {
        Self {
            precision: Precision::new(population.options.gc_every_bytes),
            target,
            population,
            engine,
            output,
            session: Slot::default(),
            collected_last: AtomicBool::new(false),
            own_cpu_us: AtomicU64::new(0),
            worker: OnceLock::new(),
        }
    }

    /// Makes it the one of this process; `false` if there is one already.
    pub(crate) fn set(profiler: Self) -> bool {
        PROFILER.set(profiler).is_ok()
    }

    /// The profiler, if there is one.
    pub(crate) fn get() -> Option<&'static Self> {
        PROFILER.get()
    }

    /// Whether allocations are counted now.
    pub(crate) fn is_active(&self) -> bool {
        self.population.switches.is_active()
    }

    /// Whether nothing is counted any more, and never again.
    pub(crate) fn is_finished(&self) -> bool {
        self.population.switches.is_finished()
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

    /// A collection began. Called inside a GC callback: it neither blocks nor allocates.
    pub(crate) fn gc_started(&self) {
        self.population.clock.gc_started();
    }

    /// A collection ended. As [`Self::gc_started`].
    pub(crate) fn gc_finished(&self) {
        self.population.clock.gc_finished(self.target.gc_kind());
        self.wake_worker();
    }

    /// Wakes the worker. Safe inside a GC callback: it neither blocks nor allocates.
    pub(super) fn wake_worker(&self) {
        if let Some(worker) = self.worker.get() {
            worker.unpark();
        }
    }
}

/// After a panic, on any thread, be it in a collection's callback: nothing is counted or tracked any more. The worker
/// writes what was counted.
pub(crate) fn switch_off() {
    if let Some(profiler) = Profiler::get() {
        profiler.population.switches.fail();
        profiler.wake_worker();
    }
}
