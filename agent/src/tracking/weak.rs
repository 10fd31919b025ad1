//! Weak references to tracked objects. Each is kept as a number, in a nursery and then in the ledger: made here, checked
//! here, and given back here.
#![allow(unsafe_code)] // Numbers are taken for references again, nowhere else.

use std::sync::OnceLock;

use mayfly_jvmti::{Asking, Jni, Object, WeakNumbers};
use mayfly_profile::{Gc, HOLDERS};
use mayfly_tracking::References;

use super::large::{LargeArrays, OwnRegions, is_primitive};
use crate::target_jvm::clears_slots_in_its_pause;

/// How references are made and checked in this JVM.
#[derive(Debug, Default)]
pub(crate) struct WeakReferences {
    /// Known once the collector is.
    asking: OnceLock<Asking>,
    /// Followed otherwise; none with collectors that free no array early.
    large: OnceLock<LargeArrays>,
}

/// References for one thread's call.
pub(crate) struct WeakHandles<'call> {
    numbers: WeakNumbers<'call>,
    large: Option<&'call LargeArrays>,
}

impl WeakReferences {
    /// The JVM collects so.
    pub(crate) fn in_jvm_with(&self, gc: Gc) {
        let slots = clears_slots_in_its_pause(gc);
        let _ = self.asking.set(if slots { Asking::Slot } else { Asking::Jni });
    }

    /// Large objects have regions of their own in this JVM.
    pub(crate) fn in_jvm_with_regions(&self, regions: Box<dyn OwnRegions>) {
        let _ = self.large.set(LargeArrays::new(regions));
    }

    /// A new reference to an object of so many bytes; `None` if the JVM has no memory for it.
    pub(super) fn make<'name>(
        &self,
        jni: Jni<'_>,
        object: Object<'_>,
        bytes: u64,
        class: impl FnOnce() -> Option<&'name str>,
    ) -> Option<u64> {
        let large =
            self.large.get().filter(|large| large.may_be_one(bytes) && class().is_some_and(is_primitive));
        let followed = large.and_then(|large| large.follow(jni.address_of(object)));
        followed.or_else(|| jni.weak(object).map(|weak| weak.into_bits()))
    }

    /// A collection ended. In its pause: neither blocks nor allocates.
    pub(crate) fn collection_ended(&self) {
        if let Some(large) = self.large.get() {
            large.look();
        }
    }

    /// To check and release them on this thread.
    pub(crate) fn handles<'call>(&'call self, jni: Jni<'call>) -> WeakHandles<'call> {
        let asking = self.asking.get().copied().unwrap_or(Asking::Jni);
        // SAFETY: numbers other than 0 are made by `make`, which only the tracker calls; nursery and ledger hold each once
        // and release it once. The way of asking is set once, by what is known of the collector. Those of large arrays are
        // slots of ours, which live as long as `self`, are read by `Asking::Slot` alone, and go to no other function below.
        let numbers = unsafe { WeakNumbers::new(jni, asking) };
        WeakHandles { numbers, large: self.large.get() }
    }
}

impl<'call> WeakHandles<'call> {
    /// The object, as a fresh local reference; `None` if it is gone.
    pub(crate) fn object(&self, reference: u64) -> Option<Object<'call>> {
        if self.is_slot(reference) { None } else { self.numbers.object(reference) }
    }
}

impl WeakHandles<'_> {
    fn is_slot(&self, reference: u64) -> bool {
        self.large.is_some_and(|large| large.has(reference))
    }
}

impl References for WeakHandles<'_> {
    fn is_cleared(&mut self, reference: u64) -> bool {
        self.numbers.is_cleared(reference)
    }

    fn release(&mut self, reference: u64) {
        if !self.large.is_some_and(|large| large.release(reference)) {
            self.numbers.release(reference);
        }
    }

    fn outside_bytes(&mut self, reference: u64, kind: usize) -> Option<u64> {
        if self.is_slot(reference) {
            return None;
        }
        u64::try_from(self.numbers.long_field(reference, HOLDERS.get(kind)?.field)?).ok()
    }
}
