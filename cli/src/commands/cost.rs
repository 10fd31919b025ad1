//! `mayfly cost`: what profiling costs a program, measured.
//!
//! Not here: what follows from the runs (`mayfly-verdicts`), and what it looks like (`verdicts/`).

use std::io;
use std::process::{Command, Stdio};
use std::time::Duration;

use mayfly_verdicts::{Cost, MeasuredRun};

use crate::agent_options::AgentOptions;
use crate::args::judging::CostArgs;
use crate::commands::run::{by_the_sampler, every_object, exit_code, followed_by_default};
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::session::agent_library;
use crate::session::launch::{Launch, stdout_to_stderr};
use crate::session::measured_run::{Measured, measure};
use crate::session::output_tail::OutputTail;
use crate::session::recording_files;
use crate::verdicts::{Costs, Way, costs_document, costs_json, show};

/// What a program ends with that SIGTERM ended.
const TERMINATED: u8 = exit_codes::KILLED_BY_SIGNAL + 15;

/// Of programs that run for less the start is most.
const LONG: Duration = Duration::from_secs(4);

/// A way to run: its name, and the agent's options, without which there is no agent.
type WayToRun = (&'static str, Option<AgentOptions>);

/// Runs the program each way in each round, and compares.
pub(crate) fn run(args: &CostArgs) -> Result<u8, Error> {
    let ways = ways(args.all);
    let folder = recording_files::unkept_folder()?;
    let recording = recording_files::absolute_template(&folder.path().join("%p.mayfly"))?;
    let mut words = args.command.iter().cloned();
    let launch = Launch {
        program: words.next().unwrap_or_default(),
        arguments: words.collect(),
        agent: agent_library::find()?,
        options: String::new(),
    };
    let one_run =
        |way: &WayToRun, half, is_shown| one_run(&launch, way, &recording, (args.time, half), is_shown);
    let rounds = usize::from(args.rounds);
    output::say(&format!(
        "{} runs, one to warm up; what the program writes is shown of that one",
        1 + rounds * ways.len()
    ));
    let warm = one_run(&ways[0], None, true)?;
    let half = args.time.or(Some(warm.elapsed).filter(|&elapsed| elapsed >= LONG)).map(|whole| whole / 2);
    let mut runs: Vec<Vec<MeasuredRun>> = vec![Vec::new(); ways.len()];
    for round in 0..rounds {
        for turn in 0..ways.len() {
            // Each way is first once: what the one before leaves behind is nobody's alone.
            let way = (turn + round) % ways.len();
            runs[way].push(one_run(&ways[way], half, false)?);
        }
        output::say(&format!("round {} of {rounds} is done", round + 1));
    }
    let costs = Costs {
        program: args.command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "),
        rounds,
        ended_after: args.time,
        ways: ways
            .iter()
            .zip(&runs)
            .filter_map(|(&(name, _), with)| Some(Way { name, cost: Cost::of(&runs[0], with)? }))
            .collect(),
    };
    let json = || costs_json(&costs);
    show(&costs_document(&costs), json, "what Mayfly costs", args.form.format(), args.output.as_deref())?;
    Ok(exit_codes::SUCCESS)
}

fn ways(all: bool) -> Vec<WayToRun> {
    let mut ways = vec![
        ("without Mayfly", None),
        ("mayfly run --sampled", Some(by_the_sampler())),
        ("mayfly run", Some(followed_by_default())),
    ];
    if all {
        ways.insert(2, ("mayfly run --counts-only", Some(AgentOptions::default())));
        ways.push(("mayfly run --every-object", Some(every_object())));
    }
    ways
}

fn one_run(
    launch: &Launch,
    (name, options): &WayToRun,
    recording: &str,
    (time, half): (Option<Duration>, Option<Duration>),
    is_shown: bool,
) -> Result<MeasuredRun, Error> {
    let mut tail = None;
    let streams = |command: &mut Command| streams(command, is_shown, &mut tail);
    let running = match options.clone() {
        Some(options) => {
            let options = options.with("live", 0).with("recording", recording).to_string();
            Launch { options, ..launch.clone() }.start(streams)?
        }
        None => launch.start_bare(streams)?,
    };
    let Measured { status, is_out_of_time, run } = measure(running, time, half)?;
    match exit_code(status) {
        0 => Ok(run),
        // Sent by somebody else, it is of this command, too: runs that were cut short are no answer.
        TERMINATED if is_out_of_time => Ok(run),
        code => {
            let program = launch.program.to_string_lossy().into_owned();
            let wrote = match tail.map(|tail| tail.lines()) {
                Some(lines) if lines.is_empty() => "it wrote nothing",
                lines => {
                    lines.into_iter().for_each(|lines| output::beside(&(lines + "\n")));
                    "see what it wrote, above"
                }
            };
            Err(Error::NotMeasured { program, way: name, code, wrote })
        }
    }
}

/// Nothing to read; what is written goes to standard error, where no answer is, or its last lines are kept.
fn streams(command: &mut Command, is_shown: bool, tail: &mut Option<OutputTail>) -> io::Result<()> {
    command.stdin(Stdio::null());
    if is_shown {
        return stdout_to_stderr(command);
    }
    *tail = Some(OutputTail::of(command)?);
    Ok(())
}
