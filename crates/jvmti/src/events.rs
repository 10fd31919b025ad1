//! Event payloads as typed references, valid while their event runs.

use jvmti_bindings::callbacks::{
    CallbackContext, ClassEvent, ClassFileLoadHookEvent, ObjectAllocationEvent, ResourceExhaustedEvent,
    ThreadEvent,
};
use jvmti_bindings::sys::jvmti as sys;

use crate::jni::Jni;
use crate::refs::{Class, Object, Thread};
use jvmti_bindings::Agent;

/// Makes an agent of this type the receiver of events, unless there is one: for a library that the JVM has not loaded as an agent.
pub fn use_agent<A: Agent + Default + 'static>() {
    // One that is there stays.
    let _ = jvmti_bindings::set_global_agent(Box::new(A::default()));
}

/// The environment of the event's thread; `None` in events without one (collections, the primordial phase).
pub fn jni_of<'event>(context: &'event CallbackContext<'_>) -> Option<Jni<'event>> {
    // SAFETY: the environment is the event's, and is used on its thread within it.
    context.jni().map(|jni| unsafe { Jni::from_raw(jni.raw()) })
}

/// The thread that the event is about.
pub fn thread_of(event: &ThreadEvent) -> Option<Thread<'_>> {
    // SAFETY: a local reference of the running event.
    unsafe { Object::from_raw(event.thread()) }.map(Thread)
}

/// The class that the event is about.
pub fn class_of(event: &ClassEvent) -> Option<Class<'_>> {
    // SAFETY: a local reference of the running event, to a class.
    unsafe { Object::from_raw(event.class()).map(|class| class.as_class()) }
}

/// The class that is about to be changed, in an event that is not about one being loaded.
pub fn redefined_class<'event>(event: &'event ClassFileLoadHookEvent<'_>) -> Option<Class<'event>> {
    // SAFETY: a local reference of the running event, to a class, or null.
    unsafe { Object::from_raw(event.class_being_redefined()).map(|class| class.as_class()) }
}

/// A sampled allocation.
#[derive(Clone, Copy)]
pub struct SampledAllocation<'event> {
    /// The new object: no field of it may be read, and no Java run.
    pub object: Object<'event>,
    /// Its class.
    pub class: Class<'event>,
    /// Its shallow size in bytes.
    pub size: u64,
}

impl<'event> SampledAllocation<'event> {
    /// Takes the event's payload; `None` for value objects, which have no identity.
    pub fn of(event: &'event ObjectAllocationEvent) -> Option<Self> {
        // SAFETY: local references of the running event.
        let (object, class) =
            unsafe { (Object::from_raw(event.object())?, Object::from_raw(event.class())?.as_class()) };
        Some(Self { object, class, size: u64::try_from(event.size()).ok()? })
    }
}

/// What the JVM ran out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// Space for Java objects.
    pub java_heap: bool,
}

impl Exhausted {
    /// Takes the event's payload.
    pub fn of(event: &ResourceExhaustedEvent<'_>) -> Self {
        Self { java_heap: event.flags() & sys::JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP != 0 }
    }
}
