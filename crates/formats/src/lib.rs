//! Profiles in the formats of other tools, one file per format.
//!
//! Each has `fn write(&Profile, &Choice, &mut dyn Write)`. What is written are the cells of the profile as it is given: classes,
//! lifetimes and times were chosen before (`mayfly-profile`). So all formats have the same totals. Not here: text and JSON
//! of our own (`mayfly-report`, the CLI), and where bytes go.

mod choice;
mod collapsed;
mod csv;
mod html;
mod pprof;
mod speedscope;
mod spelling;

use std::io::{self, Write};

use mayfly_profile::Profile;

pub use choice::Choice;
pub use spelling::readable_class;

/// A format that other tools read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A line per stack: frames from the outermost on, `;` between them, the class, a number. Of flamegraph.pl and many others.
    Collapsed,
    /// JSON of speedscope.
    Speedscope,
    /// The protocol buffer of pprof, gzipped.
    Pprof,
    /// A table with a row per class and stack (RFC 4180).
    Csv,
    /// One page that needs nothing but a browser.
    Html,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Collapsed, Self::Speedscope, Self::Pprof, Self::Csv, Self::Html];

    /// Whether it is no text.
    pub fn is_binary(self) -> bool {
        self == Self::Pprof
    }

    /// Writes `profile`. Deterministic: the same profile gives the same bytes.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(self, profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Collapsed => collapsed::write(profile, choice, out),
            Self::Speedscope => speedscope::write(profile, choice, out),
            Self::Pprof => pprof::write(profile, choice, out),
            Self::Csv => csv::write(profile, choice, out),
            Self::Html => html::write(profile, choice, out),
        }
    }
}
