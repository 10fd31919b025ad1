//! `mayfly`: runs a Java program under the agent and reads its recording.
//!
//! The only place that prints errors and ends the process. Not here: what the commands do (`commands/`), how a target
//! is started (`session/`), what a report looks like (`report/`, `mayfly-report`).

mod agent_options;
mod args;
mod commands;
mod error;
mod exit_codes;
mod heap;
mod json;
mod live;
mod output;
mod push;
mod recording_input;
mod recordings;
mod report;
mod session;
mod verdicts;

use std::process::ExitCode;

use clap::Parser;

use mayfly_recording::control::Request;

use crate::args::{Cli, Command};

#[global_allocator]
static HEAP: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help into a closed pipe is no failure.
            let _ = error.print();
            let words: Vec<_> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
            if let Some(meant) = commands::heap::meant(&words).filter(|_| error.use_stderr()) {
                output::say(&meant);
            }
            return ExitCode::from(if error.use_stderr() { exit_codes::USAGE } else { exit_codes::SUCCESS });
        }
    };
    let outcome = match cli.command {
        Command::Run(args) => commands::run::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::Merge(args) => commands::merge::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Push(args) => commands::push::run(&args),
        Command::Check(args) => commands::check::run(args),
        Command::Diff(args) => commands::diff::run(args),
        Command::Advise(args) => commands::advise::run(&args),
        Command::Leaks(args) => commands::leaks::run(&args),
        Command::Cost(args) => commands::cost::run(&args),
        Command::Demo(args) => commands::demo::run(args),
        Command::Live(args) => commands::live::run(&args),
        Command::Ps(args) => commands::ps::run(args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::HelpFiles(args) => commands::help_files::run(&args),
        Command::Agent(args) => commands::agent::run(&args),
        Command::Attach(args) => commands::attach::run(&args),
        Command::Status(args) => commands::status::run(args),
        Command::Start(args) => commands::start::run(&args),
        Command::Stop(args) => commands::steer::stop(&args),
        Command::Record(args) => commands::record::run(args),
        Command::Pause(args) => commands::steer::run(&args, &Request::Pause),
        Command::Resume(args) => commands::steer::run(&args, &Request::Resume),
        Command::Reset(args) => commands::steer::run(&args, &Request::Reset),
        Command::Snapshot(args) => commands::snapshot::run(args),
        Command::Heap(args) => commands::heap::run(args),
        Command::Mcp(args) => commands::mcp::run(&args),
    };
    ExitCode::from(outcome.unwrap_or_else(|error| {
        output::say(&error.to_string());
        error.exit_code()
    }))
}
