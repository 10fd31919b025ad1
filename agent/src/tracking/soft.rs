//! Which classes of the program are of soft references: what only these hold is a cache that the collector empties, and no leak.
//!
//! Not here: classes whose names say it (`mayfly-profile`).

use std::sync::{Mutex, PoisonError};

use mayfly_jvmti::{Class, Jni};
use mayfly_profile::{ClassId, Section};

/// Those that were met.
#[derive(Debug, Default)]
pub(crate) struct SoftClasses(Mutex<Vec<ClassId>>);

impl SoftClasses {
    /// Takes a class that is met for the first time, if it is one. No exception may be pending.
    pub(crate) fn meet(&self, jni: Jni<'_>, class: Class<'_>, id: ClassId) {
        let Some(soft) = jni.find_class(c"java/lang/ref/SoftReference") else { return };
        if jni.is_assignable(class, soft) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        }
        jni.forget(soft.as_object());
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
