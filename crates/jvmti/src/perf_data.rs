//! HotSpot's performance counters in memory: plain loads, no call of the JVM, so they can be read inside a GC callback.
//!
//! The memory is found through the table that the JVM exports for the serviceability agent (`gHotSpotVMStructs`, type
//! `PerfMemory`) and laid out as `jvmstat` describes it (version 2 of the instrumentation buffer). HotSpot never unmaps
//! it. Not here: what a counter means.

use std::ffi::{CStr, c_void};

use crate::vm_structs::{pointer_at, static_field};

/// `magic` of the buffer, always big-endian.
const MAGIC: [u8; 4] = [0xca, 0xfe, 0xc0, 0xc0];
const LITTLE_ENDIAN: u8 = 1;
const MAJOR_VERSION: u8 = 2;
const PROLOGUE_BYTES: usize = 32;
const ENTRY_BYTES: usize = 20;
/// JVM signature of `long`.
const TYPE_LONG: u8 = b'J';

/// The instrumentation buffer of this VM.
#[derive(Clone, Copy, Debug)]
pub struct PerfData {
    start: *const u8,
    bytes: usize,
}

/// A counter of type `long` in the buffer.
#[derive(Clone, Copy, Debug)]
pub struct PerfCounter(*const i64);

/// A text in the buffer, which the VM may change.
#[derive(Clone, Copy, Debug)]
pub struct PerfText {
    data: PerfData,
    at: usize,
    bytes: usize,
}

// SAFETY: the buffer stays mapped until the process ends; it is only read, by volatile loads.
unsafe impl Send for PerfText {}
// SAFETY: as above.
unsafe impl Sync for PerfText {}

impl PerfText {
    /// Copies as much of it as there is room for; how many bytes that are. Neither blocks nor allocates.
    pub fn copy_to(&self, into: &mut [u8]) -> usize {
        let bytes = (self.at..self.at + self.bytes).map_while(|at| self.data.read::<1>(at));
        let text = bytes.map(|[byte]| byte).take_while(|&byte| byte != 0);
        into.iter_mut().zip(text).map(|(place, byte)| *place = byte).count()
    }
}

// SAFETY: a counter is memory that stays mapped until the process ends; it is only read, by volatile loads.
unsafe impl Send for PerfCounter {}
// SAFETY: as above.
unsafe impl Sync for PerfCounter {}

impl PerfCounter {
    /// Where it is.
    pub fn address(self) -> u64 {
        self.0.expose_provenance() as u64
    }

    /// The counter's value now.
    pub fn get(self) -> i64 {
        // SAFETY: aligned and inside the buffer (checked by `PerfData::counter`), which is never unmapped.
        unsafe { self.0.read_volatile() }
    }
}

impl PerfData {
    /// The buffer; `None` if the VM keeps none (`-XX:-UsePerfData`) or lays it out in a way we do not know.
    pub fn find() -> Option<Self> {
        let (start, end) = (perf_memory_field(c"_start")?, perf_memory_field(c"_end")?);
        let bytes = (end as usize).checked_sub(start as usize).filter(|&size| size >= PROLOGUE_BYTES)?;
        let data = Self { start: start.cast(), bytes };
        let native = data.read::<1>(4)? == [LITTLE_ENDIAN] && cfg!(target_endian = "little");
        let known = data.read::<4>(0)? == MAGIC && data.read::<1>(5)? == [MAJOR_VERSION];
        (native && known).then_some(data)
    }

    /// The counter of that name, e.g. `sun.gc.collector.0.invocations`.
    pub fn counter(self, name: &str) -> Option<PerfCounter> {
        self.long_at(self.entry(name)?)
    }

    /// The text of that name, e.g. `java.rt.vmArgs`.
    pub fn text(self, name: &str) -> Option<String> {
        let text = self.changing_text(name)?;
        let mut bytes = vec![0; text.bytes];
        let length = text.copy_to(&mut bytes);
        Some(String::from_utf8_lossy(&bytes[..length]).into_owned())
    }

    /// The text of that name, to be read again and again.
    pub fn changing_text(self, name: &str) -> Option<PerfText> {
        let entry = self.entry(name)?;
        let (at, bytes) = (entry + self.number(entry + 16)?, self.number(entry + 8)?);
        Some(PerfText { data: self, at, bytes })
    }

    fn entry(self, name: &str) -> Option<usize> {
        let (mut at, entries) = (self.number(24)?, self.number(28)?);
        for _ in 0..entries {
            let length = self.number(at)?;
            if length < ENTRY_BYTES {
                return None;
            }
            if self.has_name(at + self.number(at + 4)?, name) {
                return Some(at);
            }
            at += length;
        }
        None
    }

    fn long_at(self, entry: usize) -> Option<PerfCounter> {
        let is_scalar_long = self.number(entry + 8)? == 0 && self.read::<1>(entry + 12)? == [TYPE_LONG];
        let at = entry + self.number(entry + 16)?;
        self.read::<{ size_of::<i64>() }>(at)?;
        let value = self.start.wrapping_add(at).cast::<i64>();
        (is_scalar_long && value.is_aligned()).then_some(PerfCounter(value))
    }

    fn has_name(self, at: usize, name: &str) -> bool {
        let expected = name.bytes().chain([0]).enumerate();
        expected.into_iter().all(|(offset, byte)| self.read::<1>(at + offset) == Some([byte]))
    }

    fn number(self, at: usize) -> Option<usize> {
        usize::try_from(i32::from_ne_bytes(self.read(at)?)).ok()
    }

    fn read<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        let inside = at.checked_add(N).is_some_and(|end| end <= self.bytes);
        // SAFETY: inside the buffer, which is never unmapped; the VM may write it meanwhile, hence volatile.
        inside.then(|| unsafe { self.start.add(at).cast::<[u8; N]>().read_volatile() })
    }
}

/// The pointer in a static field of HotSpot's class `PerfMemory`; `None` if it is null or unknown.
fn perf_memory_field(field: &CStr) -> Option<*const c_void> {
    pointer_at(static_field(c"PerfMemory", field)?)
}
