//! Numbers that stand for names in a stream: of a class, of a frame, of a site. Types of their own, so that none is taken for another.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id of row `index` of a table.
            ///
            /// # Panics
            ///
            /// If the table has more than `u32::MAX` rows: all of ours are bounded far below.
            #[must_use]
            pub fn of_row(index: usize) -> Self {
                Self(u32::try_from(index).expect("tables of ids are bounded"))
            }

            /// Its row in a table.
            #[must_use]
            pub const fn row(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Index of a class in a stream. Several ids may carry the same name (loaders); profiles merge them.
    ClassId;
    /// Index of a stack frame in a stream.
    FrameId;
    /// Index of a site (class and stack) in a stream.
    SiteId;
}
