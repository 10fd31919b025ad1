//! How far the generations of Serial and Parallel are filled: plain loads, no call of the JVM, so it can be read inside a GC
//! callback.
//!
//! Their performance counters say it only after a collection. The fields are those exported for the serviceability agent
//! (JDK 11 to 27). Not here: other collectors' regions and pages.

use std::ffi::{CStr, c_void};

use crate::vm_structs::{field_offset, pointer_at, static_field};

/// What HotSpot calls the parts of a heap of contiguous spaces.
#[derive(Clone, Copy, Debug)]
struct Names {
    /// Classes that have the generations, static or not.
    heaps: &'static [&'static CStr],
    /// The young and the old generation.
    generations: [&'static CStr; 2],
    /// What in these points to spaces. Of the two for survivors one is empty while the program runs.
    spaces: [&'static [&'static CStr]; 2],
    /// What a space is, by release, with the class that has its bottom.
    space: &'static CStr,
    bottoms: [&'static CStr; 2],
}

const YOUNG_SPACES: &[&CStr] = &[c"_eden_space", c"_from_space", c"_to_space"];
const PARALLEL: Names = Names {
    heaps: &[c"ParallelScavengeHeap"],
    generations: [c"PSYoungGen", c"PSOldGen"],
    spaces: [YOUNG_SPACES, &[c"_object_space"]],
    space: c"MutableSpace",
    bottoms: [c"MutableSpace", c"ImmutableSpace"],
};
const SERIAL: Names = Names {
    heaps: &[c"SerialHeap", c"GenCollectedHeap"],
    generations: [c"DefNewGeneration", c"TenuredGeneration"],
    spaces: [YOUNG_SPACES, &[c"_the_space"]],
    space: c"ContiguousSpace",
    bottoms: [c"ContiguousSpace", c"Space"],
};
const GENERATION_FIELDS: [&CStr; 2] = [c"_young_gen", c"_old_gen"];

/// A generation that is made of contiguous spaces.
#[derive(Clone, Copy, Debug)]
pub struct Generation {
    at: *const c_void,
    /// Offsets of pointers to its spaces.
    spaces: [Option<usize>; 3],
    top: usize,
    bottom: usize,
}

// SAFETY: a generation lives as long as the VM; it is only read, by volatile loads.
unsafe impl Send for Generation {}
// SAFETY: as above.
unsafe impl Sync for Generation {}

impl Generation {
    /// Young and old of a VM that runs with `-XX:+UseParallelGC`; `None` of what it does not export.
    pub fn of_parallel() -> [Option<Self>; 2] {
        [0, 1].map(|which| Self::find(&PARALLEL, which))
    }

    /// The same with `-XX:+UseSerialGC`. In a VM with another collector this must not be called.
    pub fn of_serial() -> [Option<Self>; 2] {
        [0, 1].map(|which| Self::find(&SERIAL, which))
    }

    fn find(names: &Names, which: usize) -> Option<Self> {
        let at = names.heaps.iter().find_map(|heap| generation(heap, GENERATION_FIELDS[which]))?;
        let mut spaces = [None; 3];
        for (place, field) in spaces.iter_mut().zip(names.spaces[which]) {
            *place = Some(field_offset(names.generations[which], field)?);
        }
        let top = field_offset(names.space, c"_top")?;
        let bottom = names.bottoms.iter().find_map(|class| field_offset(class, c"_bottom"))?;
        Some(Self { at, spaces, top, bottom })
    }

    /// Bytes used now, to be asked while the program stands still.
    pub fn used(&self) -> u64 {
        let of = |offset: usize| {
            let space = pointer_at(self.at.wrapping_byte_add(offset))?;
            let bound = |offset: usize| pointer_at(space.wrapping_byte_add(offset)).map(|at| at as u64);
            bound(self.top)?.checked_sub(bound(self.bottom)?)
        };
        self.spaces.iter().flatten().filter_map(|&offset| of(offset)).sum()
    }
}

/// The generation in that field of the heap, if this VM knows such a heap.
fn generation(heap: &CStr, field: &CStr) -> Option<*const c_void> {
    if let Some(address) = static_field(heap, field) {
        return pointer_at(address);
    }
    let offset = field_offset(heap, field)?;
    let heap = pointer_at(static_field(c"Universe", c"_collectedHeap")?)?;
    pointer_at(heap.wrapping_byte_add(offset))
}
