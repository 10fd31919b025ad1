//! What the sampled engine holds, and what it does with a sample.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Instant;

use mayfly_jvmti::{
    Capabilities, Event, JVMS_SAMPLING_INTERVAL, Jni, JvmtiEnv, JvmtiError, SampledAllocation,
};
use mayfly_profile::{ClassId, Tracking};
use mayfly_tracking::StandsFor;

use super::estimates::Estimates;
use super::threads::{OfThread, Threads};
use crate::conduct::own_threads;
use crate::plan::Plan;
use crate::target_jvm::{Target, give_sampler_back, note_sample, set_sampling_interval};
use crate::tracking::{Drawn, Draws, Followed, Rate, Sample, Shared, Stacks};

/// What of the JVM is held while it samples for us.
const CAPABILITIES: Capabilities = Capabilities {
    gc_events: true,
    sampled_allocations: true,
    sources: true,
    early_class_hooks: false,
    retransformation: false,
    bytecodes: false,
    heap_exhaustion: false,
};
/// Switched on from the begin to the end.
const EVENTS: [Event; 5] = [
    Event::ThreadStart,
    Event::ThreadEnd,
    Event::GarbageCollectionStart,
    Event::GarbageCollectionFinish,
    Event::SampledObjectAlloc,
];

/// Fewer objects say nothing of lifetimes, whoever of them is dead.
const FEWEST_FOLLOWED: u64 = 30;

/// Why the JVM's sampler is not ours.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "the JVM's allocation sampler can't be had ({0}), it is another agent's: stop that one, or launch the JVM with Mayfly's \
     exact engine, which needs no sampler (#trackcollections, without #engine-sampled)"
)]
pub(crate) struct SamplerError(JvmtiError);

/// Counts and follows what the JVM's sampler picks.
pub(crate) struct Sampled {
    pub(super) target: &'static Target,
    pub(super) shared: Arc<Shared>,
    pub(super) draws: Draws,
    pub(super) estimates: Estimates,
    pub(super) threads: Threads,
    rate: Rate,
    /// Objects followed so far.
    followed: AtomicU64,
    /// Whether samples are taken. Each reads this for as long as it is being taken: who closes it waits for them.
    open: RwLock<bool>,
}

impl Sampled {
    /// Takes the JVM's sampler. Nothing is counted yet. The interval is set now: a thread draws its first sample when it
    /// starts, the main thread before VMInit.
    ///
    /// # Errors
    /// Another agent has it.
    pub(crate) fn new(target: &'static Target, shared: Arc<Shared>) -> Result<Self, SamplerError> {
        let interval = interval(&shared.plan);
        let jvmti = &target.jvmti;
        jvmti.add_capabilities(CAPABILITIES).map_err(SamplerError)?;
        if let Err(error) = set_sampling_interval(jvmti, interval) {
            jvmti.give_back(CAPABILITIES);
            return Err(SamplerError(error));
        }
        Ok(Self {
            target,
            draws: Draws::of(target.jdk),
            estimates: Estimates::new(interval),
            threads: Threads::default(),
            rate: Rate::new(interval, shared.plan.sample_rate),
            shared,
            followed: AtomicU64::new(0),
            open: RwLock::new(false),
        })
    }

    /// Whether the JVM's sampler could be had now.
    ///
    /// # Errors
    /// Another agent has it.
    pub(crate) fn try_sampler(jvmti: &JvmtiEnv) -> Result<(), SamplerError> {
        jvmti.add_capabilities(CAPABILITIES).map_err(SamplerError)?;
        jvmti.give_back(CAPABILITIES);
        Ok(())
    }

    /// Takes an allocation that the JVM's sampler picked.
    pub(super) fn take(&self, jni: Jni<'_>, sample: SampledAllocation<'_>) {
        let began = Instant::now();
        let picked = note_sample();
        let now_read = self.shared.young.now();
        let open = self.is_open();
        if !*open || own_threads::is_own() {
            return;
        }
        let Some(name) = self.target.jvmti.class_name(sample.class) else { return };
        let class = self.shared.classes.named(&name);
        let filter = &self.shared.plan.filter;
        let admitted = filter.admits_size(sample.size) && filter.admits(&name);
        self.threads.with_this(&self.shared, |thread| {
            let gcs = self.shared.clock.gcs();
            let drawn = self.draws.take(jni, sample, &mut thread.last, gcs, picked);
            self.estimates.add(class, drawn, self.shared.young.period_of(sample.size, now_read));
            thread.samples.add(Sample { class, maker: None, estimate: drawn.estimate });
            if admitted && drawn.is_fair(fastrand::f64()) {
                self.follow(thread, jni, class, sample, drawn);
            }
        });
        if let Some(interval) = self.rate.sampled(began, Instant::now()) {
            // Can't fail while the capability is ours.
            let _ = set_sampling_interval(&self.target.jvmti, interval);
        }
    }

    fn follow(
        &self,
        thread: &mut OfThread,
        jni: Jni<'_>,
        class: ClassId,
        sample: SampledAllocation<'_>,
        drawn: Drawn,
    ) {
        let bytes = drawn.estimate.bytes();
        let Some(objects_log2) = thread.tracker.choose(class, bytes) else { return };
        let stacks = Stacks { shared: &self.shared, jvmti: &self.target.jvmti, jni };
        // The JVM samples nothing while a virtual thread is being mounted or unmounted.
        let site = thread.tracker.site(stacks, class, false);
        let trace = self.shared.traces.of_this_thread(&self.target.jvmti, jni, false);
        let followed = Followed { object: sample.object, size: sample.size, bytes, entry: None, trace };
        let stands_for = StandsFor { objects_log2, ..StandsFor::default() };
        thread.tracker.follow(&self.shared, jni, followed, site, stands_for);
        self.followed.fetch_add(1, Relaxed);
    }

    /// Whether so many objects were followed that it matters who of them is dead.
    pub(super) fn has_followed_enough(&self) -> bool {
        self.followed.load(Relaxed) >= FEWEST_FOLLOWED
    }

    /// Has the JVM report what it picks.
    pub(super) fn listen(&self) -> Result<(), JvmtiError> {
        EVENTS.into_iter().try_for_each(|event| self.target.jvmti.enable(event))
    }

    /// Gives the sampler back.
    pub(super) fn leave(&self) {
        let jvmti = &self.target.jvmti;
        EVENTS.into_iter().for_each(|event| jvmti.disable(event));
        give_sampler_back(jvmti, CAPABILITIES);
    }

    /// Whether samples are taken, for as long as the answer is held.
    pub(super) fn is_open(&self) -> RwLockReadGuard<'_, bool> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes samples from now on, or takes none any more, and waits for those that are being taken.
    pub(super) fn set_open(&self, open: bool) {
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = open;
        self.estimates.is_open_from(open, self.shared.young.now());
    }
}

fn interval(plan: &Plan) -> u64 {
    match plan.tracking {
        Tracking::ByteSample(interval) => interval,
        _ => JVMS_SAMPLING_INTERVAL,
    }
}
