//! `mayfly run`: a Java program under the agent, its recording kept.
//!
//! Not here: the live histogram and the report at the end, which the agent prints itself.

use std::io::{self, IsTerminal};
use std::num::NonZeroU64;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use mayfly_profile::View;

use crate::agent_options::AgentOptions;
use crate::args::running::CensusArgs;
use crate::args::{ClassArgs, RunArgs};
use crate::commands::check::{after_run, read_budget};
use crate::commands::next_commands::{program, shown};
use crate::commands::run_view;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recording_input;
use crate::report::screen;
use crate::session::agent_library;
use crate::session::launch::Launch;
use crate::session::outline::Outline;
use crate::session::recording_files::{self, RecordingFiles};

/// The densest, and how many a second at most: old survivors are seen where a program allocates little, and one that allocates much
/// pays no more than for one per 512 KiB.
const DEFAULT_SAMPLE: &str = "8k";
const DEFAULT_RATE: &str = "500..2000";
/// Rows name the line.
const LINES: &str = "lines";
/// Stacks name the pool of the thread.
pub(super) const THREADS: &str = "threads";
pub(super) const LOADERS: &str = "loaders";
/// Young collections are read in their pause.
const CENSUS: &str = "census";

/// Runs the program; its own exit code, or why it could not be started.
pub(crate) fn run(args: RunArgs) -> Result<u8, Error> {
    let options = options(&args)?;
    // A budget that can't be read is known before the program runs, not after.
    let budget = args.budget.as_deref().map(read_budget).transpose()?;
    if args.live_view {
        run_view::check(options.value("recording").unwrap_or_default())?;
    } else if args.live.is_none() && !args.no_live && std::io::stderr().is_terminal() {
        output::say(&format!("the terminal is the program's; from another one: {} status", program()));
    }
    let mut command = args.command.into_iter();
    let launch = Launch {
        program: command.next().unwrap_or_default(),
        arguments: command.collect(),
        agent: agent_library::find()?,
        options: options.to_string(),
    };
    let files = RecordingFiles::before_run(options.value("recording").unwrap_or_default());
    let ended = if args.live_view { run_view::run(&launch, &files)? } else { launch.run()? };
    let code = exit_code(ended.status);
    let recordings = if launch.is_java() { files.written_by(ended.pid) } else { files.all_written() };
    if files.keep_nothing() {
        output::say("no recording was kept: /dev/null keeps nothing");
    } else {
        let killed_by = killed_by(ended.status);
        show_killed(&recordings, killed_by);
        tell_where(&recordings, code, killed_by);
    }
    match (budget, args.budget) {
        (Some(budget), Some(path)) if code == exit_codes::SUCCESS => after_run(&budget, &path, &recordings),
        _ => Ok(code),
    }
}

/// What the agent is told: our defaults, the command line's wishes, and the raw options over all.
fn options(args: &RunArgs) -> Result<AgentOptions, Error> {
    let raw = with_absolute_recording(AgentOptions::parse(&args.agent_options))?;
    let mut ours = with_scopes(tracking(args, &raw), &args.scope)?;
    ours = with_beside(ours, [(args.threads, THREADS), (args.loaders, LOADERS)]);
    ours = with_census(ours, &args.census);
    ours = ours.with("live", args.live.map_or(0, NonZeroU64::get));
    ours = with_classes(ours, &args.classes)?;
    if raw.value("recording").is_none() {
        ours = ours.with("recording", recording_files::absolute_template(&args.output)?);
    }
    for (name, bounds) in [("loop", &args.rotate), ("keep", &args.keep)] {
        ours = bounds.iter().fold(ours, |ours, bound| ours.with(name, bound));
    }
    Ok(ours.overridden_by(raw))
}

fn tracking(args: &RunArgs, raw: &AgentOptions) -> AgentOptions {
    let options = AgentOptions::default();
    if args.counts_only {
        options
    } else if args.sampled {
        // The agent knows an interval of its own.
        args.sample.iter().fold(by_the_sampler(), |options, bytes| options.with("sample", bytes))
    } else if args.every_object || raw.value("every").is_some() {
        // Every Nth object is a choice among all objects, not among a sample.
        every_object()
    } else {
        let followed = match &args.sample {
            Some(bytes) => options.with("sample", bytes).flag("trace").flag(LINES),
            None => followed_by_default(),
        };
        // The sample does not show in which scope an object was made.
        if args.scopes || !args.scope.is_empty() { followed.flag("scope-survivors") } else { followed }
    }
}

/// Lifetimes and stacks of a sample, for who names nothing else.
pub(super) fn followed_by_default() -> AgentOptions {
    let options = AgentOptions::default().with("sample", DEFAULT_SAMPLE).with("sample-rate", DEFAULT_RATE);
    options.flag("trace").flag(LINES)
}

/// As `--sampled` has it.
pub(super) fn by_the_sampler() -> AgentOptions {
    AgentOptions::default().with("engine", "sampled")
}

/// As `--every-object` has it.
pub(super) fn every_object() -> AgentOptions {
    AgentOptions::default().flag("trackcollections").flag("trace").flag(LINES)
}

/// The options that go with each engine.
pub(super) fn with_beside(options: AgentOptions, beside: [(bool, &str); 2]) -> AgentOptions {
    let named = beside.into_iter().filter(|(is_wanted, _)| *is_wanted);
    let ours = named.fold(AgentOptions::default(), |ours, (_, name)| ours.flag(name));
    options.overridden_by(ours)
}

/// And with young collections read, if they are to be.
pub(super) fn with_census(options: AgentOptions, census: &CensusArgs) -> AgentOptions {
    if !census.census {
        return options;
    }
    let ours = AgentOptions::default().flag(CENSUS);
    options.overridden_by(census.pause.iter().fold(ours, |ours, most| ours.with("pause", most)))
}

fn with_scopes(mut options: AgentOptions, scopes: &[String]) -> Result<AgentOptions, Error> {
    for scope in scopes {
        if scope.trim().is_empty() || scope.contains('#') {
            return Err(Error::UnpassableName { option: "--scope", value: scope.clone() });
        }
        options = options.with("scope", scope);
    }
    Ok(options)
}

fn with_classes(mut options: AgentOptions, classes: &ClassArgs) -> Result<AgentOptions, Error> {
    for (option, flag, names) in
        [("include", "--include", &classes.include), ("exclude", "--exclude", &classes.exclude)]
    {
        if let Some(name) = names.iter().find(|name| name.trim().is_empty() || name.contains('#')) {
            return Err(Error::UnpassableName { option: flag, value: name.clone() });
        }
        if !names.is_empty() {
            options = options.with(option, names.join(","));
        }
    }
    Ok(if classes.exact_match { options.flag("exactmatch") } else { options })
}

pub(super) fn with_absolute_recording(raw: AgentOptions) -> Result<AgentOptions, Error> {
    match raw.value("recording").map(|path| recording_files::absolute_template(Path::new(path))) {
        Some(absolute) => {
            let absolute = AgentOptions::default().with("recording", absolute?);
            Ok(raw.overridden_by(absolute))
        }
        None => Ok(raw),
    }
}

/// Shows on stderr what a JVM that was killed could not: of one that is alone, as of its last step.
fn show_killed(recordings: &[PathBuf], killed_by: Option<u8>) {
    let [recording] = recordings else { return };
    let is_cut_off = || Outline::of(recording).is_ok_and(|outline| !outline.complete);
    if killed_by.is_none() || !is_cut_off() {
        return;
    }
    if let Ok(profile) = recording_input::read_snapshot(recording) {
        // What can't be shown is in the recording.
        let _ = screen::write(&profile, &View::default(), &mut io::stderr().lock());
    }
}

/// The signal that ended a program, also one that a shell ran.
fn killed_by(status: ExitStatus) -> Option<u8> {
    exit_code(status).checked_sub(exit_codes::KILLED_BY_SIGNAL).filter(|&signal| signal > 0)
}

/// Says on stderr, behind the agent's report, where the recording is and how to read it.
fn tell_where(recordings: &[PathBuf], code: u8, killed_by: Option<u8>) {
    // An agent that refuses to start has said why, and ended the JVM with this code.
    if recordings.is_empty() && code != exit_codes::USAGE {
        output::say(
            "there is no recording: no JVM with the agent in it got as far as to write one, or it was removed meanwhile",
        );
    }
    let (runs, recordings) = recording_files::by_run(recordings);
    for (run, files) in runs {
        let run = shown_files(&run);
        output::say(&format!(
            "recording {run} ({files} files of one run); read them: {} report {run}",
            program()
        ));
    }
    for recording in recordings {
        let path = shown(recording);
        let (who, cut_off) = outlined(recording, killed_by);
        output::say(&format!("recording {path}{who}{cut_off}; read it: {} report {path}", program()));
    }
}

/// The name that files of one run have in common, for a shell.
fn shown_files(name: &Path) -> String {
    let extension = name.extension().map(|it| format!(".{}", it.to_string_lossy())).unwrap_or_default();
    format!("{}-*{extension}", shown(&name.with_extension("")))
}

/// Whose recording it is, and whether its end is missing.
fn outlined(recording: &Path, killed_by: Option<u8>) -> (String, String) {
    let Ok(outline) = Outline::of(recording) else { return (String::new(), String::new()) };
    let who = Some(outline.who()).filter(|who| !who.is_empty()).map(|who| format!(" ({who})"));
    let cut_off = match (outline.complete, killed_by) {
        (true, _) => String::new(),
        (false, Some(signal)) => {
            format!(" is cut off: signal {signal} ended the JVM; it has all but the last seconds")
        }
        (false, None) => {
            " is cut off: the JVM was killed, still runs, or could not write to its end".to_owned()
        }
    };
    (who.unwrap_or_default(), cut_off)
}

/// The program's own code, or that of the signal that ended it.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    let signal = || exit_codes::KILLED_BY_SIGNAL + status.signal().unwrap_or_default() as u8;
    status.code().map_or_else(signal, |code| code as u8)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn options_of(words: &[&str]) -> String {
        let line = ["mayfly", "run", "-o", "/r/%p"].iter().chain(words).chain(&["java"]);
        let Command::Run(args) = Cli::try_parse_from(line).expect("parses").command else {
            panic!("not run")
        };
        options(&args).expect("passable").to_string()
    }

    #[test]
    fn defaults_follow_a_sample_and_leave_the_terminal_alone() {
        assert_eq!(options_of(&[]), "#sample-8k#sample-rate-500..2000#trace#lines#live-0#recording-/r/%p");
    }

    #[test]
    fn flags_choose_what_is_tracked() {
        assert_eq!(options_of(&["--every-object"]), "#trackcollections#trace#lines#live-0#recording-/r/%p");
        assert_eq!(options_of(&["--sampled"]), "#engine-sampled#live-0#recording-/r/%p");
        assert_eq!(
            options_of(&["--sampled", "--sample", "1m"]),
            "#engine-sampled#sample-1m#live-0#recording-/r/%p"
        );
        assert_eq!(
            options_of(&["--sampled", "--census", "--threads", "--loaders"]),
            "#engine-sampled#threads#loaders#census#live-0#recording-/r/%p"
        );
        assert_eq!(
            options_of(&["--census", "--sampled", "--pause", "0"]),
            "#engine-sampled#census#pause-0#live-0#recording-/r/%p"
        );
        for words in [&["--pause", "5"][..], &["--census", "--pause", "5s"]] {
            let line = [&["mayfly", "run"], words, &["java"]].concat();
            assert!(Cli::try_parse_from(line).is_err(), "{words:?}");
        }
        assert_eq!(options_of(&["--counts-only"]), "#live-0#recording-/r/%p");
        assert_eq!(
            options_of(&["--counts-only", "--loop", "1h", "--keep", "24h", "--keep", "1g"]),
            "#live-0#recording-/r/%p#loop-1h#keep-24h#keep-1g"
        );
        assert_eq!(options_of(&["--sample", "64k"]), "#sample-64k#trace#lines#live-0#recording-/r/%p");
    }

    #[test]
    fn a_scope_is_followed_by_what_shows_its_survivors() {
        let two = ["--scope", "a.B.c", "--scope", "a.D.e"];
        let scopes = "#scope-a.B.c#scope-a.D.e#live-0";
        let sample = "#sample-8k#sample-rate-500..2000#trace#lines#scope-survivors";
        assert_eq!(options_of(&two), format!("{sample}{scopes}#recording-/r/%p"));
        assert_eq!(
            options_of(&["--sample", "64k", "--scopes"]),
            "#sample-64k#trace#lines#scope-survivors#live-0#recording-/r/%p"
        );
        assert_eq!(
            options_of(&[&two[..], &["--every-object", "--agent-options", "#scope-f.G.h"]].concat()),
            format!("#trackcollections#trace#lines{scopes}#recording-/r/%p#scope-f.G.h"),
            "raw scopes are further ones"
        );
        assert_eq!(
            options_of(&["--scopes"]),
            format!("{sample}#live-0#recording-/r/%p"),
            "scopes that the program enters"
        );
        assert_eq!(options_of(&["--scope", "a.B.c", "--counts-only"]), "#scope-a.B.c#live-0#recording-/r/%p");
    }

    #[test]
    fn live_is_as_asked_for() {
        assert_eq!(
            options_of(&["--live=3"]),
            "#sample-8k#sample-rate-500..2000#trace#lines#live-3#recording-/r/%p"
        );
        assert_eq!(
            options_of(&["--no-live"]),
            "#sample-8k#sample-rate-500..2000#trace#lines#live-0#recording-/r/%p"
        );
    }

    #[test]
    fn class_filters_go_to_the_agent() {
        assert_eq!(
            options_of(&["--include", "a.b,[C", "--include", "c", "--exclude", "a.b.X", "--exact-match"]),
            "#sample-8k#sample-rate-500..2000#trace#lines#live-0#include-a.b,[C,c#exclude-a.b.X#exactmatch#recording-/r/%p"
        );
    }

    #[test]
    fn raw_options_win() {
        assert_eq!(
            options_of(&["--agent-options", "#trackcollection#live-0#recording-/x-y"]),
            "#trace#lines#trackcollection#live-0#recording-/x-y"
        );
        assert_eq!(
            options_of(&["--agent-options", "#every-10"]),
            "#trackcollections#trace#lines#live-0#recording-/r/%p#every-10"
        );
    }

    #[test]
    fn names_that_would_break_the_option_string_are_refused() {
        for name in ["a#gc-1", "", "a,,b"] {
            let line = ["mayfly", "run", "--exclude", name, "java"];
            let Command::Run(args) = Cli::try_parse_from(line).expect("parses").command else {
                panic!("not run")
            };
            assert!(matches!(options(&args), Err(Error::UnpassableName { .. })), "{name:?}");
        }
    }

    #[test]
    fn signals_end_as_shells_say() {
        assert_eq!(exit_code(ExitStatus::from_raw(9)), 137);
        assert_eq!(exit_code(ExitStatus::from_raw(7 << 8)), 7);
    }
}
