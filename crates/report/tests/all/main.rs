//! Text reports from outside, a file per subject.

mod grammar;
mod heap_summary;
mod live;
mod overview;
mod post_run;
mod profiles;
