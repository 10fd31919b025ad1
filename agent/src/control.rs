//! Start, pause, reset, report, end: asked for by the program through the Java API, by options, or by the JVM.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mayfly_jvmti::{Asking, Event, Jni, Management};
use mayfly_profile::{EngineKind, Gc, Profile, RunInfo, Update};

use crate::allocations;
use crate::engine::Engine;
use crate::gc_kinds::GcCounters;
use crate::host::Host;
use crate::notice::say;
use crate::precision;
use crate::session::{Reached, Session};

/// Whether profiling is on, and the session that adds up.
#[derive(Default)]
pub(crate) struct Control {
    active: AtomicBool,
    /// `None` before VMInit and after VMDeath. Its lock also orders the calls of this module.
    session: Mutex<Option<Session>>,
    own_cpu_us: AtomicU64,
    collected_last: AtomicBool,
}

impl Control {
    /// Whether allocations are counted now.
    pub(crate) fn is_active(&self) -> bool {
        self.active.load(Relaxed)
    }

    /// Whether a collection may be forced for precision: profiling is on, and the last one is not done.
    pub(crate) fn may_collect(&self) -> bool {
        self.is_active() && !self.collected_last.load(Relaxed)
    }

    /// Whether the program is over and the JVM on its way out.
    pub(crate) fn is_ending(&self) -> bool {
        self.collected_last.load(Relaxed)
    }

    /// The session; `None` once it ended.
    pub(crate) fn session(&self) -> MutexGuard<'_, Option<Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// CPU time of the agent's own thread so far.
    pub(crate) fn own_cpu(&self) -> Duration {
        Duration::from_micros(self.own_cpu_us.load(Relaxed))
    }

    pub(crate) fn set_own_cpu(&self, time: Duration) {
        self.own_cpu_us.store(time.as_micros() as u64, Relaxed);
    }
}

/// VMInit: opens the session, and starts unless the user wants to start later.
pub(crate) fn begin(engine: &Engine, host: &Host, jni: Jni<'_>) {
    let run = run_info(engine, host);
    // Only what is known to clear slots in its pause: a collector that is not known is asked by JNI.
    let slots = matches!(run.jvm.gc, Gc::Serial | Gc::Parallel | Gc::G1);
    let _ = engine.asking.set(if slots { Asking::Slot } else { Asking::Jni });
    let _ = engine.gc_counters.set(GcCounters::find());
    if let Some(bytes) = engine.counter.total(engine, jni) {
        engine.clock.correct(bytes);
    }
    bound_held(engine, jni, run.jvm.gc);
    {
        let mut session = engine.control.session();
        *session = Some(Session::new(engine, &run));
        engine.output.send(vec![Update::Start(Box::new(run))]);
    }
    if engine.unseen.is_some() {
        start_sampler(engine, jni);
    }
    if engine.options.delay_profiling {
        engine.output.note("## Profiling delayed");
    } else {
        switch_on(engine, jni, &mut engine.control.session());
    }
}

/// Young collections of a generational concurrent collector keep what is tracked: not much of the heap may be held so.
fn bound_held(engine: &Engine, jni: Jni<'_>, gc: Gc) {
    /// Share of the maximum heap that tracked objects may take.
    const HEAP_SHARE: u64 = 16;
    /// Each young collection visits them all.
    const MOST_HELD: u64 = 1 << 20;
    if matches!(gc, Gc::GenerationalZgc | Gc::GenerationalShenandoah) {
        let heap = Management::find().and_then(|management| management.number(jni, c"MaxHeapSize"));
        engine.budget.bound_held(MOST_HELD, heap.unwrap_or(0).max(16 << 20) / HEAP_SHARE);
    }
}

fn start_sampler(engine: &Engine, jni: Jni<'_>) {
    match engine.tool.enable(Event::SampledObjectAlloc) {
        Ok(()) if engine.options.sample_bytes.is_some() => allocations::renew_buffer(jni),
        Ok(()) => {}
        Err(error) => say(&format!(
            "the JVM does not sample allocations ({error}): what is not counted will not be estimated, and #sample has no \
             lifetimes; use #trackcollections instead"
        )),
    }
}

fn switch_on(engine: &Engine, jni: Jni<'_>, session: &mut Option<Session>) {
    let (Some(hooks), Some(session)) = (engine.hooks.get(), session.as_mut()) else { return };
    let ends = engine.is_finished() || engine.control.collected_last.load(Relaxed);
    if ends || engine.control.active.swap(true, Relaxed) {
        return;
    }
    session.time_runs(true);
    precision::begin(engine);
    engine.counter.counting_starts(engine, jni);
    hooks.switch(jni, true);
}

/// Starts or resumes.
pub(crate) fn start(engine: &Engine, jni: Jni<'_>) {
    let mut session = engine.control.session();
    if !engine.control.is_active() {
        switch_on(engine, jni, &mut session);
        engine.output.note("## Profiling enabled");
    }
}

/// Pauses: data is kept, deaths of tracked objects are still noted.
pub(crate) fn pause(engine: &Engine, jni: Jni<'_>) {
    let mut session = engine.control.session();
    let (Some(hooks), Some(session)) = (engine.hooks.get(), session.as_mut()) else { return };
    if engine.control.active.swap(false, Relaxed) {
        hooks.switch(jni, false);
        engine.counter.counting_stops(engine, jni);
        session.time_runs(false);
        engine.output.note("## Profiling disabled");
    }
}

/// Starts all counts again from zero; deaths of objects that were tracked so far are not counted any more.
pub(crate) fn reset(engine: &Engine, jni: Jni<'_>) {
    if let Some(session) = engine.control.session().as_mut() {
        engine.output.send(session.reset(engine, jni));
        engine.output.note("Instance data reset");
    }
}

/// Tells all readers what is new. Under the session's lock, so that steps follow each other as they were counted: none of
/// the readers is waited for.
pub(crate) fn publish(engine: &Engine, jni: Jni<'_>, session: &mut Session) {
    session.absorb(engine);
    engine.output.send(session.updates(engine, jni));
}

/// Writes a report, when its turn comes.
pub(crate) fn report(engine: &Engine, jni: Jni<'_>, reason: &str) {
    if publish_now(engine, jni) {
        engine.output.report(reason);
    }
}

/// Writes a report that somebody waits for: returns when it is written, unless nobody takes it.
pub(crate) fn report_and_wait(engine: &Engine, jni: Jni<'_>, reason: &str) {
    report(engine, jni, reason);
    engine.output.flush();
}

/// The profile so far; `None` once the session ended.
pub(crate) fn snapshot(engine: &Engine, jni: Jni<'_>) -> Option<Profile> {
    publish_now(engine, jni).then(|| engine.output.profile())
}

/// Whether there is still a session to tell of.
fn publish_now(engine: &Engine, jni: Jni<'_>) -> bool {
    engine.control.session().as_mut().map(|session| publish(engine, jni, session)).is_some()
}

/// How far profiling has come; `None` before it began and once it ended.
pub(crate) fn progress(engine: &Engine) -> Option<Reached> {
    engine.control.session().as_ref().map(Session::reached)
}

/// The VM ends: a last collection, so that live means live. Not at VMDeath: by then HotSpot has stopped the threads of
/// concurrent collectors, and one would wait for ever.
pub(crate) fn collect_last(engine: &Engine, jni: Jni<'_>) {
    let open = engine.control.session().is_some();
    if !open || engine.control.collected_last.swap(true, Relaxed) || !engine.options.lifetimes() {
        return;
    }
    stop_for_good(engine, jni);
    force_gc(engine);
    if let Some(session) = engine.control.session().as_mut() {
        session.collect(engine, jni);
    }
}

/// Nothing more is counted: what daemon threads make after the last collection would be live, dead or not.
fn stop_for_good(engine: &Engine, jni: Jni<'_>) {
    let _none_starts_meanwhile = engine.control.session();
    if let Some(hooks) = engine.hooks.get().filter(|_| engine.control.active.swap(false, Relaxed)) {
        hooks.switch(jni, false);
        engine.counter.counting_ends(engine, jni);
    }
}

/// Collects the whole heap now. Not to be called while holding the session: other threads may wait for it.
pub(crate) fn force_gc(engine: &Engine) {
    engine.clock.while_forcing(|| engine.tool.force_gc());
}

/// VMDeath: the last report, the end of the recording.
pub(crate) fn finish(engine: &Engine, jni: Jni<'_>) {
    if let Some(hooks) = engine.hooks.get() {
        hooks.switch(jni, false);
    }
    engine.control.active.store(false, Relaxed);
    end_early(engine, jni);
    // Taken out of its lock: while readers are waited for, others find that it ended.
    let session = engine.control.session().take();
    if let Some(mut session) = session {
        session.collect(engine, jni);
        close(engine, jni, &mut session, "JVM Shutdown");
    }
    engine.finished.store(true, Relaxed);
    engine.wake_worker();
    engine.output.flush();
}

/// After a panic, if there was one: nothing calls us any more, and what was counted until then is written.
pub(crate) fn end_early(engine: &Engine, jni: Jni<'_>) {
    if !engine.has_failed() {
        return;
    }
    if let Some(hooks) = engine.hooks.get() {
        hooks.switch(jni, false);
    }
    engine.control.active.store(false, Relaxed);
    // Locked until all is written: the JVM may end meanwhile, and waits here.
    let mut session = engine.control.session();
    let end = AssertUnwindSafe(|| {
        if let Some(session) = session.as_mut() {
            session.absorb(engine);
            close(engine, jni, session, "Internal error");
        }
    });
    if catch_unwind(end).is_err() {
        say("what was counted could not be written to its end");
    }
    *session = None;
    engine.output.flush();
}

/// The last words to all readers, and the last report.
fn close(engine: &Engine, jni: Jni<'_>, session: &mut Session, reason: &str) {
    let mut last = session.updates(engine, jni);
    last.push(Update::End);
    engine.output.close(last);
    engine.output.report(reason);
}

fn run_info(engine: &Engine, host: &Host) -> RunInfo {
    RunInfo {
        jvm: host.jvm(),
        engine: EngineKind::Exact,
        options: host.option_text.clone(),
        started_unix_ms: jiff::Timestamp::now().as_millisecond().try_into().unwrap_or(0),
        buckets: engine.options.buckets.clone(),
        tracking: engine.options.tracking(),
        lifetimes: engine.options.lifetimes(),
        stacks: engine.options.trace,
        view: engine.options.view.clone(),
    }
}
