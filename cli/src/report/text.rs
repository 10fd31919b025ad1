//! A profile as text: the report that the agent prints at the end of a run, made by the same crate.

use mayfly_profile::Profile;
use mayfly_report::{TextOptions, post_run};

use crate::report::view::View;

/// `profile` as text, ending in a newline. Says itself what `view` leaves out.
pub(crate) fn render(profile: &Profile, view: &View) -> String {
    let view = view.clone();
    let options = TextOptions {
        timestamp: None,
        reason: "mayfly report".to_owned(),
        output_limit: view.limit,
        filter: view.classes,
        min_size: view.larger_than,
        blame: view.blame,
        trace_ignore: view.rules.ignore,
        trace_target: view.rules.target,
    };
    post_run(profile, &options)
}
