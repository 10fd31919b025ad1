//! The symbols that the JVM looks up in this library: the agent's entry points, and native methods of the Java side.
#![allow(missing_docs)] // The entry points that `export_agent!` defines are JVMTI's.
#![allow(unsafe_code)] // Entry points called by the JVM: raw arguments become typed ones here and nowhere else.

use std::ptr;

use mayfly_jvmti::{Jni, Object, Vm, export_agent, method_body, sys};
use mayfly_profile::TraceContext;
use mayfly_tracking::EntryId;

use super::events::MayflyAgent;
use super::in_process;
use super::loaded;
use super::mbean;
use super::natives::natives;
use crate::api;
use crate::exact::{self, Exact, HandedOver, NextDue, Sampled};
use crate::steering::{self, Profiler, switch_off};

export_agent!(MayflyAgent);

/// Java code has loaded this library.
///
/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn JNI_OnLoad(
    vm: *mut sys::JavaVM,
    _reserved: *mut std::ffi::c_void,
) -> sys::jint {
    // SAFETY: the JVM's own pointer.
    in_process::library_loaded(unsafe { Vm::from_raw(vm) });
    sys::JNI_VERSION_1_8
}

/// Runs a native method's body; a panic switches profiling off.
///
/// # Safety
/// `env` must be what the JVM passed to the native method now running.
unsafe fn guarded<R: Default>(env: *mut sys::JNIEnv, body: impl FnOnce(Jni<'_>) -> R) -> R {
    let failed = || {
        switch_off();
        R::default()
    };
    // SAFETY: by the caller's contract.
    unsafe { method_body(env, body, failed) }
}

/// Runs a native method's body with the engine; nothing happens without it.
///
/// # Safety
/// As [`guarded`].
unsafe fn with_exact<R: Default>(env: *mut sys::JNIEnv, body: impl FnOnce(&Exact, Jni<'_>) -> R) -> R {
    // SAFETY: by the caller's contract.
    loaded::with_exact(|exact| unsafe { guarded(env, |jni| body(exact, jni)) }).unwrap_or_default()
}

/// Runs a native method's body with the profiler; nothing happens without one.
///
/// # Safety
/// As [`guarded`].
unsafe fn with_profiler<R: Default>(env: *mut sys::JNIEnv, body: impl FnOnce(&Profiler, Jni<'_>) -> R) -> R {
    let Some(profiler) = Profiler::get() else { return R::default() };
    // SAFETY: by the caller's contract.
    unsafe { guarded(env, |jni| body(&profiler, jni)) }
}

natives! {
    /// `MayflyHooks.enter`: gives a thread a slab and a class its cell.
    fn Java_java_lang_MayflyHooks_enter(env, thread: sys::jobject, class: sys::jclass) {
        // SAFETY: arguments of the running native method; the second is declared a Class.
        let (Some(thread), Some(class)) = (Object::from_raw(thread), Object::from_raw(class)) else { return };
        let (thread, class) = (thread.as_thread(), class.as_class());
        with_exact(env, |exact, jni| exact::enter(exact, jni, thread, class));
    }

    /// `MayflyHooks.track`: takes an object whose death is to be followed, or whose stack is wanted.
    fn Java_java_lang_MayflyHooks_track(
        env,
        object: sys::jobject,
        cell: sys::jint,
        size: sys::jlong,
        moving: sys::jboolean,
        entry: sys::jlong,
    ) {
        let Some(object) = Object::from_raw(object) else { return };
        with_exact(env, |exact, jni| {
            exact::track(exact, jni, handed_over(object, cell, size, moving, entry));
            collect_if_forced(exact, jni);
        });
    }

    /// `MayflyHooks.untrack`: takes the thread's last object back.
    fn Java_java_lang_MayflyHooks_untrack(env) {
        with_exact(env, exact::untrack)
    }

    /// `MayflyHooks.follow`: an object is due; follows it if it is its turn, or large, and says which of its class is due next.
    fn Java_java_lang_MayflyHooks_follow(
        env,
        object: sys::jobject,
        cell: sys::jint,
        size: sys::jlong,
        by_count: sys::jboolean,
        moving: sys::jboolean,
        entry: sys::jlong,
    ) -> sys::jint {
        let Some(object) = Object::from_raw(object) else { return 0 };
        with_exact(env, |exact, jni| {
            let due = handed_over(object, cell, size, moving, entry);
            let next = exact::follow(exact, jni, due, by_count != 0);
            collect_if_forced(exact, jni);
            match next {
                NextDue::After(objects) => i32::try_from(objects).unwrap_or(i32::MAX),
                NextDue::Never => 0,
                NextDue::BySampler => -1,
            }
        })
    }

    /// `MayflyHooks.unfollow`: forgets that the thread's last object was due.
    fn Java_java_lang_MayflyHooks_unfollow(env) {
        with_exact(env, exact::unfollow)
    }
}

fn handed_over(
    object: Object<'_>,
    cell: sys::jint,
    size: sys::jlong,
    moving: sys::jboolean,
    entry: sys::jlong,
) -> HandedOver<'_> {
    let entry = EntryId::of_java(entry as u64);
    HandedOver { object, cell: cell as u32, size: size as u64, moving: moving != 0, entry }
}

/// `#gc-every`: a collection, if so many bytes were allocated.
fn collect_if_forced(exact: &Exact, jni: Jni<'_>) {
    if exact.forces_collections()
        && let Some(profiler) = Profiler::get()
    {
        steering::collect_if_due(&profiler, jni);
    }
}

natives! {
    /// `MayflyHooks.enterPlace`: gives a place its counter.
    fn Java_java_lang_MayflyHooks_enterPlace(
        env,
        thread: sys::jobject,
        class: sys::jclass,
        place: sys::jint,
    ) -> sys::jint {
        // SAFETY: arguments of the running native method; the second is declared a Class.
        let Some(thread) = Object::from_raw(thread) else { return 0 };
        let (thread, class) = (thread.as_thread(), Object::from_raw(class).map(|class| class.as_class()));
        with_exact(env, |exact, jni| exact::enter_place(exact, jni, thread, class, place as u32) as sys::jint)
    }

    /// `MayflyHooks.enterPair`: gives a class at a place its counter.
    fn Java_java_lang_MayflyHooks_enterPair(env, place: sys::jint, cell: sys::jint) -> sys::jint {
        with_exact(env, |exact, _| exact::enter_pair(exact, place as u32, cell as u32) as sys::jint)
    }

    /// `MayflyHooks.sample`: takes the stack if it is to be taken, and says when to ask again.
    fn Java_java_lang_MayflyHooks_sample(
        env,
        offset: sys::jint,
        size: sys::jlong,
        state: sys::jlong,
        moving: sys::jboolean,
    ) -> sys::jlong {
        with_exact(env, |exact, jni| {
            let at = Sampled { offset: offset as u32, size: size as u64, moving: moving != 0 };
            exact::sample(exact, jni, at, state as u32) as sys::jlong
        })
    }

    /// `MayflyHooks.enterInner`: gives a thread the slab in which it counts in a scope.
    fn Java_java_lang_MayflyHooks_enterInner(
        env,
        thread: sys::jobject,
        outer: sys::jlong,
        name: sys::jint,
    ) -> sys::jlong {
        let Some(thread) = Object::from_raw(thread) else { return 0 };
        let thread = thread.as_thread();
        let inner = |exact: &Exact, jni: Jni<'_>| {
            exact::enter_inner(exact, jni, thread, outer as u64, name as u32) as sys::jlong
        };
        with_exact(env, inner)
    }

    /// `MayflyHooks.noteEntry`: an entry of a scope ends, or goes on in another thread too.
    fn Java_java_lang_MayflyHooks_noteEntry(env, entry: sys::jlong, ends: sys::jboolean) {
        let Some(entry) = EntryId::of_java(entry as u64) else { return };
        with_exact(env, |exact, _| exact::note_entry(exact, entry, ends != 0))
    }

    /// `io.mayfly.Scope.number0`: the number of a scope's name, given as bytes.
    fn Java_io_mayfly_Scope_number0(env, name: sys::jobject) -> sys::jint {
        // SAFETY: arguments of the running native method; the second is declared a String.
        let Some(name) = Object::from_raw(name) else { return 0 };
        with_exact(env, |exact, jni| {
            jni.string(name).map_or(0, |name| exact::scope_name(exact, &name) as sys::jint)
        })
    }

    /// `MayflyHooks.exiting`: the VM begins to end, shutdown hooks are still to run.
    fn Java_java_lang_MayflyHooks_exiting(env) {
        with_profiler(env, steering::collect_last)
    }

    /// `MayflyHooks.leavingMain`: a `main` is about to return.
    fn Java_java_lang_MayflyHooks_leavingMain(env) {
        with_profiler(env, steering::collect_at_the_end_of_main)
    }

    /// `io.mayfly.Mayfly.start`.
    fn Java_io_mayfly_Mayfly_start0(env) {
        with_profiler(env, steering::start)
    }

    /// `io.mayfly.Mayfly.pause`.
    fn Java_io_mayfly_Mayfly_pause0(env) {
        with_profiler(env, steering::pause)
    }

    /// `io.mayfly.Mayfly.reset`.
    fn Java_io_mayfly_Mayfly_reset0(env) {
        with_profiler(env, steering::reset)
    }

    /// `io.mayfly.Mayfly.report`.
    fn Java_io_mayfly_Mayfly_report0(env) {
        with_profiler(env, |profiler, jni| steering::report_and_wait(profiler, jni, "API request"))
    }

    /// `io.mayfly.Mayfly.operations`.
    fn Java_io_mayfly_Mayfly_operations0(env, count: sys::jlong) {
        with_profiler(env, |profiler, _| steering::operations(profiler, count))
    }

    /// `io.mayfly.Mayfly.stop`.
    fn Java_io_mayfly_Mayfly_stop0(env) -> sys::jboolean {
        let stopped = |profiler: &Profiler, jni: Jni<'_>| {
            let can = profiler.can_be_stopped() && !profiler.is_finished();
            if can {
                steering::stop_and_restore(profiler, jni);
            }
            can
        };
        sys::jboolean::from(with_profiler(env, stopped))
    }

    /// `io.mayfly.Mayfly.pool`.
    fn Java_io_mayfly_Mayfly_pool0(env, name: sys::jobject) -> sys::jboolean {
        // SAFETY: arguments of the running native method; the second is declared a String.
        let name = Object::from_raw(name);
        let named = |profiler: &Profiler, jni: Jni<'_>| {
            steering::set_pool(profiler, jni, name.and_then(|name| jni.string(name)).as_deref())
        };
        sys::jboolean::from(with_profiler(env, named))
    }

    /// `io.mayfly.Mayfly.trace`: the ids as numbers; all zero for none.
    fn Java_io_mayfly_Mayfly_trace0(env, high: sys::jlong, low: sys::jlong, span: sys::jlong) {
        let ids = [high, low, span].map(i64::to_be_bytes).concat();
        let context = ids.try_into().ok().and_then(TraceContext::of_bytes);
        with_profiler(env, |profiler, jni| steering::trace(profiler, jni, context))
    }

    /// `io.mayfly.Mayfly.isActive`.
    fn Java_io_mayfly_Mayfly_isActive0(env) -> sys::jboolean {
        let active = with_profiler(env, |profiler, _| profiler.is_active());
        sys::jboolean::from(active)
    }

    /// `io.mayfly.ManagedProfiler.status0`.
    fn Java_io_mayfly_ManagedProfiler_status0(env) -> sys::jobject {
        let text = |jni: Jni<'_>| bytes(jni, mbean::status()?.as_bytes());
        method_body(env, text, || None).unwrap_or(ptr::null_mut())
    }

    /// `io.mayfly.ManagedProfiler.snapshot0`.
    fn Java_io_mayfly_ManagedProfiler_snapshot0(env) -> sys::jobject {
        let recording = |profiler: &Profiler, jni: Jni<'_>| bytes(jni, &mbean::snapshot(profiler, jni)?);
        with_profiler(env, recording).unwrap_or(ptr::null_mut())
    }

    /// `io.mayfly.Profile.take0`.
    fn Java_io_mayfly_Profile_take0(env, collect: sys::jboolean) -> sys::jobject {
        let text = |profiler: &Profiler, jni: Jni<'_>| {
            bytes(jni, api::profile(profiler, jni, collect != sys::JNI_FALSE)?.as_bytes())
        };
        with_profiler(env, text).unwrap_or(ptr::null_mut())
    }

    /// `io.mayfly.Totals.take0`.
    fn Java_io_mayfly_Totals_take0(env) -> sys::jobject {
        let numbers = |profiler: &Profiler, jni: Jni<'_>| {
            jni.long_array(&api::totals(profiler, jni)?).map(Object::into_raw)
        };
        with_profiler(env, numbers).unwrap_or(ptr::null_mut())
    }
}

fn bytes(jni: Jni<'_>, bytes: &[u8]) -> Option<sys::jobject> {
    jni.byte_array(bytes).map(Object::into_raw)
}
