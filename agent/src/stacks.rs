//! Stacks of allocations: taken as numbers, named when they are new.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_collector::RawStack;
use mayfly_jvmti::{Jni, MOST_FRAMES, StackFrame};
use mayfly_profile::{ClassId, Frame, FrameId, SiteId};
use rustc_hash::FxHashMap;

use crate::engine::Engine;

const HOOKS_CLASS: &str = "java.lang.MayflyHooks";

/// Frames of a stack taken of each object, at most: what deep recursion costs grows with this. Beyond, the innermost tell
/// callers apart well enough.
const MOST_FRAMES_OF_EACH: usize = 256;

/// Frames seen in stacks, by method and location, until the methods' classes are unloaded.
#[derive(Debug, Default)]
pub(crate) struct KnownFrames {
    by_raw: Mutex<FxHashMap<(u64, i64), FrameId>>,
}

impl KnownFrames {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<(u64, i64), FrameId>> {
        self.by_raw.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets frames whose classes were unloaded, and their stacks, if there are many new ones: where classes are loaded again
/// and again, so are the same methods, each time with other numbers.
pub(crate) fn forget_unloaded(engine: &Engine) {
    if !engine.sites.should_forget() {
        return;
    }
    let mut by_raw = engine.frames.lock();
    let mut there = FxHashMap::default();
    by_raw.retain(|&(method, _), _| *there.entry(method).or_insert_with(|| engine.tool.has_method(method)));
    by_raw.shrink_to_fit();
    engine.sites.forget(|method| there.get(&method).is_some_and(|&there| there));
}

/// Takes the current stack into `raw`, for an object of `class`.
pub(crate) fn take(engine: &Engine, jni: Jni<'_>, raw: &mut RawStack, class: ClassId) {
    raw.begin(class);
    push_frames(engine, jni, raw);
}

/// Takes the current stack into `raw`, for an object of `class` made at a place.
pub(crate) fn take_at(engine: &Engine, jni: Jni<'_>, raw: &mut RawStack, class: ClassId, place: u32) {
    raw.begin_at(class, place);
    push_frames(engine, jni, raw);
}

/// What stands for the frames of a virtual thread that is being mounted or unmounted. No method has this number.
const MOVING: u64 = u64::MAX;

/// The site of an object of `class` made while a virtual thread is being mounted or unmounted.
pub(crate) fn of_moving(engine: &Engine, raw: &mut RawStack, class: ClassId) -> SiteId {
    raw.begin(class);
    raw.push(MOVING, -1);
    engine.sites.of_stack(raw, |_| vec![engine.sites.frame_id(moving_frame())])
}

/// As [`of_moving`], made at a place: its frame is known without a stack.
pub(crate) fn of_moving_at(engine: &Engine, raw: &mut RawStack, class: ClassId, place: u32) -> SiteId {
    raw.begin_at(class, place);
    raw.push(MOVING, -1);
    let own = || engine.places.facts(place).map(|facts| facts.frame(engine.options.view.detailed_trace));
    let frames = || own().into_iter().chain([moving_frame()]);
    engine.sites.of_stack(raw, |_| frames().map(|frame| engine.sites.frame_id(frame)).collect())
}

fn moving_frame() -> Frame {
    let class = "<virtual thread>".into();
    Frame { class, method: "<mounted or unmounted: no stack>".into(), ..Frame::default() }
}

fn push_frames(engine: &Engine, jni: Jni<'_>, raw: &mut RawStack) {
    let lines = engine.options.view.detailed_trace;
    let most = if engine.options.trace_all { MOST_FRAMES_OF_EACH } else { MOST_FRAMES };
    engine.tool.with_stack(jni, most, |frames| {
        for frame in frames {
            // Without lines, calls from two places of a method are one site.
            raw.push(frame.method, if lines { frame.location } else { -1 });
        }
    });
}

/// The frames of a new stack, without the profiler's own and the object's constructors.
pub(crate) fn name(engine: &Engine, jni: Jni<'_>, raw: &RawStack, class: &str) -> Vec<FrameId> {
    let mut frames = name_all(engine, jni, raw);
    let dropped = not_the_programs(frames.iter().filter_map(|&id| engine.sites.frame(id)), class);
    frames.drain(..dropped);
    frames
}

/// The frames of a new stack taken at a place, without the profiler's own. None, if the caller takes the array
/// back and its caller counts it (see `mayfly_classfile::allocation`).
pub(crate) fn name_at_place(engine: &Engine, jni: Jni<'_>, raw: &RawStack) -> Vec<FrameId> {
    let mut frames = name_all(engine, jni, raw);
    let named = || frames.iter().filter_map(|&id| engine.sites.frame(id));
    let hooks = named().take_while(is_hook).count();
    if is_undone(named().skip(hooks)) {
        return Vec::new();
    }
    frames.drain(..hooks);
    frames
}

fn is_hook(frame: &&Frame) -> bool {
    &*frame.class == HOOKS_CLASS
}

fn is_undone<'a>(mut frames: impl Iterator<Item = &'a Frame>) -> bool {
    let (Some(callee), Some(caller)) = (frames.next(), frames.next()) else { return false };
    matches!(
        (&*callee.class, &*callee.method, &*caller.class, &*caller.method),
        ("java.lang.reflect.Array", "newArray" | "newInstance", "java.util.Arrays", "copyOf" | "copyOfRange")
            | ("java.lang.StringUTF16", "newBytesFor", "java.lang.StringUTF16", "toBytes" | "toBytes0")
    )
}

/// Stacks have most of their frames in common: each frame is named once.
fn name_all(engine: &Engine, jni: Jni<'_>, raw: &RawStack) -> Vec<FrameId> {
    let mut known = engine.frames.lock();
    let mut id = |(method, location)| {
        *known
            .entry((method, location))
            .or_insert_with(|| engine.sites.frame_id(name_frame(engine, jni, method, location)))
    };
    raw.frames().map(&mut id).collect()
}

fn name_frame(engine: &Engine, jni: Jni<'_>, method: u64, location: i64) -> Frame {
    match engine.tool.method_facts(jni, method) {
        Some(facts) => {
            let line =
                engine.options.view.detailed_trace.then(|| engine.tool.line(StackFrame { method, location }));
            Frame {
                class: facts.class.into(),
                method: facts.name.into(),
                file: facts.file.map(Into::into),
                line: line.flatten(),
            }
        }
        None => Frame { class: "<unloaded>".into(), method: "<unknown>".into(), ..Frame::default() },
    }
}

/// How many innermost frames are the hooks' or `Object.<init>`'s; and if the object is being constructed, all up to its own
/// class's innermost constructor (InMemProfiler's rule: a constructor that called `this(…)` stays).
fn not_the_programs<'a>(frames: impl Iterator<Item = &'a Frame> + Clone, class: &str) -> usize {
    let hooks = frames.clone().take_while(is_hook).count();
    let mut constructors = frames.skip(hooks).take_while(|frame| &*frame.method == "<init>");
    let objects = constructors.clone().take_while(|frame| &*frame.class == "java.lang.Object").count();
    let own = constructors.position(|frame| &*frame.class == class);
    hooks + own.map_or(objects, |own| own + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(text: &str) -> Vec<Frame> {
        let frame = |word: &str| {
            let (class, method) = word.split_once('#').unwrap();
            Frame { class: class.into(), method: method.into(), file: None, line: None }
        };
        text.split_whitespace().map(frame).collect()
    }

    fn program_frames(mut frames: Vec<Frame>, class: &str) -> Vec<Frame> {
        frames.drain(..not_the_programs(frames.iter(), class));
        frames
    }

    #[test]
    fn constructors_of_the_object_are_not_its_site() {
        let stack = frames(
            "java.lang.MayflyHooks#track java.lang.MayflyHooks#object java.lang.Object#<init> a.Base#<init> a.C#<init> a.C#<init> b.D#make",
        );
        assert_eq!(program_frames(stack, "a.C"), frames("a.C#<init> b.D#make"));
    }

    #[test]
    fn an_array_made_in_a_constructor_keeps_it() {
        let stack = frames("java.lang.MayflyHooks#track java.lang.MayflyHooks#array a.C#<init> b.D#make");
        assert_eq!(program_frames(stack, "[B"), frames("a.C#<init> b.D#make"));
    }

    #[test]
    fn a_sampled_stack_is_the_programs_already() {
        let stack = frames("b.D#make b.D#main");
        assert_eq!(program_frames(stack.clone(), "a.C"), stack);
    }
}
