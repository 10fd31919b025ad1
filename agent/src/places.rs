//! Counting by place: numbering places while classes are rewritten, giving them counters when they are first executed,
//! and taking stacks when a sample is due.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use mayfly_classfile::allocation::{Place, Places};
use mayfly_collector::{Due, Kind, Numbering};
use mayfly_jvmti::{Class, Jni, Thread};

use crate::allocations::{self, MadeAt};
use crate::engine::Engine;

/// The CPU time of the process is asked for once per so many stacks.
const STACKS_PER_CPU_TIME: u64 = 32;

/// Numbers the places of a class that is being rewritten.
struct Numberer<'a> {
    engine: &'a Engine,
    numbering: Numbering<'a>,
}

/// Numbers the places of one class, those of classes that nobody asks for left out.
pub(crate) fn numbering(engine: &Engine) -> impl Places {
    Numberer { engine, numbering: engine.places.numbering() }
}

impl Places for Numberer<'_> {
    fn number(&mut self, place: Place<'_>) -> Option<u32> {
        let made = place.made.class_name();
        if made.as_deref().is_some_and(|made| !self.engine.filter.admits(made)) {
            return None;
        }
        let class = String::from_utf8_lossy(place.class).replace('/', ".");
        let method = String::from_utf8_lossy(place.method);
        let file = place.file.map(String::from_utf8_lossy);
        self.numbering.add([&class, &method], file.as_deref(), place.line, made.as_deref())
    }
}

/// Gives a thread a slab and a place its counter; where in the slab that is, 0 if nowhere. `class` is that of the
/// arrays made there, `None` at a place that makes objects.
pub(crate) fn enter(
    engine: &Engine,
    jni: Jni<'_>,
    thread: Thread<'_>,
    class: Option<Class<'_>>,
    place: u32,
) -> u32 {
    let Some(hooks) = engine.hooks.get().filter(|_| !engine.is_finished()) else { return 0 };
    let (class, kind) = match class {
        Some(class) => {
            allocations::enter(engine, jni, thread, class);
            (engine.classes.at_cell(hooks.cell.get(jni, class) as u32), Kind::Arrays)
        }
        None => {
            allocations::enter_thread(engine, jni, hooks, thread);
            let made = engine.places.facts(place).and_then(|facts| facts.made);
            (made.map(|made| engine.classes.named(&made)), Kind::Objects)
        }
    };
    if hooks.slab.get(jni, thread) == 0 {
        return 0;
    }
    class.and_then(|class| engine.places.enter(place, class, kind, true)).unwrap_or(0)
}

/// As [`enter`], at a place where classes differ, of the class with this cell.
pub(crate) fn enter_pair(engine: &Engine, place: u32, cell: u32) -> u32 {
    let Some(class) = engine.classes.at_cell(cell) else { return 0 };
    let is_array = engine.classes.object_size(class).is_none();
    let kind = if is_array { Kind::OtherArrays } else { Kind::OtherObjects };
    let wanted = engine.classes.name(class).is_some_and(|name| engine.filter.admits(name));
    engine.places.enter_pair(place, cell, class, kind, wanted).unwrap_or(0)
}

/// An allocation at which a sample is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampled {
    /// Where in a slab its place is counted.
    pub(crate) offset: u32,
    /// Bytes of an array, else 0.
    pub(crate) size: u64,
    /// A virtual thread is being mounted or unmounted: no stack may be taken.
    pub(crate) moving: bool,
}

/// Takes the stack, if it is the sample's turn; the plan is for `MayflyHooks.due`.
pub(crate) fn sample(engine: &Engine, jni: Jni<'_>, at: Sampled, state: u32) -> u64 {
    if engine.is_finished() {
        return Due::NEVER.plan;
    }
    let due = engine.places.due(at.offset, state, &engine.stack_budget, &mut |n| fastrand::u64(1..=n));
    if let Some(log2) = due.take {
        let start = Instant::now();
        take(engine, jni, at, log2);
        spend(engine, start.elapsed());
    }
    due.plan
}

fn take(engine: &Engine, jni: Jni<'_>, at: Sampled, log2: u32) {
    let Sampled { offset, size, moving } = at;
    let Some((place, class)) = engine.places.at(offset) else { return };
    let site = allocations::take_stack(engine, jni, MadeAt { class, place, moving }, log2);
    // No frames: the caller takes the array back, or the JVM gave none.
    if engine.sites.has_frames(site) {
        engine.places.book(offset, site, log2, size);
    }
}

fn spend(engine: &Engine, time: Duration) {
    if engine.stack_budget.spend(time.as_nanos() as u64).is_multiple_of(STACKS_PER_CPU_TIME) {
        engine.stack_budget.set_cpu(ProcessTime::now().as_duration().as_nanos() as u64);
    }
}
