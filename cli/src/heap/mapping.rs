//! A file as bytes, without reading it: one larger than memory is paged in as it is asked for.
//!
//! The only unsafe code of this package (docs/design/heap.md#0022-questions-about-a-heap).
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Deref;

use memmap2::{Advice, Mmap, UncheckedAdvice};

/// The bytes of a file.
#[derive(Debug)]
pub(crate) struct Mapping(Mmap);

impl Mapping {
    /// Maps the whole file, read-only.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        // SAFETY: the mapping is private and read-only, and only bytes are read from it, so that no value can become
        // invalid. What stays is that another process may cut the file short meanwhile: reading beyond its end then
        // ends this process by SIGBUS. It is a command that only reads; nothing is lost. Dumps appear under their
        // final name when they are whole.
        let mapping = unsafe { Mmap::map(file) }?;
        Ok(Self(mapping))
    }

    /// Tells the kernel that the file is read from front to back: it reads ahead, and forgets soon.
    pub(crate) fn read_in_order(&self) {
        // Advice: without it reading is slower, not wrong.
        let _ = self.0.advise(Advice::Sequential);
    }

    /// Lets go of the pages read so far: they are no longer this process's memory, and come again from the file if asked for.
    pub(crate) fn forget(&self) {
        // SAFETY: the mapping is of a file and never written to, so what is read again is what was there before, as far as
        // the file is the same; that it may change is said in `open`. No page is unmapped.
        let _ = unsafe { self.0.unchecked_advise(UncheckedAdvice::DontNeed) };
    }
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
