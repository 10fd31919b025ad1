//! Real programs under the agent, a file per subject: `cargo test -p mayfly-tests --test e2e gap` runs those of one.
//!
//! One binary, so that what waits is beside what works, and nothing is linked fifty times.
//!
//! Not here: every kind of allocation on every JVM (`matrix`), lifetimes of five laws (`laws`), and what the sources
//! themselves promise (`layering`).

mod advise;
mod advise_on_beds;
mod api;
mod attaching;
mod backtraces;
mod bad_input;
mod balanced;
mod blame;
mod build_tools;
mod census;
mod check;
mod ci_script;
mod collections;
mod compatibility;
mod cost;
mod crowds;
mod diff;
mod diff_on_beds;
mod doctor;
mod documented;
mod exact_later;
mod exit;
mod faults;
mod fleet;
mod full_disk;
mod gap;
mod heap_api;
mod heap_dump;
mod heap_queries;
mod heap_second_reader;
mod heap_summary;
mod held;
mod hostile_clients;
mod hostile_names;
mod hprof;
mod inside;
mod jar;
mod jmh;
mod junit5;
mod leaks;
mod leaks_on_beds;
mod lifetimes;
mod live;
mod managed;
mod mcp;
mod memory;
mod optimised_away;
mod options;
mod other_agents;
mod platforms;
mod questions;
mod readings;
mod recording;
mod rough;
mod rounds;
mod sampled;
mod samples;
mod scopes;
mod shim;
mod sites;
mod stalled_readers;
mod steering;
mod terminal;
mod threads;
mod trust;
mod truth;
mod unchanged;
mod unseen;
mod verify;
mod watching;
mod web_console;
