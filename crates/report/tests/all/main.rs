//! Text reports from outside, a file per subject, in one program: building and linking many takes longer than most of the tests.

mod grammar;
mod heap_summary;
mod live;
mod overview;
mod post_run;
mod profiles;
