//! Weak references to tracked objects. Each is kept as a number, in a nursery and then in the ledger: made here, checked
//! here, and given back here.
#![allow(unsafe_code)] // Numbers are taken for references again, nowhere else.

use std::sync::OnceLock;

use mayfly_jvmti::{Asking, Jni, Object, WeakNumbers};
use mayfly_profile::{Gc, HOLDERS};
use mayfly_tracking::References;

use crate::target_jvm::clears_slots_in_its_pause;

/// How references are made and checked in this JVM.
#[derive(Debug, Default)]
pub(crate) struct WeakReferences {
    /// Known once the collector is.
    asking: OnceLock<Asking>,
}

/// References for one thread's call.
pub(crate) struct WeakHandles<'call>(WeakNumbers<'call>);

impl WeakReferences {
    /// The JVM collects so.
    pub(crate) fn in_jvm_with(&self, gc: Gc) {
        let slots = clears_slots_in_its_pause(gc);
        let _ = self.asking.set(if slots { Asking::Slot } else { Asking::Jni });
    }

    /// A new reference to an object; `None` if the JVM has no memory for it.
    pub(super) fn make(&self, jni: Jni<'_>, object: Object<'_>) -> Option<u64> {
        jni.weak(object).map(|weak| weak.into_bits())
    }

    /// To check and release them on this thread.
    pub(crate) fn handles<'call>(&self, jni: Jni<'call>) -> WeakHandles<'call> {
        let asking = self.asking.get().copied().unwrap_or(Asking::Jni);
        // SAFETY: numbers other than 0 are made by `make`, which only the tracker calls; nursery and ledger hold each once
        // and release it once. The way of asking is set once, by what is known of the collector.
        WeakHandles(unsafe { WeakNumbers::new(jni, asking) })
    }
}

impl<'call> WeakHandles<'call> {
    /// The object, as a fresh local reference; `None` if it is gone.
    pub(crate) fn object(&self, reference: u64) -> Option<Object<'call>> {
        self.0.object(reference)
    }
}

impl References for WeakHandles<'_> {
    fn is_cleared(&mut self, reference: u64) -> bool {
        self.0.is_cleared(reference)
    }

    fn release(&mut self, reference: u64) {
        self.0.release(reference);
    }

    fn outside_bytes(&mut self, reference: u64, kind: usize) -> Option<u64> {
        u64::try_from(self.0.long_field(reference, HOLDERS.get(kind)?.field)?).ok()
    }
}
