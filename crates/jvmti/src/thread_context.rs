//! What a tracer says of the current thread: OpenTelemetry's thread context (OTEP 4947), a pointer to a record in a thread-local
//! variable that some library exports.
//!
//! The record begins with a trace id (16 bytes), a span id (8) and a byte that is 1 while these hold. A thread reads its own record, so
//! nobody writes it meanwhile; one that is being written when its writer allocates is not valid then. Not here: what the ids are for.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::heap_memory::OwnMemory;
use crate::libraries::{Library, libraries_ever_loaded, loaded_paths};

const SYMBOL: &CStr = c"otel_thread_ctx_v1";
/// Bytes of both ids.
const IDS: usize = 24;
/// Bytes up to the one that says whether they hold.
const HEAD: usize = IDS + 1;
const PAGE: usize = 4096;
/// No page has this number.
const NONE: usize = usize::MAX;

/// Handle of the library that exports the variable; null: none was found. It stays loaded, as threads keep the variable's address.
static LIBRARY: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
/// How many libraries had been loaded when it was looked for.
static LOADED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Address of this thread's variable, and of the page in which a record was readable last.
    static OF_THREAD: Cell<(*const AtomicPtr<u8>, usize)> = const { Cell::new((ptr::null(), NONE)) };
}

/// Looks for a library that exports the variable, if any was loaded since the last time. Whether there is one. Cheap where nothing changed.
pub fn look_for_thread_context() -> bool {
    if !LIBRARY.load(Relaxed).is_null() {
        return true;
    }
    let loaded = libraries_ever_loaded();
    if LOADED.swap(loaded, Relaxed) == loaded {
        return false;
    }
    let exporting = |path: CString| {
        let library = Library::loaded(&path)?;
        library.symbol(SYMBOL)?;
        Some(library.kept())
    };
    let Some(found) = loaded_paths().into_iter().find_map(exporting) else { return false };
    LIBRARY.store(found, Release);
    true
}

/// Trace id and, behind it, span id of this thread; `None` if there is no tracer, or it says that there are none. They may be all zero.
pub fn thread_context() -> Option<[u8; IDS]> {
    let library = LIBRARY.load(Acquire);
    if library.is_null() {
        return None;
    }
    let (mut variable, readable) = OF_THREAD.get();
    if variable.is_null() {
        // Of a thread-local variable it is the address in this thread.
        variable = Library::symbol_of(library, SYMBOL)?.cast();
        OF_THREAD.set((variable, readable));
    }
    // SAFETY: OTEP 4947 has it as a variable of pointer size, of this thread, in a library that stays loaded.
    let record = unsafe { (*variable).load(Acquire) };
    read(record.cast_const(), readable, |page| OF_THREAD.set((variable, page)))
}

/// The ids of a record, if they hold. A page is asked for once in a row, by the kernel, so that a wrong pointer never faults.
fn read(record: *const u8, readable: usize, note: impl FnOnce(usize)) -> Option<[u8; IDS]> {
    let (first, last) = (record.addr() / PAGE, record.addr().checked_add(HEAD)? / PAGE);
    let mut head = [0; HEAD];
    if record.is_null() {
        return None;
    }
    if first == readable && last == readable {
        // SAFETY: the kernel has read this page at this thread's last record. Who publishes a record keeps it until it is detached.
        unsafe { ptr::copy_nonoverlapping(record, head.as_mut_ptr(), HEAD) };
    } else {
        if !OwnMemory::this().copy(record.addr() as u64, &mut head) {
            return None;
        }
        note(first);
    }
    let (ids, valid) = head.split_first_chunk()?;
    (valid == [1]).then_some(*ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of which this byte says whether it is valid.
    fn record(valid: u8) -> [u8; HEAD] {
        let mut record = [7; HEAD];
        record[IDS] = valid;
        record
    }

    #[test]
    fn only_a_valid_record_has_ids() {
        for valid in [0, 1, 2, 255] {
            let record = record(valid);
            let known = (valid == 1).then_some([7; IDS]);
            let mut page = NONE;
            assert_eq!(read(record.as_ptr(), NONE, |read| page = read), known);
            assert_eq!(read(record.as_ptr(), page, |_| ()), known, "of a page that was read");
        }
    }

    #[test]
    fn a_pointer_to_nothing_has_none() {
        let noted = |_| panic!("nothing was read");
        for address in [0, 8, PAGE - 1, usize::MAX - 3, usize::MAX / 2] {
            assert_eq!(read(ptr::without_provenance(address), NONE, noted), None, "{address:x}");
        }
    }

    #[test]
    fn without_a_tracer_there_is_none() {
        assert!(!look_for_thread_context());
        assert!(!look_for_thread_context(), "nothing was loaded since");
        assert_eq!(thread_context(), None);
    }
}
