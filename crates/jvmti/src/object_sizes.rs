//! How many bytes objects of a class have, without one at hand: from the JVM's own structure of the class.
//!
//! JVMTI tells the size of an object only, and making one would initialise its class. The structure is found through the table that
//! libjvm exports (`vm_structs`); what is read there is compared with `GetObjectSize` once. Java reads it, as a class's mirror may
//! be moved meanwhile.

use std::ffi::CStr;

use jvmti_bindings::sys::jni as sys;

use crate::jni::Jni;
use crate::jvmti_env::JvmtiEnv;
use crate::refs::{Class, GlobalClass};
use crate::vm_structs::{field_offset, int_at, static_field};

/// Classes of which an object is made to compare sizes: of several sizes, and harmless.
const COMPARED: [&CStr; 5] = [
    c"java/lang/Object",
    c"java/lang/Long",
    c"java/lang/String",
    c"java/util/ArrayList",
    c"java/util/HashMap",
];
/// Set in the layout of a class whose objects are made in an unusual way (`Klass::_lh_instance_slow_path_bit`).
const SLOW_PATH: i32 = 1;

/// Sizes of objects by their classes, in bytes.
pub struct ObjectSizes {
    reader: GlobalClass,
    method: sys::jmethodID,
    /// Where a class's mirror has the address of its structure.
    structure_at: i64,
    /// Where the layout is in there.
    layout_at: i64,
}

// SAFETY: JNI ids of methods and global references are valid on every thread.
unsafe impl Send for ObjectSizes {}
// SAFETY: as above.
unsafe impl Sync for ObjectSizes {}

impl ObjectSizes {
    /// Whether this JVM exports what is needed. May be asked before it runs.
    pub fn are_exported() -> bool {
        static_field(c"java_lang_Class", c"_klass_offset").is_some()
            && field_offset(c"Klass", c"_layout_helper").is_some()
    }

    /// `reader` has a static method of that name that is told a class and the two places, and returns what is there as an `int`.
    /// `None` if the JVM does not export what is needed, or sizes are not those that it reports.
    pub fn find(jni: Jni<'_>, jvmti: &JvmtiEnv, reader: GlobalClass, method: &CStr) -> Option<Self> {
        let structure_at = i64::from(int_at(static_field(c"java_lang_Class", c"_klass_offset")?));
        let layout_at = i64::try_from(field_offset(c"Klass", c"_layout_helper")?).ok()?;
        let method = jni.static_method(reader.get(), method, c"(Ljava/lang/Class;JJ)I")?;
        let sizes = Self { reader, method, structure_at, layout_at };
        let agrees = |name: &CStr| {
            let class = jni.find_class(name)?;
            let example = jni.allocate(class)?;
            (jvmti.object_size(example)? == u64::from(sizes.of(jni, jvmti, class)?)).then_some(())
        };
        jni.with_frame(16, || COMPARED.into_iter().try_for_each(agrees))??;
        Some(sizes)
    }

    /// Bytes of each object of a class that has objects; `None` of others, arrays among them.
    pub fn of(&self, jni: Jni<'_>, jvmti: &JvmtiEnv, class: Class<'_>) -> Option<u32> {
        let arguments = [
            sys::jvalue { l: class.raw() },
            sys::jvalue { j: self.structure_at },
            sys::jvalue { j: self.layout_at },
        ];
        // SAFETY: `find` looked the method up by these types, in this class; the arguments outlive the call.
        let layout = unsafe {
            ((**jni.raw()).CallStaticIntMethodA)(
                jni.raw(),
                self.reader.get().raw(),
                self.method,
                arguments.as_ptr(),
            )
        };
        // Of an array class it is negative, of others the size. Of abstract ones, too, as of others that are made in an unusual way.
        let exists = !jni.clear_exception() && layout > SLOW_PATH;
        (exists && (layout & SLOW_PATH == 0 || jvmti.may_have_instances(class)))
            .then_some((layout & !SLOW_PATH) as u32)
    }
}
