//! How this JVM lays out arrays: headers, reference size, alignment; and where in its objects fields are.

use std::ffi::CStr;

use crate::jni::Jni;
use crate::jvmti_env::JvmtiEnv;
use crate::refs::{Class, Object};

/// Constants to compute the shallow size of any array from its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayLayout {
    /// Bytes before the first element, for elements of 1, 2, 4 and 8 bytes.
    pub base: [i64; 4],
    /// Bytes before the first reference.
    pub reference_base: i64,
    /// Binary logarithm of the size of a reference.
    pub reference_shift: i32,
    /// Every object's size is a multiple of this, a power of two.
    pub alignment: i64,
}

impl ArrayLayout {
    /// Asks the JVM (`jdk.internal.misc.Unsafe`, JVMTI `GetObjectSize`). `None` if it does not tell.
    pub fn measure(jni: Jni<'_>, jvmti: &JvmtiEnv) -> Option<Self> {
        jni.with_frame(64, || {
            let base = |name| ask(jni, name, c"arrayBaseOffset");
            let scale = ask(jni, c"[Ljava/lang/Object;", c"arrayIndexScale")?;
            Some(Self {
                base: [base(c"[B")?, base(c"[C")?, base(c"[I")?, base(c"[J")?],
                reference_base: base(c"[Ljava/lang/Object;")?,
                reference_shift: i32::try_from(scale.ilog2()).ok()?,
                alignment: alignment(jni, jvmti)?,
            })
        })?
    }
}

/// Where in objects of a class a field is, in bytes, as `jdk.internal.misc.Unsafe` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldOffset(pub i64);

impl FieldOffset {
    /// Of a field that a class declares, by internal name; `None` if it has none of that name and type.
    pub fn find(jni: Jni<'_>, class: &CStr, field: &CStr, descriptor: &CStr) -> Option<Self> {
        jni.with_frame(16, || {
            let class = jni.find_class(class)?;
            jni.field_id(class, field, descriptor)?;
            let (unsafe_class, receiver) = unsafe_of(jni)?;
            // SAFETY: the receiver is the Unsafe that its class just returned.
            unsafe {
                jni.call_with_class_and_text(receiver, unsafe_class, c"objectFieldOffset", (class, field))
            }
        })?
        .map(Self)
    }
}

fn ask(jni: Jni<'_>, array_class: &CStr, method: &CStr) -> Option<i64> {
    let (class, receiver) = unsafe_of(jni)?;
    // SAFETY: the receiver is the Unsafe that the class just returned.
    unsafe { jni.call_with_class(receiver, class, method, jni.find_class(array_class)?) }
}

/// The class, and its one instance.
fn unsafe_of<'call>(jni: Jni<'call>) -> Option<(Class<'call>, Object<'call>)> {
    let class = jni.find_class(c"jdk/internal/misc/Unsafe")?;
    let receiver = jni.call_static_object(class, c"getUnsafe", c"()Ljdk/internal/misc/Unsafe;")?;
    Some((class, receiver))
}

/// The smallest step between the sizes of growing arrays.
fn alignment(jni: Jni<'_>, jvmti: &JvmtiEnv) -> Option<i64> {
    let mut sizes = Vec::new();
    for length in (0..=512).step_by(8) {
        let array = jni.new_byte_array(length)?;
        sizes.push(i64::try_from(jvmti.object_size(array)?).ok()?);
        jni.forget(array);
    }
    sizes.windows(2).map(|pair| pair[1] - pair[0]).filter(|&step| step > 0).min()
}
