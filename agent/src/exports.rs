//! The symbols that the JVM looks up in this library: the agent's entry points, and native methods of the Java side.
#![allow(missing_docs)] // The entry points that `export_agent!` defines are JVMTI's.
#![allow(unsafe_code)] // Entry points called by the JVM: raw arguments become typed ones here and nowhere else.

use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mayfly_jvmti::{Asking, Jni, Object, WeakNumbers, export_agent, method_body, other_library_marked, sys};

use crate::allocations;
use crate::control;
use crate::engine::Engine;
use crate::lifecycle::{MayflyAgent, switch_off};
use crate::mbean;
use crate::places::{self, Sampled};

export_agent!(MayflyAgent);

/// Whether this copy of the library is an agent of the JVM, and not only loaded, by a jar of the Java API say. Other
/// copies look it up by its name.
#[unsafe(no_mangle)]
#[used]
pub static MAYFLY_IS_AGENT: AtomicBool = AtomicBool::new(false);

/// Marks this copy for others.
pub(crate) fn mark_agent() {
    MAYFLY_IS_AGENT.store(true, Relaxed);
}

/// Another copy of the library that is an agent of this JVM: two would define the same class, and find each other's
/// fields.
pub(crate) fn other_agent() -> Option<PathBuf> {
    // SAFETY: no other library has reason to export this name.
    unsafe { other_library_marked(c"MAYFLY_IS_AGENT", &MAYFLY_IS_AGENT) }
}

/// Runs a native method's body with the engine; nothing happens without one, and a panic switches profiling off.
///
/// # Safety
/// `env` must be what the JVM passed to the native method now running.
unsafe fn with_engine<R: Default>(
    env: *mut sys::JNIEnv,
    body: impl FnOnce(&'static Engine, Jni<'_>) -> R,
) -> R {
    let Some(engine) = Engine::get() else { return R::default() };
    // SAFETY: by the caller's contract.
    unsafe {
        method_body(
            env,
            |jni| body(engine, jni),
            || {
                switch_off();
                R::default()
            },
        )
    }
}

/// The weak references that tracked objects carry as numbers.
pub(crate) fn weak_numbers<'call>(engine: &Engine, jni: Jni<'call>) -> WeakNumbers<'call> {
    let asking = engine.asking.get().copied().unwrap_or(Asking::Jni);
    // SAFETY: `allocations` makes the numbers with `into_bits`; nursery and ledger hold each once and release it once.
    // `control` sets the way of asking by the collector.
    unsafe { WeakNumbers::new(jni, asking) }
}

/// `MayflyHooks.enter`: gives a thread a slab and a class its cell.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_MayflyHooks_enter(
    env: *mut sys::JNIEnv,
    _hooks: sys::jclass,
    thread: sys::jobject,
    class: sys::jclass,
) {
    // SAFETY: arguments of the running native method; the second is declared a Class.
    unsafe {
        let (Some(thread), Some(class)) = (Object::from_raw(thread), Object::from_raw(class)) else { return };
        let (thread, class) = (thread.as_thread(), class.as_class());
        with_engine(env, |engine, jni| allocations::enter(engine, jni, thread, class));
    }
}

/// `MayflyHooks.track`: takes an object whose death is to be followed, or whose stack is wanted.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_MayflyHooks_track(
    env: *mut sys::JNIEnv,
    _hooks: sys::jclass,
    object: sys::jobject,
    cell: sys::jint,
    size: sys::jlong,
    moving: sys::jboolean,
) {
    // SAFETY: arguments of the running native method.
    unsafe {
        let Some(object) = Object::from_raw(object) else { return };
        with_engine(env, |engine, jni| {
            allocations::track(engine, jni, object, cell as u32, size as u64, moving != 0);
        });
    }
}

/// `MayflyHooks.untrack`: takes the thread's last object back.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_MayflyHooks_untrack(env: *mut sys::JNIEnv, _hooks: sys::jclass) {
    // SAFETY: the environment of the running native method.
    unsafe { with_engine(env, allocations::untrack) }
}

/// `MayflyHooks.enterPlace`: gives a place its counter.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_MayflyHooks_enterPlace(
    env: *mut sys::JNIEnv,
    _hooks: sys::jclass,
    thread: sys::jobject,
    class: sys::jclass,
    place: sys::jint,
) -> sys::jint {
    // SAFETY: arguments of the running native method; the second is declared a Class.
    unsafe {
        let Some(thread) = Object::from_raw(thread) else { return 0 };
        let (thread, class) = (thread.as_thread(), Object::from_raw(class).map(|class| class.as_class()));
        with_engine(env, |engine, jni| places::enter(engine, jni, thread, class, place as u32) as sys::jint)
    }
}

/// `MayflyHooks.enterPair`: gives a class at a place its counter.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_MayflyHooks_enterPair(
    env: *mut sys::JNIEnv,
    _hooks: sys::jclass,
    place: sys::jint,
    cell: sys::jint,
) -> sys::jint {
    // SAFETY: the environment of the running native method.
    unsafe {
        with_engine(env, |engine, _| places::enter_pair(engine, place as u32, cell as u32) as sys::jint)
    }
}

/// `MayflyHooks.sample`: takes the stack if it is to be taken, and says when to ask again.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_MayflyHooks_sample(
    env: *mut sys::JNIEnv,
    _hooks: sys::jclass,
    offset: sys::jint,
    size: sys::jlong,
    state: sys::jlong,
    moving: sys::jboolean,
) -> sys::jlong {
    // SAFETY: the environment of the running native method.
    unsafe {
        with_engine(env, |engine, jni| {
            let at = Sampled { offset: offset as u32, size: size as u64, moving: moving != 0 };
            places::sample(engine, jni, at, state as u32) as sys::jlong
        })
    }
}

/// `MayflyHooks.exiting`: the VM ends, shutdown hooks are done.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_MayflyHooks_exiting(env: *mut sys::JNIEnv, _hooks: sys::jclass) {
    // SAFETY: the environment of the running native method.
    unsafe { with_engine(env, control::collect_last) }
}

/// `io.mayfly.Mayfly.start`.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_io_mayfly_Mayfly_start0(env: *mut sys::JNIEnv, _class: sys::jclass) {
    // SAFETY: the environment of the running native method.
    unsafe { with_engine(env, control::start) }
}

/// `io.mayfly.Mayfly.pause`.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_io_mayfly_Mayfly_pause0(env: *mut sys::JNIEnv, _class: sys::jclass) {
    // SAFETY: the environment of the running native method.
    unsafe { with_engine(env, control::pause) }
}

/// `io.mayfly.Mayfly.reset`.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_io_mayfly_Mayfly_reset0(env: *mut sys::JNIEnv, _class: sys::jclass) {
    // SAFETY: the environment of the running native method.
    unsafe { with_engine(env, control::reset) }
}

/// `io.mayfly.Mayfly.report`.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_io_mayfly_Mayfly_report0(env: *mut sys::JNIEnv, _class: sys::jclass) {
    // SAFETY: the environment of the running native method.
    unsafe { with_engine(env, |engine, jni| control::report_and_wait(engine, jni, "API request")) }
}

/// `io.mayfly.Mayfly.isActive`.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_io_mayfly_Mayfly_isActive0(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
) -> sys::jboolean {
    // SAFETY: the environment of the running native method.
    let active = unsafe { with_engine(env, |engine, _| engine.control.is_active()) };
    sys::jboolean::from(active)
}

/// `io.mayfly.ManagedProfiler.status0`.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_io_mayfly_ManagedProfiler_status0(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
) -> sys::jobject {
    let text = |jni: Jni<'_>| bytes(jni, mbean::status()?.as_bytes());
    // SAFETY: the environment of the running native method.
    unsafe { method_body(env, text, || None) }.unwrap_or(ptr::null_mut())
}

/// `io.mayfly.ManagedProfiler.snapshot0`.
///
/// # Safety
/// Called by the JVM as a static native method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_io_mayfly_ManagedProfiler_snapshot0(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
) -> sys::jobject {
    let recording = |engine: &Engine, jni: Jni<'_>| bytes(jni, &mbean::snapshot(engine, jni)?);
    // SAFETY: the environment of the running native method.
    unsafe { with_engine(env, recording) }.unwrap_or(ptr::null_mut())
}

fn bytes(jni: Jni<'_>, bytes: &[u8]) -> Option<sys::jobject> {
    jni.byte_array(bytes).map(Object::into_raw)
}
