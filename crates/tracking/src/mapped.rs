//! Zeroed words mapped straight from the system: untouched pages take no memory, and what is given back is gone.
//!
//! Not from the allocator: it keeps what is freed, and writes zeros over all of a block that it hands out again.
//! The only unsafe code of this crate (docs/design/lifetimes.md#0024-memory-that-is-given-back-and-what-grows-with-classes).
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::{io, slice};

#[cfg(all(target_os = "linux", not(miri)))]
use memmap2::Advice;
#[cfg(not(miri))]
use memmap2::UncheckedAdvice;
use memmap2::{MmapMut, MmapRaw};

/// What may be mapped: any bytes are one, zeros too, and it may be written while it is read.
pub(crate) trait Word: sealed::Sealed {}

impl Word for AtomicU32 {}
impl Word for AtomicU64 {}

mod sealed {
    use std::sync::atomic::{AtomicU32, AtomicU64};

    pub(crate) trait Sealed {}
    impl Sealed for AtomicU32 {}
    impl Sealed for AtomicU64 {}
}

/// A fixed number of words in pages of their own.
#[derive(Debug)]
pub(crate) struct Mapped<W> {
    /// Raw: nobody ever has them as bytes, which others would not be allowed to write meanwhile.
    pages: MmapRaw,
    words: PhantomData<W>,
}

impl<W: Word> Mapped<W> {
    /// So many zeros.
    ///
    /// # Errors
    /// The system has no address space left, or allows no more of it.
    pub(crate) fn new(words: usize) -> io::Result<Self> {
        let pages = MmapRaw::from(MmapMut::map_anon(words * size_of::<W>())?);
        // A huge page would be written for one word. Kernels without huge pages refuse the advice, and need none.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = pages.advise(Advice::NoHugePage);
        Ok(Self { pages, words: PhantomData })
    }

    /// The words.
    pub(crate) fn words(&self) -> &[W] {
        // SAFETY: the mapping lives as long as `self`, begins at a page, and holds whole words, any bytes of which are
        // valid (`Word`). They are atomic: who has the address may write them meanwhile.
        unsafe {
            slice::from_raw_parts(self.pages.as_mut_ptr().cast::<W>(), self.pages.len() / size_of::<W>())
        }
    }

    /// Where the words begin, for code outside of Rust.
    pub(crate) fn address(&self) -> u64 {
        self.pages.as_mut_ptr().expose_provenance() as u64
    }

    /// Gives all pages back: the words are zero again. Whoever had the address must be done with it.
    pub(crate) fn clear(&self) {
        // SAFETY: pages of an anonymous, private mapping that stays mapped; they are zeros when they are next touched.
        // The words are atomic, so a reader meanwhile finds the old or the new value.
        #[cfg(not(miri))]
        let cleared = unsafe { self.pages.unchecked_advise(UncheckedAdvice::DontNeed) };
        // Miri knows no advice. What it writes here in its place races with any reader: who has none is shown so.
        // SAFETY: the same pages.
        #[cfg(miri)]
        let cleared: io::Result<()> = Ok(unsafe { self.pages.as_mut_ptr().write_bytes(0, self.pages.len()) });
        debug_assert!(cleared.is_ok(), "{cleared:?}");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    fn words_are_zero_at_first_and_again_when_given_back() {
        let mapped = Mapped::<AtomicU64>::new(1 << 18).unwrap();
        assert_eq!(mapped.words().len(), 1 << 18);
        assert_eq!(mapped.address() % 4096, 0);
        for at in [0, 1000, (1 << 18) - 1] {
            assert_eq!(mapped.words()[at].fetch_add(7, Relaxed), 0);
        }
        mapped.clear();
        assert!(mapped.words().iter().all(|word| word.load(Relaxed) == 0));
    }

    /// As Java writes them: by an address that was handed out as a number, on a thread of its own. Miri judges it (`just miri`).
    #[test]
    fn words_are_written_by_their_address_while_others_read_them_at_once() {
        const LAST: u64 = 1000;
        let mapped = Mapped::<AtomicU64>::new(512).unwrap();
        let address = mapped.address() as usize;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // SAFETY: the mapping outlives the scope, and its words are atomic.
                let third: &AtomicU64 =
                    unsafe { &*std::ptr::with_exposed_provenance::<AtomicU64>(address + 16) };
                (1..=LAST).for_each(|value| third.store(value, Relaxed));
            });
            let mut seen = 0;
            while seen < LAST {
                let now = mapped.words()[2].load(Relaxed);
                assert!(now >= seen, "{now} after {seen}");
                seen = now;
                std::thread::yield_now();
            }
        });
        mapped.clear();
        assert_eq!(mapped.words()[2].load(Relaxed), 0);
    }

    #[test]
    fn more_than_there_is_room_for_is_an_error() {
        assert!(Mapped::<AtomicU32>::new(1 << 60).is_err());
    }
}
