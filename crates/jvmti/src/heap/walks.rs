//! The two walks. The JVM calls back on its VM thread, at a safepoint: JNI is forbidden there, and panics end here.

use std::any::Any;
use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

use jvmti_bindings::sys::{jni, jvmti as sys};

use super::environment::{HeapWalk, call};
use super::met::{HeapObject, Reference, ReferenceKind, StackSlot, StringText, Visit};
use crate::error::JvmtiError;
use crate::refs::{Class, Object};

/// What a walk along references shows. Runs at a safepoint: everything waits for it.
pub trait HeapVisitor: Send {
    /// A reference.
    fn reference(&mut self, reference: &Reference<'_>) -> Visit;

    /// The text of a string, when the walk is in it; only if asked for. May only end the walk or not.
    fn text(&mut self, _text: &StringText<'_>) -> Visit {
        Visit::Continue
    }
}

/// Where to walk along references, and what to show.
#[derive(Clone, Copy, Default)]
pub struct Follow<'call> {
    /// Start here instead of at the roots.
    pub from: Option<Object<'call>>,
    /// Show only references to instances of exactly this class; others are followed still.
    pub class: Option<Class<'call>>,
    /// Show the text of strings.
    pub texts: bool,
}

/// The visitor, and the panic that it ended in.
struct Guarded<'walk, V> {
    visitor: &'walk mut V,
    panic: Option<Box<dyn Any + Send>>,
}

impl<V> Guarded<'_, V> {
    fn run(&mut self, body: impl FnOnce(&mut V) -> Visit) -> jni::jint {
        match catch_unwind(AssertUnwindSafe(|| body(self.visitor))) {
            Ok(Visit::Continue) => sys::JVMTI_VISIT_OBJECTS,
            Ok(Visit::Skip) => 0,
            Ok(Visit::Stop) => sys::JVMTI_VISIT_ABORT,
            Err(panic) => {
                self.panic = Some(panic);
                sys::JVMTI_VISIT_ABORT
            }
        }
    }
}

impl HeapWalk<'_> {
    /// Shows every object of the heap, reachable or not, in no order (`IterateThroughHeap`). With [`Visit::Stop`] it ends.
    ///
    /// # Errors
    /// Refused by the VM.
    ///
    /// # Panics
    /// With the panic of `visit`, on this thread and after the walk.
    pub fn iterate<F>(&self, mut visit: F) -> Result<(), JvmtiError>
    where
        F: FnMut(&HeapObject<'_>) -> Visit + Send,
    {
        let callbacks = sys::jvmtiHeapCallbacks {
            heap_iteration_callback: Some(on_object::<F>),
            ..sys::jvmtiHeapCallbacks::default()
        };
        let mut guarded = Guarded { visitor: &mut visit, panic: None };
        let data = (&raw mut guarded).cast::<c_void>();
        let done = call!(self, IterateThroughHeap, 0, ptr::null_mut(), &raw const callbacks, data);
        finish(guarded.panic, done)
    }

    /// Shows the `int` fields of each instance of exactly one class, reachable or not (`IterateThroughHeap`): its tag, JVMTI's index of the
    /// field, the value. Untagged instances are left out. Runs at a safepoint.
    ///
    /// # Errors
    /// Refused by the VM.
    ///
    /// # Panics
    /// With the panic of `visit`, on this thread and after the walk.
    pub fn int_fields<F>(&self, class: Class<'_>, mut visit: F) -> Result<(), JvmtiError>
    where
        F: FnMut(i64, u32, i32) + Send,
    {
        let callbacks = sys::jvmtiHeapCallbacks {
            primitive_field_callback: Some(on_field::<F>),
            ..sys::jvmtiHeapCallbacks::default()
        };
        let mut guarded = Guarded { visitor: &mut visit, panic: None };
        let data = (&raw mut guarded).cast::<c_void>();
        let untagged = sys::JVMTI_HEAP_FILTER_UNTAGGED;
        let done = call!(self, IterateThroughHeap, untagged, class.raw(), &raw const callbacks, data);
        finish(guarded.panic, done)
    }

    /// Shows every reference that can be reached (`FollowReferences`), depth first: each object's references once, each
    /// reference also when its object was visited before.
    ///
    /// # Errors
    /// Refused by the VM.
    ///
    /// # Panics
    /// With the panic of the visitor, on this thread and after the walk.
    pub fn follow<V: HeapVisitor>(&self, follow: Follow<'_>, visitor: &mut V) -> Result<(), JvmtiError> {
        let callbacks = sys::jvmtiHeapCallbacks {
            heap_reference_callback: Some(on_reference::<V>),
            string_primitive_value_callback: follow.texts.then_some(on_text::<V> as _),
            ..sys::jvmtiHeapCallbacks::default()
        };
        let mut guarded = Guarded { visitor, panic: None };
        let class = follow.class.map_or(ptr::null_mut(), Class::raw);
        let from = follow.from.map_or(ptr::null_mut(), Object::raw);
        let data = (&raw mut guarded).cast::<c_void>();
        let done = call!(self, FollowReferences, 0, class, from, &raw const callbacks, data);
        finish(guarded.panic, done)
    }
}

fn finish(panic: Option<Box<dyn Any + Send>>, done: Result<(), JvmtiError>) -> Result<(), JvmtiError> {
    match panic {
        Some(panic) => resume_unwind(panic),
        None => done,
    }
}

/// # Safety
/// Called by the JVM with what `iterate` passed.
unsafe extern "system" fn on_object<F: FnMut(&HeapObject<'_>) -> Visit>(
    class_tag: jni::jlong,
    size: jni::jlong,
    tag: *mut jni::jlong,
    _length: jni::jint,
    data: *mut c_void,
) -> jni::jint {
    // SAFETY: `iterate` passed it, and waits; the JVM calls one at a time. The tag is the JVM's, valid in the callback.
    let (guarded, tag) = unsafe { (&mut *data.cast::<Guarded<'_, F>>(), Cell::from_mut(&mut *tag)) };
    guarded.run(|visit| visit(&HeapObject { class_tag, size: size as u64, tag }))
}

/// # Safety
/// Called by the JVM with what `int_fields` passed.
unsafe extern "system" fn on_field<F: FnMut(i64, u32, i32)>(
    kind: sys::jvmtiHeapReferenceKind,
    info: *const sys::jvmtiHeapReferenceInfo,
    _class_tag: jni::jlong,
    tag: *mut jni::jlong,
    value: jni::jvalue,
    of: sys::jvmtiPrimitiveType,
    data: *mut c_void,
) -> jni::jint {
    if kind != sys::JVMTI_HEAP_REFERENCE_FIELD || of != sys::JVMTI_PRIMITIVE_TYPE_INT {
        return sys::JVMTI_VISIT_OBJECTS;
    }
    // SAFETY: `int_fields` passed it, and waits; the JVM calls one at a time. The tag is the JVM's; of a field it fills in the index, and of an
    // int the member of that name.
    let (guarded, tag, index, value) =
        unsafe { (&mut *data.cast::<Guarded<'_, F>>(), *tag, (*info).field.index as u32, value.i) };
    guarded.run(|visit| {
        visit(tag, index, value);
        Visit::Continue
    })
}

/// # Safety
/// Called by the JVM with what `follow` passed.
unsafe extern "system" fn on_reference<V: HeapVisitor>(
    kind: sys::jvmtiHeapReferenceKind,
    info: *const sys::jvmtiHeapReferenceInfo,
    class_tag: jni::jlong,
    referrer_class_tag: jni::jlong,
    size: jni::jlong,
    tag: *mut jni::jlong,
    referrer_tag: *mut jni::jlong,
    length: jni::jint,
    data: *mut c_void,
) -> jni::jint {
    // SAFETY: `follow` passed it, and waits; the JVM calls one at a time. The tags are the JVM's, valid in the callback,
    // and the same for an object that refers to itself: cells may be.
    let (guarded, tag, referrer_tag, kind) = unsafe {
        (
            &mut *data.cast::<Guarded<'_, V>>(),
            &*tag.cast::<Cell<i64>>(),
            referrer_tag.cast::<Cell<i64>>().as_ref(),
            kind_of(kind, info),
        )
    };
    let size = size as u64;
    let length = length_of(length);
    let reference = Reference { kind, class_tag, referrer_class_tag, size, tag, referrer_tag, length };
    guarded.run(|visitor| visitor.reference(&reference))
}

/// # Safety
/// Called by the JVM with what `follow` passed.
unsafe extern "system" fn on_text<V: HeapVisitor>(
    _class_tag: jni::jlong,
    _size: jni::jlong,
    tag: *mut jni::jlong,
    value: *const jni::jchar,
    length: jni::jint,
    data: *mut c_void,
) -> jni::jint {
    let length = usize::try_from(length).unwrap_or(0);
    // SAFETY: as for `on_reference`; the JVM passes `length` code units, and may pass null for none.
    let (guarded, tag, units) = unsafe {
        let units: &[u16] = if value.is_null() { &[] } else { std::slice::from_raw_parts(value, length) };
        (&mut *data.cast::<Guarded<'_, V>>(), *tag, units)
    };
    guarded.run(|visitor| visitor.text(&StringText { tag, units }))
}

/// JVMTI says -1 for what is no array.
fn length_of(length: jni::jint) -> Option<u32> {
    u32::try_from(length).ok()
}

/// # Safety
/// `info` must be what the JVM passed with `kind`: null for kinds without any.
unsafe fn kind_of(
    kind: sys::jvmtiHeapReferenceKind,
    info: *const sys::jvmtiHeapReferenceInfo,
) -> ReferenceKind {
    use ReferenceKind as Kind;
    // SAFETY: the kind tells which member the JVM filled in (JVMTI, `jvmtiHeapReferenceInfo`).
    let index = |info: *const sys::jvmtiHeapReferenceInfo| unsafe { (*info).field.index as u32 };
    // SAFETY: as above.
    let local = |info: *const sys::jvmtiHeapReferenceInfo| unsafe { stack_slot(&(*info).stack_local) };
    // SAFETY: as above.
    let jni_local = |info: *const sys::jvmtiHeapReferenceInfo| unsafe { jni_slot(&(*info).jni_local) };
    match kind {
        sys::JVMTI_HEAP_REFERENCE_CLASS => Kind::Class,
        sys::JVMTI_HEAP_REFERENCE_FIELD => Kind::Field(index(info)),
        sys::JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT => Kind::Element(index(info)),
        sys::JVMTI_HEAP_REFERENCE_CLASS_LOADER => Kind::ClassLoader,
        sys::JVMTI_HEAP_REFERENCE_SIGNERS => Kind::Signers,
        sys::JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN => Kind::ProtectionDomain,
        sys::JVMTI_HEAP_REFERENCE_INTERFACE => Kind::Interface,
        sys::JVMTI_HEAP_REFERENCE_STATIC_FIELD => Kind::StaticField(index(info)),
        sys::JVMTI_HEAP_REFERENCE_CONSTANT_POOL => Kind::ConstantPool(index(info)),
        sys::JVMTI_HEAP_REFERENCE_SUPERCLASS => Kind::Superclass,
        sys::JVMTI_HEAP_REFERENCE_JNI_GLOBAL => Kind::JniGlobal,
        sys::JVMTI_HEAP_REFERENCE_SYSTEM_CLASS => Kind::SystemClass,
        sys::JVMTI_HEAP_REFERENCE_MONITOR => Kind::Monitor,
        sys::JVMTI_HEAP_REFERENCE_STACK_LOCAL => Kind::StackLocal(local(info)),
        sys::JVMTI_HEAP_REFERENCE_JNI_LOCAL => Kind::JniLocal(jni_local(info)),
        sys::JVMTI_HEAP_REFERENCE_THREAD => Kind::Thread,
        sys::JVMTI_HEAP_REFERENCE_OTHER => Kind::Other,
        other => Kind::Unknown(other),
    }
}

fn stack_slot(info: &sys::jvmtiHeapReferenceInfoStackLocal) -> StackSlot {
    StackSlot {
        thread_tag: info.thread_tag,
        thread_id: info.thread_id,
        depth: info.depth,
        method: info.method.expose_provenance() as u64,
        location: info.location,
        slot: info.slot,
    }
}

fn jni_slot(info: &sys::jvmtiHeapReferenceInfoJniLocal) -> StackSlot {
    StackSlot {
        thread_tag: info.thread_tag,
        thread_id: info.thread_id,
        depth: info.depth,
        method: info.method.expose_provenance() as u64,
        location: -1,
        slot: -1,
    }
}
