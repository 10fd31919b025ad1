//! What is held of objects that may become more all the time.

/// What is held of a pool.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Growth {
    /// It becomes more all the time.
    Grows,
    /// It does, and nobody has looked whether as much is held softly as soft references were made: who holds it would tell.
    PerhapsSoftly,
    /// It did for as long as the program worked: that it had little to do in the end, and nothing came.
    WhileBusy(String),
    /// It does, in so short a time that what is kept for a while looks the same: how short.
    Shortly(String),
    /// It may: why it can't be told.
    Unsure(String),
    /// It does not.
    #[default]
    Harmless,
}

impl Growth {
    /// It grew until so many milliseconds of the profiled time, when the program had little to do.
    pub(super) fn while_busy(until_ms: u64) -> Self {
        Self::WhileBusy(format!(
            "it grew for {} s, until the program's allocation fell by more than half, and not since: mayfly leaks PID under load tells whether it goes on",
            until_ms / 1000
        ))
    }

    /// What is worse comes first.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Grows => 0,
            Self::PerhapsSoftly | Self::WhileBusy(_) | Self::Shortly(_) | Self::Unsure(_) => 1,
            Self::Harmless => 2,
        }
    }

    /// Why it can't be told whether it grows for ever, if that is so.
    pub fn doubt(&self) -> Option<&str> {
        match self {
            Self::PerhapsSoftly => {
                Some("as many soft references were made: it may be a cache that the collector empties")
            }
            Self::WhileBusy(why) | Self::Shortly(why) | Self::Unsure(why) => Some(why),
            Self::Grows | Self::Harmless => None,
        }
    }

    /// Whether it surely grows, or did, or does if nothing holds it softly.
    pub fn is_worth_a_search(&self) -> bool {
        matches!(self, Self::Grows | Self::PerhapsSoftly | Self::WhileBusy(_) | Self::Shortly(_))
    }
}
