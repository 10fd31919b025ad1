//! What the exact engine holds, and its start: the Java side defined, found, and told what this session is.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use mayfly_jvmti::{CallbackContext, ClassFileLoadHookEvent, Jni};

use super::counters::Counters;
use super::hooks::{self, Hooks, SessionConstants};
use super::rewriting::Rewriting;
use super::unseen::Unseen;
use crate::options::Options;
use crate::target::Target;
use crate::tracking::Population;

/// Counts by hooks in rewritten classes.
pub(crate) struct Exact {
    pub(super) target: &'static Target,
    pub(super) population: Arc<Population>,
    pub(super) counters: Counters,
    pub(super) rewriting: Rewriting,
    /// What the JVM's sampler tells; `None` if another agent has it.
    pub(super) unseen: Option<Unseen>,
    /// Bytes of objects that were made to learn the size of a class's objects.
    pub(super) examples: AtomicU64,
    /// Objects seen by `#every`.
    pub(super) examined: AtomicU64,
    /// Found at VMInit.
    hooks: OnceLock<Hooks>,
}

impl Exact {
    /// Before any Java runs: nothing is counted yet.
    pub(crate) fn new(target: &'static Target, population: Arc<Population>, unseen: Option<Unseen>) -> Self {
        Self {
            counters: Counters::new(&population.options),
            rewriting: Rewriting::new(&population),
            target,
            population,
            unseen,
            examples: AtomicU64::new(0),
            examined: AtomicU64::new(0),
            hooks: OnceLock::new(),
        }
    }

    /// Defines the Java side, in the early start phase: rewritten code needs it from its first allocation on.
    pub(crate) fn define_hooks(&self, jni: Jni<'_>) {
        let options = &self.population.options;
        let places = if options.counts_places() { self.counters.places.address() } else { 0 };
        let stacks = hands_over(options) && options.trace && !options.counts_places();
        let session = SessionConstants {
            hands_over: hands_over(options),
            smallest: options.view.min_bytes,
            stacks,
            shares: options.track_balanced,
            places,
        };
        hooks::define(jni, self.target.jdk, session);
    }

    /// Finds the Java side at VMInit, and makes it ready to count.
    pub(crate) fn connect_hooks(&self, jni: Jni<'_>) {
        let _ = self.hooks.set(hooks::connect(jni, &self.target.jvmti));
    }

    /// Rewrites a class that is being loaded.
    pub(crate) fn rewrite<'event>(
        &self,
        context: &CallbackContext<'event>,
        event: ClassFileLoadHookEvent<'event>,
    ) {
        if !self.population.switches.is_finished() {
            let counts_places = self.population.options.counts_places();
            let places = counts_places.then_some((&self.counters.places, &*self.population));
            self.rewriting.rewrite(places, context, event);
        }
    }

    /// Whether `#gc-every` asks for collections on the threads that allocate.
    #[inline]
    pub(crate) fn forces_collections(&self) -> bool {
        self.population.options.gc_every_bytes.is_some()
    }

    /// What of the Java side is needed to count, once it is there.
    pub(super) fn hooks(&self) -> Option<&Hooks> {
        self.hooks.get()
    }

    /// The same until the end of counting.
    pub(super) fn hooks_in_use(&self) -> Option<&Hooks> {
        self.hooks.get().filter(|_| !self.population.switches.is_finished())
    }
}

/// Whether objects are handed over one by one from Java.
pub(super) fn hands_over(options: &Options) -> bool {
    let stacks = options.trace && !options.counts_places();
    options.sample_bytes.is_none() && !options.track_balanced && (options.track_collections || stacks)
}
