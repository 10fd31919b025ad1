//! What is held of objects that may become more all the time.

/// What is held of a pool.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Growth {
    /// It becomes more all the time.
    Grows,
    /// It may: why it can't be told.
    Unsure(String),
    /// It does not.
    #[default]
    Harmless,
}

impl Growth {
    /// What is worse comes first.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Grows => 0,
            Self::Unsure(_) => 1,
            Self::Harmless => 2,
        }
    }
}
