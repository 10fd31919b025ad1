//! What `mayfly report` writes: a profile as bytes, one file per format.
//!
//! Each has `fn write(&Profile, &View, &mut dyn Write)` and takes from the view what it has use for. Not here: the text itself
//! (`mayfly-report`, shared with the agent), and reading recordings (`mayfly-recording`).

pub(crate) mod by;
mod full;
mod json;
mod occasion;
pub(crate) mod screen;
pub(crate) mod view;

use std::io::{self, Write};

use mayfly_profile::{Profile, View};

/// A form that a report has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Text on one screen.
    Screen,
    /// Text with all rows.
    Full,
    /// The tree of who calls, as text.
    Ways,
    /// JSON by schema `mayfly-report/1`.
    Json,
}

impl Format {
    /// Writes the part of `profile` that `view` shows.
    ///
    /// # Errors
    /// Those of `out`.
    pub(crate) fn write(self, profile: &Profile, view: &View, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Screen => screen::write(profile, view, out),
            Self::Full => full::write(profile, view, out),
            Self::Ways => out.write_all(mayfly_report::ways(&view.of(profile)).as_bytes()),
            Self::Json => json::write(profile, view, out),
        }
    }

    /// The same as text.
    pub(crate) fn text(self, profile: &Profile, view: &View) -> String {
        let mut bytes = Vec::new();
        self.write(profile, view, &mut bytes).expect("a vector takes all");
        String::from_utf8(bytes).expect("reports are text")
    }
}
