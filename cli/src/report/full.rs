//! A profile as text with all rows, in InMemProfiler's grammar; made by the crate that the agent has, too.

use std::io::{self, Write};

use mayfly_profile::{Profile, View};
use mayfly_report::post_run;

use super::occasion::occasion;

/// All rows that the view shows, ending in a newline. Says itself what is left out.
pub(super) fn write(profile: &Profile, view: &View, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(post_run(profile, view, &occasion()).as_bytes())
}
