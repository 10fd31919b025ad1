//! The exact engine as the rest of the agent sees it.

use std::sync::atomic::Ordering::Relaxed;

use mayfly_jvmti::{Jni, SampledAllocation, Thread};
use mayfly_profile::{EngineKind, Remainder, SiteId};
use mayfly_tracking::{ClassTotal, ScopeTotal};
use rustc_hash::FxHashSet;

use super::sampler;
use super::state::Exact;
use super::thread::forget_this_thread;
use super::unseen::Unseen;
use super::virtual_threads::has_virtual_threads;
use crate::conduct::notice::say;
use crate::engine::{Account, Counting, Counts, Engine, Leaving};

const EXAMPLES: &str = "made by the profiler (one object of each class)";

impl Counting for Exact {
    fn kind(&self) -> EngineKind {
        EngineKind::Exact
    }

    fn counts(&self, asked: &FxHashSet<SiteId>) -> Counts {
        let (classes, sites) = self.counters.read(&self.shared, asked);
        let executed: Vec<u64> = classes.iter().map(ClassTotal::bytes).collect();
        let names = &self.shared.classes;
        let estimates = self.unseen.as_ref().map(|unseen| {
            unseen.changed(names, &executed, has_virtual_threads(self.target.jdk, names, &executed))
        });
        Counts { classes, sites, estimates: estimates.unwrap_or_default() }
    }

    fn scopes(&self) -> Vec<ScopeTotal> {
        self.counters.scopes(&self.shared)
    }

    fn reset(&self) -> Vec<ClassTotal> {
        if let Some(unseen) = &self.unseen {
            unseen.reset();
        }
        self.counters.reset(&self.shared)
    }

    fn account(&self) -> Account {
        let mut remainder = vec![Remainder::exact(EXAMPLES, self.examples.load(Relaxed) as i64)];
        remainder.extend(self.unseen.iter().flat_map(Unseen::remainder));
        Account {
            remainder,
            refusals: self.rewriting.refusals(),
            dropped: self.counters.dropped(),
            error_bytes: None,
            has_start_up: false,
            sample_interval: self.unseen.as_ref().map(Unseen::interval),
            rewrite_ms: self.rewriting.milliseconds(),
        }
    }

    fn native_bytes(&self) -> u64 {
        self.counters.mapped_bytes()
    }

    fn native_bytes_now(&self) -> u64 {
        self.counters.look(&self.shared);
        self.native_bytes()
    }
}

impl Engine for Exact {
    fn loaded_scope(&self, scope: u32) -> Option<bool> {
        self.rewriting.loaded_scope(scope)
    }

    fn bytes_between_samples(&self) -> Option<u64> {
        self.unseen.as_ref()?.mean_interval()
    }

    fn begin(&self, jni: Jni<'_>) {
        if let Err(error) = self.listen(jni) {
            say(&format!(
                "the JVM reports neither collections nor ends of threads ({error}): lifetimes are missing"
            ));
        }
        sampler::start(self, jni);
    }

    fn resume(&self, jni: Jni<'_>) {
        if let Some(hooks) = self.hooks() {
            hooks.switch(jni, true);
        }
    }

    fn pause(&self, jni: Jni<'_>) {
        if let Some(hooks) = self.hooks() {
            hooks.switch(jni, false);
        }
    }

    /// What was there from the launch on has its fields in classes of the JDK.
    fn can_end(&self) -> bool {
        self.attached.is_some()
    }

    fn end(&self, jni: Jni<'_>, leaving: Leaving) {
        self.leave(jni, leaving == Leaving::Nothing);
    }

    fn sampled(&self, jni: Jni<'_>, sample: SampledAllocation<'_>) {
        sampler::sampled(self, jni, sample);
    }

    fn thread_ends(&self, jni: Jni<'_>, thread: Thread<'_>, allocated: Option<u64>) {
        forget_this_thread();
        let Some(hooks) = self.hooks() else { return };
        let counts = self.shared.switches.is_active();
        if let (Some(unseen), Some(allocated), true) = (&self.unseen, allocated, counts) {
            unseen.thread_ends(allocated);
        }
        let slab = hooks.slab(jni, thread);
        if slab != 0 {
            hooks.set_slab(jni, thread, 0);
            self.counters.close(slab, &self.shared);
        }
    }

    fn forget_unloaded(&self, has_method: &dyn Fn(u64) -> bool) {
        if let Some(unseen) = &self.unseen {
            unseen.forget_unloaded(has_method);
        }
    }
}
