//! A program that is run and measured to its end; Ctrl-C ends it, and what was measured is judged.

use std::path::{Path, PathBuf};

use super::measured::{Measured, OPTIONS};
use crate::agent_options::AgentOptions;
use crate::args::judging::AdviseArgs;
use crate::commands::run::exit_code;
use crate::error::Error;
use crate::output;
use crate::recording_input;
use crate::report::Format;
use crate::session::agent_library;
use crate::session::gc_threads::Watch;
use crate::session::launch::{Ended, Launch, stdout_to_stderr};
use crate::session::recording_files::{self, RecordingFiles, unkept_folder};

/// Runs the program, and reads what was recorded of it.
pub(super) fn measure(args: &AdviseArgs) -> Result<Measured, Error> {
    let folder = unkept_folder()?;
    let template = match &args.recording {
        Some(file) => recording_files::absolute_template(file)?,
        None => recording_files::absolute_template(&folder.path().join("%p.mayfly"))?,
    };
    let mut words = args.command.iter().cloned();
    let launch = Launch {
        program: words.next().unwrap_or_default(),
        arguments: words.collect(),
        agent: agent_library::find()?,
        options: options(&template, folder.path())?.to_string(),
    };
    let files = RecordingFiles::before_run(&template);
    // JSON, or a page, alone is to be on standard output.
    let is_taken = args.form.format() != Format::Text && args.output.is_none();
    let running = launch.start(|command| if is_taken { stdout_to_stderr(command) } else { Ok(()) })?;
    let watch = launch.is_java().then(|| Watch::begin(running.pid())).flatten();
    let ended = running.wait();
    let seen = watch.map(Watch::end);
    let ended = ended?;
    let code = exit_code(ended.status);
    if code != 0 {
        output::say(&format!("the program ended with {code}"));
    }
    let path = written(&files, &launch, ended).ok_or_else(|| Error::NothingRecorded(name(args)))?;
    let profile = recording_input::read(&path, None)?;
    Ok(Measured { name: name(args), profile, seen })
}

/// Samples, as of a running JVM; what the agent reports goes where nobody reads it.
fn options(recording: &str, folder: &Path) -> Result<AgentOptions, Error> {
    let report = recording_files::literal_template(&folder.join("report"))?;
    let options = AgentOptions::parse(OPTIONS).with("engine", "sampled").with("live", 0);
    Ok(options.with("output", report).with("recording", recording))
}

/// The recording of the program's JVM; of several the one with most in it.
fn written(files: &RecordingFiles, launch: &Launch, ended: Ended) -> Option<PathBuf> {
    let written = if launch.is_java() { files.written_by(ended.pid) } else { files.all_written() };
    if written.len() > 1 {
        output::say(&format!("{} JVMs ran: the one that recorded most is judged", written.len()));
    }
    written.into_iter().max_by_key(|file| file.metadata().map_or(0, |data| data.len()))
}

fn name(args: &AdviseArgs) -> String {
    args.command.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default()
}
