//! The memory of the Java heap, read while the JVM stands still: what cannot be read is refused, and never faults.
//!
//! The kernel is asked before a part is read for the first time in a pause (`process_vm_readv` of the own process, which fails where a
//! load would fault). Not here: what the bytes mean.

use std::marker::PhantomData;
use std::ptr;
use std::slice;
use std::sync::atomic::AtomicU64;

use jvmti_bindings::callbacks::CallbackContext;

/// Parts for which the kernel is asked: HotSpot commits the heap in multiples of this, and aligned so.
const PART: u64 = 64 << 10;
/// Addresses in one question.
const AT_ONCE: usize = 512;

/// Any memory of this process, copied by the kernel: slow, and safe whatever the address.
#[derive(Clone, Copy, Debug)]
pub struct OwnMemory {
    pid: libc::pid_t,
}

impl OwnMemory {
    /// Memory of this process, whether or not the kernel forbids to copy it so.
    pub(crate) fn this() -> Self {
        // SAFETY: takes nothing and cannot fail.
        Self { pid: unsafe { libc::getpid() } }
    }

    /// Memory of this process; `None` where the kernel forbids to copy it so.
    pub fn find() -> Option<Self> {
        let memory = Self::this();
        let (known, mut copied) = (0x6d61_7966_6c79u64, [0; 8]);
        let is_copied = memory.copy(ptr::from_ref(&known).addr() as u64, &mut copied);
        (is_copied && u64::from_ne_bytes(copied) == known).then_some(memory)
    }

    /// Copies what is at an address; `false` if any of it cannot be read.
    pub fn copy(self, from: u64, into: &mut [u8]) -> bool {
        self.gather(&[from], into.len(), into)
    }

    /// Copies `each` bytes from each of these addresses, one behind the other; `false` if any of it cannot be read.
    pub fn gather(self, from: &[u64], each: usize, into: &mut [u8]) -> bool {
        if from.len().checked_mul(each) != Some(into.len()) {
            return false;
        }
        let mut parts = into.chunks_mut((each * AT_ONCE).max(1));
        from.chunks(AT_ONCE).all(|from| parts.next().is_none_or(|into| self.gather_few(from, each, into)))
    }

    fn gather_few(self, from: &[u64], each: usize, into: &mut [u8]) -> bool {
        let none = libc::iovec { iov_base: ptr::null_mut(), iov_len: 0 };
        let mut remote = [none; AT_ONCE];
        for (part, &at) in remote.iter_mut().zip(from) {
            *part = libc::iovec { iov_base: ptr::without_provenance_mut(at as usize), iov_len: each };
        }
        let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
        // SAFETY: the kernel writes no more than the length of `into`, which is exclusively borrowed; it reads the addresses itself, and
        // gives fewer bytes where one of them is not readable.
        let copied = unsafe {
            libc::process_vm_readv(
                self.pid,
                &raw const local,
                1,
                remote.as_ptr(),
                from.len() as libc::c_ulong,
                0,
            )
        };
        usize::try_from(copied) == Ok(into.len())
    }
}

/// The reserved memory of the Java heap, of which not all is there at any time.
#[derive(Debug)]
pub struct HeapMemory {
    own: OwnMemory,
    start: u64,
    end: u64,
    /// A bit for each part: in this pause the kernel could read it.
    readable: Box<[AtomicU64]>,
}

impl HeapMemory {
    /// The heap from `start` up to `end`, as the JVM says; `None` if there is no such range.
    pub fn new(own: OwnMemory, (start, end): (u64, u64)) -> Option<Self> {
        /// No heap is larger: 64 TiB.
        const MOST_PARTS: u64 = 1 << 30;
        let parts = end.checked_sub(start)?.div_ceil(PART) + 1;
        let is_sane = start != 0 && start.is_multiple_of(8) && end.is_multiple_of(8) && parts <= MOST_PARTS;
        let readable = (0..parts.div_ceil(64)).map(|_| AtomicU64::new(0));
        is_sane.then(|| Self { own, start, end, readable: readable.collect() })
    }

    /// The heap for as long as a collection's event runs, on the thread that collects. What was readable before is asked for anew.
    pub fn in_pause<'pause>(&'pause mut self, _event: &'pause CallbackContext<'_>) -> PausedHeap<'pause> {
        self.readable.iter_mut().for_each(|bits| *bits.get_mut() = 0);
        PausedHeap { heap: self, on_this_thread: PhantomData }
    }
}

/// The heap in a pause.
#[derive(Debug)]
pub struct PausedHeap<'pause> {
    heap: &'pause HeapMemory,
    on_this_thread: PhantomData<*const ()>,
}

impl PausedHeap<'_> {
    /// The words of the heap from `bottom` up to `top`; `None` unless both are multiples of eight and all of it can be read.
    #[inline]
    pub fn words(&self, bottom: u64, top: u64) -> Option<&[AtomicU64]> {
        let heap = self.heap;
        let is_inside = bottom >= heap.start && top <= heap.end && bottom <= top;
        if !is_inside || (bottom | top) & 7 != 0 {
            return None;
        }
        if bottom == top {
            return Some(&[]);
        }
        let (first, last) = ((bottom - heap.start) / PART, (top - 1 - heap.start) / PART);
        if !(first..=last).all(|part| self.is_known(part)) && !self.ask(first, last) {
            return None;
        }
        // SAFETY: aligned, and inside of the heap. The kernel has read a byte of each part of it in this pause, and parts are committed
        // whole. They stay so while it lasts, and the result lives no longer: memory is given back by the thread that collects, on which
        // we are, or by one that does not run in a pause. Threads in native code may write into pinned arrays meanwhile: loads of
        // atomics are defined then, too.
        Some(unsafe {
            slice::from_raw_parts(
                ptr::with_exposed_provenance::<AtomicU64>(bottom as usize),
                ((top - bottom) / 8) as usize,
            )
        })
    }

    /// Copies what is at any address of the process; `false` if it cannot be read.
    pub fn copy(&self, from: u64, into: &mut [u8]) -> bool {
        self.heap.own.copy(from, into)
    }

    /// As [`OwnMemory::gather`].
    pub fn gather(&self, from: &[u64], each: usize, into: &mut [u8]) -> bool {
        self.heap.own.gather(from, each, into)
    }

    #[inline]
    fn is_known(&self, part: u64) -> bool {
        let bits = self.heap.readable.get((part / 64) as usize);
        bits.is_some_and(|bits| bits.load(std::sync::atomic::Ordering::Relaxed) >> (part % 64) & 1 != 0)
    }

    /// Asks the kernel for all of these parts.
    #[cold]
    fn ask(&self, first: u64, last: u64) -> bool {
        let (mut at, mut bytes) = ([0; AT_ONCE], [0; AT_ONCE]);
        let mut part = first;
        while part <= last {
            let count = ((last - part + 1) as usize).min(AT_ONCE);
            for (address, part) in at.iter_mut().zip(part..).take(count) {
                // The first word of a part is as good as any; the last part may be cut off by the end of the heap.
                *address = self.heap.start + part * PART;
            }
            if !self.heap.own.gather(&at[..count], 1, &mut bytes[..count]) {
                return false;
            }
            for known in part..part + count as u64 {
                if let Some(bits) = self.heap.readable.get((known / 64) as usize) {
                    bits.fetch_or(1 << (known % 64), std::sync::atomic::Ordering::Relaxed);
                }
            }
            part += count as u64;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of which the second half cannot be read.
    fn pages() -> u64 {
        let (len, half) = (4 * PART as usize, 2 * PART as usize);
        // SAFETY: fresh pages, of which nobody knows; they stay mapped until the process ends.
        unsafe {
            let pages = libc::mmap(
                ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(pages, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(pages.wrapping_byte_add(half), len - half, libc::PROT_NONE), 0);
            (pages.expose_provenance() as u64).next_multiple_of(8)
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let own = OwnMemory::find().expect("the kernel lets a process read itself");
        let start = pages();
        let heap = HeapMemory::new(own, (start, start + 4 * PART)).expect("a heap");
        let paused = PausedHeap { heap: &heap, on_this_thread: PhantomData };
        assert_eq!(paused.words(start, start + 2 * PART).map(<[_]>::len), Some(2 * PART as usize / 8));
        assert!(paused.words(start + 2 * PART - 8, start + 2 * PART + 8).is_none(), "not there");
        assert!(paused.words(start + 3 * PART, start + 4 * PART).is_none(), "not there");
        assert!(paused.words(start - 8, start + 8).is_none(), "not of the heap");
        assert!(paused.words(start + 4, start + 12).is_none() && paused.words(start + 8, start).is_none());
        let mut bytes = [0; 16];
        assert!(paused.copy(start, &mut bytes) && !paused.copy(start + 2 * PART - 8, &mut bytes));
        assert!(!paused.copy(0, &mut bytes) && !paused.copy(u64::MAX - 4, &mut bytes));
        assert!(!own.gather(&[start, start + 3 * PART], 8, &mut bytes));
        assert!(own.gather(&[start, start + 8], 8, &mut bytes) && !own.gather(&[start], 8, &mut bytes));
    }

    #[test]
    fn many_addresses_are_gathered_in_order() {
        let own = OwnMemory::find().expect("the kernel lets a process read itself");
        let words: Vec<u64> = (0..3 * AT_ONCE as u64 + 5).collect();
        let at: Vec<_> = words.iter().rev().map(|word| ptr::from_ref(word).addr() as u64).collect();
        let mut bytes = vec![0; words.len() * 8];
        assert!(own.gather(&at, 8, &mut bytes));
        let read: Vec<_> = bytes.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
        assert!(read.iter().rev().eq(&words));
    }
}
