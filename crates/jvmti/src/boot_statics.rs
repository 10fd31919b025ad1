//! Numbers that classes of the boot loader keep in static fields. Such a class is loaded if it is not, and never initialised for it: what has not
//! begun to count has counted nothing.

use std::ffi::{CStr, c_char};
use std::mem;

use jvmti_bindings::sys::jni as sys;

use crate::jni::{Jni, call};
use crate::jvmti_env::JvmtiEnv;
use crate::refs::{Class, GlobalClass};

const ATOMIC_LONG: &CStr = c"Ljava/util/concurrent/atomic/AtomicLong;";

type FindBootClass = unsafe extern "system" fn(env: *mut sys::JNIEnv, name: *const c_char) -> sys::jclass;

/// A static field that holds a number, by its name.
#[derive(Clone, Copy, Debug)]
pub enum StaticNumber {
    /// An `int`.
    Int(&'static CStr),
    /// A `long`.
    Long(&'static CStr),
    /// The value of an `AtomicLong`.
    Atomic(&'static CStr),
}

/// A class of the boot loader.
#[derive(Clone, Copy)]
pub struct BootStatics(GlobalClass);

impl BootStatics {
    /// By the internal name of the class; `None` if this JVM has none of that name, or does not tell.
    pub fn find(jni: Jni<'_>, name: &CStr) -> Option<Self> {
        // SAFETY: dlsym with a NUL-terminated name; HotSpot exports this symbol with this type (jvm.h, JDK 7 to 27).
        let find = unsafe {
            let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"JVM_FindClassFromBootLoader".as_ptr());
            if symbol.is_null() {
                return None;
            }
            mem::transmute::<*mut libc::c_void, FindBootClass>(symbol)
        };
        // SAFETY: this thread's environment, and a name; no class of that name is null.
        let class = unsafe { find(jni.raw(), name.as_ptr()) };
        jni.clear_exception();
        let class = jni.object(class)?;
        let global = jni.global(Class(class));
        jni.forget(class);
        global.map(Self)
    }

    /// The numbers as they are now: all zero before the class is initialised; `None` if it lacks one of the fields, or a number is below
    /// zero.
    pub fn read<const N: usize>(
        self,
        jvmti: &JvmtiEnv,
        jni: Jni<'_>,
        fields: [StaticNumber; N],
    ) -> Option<[u64; N]> {
        let mut values = [0; N];
        if !jvmti.is_initialized(self.0.get())? {
            return Some(values);
        }
        for (value, field) in values.iter_mut().zip(fields) {
            *value = u64::try_from(self.number(jni, field)?).ok()?;
        }
        Some(values)
    }

    fn number(self, jni: Jni<'_>, field: StaticNumber) -> Option<i64> {
        let class = self.0.get();
        let id = |name: &CStr, descriptor: &CStr| jni.static_field_id(class, name, descriptor);
        match field {
            StaticNumber::Int(name) => {
                Some(i64::from(call!(jni, GetStaticIntField, class.raw(), id(name, c"I")?)))
            }
            StaticNumber::Long(name) => Some(call!(jni, GetStaticLongField, class.raw(), id(name, c"J")?)),
            StaticNumber::Atomic(name) => {
                let holder =
                    jni.object(call!(jni, GetStaticObjectField, class.raw(), id(name, ATOMIC_LONG)?))?;
                let value = jni.long_field(holder, c"value");
                jni.forget(holder);
                value
            }
        }
    }
}
