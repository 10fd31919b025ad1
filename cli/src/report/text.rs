//! A profile as text: on one screen, as the agent prints it at the end of a run, or in full; made by the same crate.

use mayfly_profile::Profile;
use mayfly_report::{COLUMNS, TextOptions, overview, post_run};

use crate::report::view::View;

/// `profile` on one screen, ending in a newline. `more` says where everything is to be had.
pub(crate) fn screen(profile: &Profile, view: &View, more: &str) -> String {
    overview(profile, &options(view), COLUMNS, more)
}

/// `profile` with all rows, ending in a newline. Says itself what `view` leaves out.
pub(crate) fn full(profile: &Profile, view: &View) -> String {
    post_run(profile, &options(view))
}

fn options(view: &View) -> TextOptions {
    let view = view.clone();
    TextOptions {
        timestamp: None,
        reason: "mayfly report".to_owned(),
        output_limit: view.limit,
        filter: view.classes,
        min_size: view.larger_than,
        blame: view.blame,
        trace_ignore: view.rules.ignore,
        trace_target: view.rules.target,
    }
}
