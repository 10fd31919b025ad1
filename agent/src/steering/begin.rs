//! The JVM can be asked (at VMInit, or since long), so the session opens.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use mayfly_jvmti::{Jni, Management};
use mayfly_profile::{Gc, RunInfo, Section, Update};

use super::control::switch_on;
use super::outside::Outside;
use super::profiler::{Begun, Profiler};
use super::worker;
use crate::census::{HeapLayout, LargeOfJvm};
use crate::session::{JvmBytes, Session};
use crate::target_jvm::{identity, keeps_young_tracked_objects};

/// Opens the session, on a thread that the JVM knows, and starts unless the user wants to start later.
pub(crate) fn begin(profiler: &Arc<Profiler>, jni: Jni<'_>) {
    let (shared, target) = (&profiler.shared, profiler.target);
    target.find_counter(jni);
    worker::start(profiler);
    let run = run_info(profiler);
    shared.references.in_jvm_with(run.jvm.gc);
    let frees_large_early = shared.plan.lifetimes && run.jvm.gc == Gc::G1;
    let heap = (frees_large_early || profiler.options.census).then(|| HeapLayout::find(run.jvm.gc, jni));
    let large = heap.as_ref().and_then(|heap| LargeOfJvm::of(heap.as_ref().ok()?));
    if let Some(large) = large.clone().filter(|_| frees_large_early) {
        shared.references.in_jvm_with_regions(Box::new(large));
    }
    target.find_gc_counters(run.jvm.gc, large.map(|large| Box::new(large) as _));
    // Of those before nobody asks.
    target.take_collections();
    note_before(profiler, jni);
    if let Some(bytes) = Outside::of(profiler, jni).allocated() {
        shared.clock.correct(bytes);
    }
    bound_held(profiler, jni, run.jvm.gc);
    let launched = matches!(profiler.begun, Begun::AtLaunch);
    {
        let mut session = profiler.session.lock();
        *session = Some(Session::new(Arc::clone(shared), &run, launched));
        let labels = identity::labels(&profiler.options.labels);
        profiler.output.send(vec![
            Update::Start(Box::new(run)),
            Update::Step(vec![Section::Labels(labels), Section::Flags(target.flags(jni))]),
        ]);
    }
    if profiler.options.census
        && let Some(heap) = heap
    {
        profiler.census.begin(target, shared, jni, heap, launched, profiler.options.pause);
    }
    profiler.engine.begin(jni);
    if profiler.options.delay_profiling {
        profiler.census.pauses();
        profiler.output.note("## Profiling delayed");
    } else {
        switch_on(profiler, jni, &mut profiler.session.lock());
    }
}

/// What came before is not compared: threads that ended by then are not known.
fn note_before(profiler: &Profiler, jni: Jni<'_>) {
    if matches!(profiler.begun, Begun::Attached { .. }) {
        profiler.allocated_before.store(profiler.target.allocated(jni).unwrap_or(0), Relaxed);
        // Collections that nobody listened to are not the first one's.
        profiler.target.gc_kind();
    }
}

/// Young collections of a generational concurrent collector keep what is tracked: not much of the heap may be held so.
fn bound_held(profiler: &Profiler, jni: Jni<'_>, gc: Gc) {
    /// Shares of the maximum heap that tracked objects may take: where they are all, or a few that stand for the others.
    const SHARE_OF_ALL: u64 = 16;
    const SHARE_OF_FEW: u64 = 4;
    /// Each young collection visits them all.
    const MOST_HELD: u64 = 1 << 20;
    if keeps_young_tracked_objects(gc) {
        let is_few = profiler.shared.plan.tracking.follows_a_part();
        let share = if is_few { SHARE_OF_FEW } else { SHARE_OF_ALL };
        let heap = Management::find().and_then(|management| management.number(jni, c"MaxHeapSize"));
        profiler.shared.budget.bound_held(MOST_HELD, heap.unwrap_or(0).max(16 << 20) / share);
    }
}

fn run_info(profiler: &Profiler) -> RunInfo {
    let (options, plan) = (&profiler.options, &profiler.shared.plan);
    RunInfo {
        jvm: profiler.target.info(),
        engine: profiler.engine.kind(),
        options: profiler.option_text().to_owned(),
        started_unix_ms: jiff::Timestamp::now().as_millisecond().try_into().unwrap_or(0),
        buckets: options.buckets.clone(),
        tracking: plan.tracking,
        lifetimes: plan.lifetimes,
        stacks: plan.stacks.are_taken(),
        view: options.view.clone(),
    }
}
