//! Where ZGC's marking stands: plain loads, no call of the JVM, so it can be read inside a GC callback.
//!
//! The variables are those that ZGC without generations exports for the serviceability agent (JDK 11 to 23; in its last
//! releases under the letter X). Generational ZGC has none. Not here: what follows from a cycle.

use std::ffi::{CStr, c_void};

use crate::vm_structs::{field_offset, pointer_at, static_field};

/// `ZPhaseMarkCompleted` (`zGlobals.hpp`).
const MARK_COMPLETED: u32 = 1;

/// Class, field of the number of the cycle, field of the phase.
const NAMES: [[&CStr; 3]; 2] = [
    [c"ZGlobalsForVMStructs", c"_ZGlobalSeqNum", c"_ZGlobalPhase"],
    [c"XGlobalsForVMStructs", c"_XGlobalSeqNum", c"_XGlobalPhase"],
];

/// ZGC's own notes of its newest cycle.
#[derive(Clone, Copy, Debug)]
pub struct ZMarking {
    number: *const u32,
    phase: *const u32,
}

// SAFETY: both are variables of libjvm, which is never unloaded; they are only read, by volatile loads.
unsafe impl Send for ZMarking {}
// SAFETY: as above.
unsafe impl Sync for ZMarking {}

impl ZMarking {
    /// Those of this VM; `None` if it exports none. Where another collector runs they never change.
    pub fn find() -> Option<Self> {
        NAMES.into_iter().find_map(|[class, number, phase]| {
            let all = pointer_at(static_field(class, c"_instance_p")?)?;
            let variable = |field| pointer_at(all.wrapping_byte_add(field_offset(class, field)?));
            let aligned = |at: *const c_void| Some(at.cast::<u32>()).filter(|at| at.is_aligned());
            Some(Self { number: aligned(variable(number)?)?, phase: aligned(variable(phase)?)? })
        })
    }

    /// The number of the newest cycle that has begun to mark.
    pub fn cycle(self) -> u32 {
        // SAFETY: an aligned variable of libjvm (`find`).
        unsafe { self.number.read_volatile() }
    }

    /// Whether it has ended to mark, and did not begin to move objects yet.
    pub fn is_completed(self) -> bool {
        // SAFETY: as above.
        unsafe { self.phase.read_volatile() == MARK_COMPLETED }
    }
}
