//! Start, pause, reset, report: asked for by the program through the Java API, by options, or from outside.

use mayfly_jvmti::Jni;
use mayfly_profile::{BYTES_BETWEEN_SAMPLES, Profile, Section, TraceContext, Update};

use super::outside::Outside;
use super::profiler::Profiler;
use crate::output::{WatchError, Watcher};
use crate::session::{Reached, Session};

/// Counts from now on, unless it does, or the end has begun. For who holds the session.
pub(super) fn switch_on(profiler: &Profiler, jni: Jni<'_>, session: &mut Option<Session>) {
    let Some(session) = session.as_mut() else { return };
    let ends = profiler.is_finished() || profiler.is_ending();
    if ends || profiler.shared.switches.set_active(true) {
        return;
    }
    profiler.precision.count_from(profiler.shared.clock.bytes());
    session.starts(&Outside::of(profiler, jni));
    profiler.census.resumes();
    profiler.engine.resume(jni);
}

/// Starts or resumes.
pub(crate) fn start(profiler: &Profiler, jni: Jni<'_>) {
    let mut session = profiler.session.lock();
    if !profiler.is_active() {
        switch_on(profiler, jni, &mut session);
        profiler.output.note("## Profiling enabled");
    }
}

/// Pauses: data is kept, deaths of tracked objects are still noted.
pub(crate) fn pause(profiler: &Profiler, jni: Jni<'_>) {
    let mut session = profiler.session.lock();
    let Some(session) = session.as_mut() else { return };
    if profiler.shared.switches.set_active(false) {
        profiler.engine.pause(jni);
        profiler.census.pauses();
        session.stops(&Outside::of(profiler, jni));
        profiler.output.note("## Profiling disabled");
    }
}

/// Starts all counts again from zero; deaths of objects that were tracked so far are not counted any more.
pub(crate) fn reset(profiler: &Profiler, jni: Jni<'_>) {
    let references = &mut profiler.shared.references.handles(jni);
    if let Some(session) = profiler.session.lock().as_mut() {
        // Totals go on from what was read so far.
        profiler.census.is_asked_for_all();
        profiler.census.counts(&profiler.shared);
        profiler.output.send(session.reset(&*profiler.engine, references));
        profiler.census.restart(&profiler.shared.young);
        profiler.output.note("Instance data reset");
    }
}

/// The running thread works for the pool of this name, or for that of its own name again; whether stacks name it.
pub(crate) fn set_pool(profiler: &Profiler, jni: Jni<'_>, pool: Option<&str>) -> bool {
    !profiler.is_finished() && profiler.shared.set_pool(&profiler.target.jvmti, jni, pool)
}

/// The program says that it did so many more operations. Called for each of them: it waits for nobody.
pub(crate) fn operations(profiler: &Profiler, more: i64) {
    if let Ok(more) = u64::try_from(more) {
        profiler.shared.count_operations(more);
    }
}

/// The current thread works for that request from now on, or for none.
pub(crate) fn trace(profiler: &Profiler, jni: Jni<'_>, context: Option<TraceContext>) {
    if profiler.shared.plan.lifetimes {
        profiler.shared.traces.set(&profiler.target.jvmti, jni, context);
    }
}

/// Tells all readers what is new. Under the session's lock, so that steps follow each other as they were counted: none of
/// the readers is waited for.
pub(super) fn publish(profiler: &Profiler, jni: Jni<'_>, session: &mut Session) {
    profiler.look_for_tracer();
    session.absorb();
    let outside = Outside::of(profiler, jni);
    session.note_collections(profiler.target.take_collections(), &outside);
    profiler.output.send(updates(profiler, session, &outside));
}

/// What is new. Classes of the census are known before names are told.
pub(super) fn updates(profiler: &Profiler, session: &mut Session, outside: &Outside<'_>) -> Vec<Update> {
    outside.measure(profiler, session);
    let census = profiler.census.counts(&profiler.shared);
    let mut readings = outside.readings();
    let apart = profiler.engine.bytes_between_samples();
    readings.0.extend(apart.map(|apart| (BYTES_BETWEEN_SAMPLES, apart)));
    let mut seen = vec![Section::Readings(readings)];
    seen.extend(census.map(|census| Section::Census(Box::new(census))));
    session.updates(&*profiler.engine, outside, profiler.own_cpu(), seen)
}

/// Writes a report, when its turn comes.
pub(super) fn report(profiler: &Profiler, jni: Jni<'_>, reason: &str) {
    if publish_now(profiler, jni) {
        profiler.output.report(reason);
    }
}

/// Writes a report that somebody waits for: returns when it is written, unless nobody takes it.
pub(crate) fn report_and_wait(profiler: &Profiler, jni: Jni<'_>, reason: &str) {
    report(profiler, jni, reason);
    profiler.output.flush();
}

/// Tells somebody outside the profile so far, and each step from now on.
///
/// # Errors
/// Why not.
pub(crate) fn watch(profiler: &Profiler, watcher: impl Watcher) -> Result<(), WatchError> {
    profiler.output.watch(watcher)?;
    // Without a recording nobody wanted steps before.
    profiler.worker.wake();
    Ok(())
}

/// The profile so far; `None` once the session ended.
pub(crate) fn snapshot(profiler: &Profiler, jni: Jni<'_>) -> Option<Profile> {
    publish_now(profiler, jni).then(|| profiler.output.profile())
}

/// Whether there is still a session to tell of. What died in a collection that ended before is told, also where the worker has
/// not come to it yet.
fn publish_now(profiler: &Profiler, jni: Jni<'_>) -> bool {
    let mut session = profiler.session.lock();
    let Some(session) = session.as_mut() else { return false };
    let references = &mut profiler.shared.references.handles(jni);
    session.catch_up(references, &Outside::of(profiler, jni));
    session.is_asked_for_all();
    profiler.census.is_asked_for_all();
    publish(profiler, jni, session);
    true
}

/// How far profiling has come; `None` before it began and once it ended.
pub(super) fn progress(profiler: &Profiler) -> Option<Reached> {
    profiler.session.lock().as_ref().map(Session::reached)
}
