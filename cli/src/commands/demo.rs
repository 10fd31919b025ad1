//! `mayfly demo`: a small Java program under the agent, to see what mayfly shows without having anything to profile.
//!
//! Not here: the program itself, `fixtures/demo/Demo.java`, which is carried inside the executable.

use std::ffi::OsString;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use crate::agent_options::AgentOptions;
use crate::args::DemoArgs;
use crate::commands::next_commands::{program, shown};
use crate::commands::run::exit_code;
use crate::error::Error;
use crate::session::agent_library;
use crate::session::java::{self, Java};
use crate::session::launch::Launch;
use crate::session::recording_files::{self, RecordingFiles};

const SOURCE: &str = include_str!("../../../fixtures/demo/Demo.java");
const SOURCE_FILE: &str = "Demo.java";
const MAIN_CLASS: &str = "demo.Demo";

/// Seconds between two histograms: in place on a terminal, as blocks otherwise.
const LIVE_ON_TERMINAL: u32 = 1;
const LIVE_PIPED: u32 = 4;

/// Runs the demo; its exit code, or why it could not be run.
pub(crate) fn run(args: DemoArgs) -> Result<u8, Error> {
    let agent = agent_library::find()?;
    let java = java::find(args.java.as_deref())?;
    let build = tempfile::tempdir()
        .map_err(|source| Error::NotWritten { name: "the folder for the demo program".to_owned(), source })?;
    let mut arguments = program_arguments(&java, build.path())?;
    arguments.push(args.seconds.to_string().into());
    let recording = recording_files::absolute_template(&args.output.unwrap_or_else(default_recording))?;

    eprintln!("mayfly demo: a web shop that nobody visits, for {} s, under the agent", args.seconds);
    eprintln!(
        "It holds four kinds of objects, that live for a moment, one second, some seconds, and for ever."
    );
    let options = options(&recording, std::io::stderr().is_terminal()).to_string();
    let launch = Launch { program: java.launcher.into(), arguments, agent, options };
    let files = RecordingFiles::before_run(&recording);
    let ended = launch.run()?;
    tell_next_steps(&files.written_by(ended.pid));
    Ok(exit_code(ended.status))
}

/// What `java` is to run: the compiled program, or the source itself where there is no compiler beside the launcher.
fn program_arguments(java: &Java, build: &Path) -> Result<Vec<OsString>, Error> {
    let source = build.join(SOURCE_FILE);
    fs::write(&source, SOURCE)
        .map_err(|error| Error::NotWritten { name: source.display().to_string(), source: error })?;
    match &java.compiler {
        Some(compiler) => {
            compile(compiler, &source, build)?;
            Ok(vec!["-cp".into(), build.into(), MAIN_CLASS.into()])
        }
        None => Ok(vec![source.into()]),
    }
}

fn compile(compiler: &Path, source: &Path, classes: &Path) -> Result<(), Error> {
    let refused = |reason| Error::DemoNotCompiled { compiler: compiler.to_owned(), reason };
    let mut javac = Command::new(compiler);
    let output =
        javac.arg("-d").arg(classes).arg(source).output().map_err(|source| refused(source.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(refused(said.lines().next().unwrap_or("it says nothing").to_owned()))
}

/// A fine sample, so that a few seconds show something; buckets that tell the demo's kinds of objects apart.
fn options(recording: &str, on_terminal: bool) -> AgentOptions {
    AgentOptions::default()
        .with("sample", "16k")
        .flag("trace")
        .with("bucket", "1,2,5")
        .with("traceignore", "java.,jdk.")
        .with("outputlimit", 5)
        .with("live", if on_terminal { LIVE_ON_TERMINAL } else { LIVE_PIPED })
        .with("recording", recording)
}

fn default_recording() -> PathBuf {
    let folder = std::env::temp_dir();
    // The name is a template; the folder's is not.
    PathBuf::from(folder.to_string_lossy().replace('%', "%%"))
        .join(format!("mayfly-demo-{}.mayfly", process::id()))
}

fn tell_next_steps(recordings: &[PathBuf]) {
    let Some(recording) = recordings.first() else {
        eprintln!("mayfly: the demo left no recording; its program needs a JDK (11 or newer): --java PATH");
        return;
    };
    let (mayfly, recording) = (program(), shown(recording));
    eprintln!("\nThe recording is {recording}. Try next:");
    eprintln!("  {mayfly} report --include demo. {recording}");
    eprintln!("  {mayfly} report --json {recording}");
    eprintln!("  {mayfly} run -- java -jar YOUR-APP.jar");
}
