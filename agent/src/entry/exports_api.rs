//! The native methods of `io.mayfly.Natives`, the Java API's way to the heap.
//!
//! Each turns raw arguments into typed ones and errors into exceptions; what is done is in `api`.
#![allow(unsafe_code)] // Entry points called by the JVM: raw arguments become typed ones here and nowhere else.

use std::ffi::CString;
use std::ptr;

use mayfly_jvmti::{Class, Jni, Object, ObjectArray, method_body, sys};

use super::in_process;
use super::natives::natives;
use crate::api::{self, ApiError, Search, Steps, Survivors, Targets};

/// Runs a native method's body. An error becomes an `IllegalStateException`, and so does a panic.
///
/// # Safety
/// `env` must be what the JVM passed to the native method now running.
unsafe fn answer<R>(
    env: *mut sys::JNIEnv,
    nothing: R,
    body: impl FnOnce(Jni<'_>) -> Result<R, ApiError>,
) -> R {
    // SAFETY: by the caller's contract, twice.
    let done =
        unsafe { method_body(env, |jni| body(jni).map_err(|error| error.to_string()), || Err(PANIC.into())) };
    done.unwrap_or_else(|why| {
        // SAFETY: by the caller's contract.
        let jni = unsafe { Jni::from_raw(env) };
        let message = CString::new(format!("Mayfly: {why}")).unwrap_or_default();
        jni.throw(c"java/lang/IllegalStateException", &message);
        nothing
    })
}

const PANIC: &str = "an internal error, please report it; stderr says more";

/// # Safety
/// `array` must be null or an array of references that a native method was passed.
unsafe fn array<'call>(array: sys::jobject) -> Option<ObjectArray<'call>> {
    // SAFETY: by the caller's contract.
    unsafe { Object::from_raw(array).map(|array| ObjectArray::of(array)) }
}

/// # Safety
/// `class` must be null or a class that a native method was passed.
unsafe fn class<'call>(class: sys::jobject) -> Option<Class<'call>> {
    // SAFETY: by the caller's contract.
    unsafe { Object::from_raw(class).map(|class| class.as_class()) }
}

natives! {
    /// `Natives.version`.
    fn Java_io_mayfly_Natives_version(_env) -> sys::jint {
        api::VERSION
    }

    /// `Natives.start`.
    fn Java_io_mayfly_Natives_start(env, options: sys::jobject) -> sys::jboolean {
        // SAFETY: arguments of the running native method; the second is declared a String.
        answer(env, sys::JNI_FALSE, |jni| {
            let options = Object::from_raw(options).and_then(|options| jni.string(options));
            let vm = jni.vm().ok_or(ApiError::NoMemory)?;
            let began = in_process::start(vm, &options.unwrap_or_default()).map_err(ApiError::NotStarted)?;
            Ok(sys::jboolean::from(began))
        })
    }

    /// `Natives.size`.
    fn Java_io_mayfly_Natives_size(env, object: sys::jobject) -> sys::jlong {
        answer(env, 0, |jni| Object::from_raw(object).map_or(Ok(0), |object| api::size(jni, object)))
    }

    /// `Natives.collect`.
    fn Java_io_mayfly_Natives_collect(env) {
        answer(env, (), api::collect)
    }

    /// `Natives.isCleared`.
    fn Java_io_mayfly_Natives_isCleared(env, reference: sys::jobject) -> sys::jboolean {
        // SAFETY: arguments of the running native method; the second is declared a Reference.
        answer(env, sys::JNI_FALSE, |jni| {
            let referent = Object::from_raw(reference).and_then(|reference| jni.referent(reference));
            Ok(sys::jboolean::from(referent.is_none()))
        })
    }

    /// `Natives.fields`.
    fn Java_io_mayfly_Natives_fields(env, of: sys::jclass) -> sys::jobject {
        // SAFETY: arguments of the running native method; the second is declared a Class.
        answer(env, ptr::null_mut(), |jni| {
            let fields = class(of).map(|class| api::fields(jni, class)).transpose()?.flatten();
            Ok(fields.map_or(ptr::null_mut(), |fields| fields.as_object().into_raw()))
        })
    }

    /// `Natives.fieldIds`.
    fn Java_io_mayfly_Natives_fieldIds(env, fields: sys::jobject) -> sys::jobject {
        // SAFETY: arguments of the running native method; the second is declared a Field[].
        answer(env, ptr::null_mut(), |jni| {
            let Some(fields) = array(fields) else { return Ok(ptr::null_mut()) };
            let number = |index| {
                let field = fields.get(jni, index)?;
                let number = jni.field_number(field);
                jni.forget(field);
                Some(number)
            };
            let numbers: Vec<i64> = (0..fields.len(jni)).map(|index| number(index).unwrap_or(0)).collect();
            Ok(jni.long_array(&numbers).ok_or(ApiError::NoMemory)?.into_raw())
        })
    }

    /// `Natives.read`.
    fn Java_io_mayfly_Natives_read(
        env,
        object: sys::jobject,
        of: sys::jclass,
        fields: sys::jobject,
        into: sys::jobject,
    ) {
        // SAFETY: arguments of the running native method, declared Object, Class, long[], Object[]. The numbers are those that
        // `fieldIds` gave for fields of that class which hold references (`ClassFields` and `Scanner` of the Java side).
        answer(env, (), |jni| {
            let (Some(of), Some(fields), Some(into)) = (class(of), Object::from_raw(fields), array(into))
            else {
                return Ok(());
            };
            let object = Object::from_raw(object);
            for (index, id) in jni.longs(fields).into_iter().enumerate() {
                let value = match object {
                    Some(object) => jni.object_field(object, id),
                    None => jni.static_object_field(of, id),
                };
                into.set(jni, index, value);
                if let Some(value) = value {
                    jni.forget(value);
                }
            }
            Ok(())
        });
    }

    /// `Natives.roots`.
    fn Java_io_mayfly_Natives_roots(env) -> sys::jobject {
        answer(env, ptr::null_mut(), |jni| Ok(api::interesting_roots(jni)?.as_object().into_raw()))
    }

    /// `Natives.count`.
    fn Java_io_mayfly_Natives_count(env, roots: sys::jobject, skipped: sys::jobject) -> sys::jobject {
        // SAFETY: arguments of the running native method, both declared Object[].
        answer(env, ptr::null_mut(), |jni| {
            let Some(roots) = array(roots) else { return Ok(ptr::null_mut()) };
            Ok(api::count(jni, roots, array(skipped))?.as_object().into_raw())
        })
    }

    /// `Natives.paths`.
    fn Java_io_mayfly_Natives_paths(
        env,
        targets: sys::jobject,
        references: sys::jboolean,
        hints: sys::jobject,
        strength: sys::jint,
        most: sys::jint,
        step: sys::jobject,
    ) -> sys::jobject {
        // SAFETY: arguments of the running native method: Object[], boolean, Object[], int, int, Runnable. The elements of the
        // first are all of type Reference, or all of type Object[], as the second says.
        answer(env, ptr::null_mut(), |jni| {
            let (Some(targets), Some(hints)) = (array(targets), array(hints)) else {
                return Ok(ptr::null_mut());
            };
            let hints: Vec<_> = (0..hints.len(jni)).filter_map(|index| hints.get(jni, index)).collect();
            let targets = Targets {
                count: targets.len(jni),
                get: &|index| held(jni, targets, index, references != sys::JNI_FALSE),
                in_hand: references == sys::JNI_FALSE,
                hints: &hints,
            };
            let search = Search { strength, most: usize::try_from(most).unwrap_or(1) };
            let runnable = Object::from_raw(step);
            let step = runnable.map(|runnable| move || jni.run(runnable));
            let steps = Steps::new(step.as_ref().map(|step| step as &dyn Fn() -> bool));
            let found = api::paths(jni, &targets, search, &steps)?;
            Ok(found.map_or(ptr::null_mut(), |found| found.as_object().into_raw()))
        })
    }
}

/// What an element of an array holds, if that is a Reference, or else an `Object[]` of one element.
///
/// # Safety
/// The element must be that.
unsafe fn held<'call>(
    jni: Jni<'call>,
    holders: ObjectArray<'_>,
    index: usize,
    is_reference: bool,
) -> Option<Object<'call>> {
    let holder = holders.get(jni, index)?;
    // SAFETY: by the caller's contract.
    let held =
        unsafe { if is_reference { jni.referent(holder) } else { ObjectArray::of(holder).get(jni, 0) } };
    jni.forget(holder);
    held
}

natives! {
    /// `Natives.retained`.
    fn Java_io_mayfly_Natives_retained(env, holder: sys::jobject) -> sys::jlong {
        // SAFETY: arguments of the running native method; the second is declared an Object[].
        answer(env, 0, |jni| {
            let Some(holder) = array(holder) else { return Ok(0) };
            api::retained(jni, &|index| holder.get(jni, index))
        })
    }

    /// `Natives.survivors`.
    fn Java_io_mayfly_Natives_survivors(
        env,
        body: sys::jobject,
        collect: sys::jobject,
        types: sys::jobject,
        most: sys::jint,
    ) -> sys::jobject {
        // SAFETY: arguments of the running native method, declared Runnable, Runnable, Class[], int.
        answer(env, ptr::null_mut(), |jni| {
            let (Some(body), Some(collect)) = (Object::from_raw(body), Object::from_raw(collect)) else {
                return Ok(ptr::null_mut());
            };
            let types = array(types).map(|types| {
                let all = (0..types.len(jni)).filter_map(|index| types.get(jni, index));
                all.map(|class| class.as_class()).collect::<Vec<_>>()
            });
            let most = usize::try_from(most).unwrap_or(0);
            match api::survivors(jni, || jni.run(body), || jni.run(collect), types.as_deref(), most)? {
                Survivors::Threw => Ok(ptr::null_mut()),
                Survivors::Counted(answer) => Ok(answer.as_object().into_raw()),
            }
        })
    }

    /// `Natives.canWatch`.
    fn Java_io_mayfly_Natives_canWatch(env) -> sys::jboolean {
        answer(env, sys::JNI_FALSE, |jni| Ok(sys::jboolean::from(api::can_watch(jni))))
    }

    /// `Natives.allocations`.
    fn Java_io_mayfly_Natives_allocations(env, body: sys::jobject) -> sys::jobject {
        // SAFETY: arguments of the running native method, declared Runnable.
        answer(env, ptr::null_mut(), |jni| {
            let Some(body) = Object::from_raw(body) else { return Ok(ptr::null_mut()) };
            let lines = api::allocations(jni, || jni.run(body))?;
            Ok(bytes(jni, lines))
        })
    }

    /// `Natives.left`.
    fn Java_io_mayfly_Natives_left(env, number: sys::jlong) -> sys::jobject {
        answer(env, ptr::null_mut(), |jni| Ok(bytes(jni, api::left(jni, number))))
    }
}

/// Text as an array of bytes; null for none, or without memory.
fn bytes(jni: Jni<'_>, text: Option<String>) -> sys::jobject {
    let array = text.and_then(|text| jni.byte_array(text.as_bytes()));
    array.map_or(ptr::null_mut(), Object::into_raw)
}
