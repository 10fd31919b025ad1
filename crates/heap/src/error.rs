//! Why a heap dump could not be read.
//!
//! Not here: which file it was; the caller that opened it adds the name.

use std::borrow::Cow;

use crate::builder::TooLarge;

/// Why a heap dump can't be read. Offsets are in bytes from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeapError {
    /// The first bytes are of no format that is known.
    #[error(
        "not a heap dump: it is neither one of Mayfly's, nor hprof (jmap, HeapDumpOnOutOfMemoryError), nor INSANE's (XML or SBIH)"
    )]
    Foreign,
    /// A Mayfly heap dump of another version.
    #[error(
        "the heap dump has format {version}, this Mayfly reads format {newest}: read it with the Mayfly that wrote it"
    )]
    Version {
        /// The dump's version.
        version: u16,
        /// The version that can be read.
        newest: u16,
    },
    /// It ends too early.
    #[error(
        "the heap dump is cut off: {what} at byte {offset} is not there in full; take the dump again, or copy it again"
    )]
    Truncated {
        /// Where what is incomplete begins.
        offset: u64,
        /// What is incomplete.
        what: Cow<'static, str>,
    },
    /// Something in it can't be.
    #[error("the heap dump is damaged at byte {offset}: {what}; take the dump again, or copy it again")]
    Corrupt {
        /// Where it is.
        offset: u64,
        /// What does not hold.
        what: Cow<'static, str>,
    },
    /// What begins in one segment of an hprof file ends in the next, as some writers other than JVMs have it.
    #[error(
        "what begins at byte {offset} goes on in the next segment, which Mayfly does not read; have the program that wrote the file \
         end its segments between objects, as JVMs do"
    )]
    Split {
        /// Where it begins.
        offset: u64,
    },
    /// A heap that a format's numbers have no room for.
    #[error(
        "the heap is too large for INSANE's binary form, whose files and objects end at 2 GiB: write XML, to a name that ends in .xml"
    )]
    Unfit,
    /// More objects or references than can be held.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

impl HeapError {
    pub(crate) fn truncated(offset: usize, what: impl Into<Cow<'static, str>>) -> Self {
        Self::Truncated { offset: offset as u64, what: what.into() }
    }

    pub(crate) fn corrupt(offset: usize, what: impl Into<Cow<'static, str>>) -> Self {
        Self::Corrupt { offset: offset as u64, what: what.into() }
    }
}
