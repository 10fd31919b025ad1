//! The sampled engine as the rest of the agent sees it.

use mayfly_jvmti::{Jni, SampledAllocation, Thread};
use mayfly_profile::{EngineKind, Remainder, SiteId};
use mayfly_recording::control::Loaded;
use mayfly_tracking::ClassTotal;
use rustc_hash::FxHashSet;

use super::state::Sampled;
use crate::conduct::notice::say;
use crate::conduct::own_threads;
use crate::engine::{Account, Counting, Counts, Engine, Leaving};
use crate::target_jvm::renew_buffer;

const UNSAMPLED: &str = "by threads that lived briefly, of which the JVM sampled nothing";

impl Counting for Sampled {
    fn kind(&self) -> EngineKind {
        EngineKind::Sampled
    }

    fn counts(&self, _asked: &FxHashSet<SiteId>) -> Counts {
        let (classes, estimates) = self.estimates.read(&self.shared.young);
        Counts { classes, sites: Vec::new(), estimates }
    }

    fn reset(&self) -> Vec<ClassTotal> {
        self.estimates.reset(&self.shared.young)
    }

    fn account(&self) -> Account {
        let (error_bytes, unsampled) = self.estimates.doubt();
        Account {
            remainder: vec![Remainder::exact(UNSAMPLED, i64::try_from(unsampled).unwrap_or(i64::MAX))],
            error_bytes: Some(error_bytes),
            has_start_up: self.shared.young.has_start_up(),
            sample_interval: Some(self.estimates.interval()),
            ..Account::default()
        }
    }

    /// All of it is the allocator's, or shared.
    fn native_bytes(&self) -> u64 {
        0
    }
}

impl Engine for Sampled {
    fn begin(&self, jni: Jni<'_>) {
        self.draws.find(self.target, jni);
        self.estimates.are_drawn(self.draws.drawing(self.target.jdk));
        match self.listen() {
            // The main thread, about to run the program.
            Ok(()) if self.target.loaded == Loaded::Launched && !own_threads::is_own() => renew_buffer(jni),
            Ok(()) => {}
            Err(error) => {
                say(&format!("the JVM does not report its samples ({error}): nothing is counted"));
            }
        }
    }

    fn resume(&self, jni: Jni<'_>) {
        self.threads.forget_samples();
        self.target.mark_threads(jni);
        self.set_open(true);
    }

    fn is_worth_a_collection(&self) -> bool {
        self.has_followed_enough()
    }

    fn pause(&self, _jni: Jni<'_>) {
        self.set_open(false);
    }

    fn can_end(&self) -> bool {
        true
    }

    fn end(&self, _jni: Jni<'_>, _leaving: Leaving) {
        self.leave();
    }

    fn sampled(&self, jni: Jni<'_>, sample: SampledAllocation<'_>) {
        self.take(jni, sample);
    }

    fn thread_ends(&self, _jni: Jni<'_>, _thread: Thread<'_>, allocated: Option<u64>) {
        let open = self.is_open();
        let samples = self.threads.forget_this();
        // What such threads allocated is read, as that of others.
        let is_read = self.shared.young.is_read();
        if let (Some(allocated), true, false) = (allocated, *open, is_read) {
            self.estimates.thread_ends(&samples, allocated);
        }
    }

    fn forget_unloaded(&self, _has_method: &dyn Fn(u64) -> bool) {}
}
