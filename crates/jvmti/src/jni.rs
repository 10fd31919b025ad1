//! The JNI calls that the agent makes, on one thread's environment.

use std::ffi::CStr;
use std::marker::PhantomData;
use std::ptr;

use jvmti_bindings::sys::jni as sys;

use crate::names::modified_utf8;
use crate::refs::{Class, GlobalClass, Object, Weak};

/// A thread's JNI environment, for the duration of one native call.
#[derive(Clone, Copy)]
pub struct Jni<'call> {
    env: *mut sys::JNIEnv,
    call: PhantomData<&'call *mut ()>,
}

/// Objects small enough for any thread-local allocation buffer, and how much of them renews all but giant ones.
const FILLER_BYTES: i32 = 512;
const MOST_FILLER_BYTES: i32 = 16 << 20;

/// A static field's value to set.
#[derive(Clone, Copy, Debug)]
pub enum StaticField {
    /// An `int`.
    Int(i32),
    /// A `long`.
    Long(i64),
}

/// Calls a JNI function of the environment. The table is never read beyond the one slot (older JVMs have shorter ones).
macro_rules! call {
    ($jni:expr, $function:ident $(, $argument:expr)*) => {{
        let env = $jni.raw();
        // SAFETY: `env` is valid on this thread (contract of `from_raw`), and the arguments are live handles by their types.
        unsafe { ((**env).$function)(env $(, $argument)*) }
    }};
}
pub(crate) use call;

impl<'call> Jni<'call> {
    /// Wraps a raw environment.
    ///
    /// # Safety
    /// `env` must be this thread's, valid for `'call`.
    pub unsafe fn from_raw(env: *mut sys::JNIEnv) -> Self {
        Self { env, call: PhantomData }
    }

    pub(crate) fn raw(self) -> *mut sys::JNIEnv {
        self.env
    }

    /// Clears a pending exception; whether there was one.
    pub fn clear_exception(self) -> bool {
        let pending = call!(self, ExceptionCheck) != sys::JNI_FALSE;
        if pending {
            call!(self, ExceptionClear);
        }
        pending
    }

    pub(crate) fn object(self, raw: sys::jobject) -> Option<Object<'call>> {
        // SAFETY: a fresh local reference of this call.
        unsafe { Object::from_raw(raw) }
    }

    /// `FindClass`; `None` (no exception left) if there is no such class.
    pub fn find_class(self, name: &CStr) -> Option<Class<'call>> {
        let found = self.object(call!(self, FindClass, name.as_ptr())).map(Class);
        self.clear_exception();
        found
    }

    /// `DefineClass` with the boot loader. `None` if the VM refuses.
    pub fn define_boot_class(self, name: &CStr, bytes: &[u8]) -> Option<Class<'call>> {
        let class = call!(
            self,
            DefineClass,
            name.as_ptr(),
            ptr::null_mut(),
            bytes.as_ptr().cast(),
            i32::try_from(bytes.len()).ok()?
        );
        self.clear_exception();
        self.object(class).map(Class)
    }

    pub(crate) fn field_id(self, class: Class<'_>, name: &CStr, descriptor: &CStr) -> Option<sys::jfieldID> {
        let id = call!(self, GetFieldID, class.raw(), name.as_ptr(), descriptor.as_ptr());
        self.clear_exception();
        (!id.is_null()).then_some(id)
    }

    pub(crate) fn static_field_id(
        self,
        class: Class<'_>,
        name: &CStr,
        descriptor: &CStr,
    ) -> Option<sys::jfieldID> {
        let id = call!(self, GetStaticFieldID, class.raw(), name.as_ptr(), descriptor.as_ptr());
        self.clear_exception();
        (!id.is_null()).then_some(id)
    }

    /// A field of the object that is a `long`; `None` if it has none of that name.
    pub(crate) fn long_field(self, object: Object<'_>, name: &CStr) -> Option<i64> {
        let class = self.class_of(object);
        let field = self.field_id(class, name, c"J");
        self.forget(class.as_object());
        field.map(|field| call!(self, GetLongField, object.raw(), field))
    }

    /// Sets a static field; whether the class has it.
    pub fn set_static(self, class: Class<'_>, name: &CStr, value: StaticField) -> bool {
        let signature = match value {
            StaticField::Int(_) => c"I",
            StaticField::Long(_) => c"J",
        };
        let Some(id) = self.static_field_id(class, name, signature) else { return false };
        match value {
            StaticField::Int(value) => call!(self, SetStaticIntField, class.raw(), id, value),
            StaticField::Long(value) => call!(self, SetStaticLongField, class.raw(), id, value),
        }
        true
    }

    /// Calls a static method returning nothing, with null and zero arguments; whether it returned normally.
    pub fn call_static_with_nothing(self, class: Class<'_>, name: &CStr, signature: &CStr) -> bool {
        let Some(id) = self.static_method(class, name, signature) else { return false };
        let arguments = [sys::jvalue { j: 0 }; 4];
        call!(self, CallStaticVoidMethodA, class.raw(), id, arguments.as_ptr());
        !self.clear_exception()
    }

    /// Value of an instance method taking one class and returning `int` or `long`, whichever the JVM has.
    ///
    /// # Safety
    /// `receiver` must be an instance of `class`.
    pub(crate) unsafe fn call_with_class(
        self,
        receiver: Object<'_>,
        class: Class<'_>,
        method: &CStr,
        argument: Class<'_>,
    ) -> Option<i64> {
        let arguments = [sys::jvalue { l: argument.raw() }];
        if let Some(id) = self.method(class, method, c"(Ljava/lang/Class;)J") {
            let value = call!(self, CallLongMethodA, receiver.raw(), id, arguments.as_ptr());
            return (!self.clear_exception()).then_some(value);
        }
        let id = self.method(class, method, c"(Ljava/lang/Class;)I")?;
        let value = call!(self, CallIntMethodA, receiver.raw(), id, arguments.as_ptr());
        (!self.clear_exception()).then_some(i64::from(value))
    }

    /// Value of an instance method taking a class and a text and returning `long`.
    ///
    /// # Safety
    /// `receiver` must be an instance of `class`.
    pub(crate) unsafe fn call_with_class_and_text(
        self,
        receiver: Object<'_>,
        class: Class<'_>,
        method: &CStr,
        (argument, text): (Class<'_>, &CStr),
    ) -> Option<i64> {
        let id = self.method(class, method, c"(Ljava/lang/Class;Ljava/lang/String;)J")?;
        let text = self.object(call!(self, NewStringUTF, text.as_ptr()));
        if self.clear_exception() {
            return None;
        }
        let arguments = [sys::jvalue { l: argument.raw() }, sys::jvalue { l: text?.raw() }];
        let value = call!(self, CallLongMethodA, receiver.raw(), id, arguments.as_ptr());
        (!self.clear_exception()).then_some(value)
    }

    pub(crate) fn method(self, class: Class<'_>, name: &CStr, signature: &CStr) -> Option<sys::jmethodID> {
        let id = call!(self, GetMethodID, class.raw(), name.as_ptr(), signature.as_ptr());
        (!self.clear_exception() && !id.is_null()).then_some(id)
    }

    pub(crate) fn static_method(
        self,
        class: Class<'_>,
        name: &CStr,
        signature: &CStr,
    ) -> Option<sys::jmethodID> {
        let id = call!(self, GetStaticMethodID, class.raw(), name.as_ptr(), signature.as_ptr());
        (!self.clear_exception() && !id.is_null()).then_some(id)
    }

    /// Result of a static method without arguments returning `long`; `None` if there is none, or it throws.
    pub fn call_static_long(self, class: Class<'_>, name: &CStr) -> Option<i64> {
        let id = self.static_method(class, name, c"()J")?;
        let result = call!(self, CallStaticLongMethodA, class.raw(), id, ptr::null());
        (!self.clear_exception()).then_some(result)
    }

    /// Result of a static method without arguments returning an object.
    pub(crate) fn call_static_object(
        self,
        class: Class<'_>,
        name: &CStr,
        signature: &CStr,
    ) -> Option<Object<'call>> {
        let id = self.static_method(class, name, signature)?;
        let result = call!(self, CallStaticObjectMethodA, class.raw(), id, ptr::null());
        if self.clear_exception() { None } else { self.object(result) }
    }

    /// A new `byte[]`; `None` without memory.
    pub fn new_byte_array(self, length: i32) -> Option<Object<'call>> {
        let array = call!(self, NewByteArray, length);
        self.clear_exception();
        self.object(array)
    }

    /// Uses up this thread's allocation buffer, until `was_sampled`: up to JDK 21 the JVM's sampler passes over the rest of one that was there
    /// before it was switched on, which for the main thread may be megabytes.
    pub fn renew_buffer(self, was_sampled: impl Fn() -> bool) {
        for _ in 0..MOST_FILLER_BYTES / FILLER_BYTES {
            let Some(filler) = self.new_byte_array(FILLER_BYTES) else { return };
            self.forget(filler);
            if was_sampled() {
                return;
            }
        }
    }

    /// An instance without running a constructor (`AllocObject`); `None` for classes that have none or without memory.
    pub fn allocate(self, class: Class<'_>) -> Option<Object<'call>> {
        let object = call!(self, AllocObject, class.raw());
        self.clear_exception();
        self.object(object)
    }

    /// The object's class.
    pub fn class_of(self, object: Object<'_>) -> Class<'call> {
        let raw = call!(self, GetObjectClass, object.raw());
        // SAFETY: GetObjectClass never returns null for a live object.
        Class(unsafe { Object::from_raw(raw).unwrap_unchecked() })
    }

    /// The superclass; `None` for `Object` and interfaces.
    pub fn superclass(self, class: Class<'_>) -> Option<Class<'call>> {
        self.object(call!(self, GetSuperclass, class.raw())).map(Class)
    }

    /// Whether the object is an instance of the class, or of a subclass.
    pub fn is_instance(self, object: Object<'_>, class: Class<'_>) -> bool {
        call!(self, IsInstanceOf, object.raw(), class.raw()) != sys::JNI_FALSE
    }

    /// A reference to the class for all threads; `None` without memory.
    pub fn global(self, class: Class<'_>) -> Option<GlobalClass> {
        let global = call!(self, NewGlobalRef, class.raw());
        (!global.is_null()).then_some(GlobalClass(global))
    }

    /// Frees a local reference early.
    pub fn forget(self, object: Object<'_>) {
        call!(self, DeleteLocalRef, object.raw());
    }

    /// Where an object is. Only with collectors that stand still while they move objects, and keep addresses as they are (Serial, Parallel,
    /// G1): a number to compare, as the object may be moved at any time but where the collector moves none of its kind.
    pub fn address_of(self, object: Object<'_>) -> u64 {
        /// HotSpot's tags in the low bits of a handle (`jniHandles.hpp`).
        const HANDLE_TAG: usize = 0b111;
        let slot = ptr::with_exposed_provenance::<u64>(object.raw().expose_provenance() & !HANDLE_TAG);
        // SAFETY: a live handle points to its slot; the JVM may write it meanwhile, hence volatile.
        unsafe { slot.read_volatile() }
    }

    /// A weak global reference; `None` without memory.
    pub fn weak(self, object: Object<'_>) -> Option<Weak> {
        let weak = Weak::from_raw(call!(self, NewWeakGlobalRef, object.raw()));
        if weak.is_none() {
            self.clear_exception();
        }
        weak
    }

    /// Whether the referent is gone.
    pub fn is_cleared(self, weak: &Weak) -> bool {
        call!(self, IsSameObject, weak.raw(), ptr::null_mut()) != sys::JNI_FALSE
    }

    /// Gives a weak reference back.
    pub fn release(self, weak: Weak) {
        call!(self, DeleteWeakGlobalRef, weak.raw());
    }

    /// Runs `body` in a local frame of at least `capacity` references, all freed afterwards.
    pub fn with_frame<R>(self, capacity: i32, body: impl FnOnce() -> R) -> Option<R> {
        if call!(self, PushLocalFrame, capacity) != sys::JNI_OK {
            self.clear_exception();
            return None;
        }
        let result = body();
        call!(self, PopLocalFrame, ptr::null_mut());
        Some(result)
    }

    /// Tells the JVM that `count` local references more are meant (`EnsureLocalCapacity`): what JVMTI hands out by the
    /// thousand looks like a leak to `-Xcheck:jni` otherwise. References are given out without it, too.
    pub(crate) fn expect_locals(self, count: i32) {
        if call!(self, EnsureLocalCapacity, count) != sys::JNI_OK {
            self.clear_exception();
        }
    }

    /// A `String[]` of one element.
    pub(crate) fn string_array(self, value: &CStr) -> Option<Object<'call>> {
        let text = call!(self, NewStringUTF, value.as_ptr());
        let class = self.find_class(c"java/lang/String")?;
        if self.clear_exception() || text.is_null() {
            return None;
        }
        let array = call!(self, NewObjectArray, 1, class.raw(), text);
        self.clear_exception();
        call!(self, DeleteLocalRef, text);
        call!(self, DeleteLocalRef, class.raw());
        self.object(array)
    }

    /// A new `long[]` of these elements; `None` without memory.
    pub fn long_array(self, values: &[i64]) -> Option<Object<'call>> {
        let length = i32::try_from(values.len()).ok()?;
        let array = call!(self, NewLongArray, length);
        if self.clear_exception() || array.is_null() {
            return None;
        }
        call!(self, SetLongArrayRegion, array, 0, length, values.as_ptr());
        self.object(array)
    }

    /// The characters of a `String`; what is no character is replaced.
    pub fn string(self, string: Object<'_>) -> Option<String> {
        let (units, bytes) =
            (call!(self, GetStringLength, string.raw()), call!(self, GetStringUTFLength, string.raw()));
        // The JVM may write a zero behind them.
        let mut text = vec![0u8; usize::try_from(bytes).ok()? + 1];
        call!(self, GetStringUTFRegion, string.raw(), 0, units, text.as_mut_ptr().cast());
        text.pop();
        (!self.clear_exception()).then(|| modified_utf8(&text))
    }

    /// A new `byte[]` of these elements; `None` without memory.
    pub fn byte_array(self, values: &[u8]) -> Option<Object<'call>> {
        let array = self.new_byte_array(i32::try_from(values.len()).ok()?)?;
        call!(self, SetByteArrayRegion, array.raw(), 0, values.len() as i32, values.as_ptr().cast());
        Some(array)
    }

    pub(crate) fn first_long(self, array: Object<'_>) -> Option<i64> {
        let mut value = 0;
        call!(self, GetLongArrayRegion, array.raw(), 0, 1, &raw mut value);
        (!self.clear_exception()).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;

    static PENDING: AtomicBool = AtomicBool::new(false);

    /// As JDK 28 has it for an object of a value class: an `IdentityException`.
    unsafe extern "system" fn refuses(_: *mut sys::JNIEnv, _: sys::jobject) -> sys::jweak {
        PENDING.store(true, Relaxed);
        ptr::null_mut()
    }

    unsafe extern "system" fn is_pending(_: *mut sys::JNIEnv) -> sys::jboolean {
        if PENDING.load(Relaxed) { sys::JNI_TRUE } else { sys::JNI_FALSE }
    }

    unsafe extern "system" fn clear(_: *mut sys::JNIEnv) {
        PENDING.store(false, Relaxed);
    }

    #[test]
    fn an_object_without_identity_has_no_weak_reference_and_leaves_no_exception() {
        let mut table = MaybeUninit::<sys::JNINativeInterface_>::uninit();
        let at = table.as_mut_ptr();
        // SAFETY: the table's own memory; only these three slots are read.
        unsafe {
            (&raw mut (*at).NewWeakGlobalRef).write(refuses);
            (&raw mut (*at).ExceptionCheck).write(is_pending);
            (&raw mut (*at).ExceptionClear).write(clear);
        }
        let mut env: sys::JNIEnv = at;
        // SAFETY: a stand-in for this thread's environment, and for an object that nobody looks at.
        let (jni, object) = unsafe {
            (Jni::from_raw(&raw mut env), Object::from_raw(ptr::without_provenance_mut(8)).expect("not null"))
        };
        assert!(jni.weak(object).is_none());
        assert!(!PENDING.load(Relaxed), "it would be thrown in the program");
    }
}
