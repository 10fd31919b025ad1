//! Collections that we ask for: each is known as forced, so that what it proves is not taken for the program's doing.

use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use mayfly_jvmti::Jni;

use super::holders::{Wanted, look_for_holders};
use super::outside::Outside;
use super::profiler::Profiler;

/// Collects the whole heap now. Not to be called while holding the session: other threads may wait for it.
pub(crate) fn force_gc(profiler: &Profiler) {
    profiler.shared.clock.while_forcing(|| profiler.target.jvmti.force_gc());
}

/// Collects and sweeps if `#gc-every` says that it is time. The caller holds no lock, and is a thread of the VM: the one that
/// crosses the line collects, so that the program cannot run ahead. What the byte clock does not see at once is left to
/// the worker.
#[inline]
pub(crate) fn collect_if_due(profiler: &Profiler, jni: Jni<'_>) {
    if profiler.precision.is_due(|| profiler.shared.clock.bytes())
        && profiler.is_active()
        && !profiler.is_ending()
    {
        profiler.precision.alone(|| collect(profiler, jni));
    }
}

fn collect(profiler: &Profiler, jni: Jni<'_>) {
    // From the begin of the collection: what is allocated during a concurrent one counts for the next.
    profiler.precision.count_from(profiler.shared.clock.bytes());
    force_gc(profiler);
    // Here and not later: before the next collection it must be known what this one left.
    sweep(profiler, jni);
}

/// Collects the whole heap, and books what died. The caller holds no lock, and is a thread of the VM.
pub(crate) fn collect_now(profiler: &Profiler, jni: Jni<'_>) {
    force_gc(profiler);
    sweep(profiler, jni);
}

/// The same on request, and who holds what grows then.
pub(crate) fn collect_and_look(profiler: &Profiler, jni: Jni<'_>) {
    collect_now(profiler, jni);
    look_for_holders(profiler, jni, Wanted::OnRequest);
}

fn sweep(profiler: &Profiler, jni: Jni<'_>) {
    let references = &mut profiler.shared.references.handles(jni);
    if let Some(session) = profiler.session.lock().as_mut() {
        session.collect(references, &Outside::of(profiler, jni));
    }
}

/// The VM begins to end: a last collection, so that live means live, before shutdown hooks close what the program holds. Not at
/// VMDeath: by then HotSpot has stopped the threads of concurrent collectors, and one would wait for ever.
pub(crate) fn collect_last(profiler: &Profiler, jni: Jni<'_>) {
    let open = profiler.session.lock().is_some();
    let has_census = profiler.options.census;
    let is_wanted = profiler.shared.plan.lifetimes || has_census;
    if !open || profiler.collected_last.swap(true, Relaxed) || !is_wanted {
        return;
    }
    stop_for_good(profiler, jni);
    if profiler.options.last_gc && (has_census || profiler.engine.is_worth_a_collection()) {
        collect_now(profiler, jni);
    }
    if let Some(session) = profiler.session.lock().as_mut() {
        session.note_collections(profiler.target.take_collections(), &Outside::of(profiler, jni));
        session.is_over();
    }
    if profiler.options.last_gc {
        look_for_holders(profiler, jni, Wanted::AtTheEnd);
    }
}

/// The launcher's `main` is about to return and the VM ends next: the last collection comes while its locals hold what they hold. Not
/// where other threads go on, nor of a `main` that something else called; and not where the program made the JVM, which may go on.
pub(crate) fn collect_at_the_end_of_main(profiler: &Profiler, jni: Jni<'_>) {
    /// Of the native method that asks, and of `main`.
    const FRAMES: usize = 2;
    /// So long it waits for threads that are about to end: those of a pool are, when it was shut down last.
    const OTHERS_END: Duration = Duration::from_millis(500);
    const LOOKS_EACH: Duration = Duration::from_millis(5);
    let jvmti = &profiler.target.jvmti;
    let is_outermost = jvmti.with_stack(jni, FRAMES + 1, |frames| frames.count()) == FRAMES;
    let launched = || jvmti.system_property("sun.java.launcher").is_some_and(|name| name == "SUN_STANDARD");
    if !is_outermost || !launched() {
        return;
    }
    let began = Instant::now();
    // This thread is one.
    while jvmti.threads_that_keep_running(jni) > 1 {
        // Where there are many threads, looking takes a part of it.
        if began.elapsed() >= OTHERS_END {
            return;
        }
        thread::sleep(LOOKS_EACH);
    }
    collect_last(profiler, jni);
}

/// Nothing more is counted: what daemon threads and shutdown hooks make after the last collection would be live, dead or not.
fn stop_for_good(profiler: &Profiler, jni: Jni<'_>) {
    // Locked: none starts meanwhile.
    let mut session = profiler.session.lock();
    if profiler.shared.switches.set_active(false) {
        profiler.engine.pause(jni);
        if let Some(session) = session.as_mut() {
            session.ends(&Outside::of(profiler, jni));
        }
    }
}
