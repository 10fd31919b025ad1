//! Why a census cannot be trusted from here on.

/// What did not fit. Nothing of the collection in which it was met is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// The last object does not end where the objects end.
    #[error("an object of {words} words at {at:#x} does not end where its space does")]
    Overrun {
        /// Its address.
        at: u64,
        /// Its size.
        words: u64,
    },
    /// What should be a class is none.
    #[error("{klass:#x}, the class of the object at {at:#x}, is none")]
    NoClass {
        /// The object's address.
        at: u64,
        /// What its header says.
        klass: u64,
    },
    /// A copy is not where copies can be.
    #[error("the copy {copy:#x} of the object at {at:#x} is not in the heap")]
    NoCopy {
        /// The object's address.
        at: u64,
        /// Where its copy should be.
        copy: u64,
    },
    /// A known object is not as it is known.
    #[error("an object of class {0} is not laid out as the JVM's tables say")]
    Unlike(&'static str),
    /// The structures of the heap are not where they should be.
    #[error("{0} cannot be read")]
    Unreadable(&'static str),
    /// A structure of the heap says what cannot be.
    #[error("{0} is not as the JVM's tables say")]
    Absurd(&'static str),
    /// There are more classes than there is room for.
    #[error("more than {0} classes were met")]
    Full(usize),
}
