//! Weak references that are kept as numbers: whether they are cleared, and giving them back.

use std::ffi::CStr;
use std::ptr;

use crate::jni::{Jni, call};
use crate::refs::{Object, Weak};

/// How a weak reference's referent is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    /// By JNI `IsSameObject`: right with every collector, two thread-state changes each.
    Jni,
    /// By reading the handle's slot: right where the collector sets slots of dead referents to null within its pause
    /// (Serial, Parallel, G1), and wrong with collectors that colour or clear them concurrently.
    Slot,
}

/// HotSpot's tags in the low bits of a handle (`jniHandles.hpp`).
const HANDLE_TAG: usize = 0b111;

/// Weak references kept as numbers, for one thread's call.
pub struct WeakNumbers<'call> {
    jni: Jni<'call>,
    asking: Asking,
}

impl<'call> WeakNumbers<'call> {
    /// Reads numbers as weak references.
    ///
    /// # Safety
    /// Every number passed to the result must come from [`Weak::into_bits`] and not have been released before.
    /// [`Asking::Slot`] needs a HotSpot with a collector that it is right for.
    pub unsafe fn new(jni: Jni<'call>, asking: Asking) -> Self {
        Self { jni, asking }
    }

    /// Whether the referent is gone.
    pub fn is_cleared(&self, bits: u64) -> bool {
        let Some(weak) = Weak::from_bits(bits) else { return true };
        match self.asking {
            Asking::Jni => self.jni.is_cleared(&weak),
            Asking::Slot => {
                let slot = ptr::with_exposed_provenance::<usize>(weak.raw().addr() & !HANDLE_TAG);
                // SAFETY: a handle that was not released points to its slot (contract of `new`); the JVM may write it
                // meanwhile, hence volatile.
                unsafe { slot.read_volatile() == 0 }
            }
        }
    }

    /// The referent, as a fresh local reference; `None` if it is gone.
    pub fn object(&self, bits: u64) -> Option<Object<'call>> {
        let weak = Weak::from_bits(bits)?;
        self.jni.object(call!(self.jni, NewLocalRef, weak.raw()))
    }

    /// A field of the referent that is a `long`; `None` if it is gone, or has none of that name.
    pub fn long_field(&self, bits: u64, name: &CStr) -> Option<i64> {
        let object = self.object(bits)?;
        let value = self.jni.long_field(object, name);
        self.jni.forget(object);
        value
    }

    /// Gives the reference back.
    pub fn release(&self, bits: u64) {
        if let Some(weak) = Weak::from_bits(bits) {
            self.jni.release(weak);
        }
    }
}
