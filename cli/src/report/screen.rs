//! A profile as text on one screen, as the agent prints it at the end of a run; made by the same crate.

use std::io::{self, Write};

use mayfly_profile::{Profile, View};
use mayfly_report::{COLUMNS, overview};

use super::occasion::occasion;

/// At most one screen, ending in a newline. Where everything is to be had is the caller's to say.
pub(super) fn write(profile: &Profile, view: &View, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(overview(profile, view, &occasion(), COLUMNS, "").as_bytes())
}
