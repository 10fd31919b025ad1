//! Stacks of allocations: taken as numbers, named when they are new.

use std::sync::{Mutex, PoisonError};

use mayfly_collector::RawStack;
use mayfly_jvmti::{Jni, MOST_FRAMES, MethodFacts, StackFrame};
use mayfly_profile::{ClassId, Frame, SiteId};
use rustc_hash::FxHashMap;

use crate::engine::Engine;

const HOOKS_CLASS: &str = "java.lang.MayflyHooks";

/// Names of methods seen in stacks, until their classes are unloaded.
#[derive(Debug, Default)]
pub(crate) struct MethodNames {
    by_id: Mutex<FxHashMap<u64, Option<MethodFacts>>>,
}

impl MethodNames {
    fn of(&self, engine: &Engine, jni: Jni<'_>, method: u64) -> Option<MethodFacts> {
        let mut by_id = self.by_id.lock().unwrap_or_else(PoisonError::into_inner);
        by_id.entry(method).or_insert_with(|| engine.tool.method_facts(jni, method)).clone()
    }
}

/// Forgets methods whose classes were unloaded, and their stacks, if there are many new ones: where classes are loaded again
/// and again, so are the same methods, each time with other numbers.
pub(crate) fn forget_unloaded(engine: &Engine) {
    if !engine.sites.should_forget() {
        return;
    }
    let mut by_id = engine.methods.by_id.lock().unwrap_or_else(PoisonError::into_inner);
    by_id.retain(|&method, _| engine.tool.has_method(method));
    by_id.shrink_to_fit();
    engine.sites.forget(|method| by_id.contains_key(&method));
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
    engine.sites.of_stack(raw, |_| vec![moving_frame()])
}

/// As [`of_moving`], made at a place: its frame is known without a stack.
pub(crate) fn of_moving_at(engine: &Engine, raw: &mut RawStack, class: ClassId, place: u32) -> SiteId {
    raw.begin_at(class, place);
    raw.push(MOVING, -1);
    let own = || engine.places.facts(place).map(|facts| facts.frame(engine.options.detailed_trace));
    engine.sites.of_stack(raw, |_| own().into_iter().chain([moving_frame()]).collect())
}

fn moving_frame() -> Frame {
    let class = "<virtual thread>".into();
    Frame { class, method: "<mounted or unmounted: no stack>".into(), ..Frame::default() }
}

fn push_frames(engine: &Engine, jni: Jni<'_>, raw: &mut RawStack) {
    let lines = engine.options.detailed_trace;
    engine.tool.with_stack(jni, MOST_FRAMES, |frames| {
        for frame in frames {
            // Without lines, calls from two places of a method are one site.
            raw.push(frame.method, if lines { frame.location } else { -1 });
        }
    });
}

/// Names the frames of a new stack, without the profiler's own and the object's constructors.
pub(crate) fn name(engine: &Engine, jni: Jni<'_>, raw: &RawStack, class: &str) -> Vec<Frame> {
    let frames = raw.frames().map(|(method, location)| name_frame(engine, jni, method, location));
    program_frames(frames.collect(), class)
}

/// Names the frames of a new stack taken at a place, without the profiler's own. None, if the caller takes the array
/// back and its caller counts it (see `mayfly_classfile::allocation`).
pub(crate) fn name_at_place(engine: &Engine, jni: Jni<'_>, raw: &RawStack) -> Vec<Frame> {
    let frames = raw.frames().map(|(method, location)| name_frame(engine, jni, method, location));
    let frames: Vec<_> = frames.skip_while(|frame| &*frame.class == HOOKS_CLASS).collect();
    if is_undone(&frames) { Vec::new() } else { frames }
}

fn is_undone(frames: &[Frame]) -> bool {
    let [callee, caller, ..] = frames else { return false };
    matches!(
        (&*callee.class, &*callee.method, &*caller.class, &*caller.method),
        ("java.lang.reflect.Array", "newArray" | "newInstance", "java.util.Arrays", "copyOf" | "copyOfRange")
            | ("java.lang.StringUTF16", "newBytesFor", "java.lang.StringUTF16", "toBytes" | "toBytes0")
    )
}

fn name_frame(engine: &Engine, jni: Jni<'_>, method: u64, location: i64) -> Frame {
    match engine.methods.of(engine, jni, method) {
        Some(facts) => {
            let line =
                engine.options.detailed_trace.then(|| engine.tool.line(StackFrame { method, location }));
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

/// Drops the hooks' frames and `Object.<init>`; and if the object is being constructed, everything up to its own
/// class's innermost constructor (InMemProfiler's rule: a constructor that called `this(…)` stays).
fn program_frames(mut frames: Vec<Frame>, class: &str) -> Vec<Frame> {
    let hooks = frames.iter().take_while(|frame| &*frame.class == HOOKS_CLASS).count();
    frames.drain(..hooks);
    let constructors = frames.iter().take_while(|frame| &*frame.method == "<init>").count();
    let own = frames[..constructors].iter().position(|frame| &*frame.class == class);
    let dropped = match own {
        Some(own) => own + 1,
        None => frames[..constructors].iter().take_while(|frame| &*frame.class == "java.lang.Object").count(),
    };
    frames.drain(..dropped);
    frames
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
