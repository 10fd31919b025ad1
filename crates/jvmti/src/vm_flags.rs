//! HotSpot's own flags by name, before any Java can run: from the table that libjvm exports for the serviceability agent.
//!
//! Once it runs, `Management` tells them too. Not here: what a flag means, but for the one that is set here.

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::vm_structs::{field_offset, pointer_at, static_field, type_size};

/// The flags of this VM.
#[derive(Clone, Copy, Debug)]
pub struct VmFlags {
    first: *const u8,
    count: usize,
    stride: usize,
    name_at: usize,
    value_at: usize,
}

impl VmFlags {
    /// The table; `None` if this VM exports none, or one that can't be ours to read.
    pub fn find() -> Option<Self> {
        /// No JVM has more.
        const MOST: usize = 10_000;
        let class = c"JVMFlag";
        let first = pointer_at(static_field(class, c"flags")?)?;
        // SAFETY: `JVMFlag::numFlags` is a `size_t` (`vmStructs.cpp`).
        let count = unsafe { static_field(class, c"numFlags")?.cast::<usize>().read_unaligned() };
        let flags = Self {
            first: first.cast(),
            count,
            stride: type_size(class)?,
            name_at: field_offset(class, c"_name")?,
            value_at: field_offset(class, c"_addr")?,
        };
        (count <= MOST && flags.stride >= 2 * size_of::<usize>()).then_some(flags)
    }

    /// A boolean flag; `None` if there is none of that name.
    pub fn switch(self, name: &CStr) -> Option<bool> {
        // SAFETY: a flag of that name is a `bool` of libjvm's, by the caller's knowledge; any byte but 0 is true.
        Some(unsafe { self.value(name)?.cast::<u8>().read_volatile() } != 0)
    }

    /// A flag that is a text; `None` if there is none of that name, or it is not set.
    pub fn text(self, name: &CStr) -> Option<String> {
        let text = pointer_at(self.value(name)?)?.cast::<c_char>();
        // SAFETY: the value of a flag of type `ccstr`, a string of the JVM's that it never frees.
        Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }

    fn value(self, name: &CStr) -> Option<*const c_void> {
        (0..self.count).find_map(|index| {
            let flag = self.first.wrapping_add(index * self.stride);
            let has_name = {
                let at = pointer_at(flag.wrapping_add(self.name_at).cast())?.cast::<c_char>();
                // SAFETY: the name of a flag is a C string of libjvm's; the last entry of the table has none (`pointer_at`).
                (unsafe { CStr::from_ptr(at) }) == name
            };
            if has_name { pointer_at(flag.wrapping_add(self.value_at).cast()) } else { None }
        })
    }
}

/// Runs `collect`, a collection of the whole heap from outside, after which the JVM leaves the heap as large as it was.
///
/// A service whose heap is shrunk collects more often for minutes, or for good where large objects come before it grows again. So for as
/// long as it takes, `MaxHeapFreeRatio`, which HotSpot lets be set while it runs (`manageable`), is all of the heap.
pub(crate) fn keeping_the_heap<R>(collect: impl FnOnce() -> R) -> R {
    /// Per cent: nothing that is free is given back.
    const NEVER: usize = 100;
    static RATIO: OnceLock<Option<&'static AtomicUsize>> = OnceLock::new();
    // One at a time: what a second one found would be ours.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let ratio = *RATIO.get_or_init(|| {
        let at = VmFlags::find()?.value(c"MaxHeapFreeRatio")?.cast_mut().cast::<usize>();
        // SAFETY: the value of a flag of type `uintx`, a variable of libjvm's that is never freed, and that HotSpot itself writes while it
        // runs.
        at.is_aligned().then(|| unsafe { AtomicUsize::from_ptr(at) })
    });
    let Some(ratio) = ratio else { return collect() };
    let before = ratio.swap(NEVER, SeqCst);
    let collected = collect();
    ratio.store(before, SeqCst);
    collected
}
