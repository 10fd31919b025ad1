//! All that the agent's parts share, made once at launch.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;

use mayfly_collector::{
    Budget, ClassTable, Clock, Nurseries, PlaceTable, SiteTable, Slabs, StackBudget, Tables,
};
use mayfly_jvmti::{Asking, Tool, Vm};
use mayfly_profile::ClassFilter;

use crate::control::Control;
use crate::gc_kinds::GcCounters;
use crate::hooks::Hooks;
use crate::options::Options;
use crate::output::Output;
use crate::precision::Precision;
use crate::rewriting::Rewriting;
use crate::stacks::KnownFrames;
use crate::trust::JvmCounter;
use crate::unseen::Unseen;

static ENGINE: OnceLock<Engine> = OnceLock::new();

/// The agent of this process.
pub(crate) struct Engine {
    pub(crate) options: Options,
    pub(crate) filter: ClassFilter,
    pub(crate) vm: Vm,
    pub(crate) tool: Arc<Tool>,
    /// Feature release, e.g. 17. Kept: the JVM has no such property again before it is initialised.
    pub(crate) jdk: u32,
    pub(crate) classes: ClassTable,
    pub(crate) slabs: Slabs,
    pub(crate) sites: SiteTable,
    pub(crate) places: PlaceTable,
    pub(crate) stack_budget: StackBudget,
    pub(crate) clock: Arc<Clock>,
    pub(crate) budget: Arc<Budget>,
    pub(crate) nurseries: Nurseries,
    pub(crate) frames: KnownFrames,
    pub(crate) rewriting: Rewriting,
    pub(crate) counter: JvmCounter,
    /// Bytes of objects that the agent made to learn the size of a class's objects.
    pub(crate) examples: AtomicU64,
    /// What the JVM's sampler tells; `None` if another agent has it.
    pub(crate) unseen: Option<Unseen>,
    pub(crate) control: Control,
    pub(crate) precision: Precision,
    pub(crate) output: Output,
    /// Objects seen by `#every`.
    pub(crate) examined: AtomicU64,
    /// Set at VMInit: what of the JVM is needed to count.
    pub(crate) hooks: OnceLock<Hooks>,
    /// How weak references are checked; set at VMInit by the collector.
    pub(crate) asking: OnceLock<Asking>,
    /// Set at VMInit: what tells the kinds of collections apart.
    pub(crate) gc_counters: OnceLock<GcCounters>,
    /// The thread to wake after a collection.
    pub(crate) worker: OnceLock<Thread>,
    /// Nothing is counted or tracked any more: the JVM ends, or the agent failed.
    pub(crate) finished: AtomicBool,
    /// A panic ended profiling.
    pub(crate) failed: AtomicBool,
}

impl Engine {
    /// Makes the engine; `false` if there is one already.
    pub(crate) fn set(engine: Self) -> bool {
        ENGINE.set(engine).is_ok()
    }

    /// The engine, once the agent is loaded.
    pub(crate) fn get() -> Option<&'static Self> {
        ENGINE.get()
    }

    /// Whether objects are handed over one by one from Java.
    pub(crate) fn hands_over(&self) -> bool {
        let stacks = self.options.trace && !self.options.counts_places();
        self.options.sample_bytes.is_none() && (self.options.track_collections || stacks)
    }

    /// What rows of sites are made of.
    pub(crate) fn tables(&self) -> Tables<'_> {
        Tables { classes: &self.classes, places: &self.places, sites: &self.sites }
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.finished.load(Relaxed)
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Relaxed)
    }

    /// Wakes the worker. Safe inside a GC callback: it neither blocks nor allocates.
    pub(crate) fn wake_worker(&self) {
        if let Some(worker) = self.worker.get() {
            worker.unpark();
        }
    }
}
