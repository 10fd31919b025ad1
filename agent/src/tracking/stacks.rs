//! Stacks of allocations: taken as numbers, named when they are new.

use mayfly_jvmti::{Jni, JvmtiEnv, MOST_FRAMES, StackFrame};
use mayfly_profile::{ClassId, Frame, FrameId, SiteId};
use mayfly_tracking::RawStack;
use rustc_hash::FxHashMap;

use super::shared::Shared;
use crate::target_jvm::release::HOOKS_CLASS;

/// Frames of a stack taken of each object, at most: what deep recursion costs grows with this. Beyond, the innermost tell
/// callers apart well enough.
const MOST_FRAMES_OF_EACH: usize = 256;

/// What stands for the frames of a virtual thread that is being mounted or unmounted. No method has this number.
const MOVING: u64 = u64::MAX;
/// What stands for a frame that names a thread's pool: its location is the number of the frame. No method has this number.
const THREAD: u64 = u64::MAX - 1;

/// Takes and names stacks on one thread.
#[derive(Clone, Copy)]
pub(crate) struct Stacks<'call> {
    pub(crate) shared: &'call Shared,
    pub(crate) jvmti: &'call JvmtiEnv,
    pub(crate) jni: Jni<'call>,
}

/// Forgets frames whose classes were unloaded, and stacks that did not come again, if there are many new ones: where classes
/// are loaded again and again, so are the same methods, each time with other numbers.
pub(crate) fn forget_unloaded(shared: &Shared, has_method: &dyn Fn(u64) -> bool) {
    if !shared.sites.should_forget() {
        return;
    }
    let mut there = FxHashMap::default();
    let mut is_there = |method| *there.entry(method).or_insert_with(|| has_method(method));
    shared.frames.forget(|method| method == THREAD || is_there(method));
    shared.loaders.forget(&mut is_there);
    shared.sites.forget();
}

impl Stacks<'_> {
    /// Takes the current stack, for an object of `class`.
    pub(crate) fn take(&self, raw: &mut RawStack, class: ClassId) {
        raw.begin(class);
        self.push_frames(raw);
    }

    /// Takes the current stack, for an object of `class` made at a place.
    pub(crate) fn take_at(&self, raw: &mut RawStack, class: ClassId, place: u32) {
        raw.begin_at(class, place);
        self.push_frames(raw);
    }

    /// The site of an object of `class` made while a virtual thread is being mounted or unmounted.
    pub(crate) fn of_moving(&self, raw: &mut RawStack, class: ClassId) -> SiteId {
        raw.begin(class);
        self.moving_site(raw, || None)
    }

    /// As [`Self::of_moving`], made at a place, whose frame is known without a stack.
    pub(crate) fn of_moving_at(
        &self,
        raw: &mut RawStack,
        class: ClassId,
        place: u32,
        frame: impl FnOnce() -> Option<Frame>,
    ) -> SiteId {
        raw.begin_at(class, place);
        self.moving_site(raw, frame)
    }

    fn moving_site(&self, raw: &mut RawStack, own: impl FnOnce() -> Option<Frame>) -> SiteId {
        raw.push(MOVING, -1);
        let moving = Frame {
            class: "<virtual thread>".into(),
            method: "<mounted or unmounted: no stack>".into(),
            ..Frame::default()
        };
        let Shared { sites, pools, plan, .. } = self.shared;
        let thread = || plan.threads.then(|| pools.of_virtual_threads(sites));
        sites.of_stack(raw, |_| {
            let frames = own().into_iter().chain([moving]);
            frames.map(|frame| sites.frame_id(frame)).chain(thread()).collect()
        })
    }

    fn push_frames(&self, raw: &mut RawStack) {
        let plan = &self.shared.plan;
        let lines = plan.lines;
        let most = if plan.cuts_stacks { MOST_FRAMES_OF_EACH } else { MOST_FRAMES };
        self.jvmti.with_stack(self.jni, most, |frames| {
            for frame in frames {
                // Without lines, calls from two places of a method are one site.
                raw.push(frame.method, if lines { frame.location } else { -1 });
            }
        });
        if plan.threads
            && let Some(thread) = self.thread()
        {
            raw.push(THREAD, thread.0.into());
        }
    }

    /// The frame of the running thread's pool.
    fn thread(&self) -> Option<FrameId> {
        let Shared { pools, sites, number, clock, .. } = self.shared;
        pools.of_this_thread(self.jvmti, self.jni, sites, *number, clock.now_ms())
    }

    /// The frames of a new stack, without the profiler's own and the object's constructors.
    pub(crate) fn name(&self, raw: &RawStack, class: &str) -> Vec<FrameId> {
        let mut frames = self.name_all(raw);
        let dropped = not_the_programs(frames.iter().filter_map(|&id| self.shared.sites.frame(id)), class);
        frames.drain(..dropped);
        self.of_code(frames, raw, dropped)
    }

    /// As [`Self::name`], of an object of which no place told as far as the hooks know; none, if the method that made it tells of places: so
    /// it did of this object.
    pub(crate) fn name_unplaced(
        &self,
        raw: &RawStack,
        class: &str,
        tells_of_places: impl Fn(u64) -> bool,
    ) -> Vec<FrameId> {
        let mut frames = self.name_all(raw);
        let named = || frames.iter().filter_map(|&id| self.shared.sites.frame(id));
        let dropped = not_the_programs(named(), class);
        let own = |frame: &&Frame| &*frame.method == "<init>" && &*frame.class == class;
        let maker = dropped + named().skip(dropped).take_while(own).count();
        let tells = |(method, _)| method != THREAD && tells_of_places(method);
        if raw.frames().nth(maker).is_some_and(tells) {
            return Vec::new();
        }
        frames.drain(..dropped);
        self.of_code(frames, raw, dropped)
    }

    /// The frames of a new stack, without the profiler's own; none, if `is_void` says so of what is left.
    pub(crate) fn name_unless(
        &self,
        raw: &RawStack,
        is_void: impl Fn(&mut dyn Iterator<Item = &Frame>) -> bool,
    ) -> Vec<FrameId> {
        let mut frames = self.name_all(raw);
        let named = || frames.iter().filter_map(|&id| self.shared.sites.frame(id));
        let hooks = named().take_while(is_hook).count();
        if is_void(&mut named().skip(hooks)) {
            return Vec::new();
        }
        frames.drain(..hooks);
        self.of_code(frames, raw, hooks)
    }

    /// The stack, with the frame of its class loader if that is recorded; none, if nothing of it is code: a thread's name alone says nothing
    /// of a place. `dropped`: how many innermost frames of the raw one are not in it.
    fn of_code(&self, mut frames: Vec<FrameId>, raw: &RawStack, dropped: usize) -> Vec<FrameId> {
        let first = frames.first().and_then(|&id| self.shared.sites.frame(id));
        if !first.is_some_and(Frame::is_code) {
            return Vec::new();
        }
        let Shared { loaders, sites, plan, .. } = self.shared;
        if plan.loaders {
            let methods =
                raw.frames().skip(dropped).map(|(method, _)| method).filter(|&method| method != THREAD);
            let loader = loaders.of_stack(self.jvmti, self.jni, sites, methods);
            let names_thread = raw.frames().last().is_some_and(|(method, _)| method == THREAD);
            let at = frames.len() - usize::from(names_thread);
            frames.splice(at..at, loader);
        }
        frames
    }

    fn name_all(&self, raw: &RawStack) -> Vec<FrameId> {
        let sites = &self.shared.sites;
        let name = |method, location| match method {
            THREAD => FrameId(location as u32),
            method => sites.frame_id(self.name_frame(method, location)),
        };
        self.shared.frames.ids(raw.frames(), name)
    }

    fn name_frame(&self, method: u64, location: i64) -> Frame {
        match self.jvmti.method_facts(self.jni, method) {
            Some(facts) => {
                let lines = self.shared.plan.lines;
                let line = lines.then(|| self.jvmti.line(StackFrame { method, location }));
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
}

fn is_hook(frame: &&Frame) -> bool {
    &*frame.class == HOOKS_CLASS
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
