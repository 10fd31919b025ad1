//! What `mayfly report` writes: a profile as bytes, one file per format.
//!
//! Each has `fn write(&Profile, &View, &mut dyn Write)` and takes from the view what it has use for. Not here: the text itself
//! (`mayfly-report`, shared with the agent), and reading recordings (`mayfly-recording`).

pub(crate) mod by;
mod format;
mod full;
mod json;
mod occasion;
pub(crate) mod screen;
pub(crate) mod view;

pub(crate) use format::Format;

use mayfly_profile::{Profile, View};

/// A report as text, or as JSON: the part of `profile` that `view` shows.
pub(crate) fn text(format: Format, profile: &Profile, view: &View) -> String {
    let mut bytes = Vec::new();
    let written = match format {
        Format::Json => json::write(profile, view, &mut bytes),
        Format::Ways => return mayfly_report::ways(&view.of(profile)),
        Format::Groups(grouping) => return mayfly_report::groups(&view.of(profile), grouping),
        Format::Traces => return mayfly_report::traces(&view.of(profile), false),
        Format::Full => full::write(profile, view, &mut bytes),
        // Others are written by `mayfly-formats`.
        _ => screen::write(profile, view, &mut bytes),
    };
    written.expect("a vector takes all");
    String::from_utf8(bytes).expect("reports are text")
}
