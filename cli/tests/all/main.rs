//! The command from outside, a file per subject.

mod agree;
mod browser;
mod check;
mod demo;
mod diff;
mod diff_page;
mod export;
mod formats;
mod groups;
mod heap;
mod leaks_of_many;
mod measures;
mod merge;
mod page;
mod page_features;
mod phases;
mod push;
mod readers;
mod recorded;
mod report;
mod run;
mod traces;
mod verdict_forms;
