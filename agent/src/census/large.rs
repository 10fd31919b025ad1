//! Where G1 keeps large objects of this JVM.

use mayfly_census::LargeObjects;

use super::layout::HeapLayout;
use super::memory::Running;
use crate::target_jvm::LargeBytes;
use crate::tracking::OwnRegions;

/// In this JVM.
#[derive(Clone)]
pub(crate) struct LargeOfJvm {
    objects: LargeObjects,
    memory: Running,
}

impl LargeOfJvm {
    /// `None` of heaps without regions, and where these can't be read.
    pub(crate) fn of(heap: &HeapLayout) -> Option<Self> {
        let memory = Running(heap.memory);
        Some(Self { objects: LargeObjects::of(&memory, &heap.layout)?, memory })
    }
}

impl LargeBytes for LargeOfJvm {
    fn now(&self) -> Option<u64> {
        self.objects.bytes(&self.memory)
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
