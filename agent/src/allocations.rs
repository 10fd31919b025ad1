//! What the hooks and the JVM's sampler report: new threads, new classes, objects to follow.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use mayfly_collector::{Nursery, RawStack, Registered, Shape, Tracked};
use mayfly_jvmti::{Class, Jni, Object, SampledAllocation, Thread};
use mayfly_profile::{ClassId, Estimate, SiteId, Tracking};
use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::exports::weak_numbers;
use crate::hooks::Hooks;
use crate::precision;
use crate::stacks;

/// What a thread needs to track objects.
struct Tracker {
    nursery: Arc<Nursery>,
    stack: RawStack,
    /// What is known of the classes handed over, by their cell; looked up in shared tables only once.
    classes: FxHashMap<u32, KnownClass>,
    /// Stacks taken for objects about to be handed over, innermost constructor last.
    awaited: Vec<Awaited>,
    /// The last object handed over, if it was tracked: `untrack` takes it back.
    tracked_last: Option<Tracked>,
}

/// A stack taken where an object is about to be made.
#[derive(Clone, Copy)]
struct Awaited {
    class: ClassId,
    site: SiteId,
    /// The stack stands for two to this power of objects.
    log2: u32,
}

/// Constructors that a thread can be in at once with a stack taken for each. Objects that are never handed over, as
/// their class is not tracked or the constructor failed, would pile up.
const MOST_AWAITED: usize = 64;

/// A class of tracked objects.
#[derive(Clone, Copy)]
struct KnownClass {
    id: ClassId,
    /// Its objects' shallow size in bytes; 0 for arrays.
    size: u32,
    /// The site of objects whose stack is not taken.
    site: SiteId,
}

/// An object to be followed.
#[derive(Clone, Copy)]
struct Followed<'call> {
    object: Object<'call>,
    class: KnownClass,
    /// Its shallow size, in bytes.
    size: u64,
    /// Bytes of allocation that it stands for.
    bytes: u64,
    /// No stack may be taken.
    moving: bool,
}

thread_local! {
    /// Freed when the JVM ends the thread. A destructor of the thread-local would come too early: the library's own
    /// destructors of a native thread may still call Java.
    static TRACKER: RefCell<Option<ManuallyDrop<Box<Tracker>>>> = const { RefCell::new(None) };
    /// The agent's own threads are not the program.
    static OWN: Cell<bool> = const { Cell::new(false) };
    /// Whether the JVM's sampler has picked anything on this thread.
    static SAMPLED: Cell<bool> = const { Cell::new(false) };
}

/// Objects small enough for any thread-local allocation buffer, and how much of them renews all but giant ones.
const FILLER_BYTES: i32 = 512;
const MOST_FILLER_BYTES: i32 = 16 << 20;

/// Marks this thread as the agent's: nothing it allocates is sampled, or counted if that begins after this call.
pub(crate) fn exclude_this_thread() {
    OWN.set(true);
}

/// Gives a thread a slab and a class its cell, where they have none.
pub(crate) fn enter(engine: &Engine, jni: Jni<'_>, thread: Thread<'_>, class: Class<'_>) {
    let Some(hooks) = engine.hooks.get() else { return };
    if engine.is_finished() || OWN.get() {
        return;
    }
    enter_thread(engine, jni, hooks, thread);
    if hooks.cell.get(jni, class) == 0
        && let Some(shape) = shape_of(engine, class, || size_of_example(engine, jni, class))
    {
        register(engine, jni, hooks, class, shape);
    }
}

/// Gives a thread a slab where it has none.
pub(crate) fn enter_thread(engine: &Engine, jni: Jni<'_>, hooks: &Hooks, thread: Thread<'_>) {
    if hooks.slab.get(jni, thread) == 0 && !OWN.get() {
        hooks.slab.set(jni, thread, engine.slabs.open() as i64);
    }
}

fn shape_of(engine: &Engine, class: Class<'_>, object_size: impl FnOnce() -> Option<u64>) -> Option<Shape> {
    if engine.tool.is_array(class) {
        return Some(Shape::Array);
    }
    Some(Shape::Object { size: u32::try_from(object_size()?).ok()? })
}

/// Size of the class's objects. No object itself is at hand: passing it here would keep the JIT from removing it.
fn size_of_example(engine: &Engine, jni: Jni<'_>, class: Class<'_>) -> Option<u64> {
    let example = jni.allocate(class)?;
    let size = engine.tool.object_size(example);
    jni.forget(example);
    engine.examples.fetch_add(size.unwrap_or(0), Relaxed);
    size
}

fn register(
    engine: &Engine,
    jni: Jni<'_>,
    hooks: &Hooks,
    class: Class<'_>,
    shape: Shape,
) -> Option<Registered> {
    let name = engine.tool.class_name(class)?;
    let large_enough = match shape {
        Shape::Object { size } => u64::from(size) >= engine.options.view.min_bytes,
        Shape::Array | Shape::NameOnly => true,
    };
    let tracked = engine.hands_over() && large_enough && engine.filter.admits(&name);
    let registered = engine.classes.register(&name, shape, tracked);
    hooks.cell.set(jni, class, registered.cell as i32);
    Some(registered)
}

/// Takes an object handed over by the hooks. `size` is 0 for objects that are no arrays.
/// `moving`: no stack may be taken.
pub(crate) fn track(engine: &Engine, jni: Jni<'_>, object: Object<'_>, cell: u32, size: u64, moving: bool) {
    let every = engine.options.every;
    let examined = every == 1 || (engine.examined.fetch_add(1, Relaxed) + 1).is_multiple_of(every);
    with_tracker(engine, |tracker| {
        tracker.tracked_last = None;
        if !examined || engine.is_finished() {
            return;
        }
        let Some(class) = tracker.class(engine, cell) else { return };
        let size = if size == 0 { u64::from(class.size) } else { size };
        tracker.tracked_last =
            tracker.add(engine, jni, Followed { object, class, size, bytes: size * every, moving });
    });
    if precision::is_due(engine) {
        precision::collect_if_due(engine, jni);
    }
}

/// Takes back the object that this thread handed over last: its caller hands it over again.
pub(crate) fn untrack(engine: &Engine, jni: Jni<'_>) {
    TRACKER.with_borrow_mut(|tracker| {
        let Some(tracker) = tracker.as_mut() else { return };
        let Some(object) = tracker.tracked_last.take() else { return };
        if tracker.nursery.take_back(object) {
            weak_numbers(engine, jni).release(object.reference());
        }
    });
}

/// Uses up this thread's allocation buffer, until the sampler picks something. Up to JDK 21 it passes over the rest of a
/// buffer that was there before it was switched on, which for the main thread may be megabytes.
pub(crate) fn renew_buffer(jni: Jni<'_>) {
    for _ in 0..MOST_FILLER_BYTES / FILLER_BYTES {
        let Some(filler) = jni.new_byte_array(FILLER_BYTES) else { return };
        jni.forget(filler);
        if SAMPLED.get() {
            return;
        }
    }
}

/// Takes an allocation that the JVM's sampler picked.
pub(crate) fn sampled(engine: &Engine, jni: Jni<'_>, sample: SampledAllocation<'_>) {
    SAMPLED.set(true);
    let Some(hooks) = engine.hooks.get() else { return };
    if engine.is_finished() || !engine.control.is_active() || OWN.get() {
        return;
    }
    let Some(cell) = cell_of(engine, jni, hooks, sample) else { return };
    if let (Some(unseen), Some(class)) = (&engine.unseen, engine.classes.at_cell(cell)) {
        unseen.take(engine, jni, class, sample.size);
    }
    let Tracking::ByteSample(interval) = engine.options.tracking() else { return };
    with_tracker(engine, |tracker| {
        let Some(class) = tracker.class(engine, cell) else { return };
        let name = engine.classes.name(class.id).unwrap_or_default();
        if sample.size >= engine.options.view.min_bytes && engine.filter.admits(name) {
            let bytes = Estimate::of_sample(sample.size, interval).bytes();
            // The JVM samples nothing while a virtual thread is being mounted or unmounted.
            let (object, size) = (sample.object, sample.size);
            tracker.add(engine, jni, Followed { object, class, size, bytes, moving: false });
        }
    });
}

fn cell_of(engine: &Engine, jni: Jni<'_>, hooks: &Hooks, sample: SampledAllocation<'_>) -> Option<u32> {
    match hooks.cell.get(jni, sample.class) {
        0 => {
            let shape = shape_of(engine, sample.class, || Some(sample.size))?;
            register(engine, jni, hooks, sample.class, shape).map(|registered| registered.cell)
        }
        cell => Some(cell as u32),
    }
}

/// An object about to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MadeAt {
    pub(crate) class: ClassId,
    pub(crate) place: u32,
    /// No stack may be taken.
    pub(crate) moving: bool,
}

/// Takes the stack at a place where an object is about to be made, which stands for two to the power `log2`.
pub(crate) fn take_stack(engine: &Engine, jni: Jni<'_>, made: MadeAt, log2: u32) -> SiteId {
    let MadeAt { class, place, moving } = made;
    with_tracker(engine, |tracker| {
        let site = if moving {
            stacks::of_moving_at(engine, &mut tracker.stack, class, place)
        } else {
            stacks::take_at(engine, jni, &mut tracker.stack, class, place);
            engine.sites.of_stack(&tracker.stack, |raw| stacks::name_at_place(engine, jni, raw))
        };
        if engine.options.lifetimes() {
            if tracker.awaited.len() >= MOST_AWAITED {
                tracker.awaited.clear();
            }
            tracker.awaited.push(Awaited { class, site, log2 });
        }
        site
    })
}

fn with_tracker<R>(engine: &Engine, action: impl FnOnce(&mut Tracker) -> R) -> R {
    TRACKER.with_borrow_mut(|tracker| {
        action(tracker.get_or_insert_with(|| {
            ManuallyDrop::new(Box::new(Tracker {
                nursery: engine.nurseries.open(),
                stack: RawStack::default(),
                classes: FxHashMap::default(),
                awaited: Vec::new(),
                tracked_last: None,
            }))
        }))
    })
}

impl Tracker {
    /// Adds an object to the nursery; `None` if it was not chosen, or there was no room.
    fn add(&mut self, engine: &Engine, jni: Jni<'_>, followed: Followed<'_>) -> Option<Tracked> {
        let Followed { object, class, size, bytes, moving } = followed;
        // Taken off the list even if the object is not chosen.
        let trace = engine.options.trace;
        let awaited = (trace && engine.options.counts_places()).then(|| self.awaited(engine, class));
        if !self.nursery.choose(bytes) {
            return None;
        }
        let (site, stack_log2) = match awaited {
            Some(awaited) => awaited,
            None if trace => (self.stack_site(engine, jni, class.id, moving), 0),
            None => (class.site, 0),
        };
        let weak =
            if engine.options.lifetimes() { jni.weak(object).map(|weak| weak.into_bits()) } else { Some(0) };
        let reference = weak?;
        let size_8 = (size / 8) as u32;
        let added = self.nursery.add_with_stack(reference, site, stack_log2, size_8, bytes);
        if added.is_none() && reference != 0 {
            weak_numbers(engine, jni).release(reference);
        }
        added
    }

    /// The site of an object handed over, and what it stands for: with a stack, if one was taken where it was made.
    fn awaited(&mut self, engine: &Engine, class: KnownClass) -> (SiteId, u32) {
        let name = |class| engine.classes.name(class);
        let is_it = |awaited: &Awaited| awaited.class == class.id || name(awaited.class) == name(class.id);
        match self.awaited.iter().rposition(is_it) {
            Some(at) => {
                let Awaited { site, log2, .. } = self.awaited[at];
                // Those made in the meantime are done for: their constructors failed.
                self.awaited.truncate(at);
                (site, log2)
            }
            None => (class.site, 0),
        }
    }

    fn stack_site(&mut self, engine: &Engine, jni: Jni<'_>, class: ClassId, moving: bool) -> SiteId {
        if moving {
            return stacks::of_moving(engine, &mut self.stack, class);
        }
        stacks::take(engine, jni, &mut self.stack, class);
        let name = engine.classes.name(class).unwrap_or_default();
        engine.sites.of_stack(&self.stack, |raw| stacks::name(engine, jni, raw, name))
    }

    /// The class whose cell that is.
    fn class(&mut self, engine: &Engine, cell: u32) -> Option<KnownClass> {
        if let Some(&known) = self.classes.get(&cell) {
            return Some(known);
        }
        let id = engine.classes.at_cell(cell)?;
        let size = engine.classes.object_size(id).unwrap_or(0);
        let known = KnownClass { id, size, site: engine.sites.of_class(id) };
        self.classes.insert(cell, known);
        Some(known)
    }
}

/// Takes an ending thread's counts over.
pub(crate) fn leave(engine: &Engine, jni: Jni<'_>, thread: Thread<'_>) {
    drop(TRACKER.take().map(ManuallyDrop::into_inner));
    let Some(hooks) = engine.hooks.get() else { return };
    let allocated = engine.counter.retire(engine, jni, thread);
    if let (Some(unseen), Some(allocated), true) = (&engine.unseen, allocated, engine.control.is_active()) {
        unseen.thread_ends(allocated);
    }
    let slab = hooks.slab.get(jni, thread);
    if slab != 0 {
        hooks.slab.set(jni, thread, 0);
        engine.slabs.close(slab as u64, &engine.classes, &engine.places);
    }
}
