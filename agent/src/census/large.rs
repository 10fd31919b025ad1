//! Where G1 keeps large objects of this JVM.

use mayfly_census::{Collector, LargeObjects, Layout};
use mayfly_jvmti::{OwnMemory, VmFlags};
use mayfly_profile::Gc;

use super::memory::{OfJvm, Running};
use crate::target_jvm::Target;
use crate::tracking::OwnRegions;

/// In this JVM.
pub(crate) struct LargeOfJvm {
    objects: LargeObjects,
    memory: Running,
}

impl LargeOfJvm {
    /// `None` of other collectors, and where that can't be read.
    pub(crate) fn find(target: &Target) -> Option<Self> {
        /// Of objects, which is of no matter here.
        const ALIGNMENT: u64 = 8;
        if target.info().gc != Gc::G1 {
            return None;
        }
        let memory = Running(OwnMemory::find()?);
        let layout = Layout::find(&OfJvm(VmFlags::find()?), &memory, (Collector::G1, ALIGNMENT)).ok()?;
        Some(Self { objects: LargeObjects::of(&memory, &layout)?, memory })
    }
}

impl OwnRegions for LargeOfJvm {
    fn more_than_bytes(&self) -> u64 {
        self.objects.more_than_bytes()
    }

    fn is_there(&self, address: u64) -> bool {
        self.objects.is_there(&self.memory, address).unwrap_or(true)
    }
}
