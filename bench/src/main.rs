//! `mayfly-bench`: what profiling costs, as ratios of interleaved runs. Prints Markdown; `bench/runs/` is filled by hand from it.
//!
//! Checks no limits: a regression is for a reader of the tables to see, as machines differ.

mod assertions;
mod attach;
mod bed_run;
mod beds;
mod graph;
mod heap;
mod heap_readers;
mod heap_target;
mod intervals;
mod jdk;
mod jvm_wrapper;
mod leak_peers;
mod leak_truth;
mod leak_verdict;
mod leak_ways;
mod leaks;
mod measured;
mod merge;
mod micro;
mod page;
mod pauses;
mod process;
mod progress;
mod scale;
mod settings;
mod soak;
mod startup;
mod stats;
mod table;
mod trust;
mod variant;
mod view;
mod watched;

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures what the Mayfly agent costs.
///
/// Every figure is the median of interleaved runs with its spread (min–max), beside the same program without the agent.
#[derive(Parser)]
#[command(name = "mayfly-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Assertions of the Java API in a heap of a million objects: time by the clock
    Assertions(assertions::Arguments),
    /// A server under load, attached to over and over: failed requests, latency, memory, beside the same left alone
    Attach(attach::Arguments),
    /// Real programs: process CPU time, memory, unchanged results, share of allocation accounted for
    Beds(beds::Arguments),
    /// Questions to a heap graph of millions of objects: time and memory
    Graph(graph::Arguments),
    /// Heap summaries, dumps, paths, hprof histograms and dominators: time and memory
    Heap(heap::Arguments),
    /// Small programs that know what they make, run with many seeds: how often an interval of two standard errors holds the truth
    Intervals(intervals::Arguments),
    /// Programs that leak or only look so, asked in each way whether they do: who is right
    Leaks(leaks::Arguments),
    /// A fleet of recordings, merged and reported of: time, memory
    Merge(merge::Arguments),
    /// Micro workloads: CPU time of the allocating thread per operation
    Micro(micro::Arguments),
    /// The page of a made-up recording of 100,000 stacks, and of one of a GB: size, time, memory; in a browser, too
    Page(page::Arguments),
    /// Millions of live tracked objects: native memory, pauses, sweeps
    Scale(scale::Arguments),
    /// The same work over and over in every mode on every JVM found: flat memory, no hang, the same result
    Soak(soak::Arguments),
    /// Hello world: process CPU time from exec to exit
    Startup(startup::Arguments),
    /// The live view of a made-up stream of 100,000 sites: time to read, to picture and to draw a step; or of a JVM that runs: CPU
    View(view::Arguments),
    /// Stands in for java in bed scripts (internal)
    #[command(hide = true)]
    JvmWrapper {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    match dispatch(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("mayfly-bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(command: Subcommands) -> Result<ExitCode, Box<dyn Error>> {
    let healthy = match command {
        Subcommands::Assertions(arguments) => assertions::run(&arguments)?,
        Subcommands::Attach(arguments) => attach::run(&arguments)?,
        Subcommands::Beds(arguments) => beds::run(&arguments)?,
        Subcommands::Graph(arguments) => graph::run(&arguments)?,
        Subcommands::Heap(arguments) => heap::run(&arguments)?,
        Subcommands::Intervals(arguments) => intervals::run(&arguments)?,
        Subcommands::Leaks(arguments) => leaks::run(&arguments)?,
        Subcommands::Merge(arguments) => merge::run(&arguments)?,
        Subcommands::Micro(arguments) => micro::run(&arguments)?,
        Subcommands::Page(arguments) => page::run(&arguments)?,
        Subcommands::Scale(arguments) => scale::run(&arguments)?,
        Subcommands::Soak(arguments) => soak::run(&arguments)?,
        Subcommands::Startup(arguments) => startup::run(&arguments)?,
        Subcommands::View(arguments) => view::run(&arguments)?,
        Subcommands::JvmWrapper { arguments } => {
            let code = jvm_wrapper::run(&arguments)?;
            return Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)));
        }
    };
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
