//! A profile as text: on one screen, as the agent prints it at the end of a run, or in full; made by the same crate.

use mayfly_profile::{Profile, View};
use mayfly_report::{COLUMNS, Occasion, overview, post_run};

/// `profile` on one screen, ending in a newline. `more` says where everything is to be had.
pub(crate) fn screen(profile: &Profile, view: &View, more: &str) -> String {
    overview(profile, view, &occasion(), COLUMNS, more)
}

/// `profile` with all rows, ending in a newline. Says itself what `view` leaves out.
pub(crate) fn full(profile: &Profile, view: &View) -> String {
    post_run(profile, view, &occasion())
}

fn occasion() -> Occasion {
    Occasion { timestamp: None, reason: "mayfly report".to_owned() }
}
