//! What is held of something that may leak.

/// What is held of a suspicion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suspicion {
    /// It leaks, as far as its witnesses can tell.
    Leak,
    /// It may: why it is not said.
    Unsure(String),
    /// It does not: why.
    Harmless(String),
}

impl Suspicion {
    /// In one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Leak => "leak",
            Self::Unsure(_) => "unsure",
            Self::Harmless(_) => "harmless",
        }
    }

    /// Why it is not called a leak, if it is not.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Leak => None,
            Self::Unsure(why) | Self::Harmless(why) => Some(why),
        }
    }

    /// Leaks first.
    pub fn rank(&self) -> u8 {
        match self {
            Self::Leak => 0,
            Self::Unsure(_) => 1,
            Self::Harmless(_) => 2,
        }
    }
}
