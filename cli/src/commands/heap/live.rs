//! `mayfly heap PID`: objects and bytes by class on the heap of a running JVM.
//!
//! The JVM counts itself, in the pause of the collection ([why](../../../../docs/design/heap.md#0029-summaries-of-a-running-jvm)); one that can't be
//! attached to is asked through its agent, if it has one.

use std::path::Path;

use clap::{Command, CommandFactory};
use mayfly_profile::HeapSummary;
use mayfly_recording::control::{Request, Response};
use serde::Serialize;

use super::overview;
use crate::args::Cli;
use crate::args::heap::LiveArgs;
use crate::commands::next_commands;
use crate::error::Error;
use crate::heap::class_rows::ClassRows;
use crate::heap::document::{self, Answer};
use crate::heap::progress::Progress;
use crate::heap::summary_file;
use crate::output;
use crate::session::connect::Target;
use crate::session::process::Process;
use crate::session::unreachable::Unreachable;
use crate::session::{attach, jvms};

/// Where the numbers are from, for JSON.
#[derive(Serialize)]
struct Source {
    pid: u32,
    /// Whether garbage is counted, too: no collections came first.
    all: bool,
    /// `jvm` or `agent`.
    counted_by: &'static str,
}

#[derive(Serialize)]
struct Live {
    #[serde(flatten)]
    classes: ClassRows,
}

impl Answer for Live {
    const QUERY: &'static str = "summary";

    fn text(&self) -> String {
        self.classes.text()
    }
}

/// A verb that was misspelt is taken for a main class.
fn no_jvm(word: &str, why: Unreachable) -> Error {
    match nearly_a_verb(word).filter(|_| matches!(why, Unreachable::NoSuchJvm { .. })) {
        Some(verb) => Error::NearlyAVerb { word: word.to_owned(), verb },
        None => why.into(),
    }
}

/// The verb that a word probably stands for; none if it is one.
pub(super) fn nearly_a_verb(word: &str) -> Option<String> {
    /// As alike as `path` and `paths`.
    const ALIKE: f64 = 0.85;
    let commands = Cli::command();
    let verbs = commands.find_subcommand("heap").into_iter().flat_map(Command::get_subcommands);
    let alike = verbs.map(|verb| (strsim::jaro_winkler(word, verb.get_name()), verb.get_name()));
    let (alike, verb) = alike.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    (alike >= ALIKE && verb != word).then(|| verb.to_owned())
}

pub(super) fn run(args: &LiveArgs) -> Result<(), Error> {
    // clap requires it unless there is a verb.
    let Some(jvm) = &args.jvm else { return Ok(()) };
    if overview::is_file(jvm) {
        return overview::run(Path::new(jvm), args);
    }
    let Some(pid) = jvms::pid_or_file(jvm).map_err(|why| no_jvm(jvm, why))? else {
        return overview::run(Path::new(jvm), args);
    };
    let (summary, counted_by) = ask(pid, args.all)?;
    let (order, shown) = (args.rows.order(), args.rows.shown);
    if let Some(output) = &args.output {
        return summary_file::write(output, &summary, order);
    }
    let classes = ClassRows::shown(&summary, order, shown);
    let source = Source { pid, all: args.all, counted_by };
    document::show(&source, &Live { classes }, shown.json.is_json())?;
    if shown.is_for_people() {
        output::say(&format!("who holds most of it: {} heap retained {pid}", next_commands::program()));
    }
    Ok(())
}

/// The summary, and who counted.
fn ask(pid: u32, all: bool) -> Result<(HeapSummary, &'static str), Error> {
    let process = Process::find(pid)?;
    process.check_user()?;
    let _progress = Progress::work("counting objects");
    match attach::class_histogram(&process, !all) {
        Ok(text) => {
            let what = |what| Unreachable::AttachFailed { pid, what };
            Ok((summary_file::from_jcmd(&text).map_err(what)?, "jvm"))
        }
        Err(refused) => {
            // That it has none is no news: why it can't be attached to is.
            let Ok(agent) = Target::find(pid) else { return Err(refused.into()) };
            ask_agent(&agent, pid, all).map(|summary| (summary, "agent"))
        }
    }
}

fn ask_agent(agent: &Target, pid: u32, all: bool) -> Result<HeapSummary, Error> {
    match agent.ask(&Request::HeapSummary { all })? {
        Response::HeapSummary(summary) => {
            if !all {
                eprintln!(
                    "mayfly: JVM {pid} can't be attached to, so its agent counted: what the program made after the collection, \
                     garbage too, is in these numbers"
                );
            }
            Ok(summary)
        }
        _ => Err(Error::unexpected(pid)),
    }
}
