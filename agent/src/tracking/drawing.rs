//! How well a JVM's sampler draws. Not here: which JVM's does (`draws`), and what follows for a class (`calibration` of the sampled
//! engine).

/// How far samples are off besides their chance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Drawing {
    /// Not at all.
    #[default]
    Exact,
    /// As much as was seen of JVMs whose samples are set right by gaps.
    Corrected,
    /// Nobody knows: the JVM's sampler errs, and there are no gaps.
    Unknown,
}

impl Drawing {
    /// Errors are so many times those of chance, and such a share of each number besides.
    pub(crate) fn doubt(self) -> (f64, f64) {
        match self {
            Self::Exact => (1.0, 0.0),
            Self::Corrected => (1.5, 0.03),
            Self::Unknown => (1.5, 0.15),
        }
    }
}
