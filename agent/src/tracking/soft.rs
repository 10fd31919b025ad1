//! Which classes of the program are of soft references: what only these hold is a cache that the collector empties, and no leak.
//!
//! Not here: classes whose names say it (`mayfly-profile`).

use std::sync::{Mutex, PoisonError};

use mayfly_jvmti::{Class, Jni, JvmtiEnv};
use mayfly_profile::{ClassId, Section};

/// What they extend.
const SOFT_REFERENCE: &str = "java.lang.ref.SoftReference";

/// Those that were met.
#[derive(Debug, Default)]
pub(crate) struct SoftClasses(Mutex<Vec<ClassId>>);

impl SoftClasses {
    /// Takes a class that is met for the first time, if it is one. By its superclasses: to look a class up may run the program's class loaders.
    pub(crate) fn meet(&self, jvmti: &JvmtiEnv, jni: Jni<'_>, class: Class<'_>, id: ClassId) {
        let mut superclass = jni.superclass(class);
        while let Some(one) = superclass {
            let is_soft = jvmti.class_name(one).is_some_and(|name| name == SOFT_REFERENCE);
            superclass = if is_soft { None } else { jni.superclass(one) };
            jni.forget(one.as_object());
            if is_soft {
                self.0.lock().unwrap_or_else(PoisonError::into_inner).push(id);
            }
        }
    }

    /// Those of the first so many classes, and how many these are, if that is another number than `told`.
    pub(crate) fn changed(&self, classes: usize, told: &mut usize) -> Option<Section> {
        let met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let named: Vec<_> = met.iter().copied().filter(|class| class.row() < classes).collect();
        drop(met);
        let is_news = named.len() != *told;
        *told = named.len();
        is_news.then_some(Section::SoftClasses(named))
    }
}
