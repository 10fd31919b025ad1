//! Text reports from outside, a file per subject.

mod grammar;
mod heap_summary;
mod live;
mod overview;
mod overview_scopes;
mod post_run;
mod profiles;
