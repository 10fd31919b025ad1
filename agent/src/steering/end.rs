//! The end: of the JVM, or of profiling after a fault of ours.

use std::panic::{AssertUnwindSafe, catch_unwind};

use mayfly_jvmti::Jni;
use mayfly_profile::Update;

use super::collecting::collect_last;
use super::control::updates;
use super::outside::Outside;
use super::profiler::Profiler;
use crate::conduct::notice::say;
use crate::engine::Leaving;
use crate::session::Session;
use crate::target_jvm::stops_the_world;

/// VMDeath: the last report, the end of the recording. Returns when all is written, or nobody takes it.
pub(crate) fn finish(profiler: &Profiler, jni: Jni<'_>) {
    if profiler.can_be_stopped() && stops_the_world(profiler.target.info().gc) {
        // No rewritten class has told of the end before, and these collectors can be asked to the very end.
        collect_last(profiler, jni);
    }
    stop_counting(profiler, jni);
    end_early(profiler, jni);
    let references = &mut profiler.shared.references.handles(jni);
    profiler.session.close(|mut session| {
        session.collect(references, &Outside::of(profiler, jni));
        close(profiler, jni, &mut session, "JVM Shutdown");
    });
    profiler.worker.await_end(|| profiler.shared.switches.finish());
    profiler.output.flush();
}

/// Profiling ends and the JVM goes on: the last report, the end of the recording. Nothing is left but hooks that are off: no event, no
/// weak reference, no thread. Not collected before: somebody's service runs.
pub(crate) fn stop(profiler: &Profiler, jni: Jni<'_>) {
    stop_leaving(profiler, jni, Leaving::Hooks);
}

/// As [`stop`], and classes are as they were.
pub(crate) fn stop_and_restore(profiler: &Profiler, jni: Jni<'_>) {
    stop_leaving(profiler, jni, Leaving::Nothing);
}

fn stop_leaving(profiler: &Profiler, jni: Jni<'_>, leaving: Leaving) {
    stop_counting(profiler, jni);
    let references = &mut profiler.shared.references.handles(jni);
    profiler.session.close(|mut session| {
        session.collect(references, &Outside::of(profiler, jni));
        close(profiler, jni, &mut session, "Profiling stopped");
        session.release(references);
        profiler.engine.end(jni, leaving);
        profiler.census.close(jni);
        Profiler::clear();
    });
    profiler.shared.switches.finish();
    profiler.worker.wake();
    profiler.output.flush();
}

/// After a panic, if there was one: nothing calls us any more, and what was counted until then is written. The JVM may end
/// meanwhile, and waits for that.
pub(super) fn end_early(profiler: &Profiler, jni: Jni<'_>) {
    if !profiler.shared.switches.has_failed() {
        return;
    }
    stop_counting(profiler, jni);
    profiler.session.close(|mut session| {
        let end = AssertUnwindSafe(|| {
            close(profiler, jni, &mut session, "Internal error");
        });
        if catch_unwind(end).is_err() {
            say("what was counted could not be written to its end");
        }
    });
    profiler.output.flush();
}

fn stop_counting(profiler: &Profiler, jni: Jni<'_>) {
    profiler.engine.pause(jni);
    profiler.shared.switches.set_active(false);
}

/// The last words to all readers, and the last report.
fn close(profiler: &Profiler, jni: Jni<'_>, session: &mut Session, reason: &str) {
    let outside = Outside::of(profiler, jni);
    // What a thread had counted, but not handed over when counting stopped.
    session.absorb();
    session.note_collections(profiler.target.take_collections(), &outside);
    session.is_asked_for_all();
    profiler.census.is_asked_for_all();
    profiler.census.say_if_ended();
    let mut last = updates(profiler, session, &outside);
    last.push(Update::End);
    profiler.output.close(last);
    say_of_scopes(profiler);
    profiler.output.report(reason);
}

/// A scope that was asked for and that nobody has entered: a name may be misspelt, and no report shows it.
fn say_of_scopes(profiler: &Profiler) {
    let shared = &profiler.shared;
    if shared.plan.scopes.is_empty() {
        return;
    }
    let profile = profiler.last_profile();
    for method in &shared.plan.scopes {
        let name = method.scope_name();
        if profile.scopes.iter().any(|scope| scope.path.contains(&name)) {
            continue;
        }
        let why = match profiler.engine.loaded_scope(shared.scopes.name(&name)) {
            // Why not was said when the class was loaded.
            Some(false) => continue,
            Some(true) => "the class was loaded, and the method was not called".to_owned(),
            None => format!("no class {} was loaded; a nested class is written Outer$Inner", method.class),
        };
        say(&format!("#scope-{name}: nobody entered it: {why}"));
    }
}
