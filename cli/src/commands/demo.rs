//! `mayfly demo`: a small Java program under the agent, to see what mayfly shows without having anything to profile.
//!
//! Not here: the program itself, `fixtures/demo/Demo.java`, which is carried inside the executable.

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::Command;

use crate::agent_options::AgentOptions;
use mayfly_profile::Profile;

use crate::args::DemoArgs;
use crate::commands::next_commands::{program, shown};
use crate::commands::report::everything;
use crate::commands::run::exit_code;
use crate::error::Error;
use crate::output;
use crate::recording_input;
use crate::report::{self, Format};
use crate::session::agent_library;
use crate::session::java::{self, Java};
use crate::session::kept_output::KeptOutput;
use crate::session::launch::{Ended, Launch};
use crate::session::recording_files::{self, RecordingFiles};

const SOURCE: &str = include_str!("../../../fixtures/demo/Demo.java");
const SOURCE_FILE: &str = "Demo.java";
const MAIN_CLASS: &str = "demo.Demo";
/// The compiler may be newer than the JVM.
const OLDEST_JAVA: &str = "11";

/// Seconds between two histograms: in place on a terminal, as blocks otherwise.
const LIVE_ON_TERMINAL: u32 = 1;
const LIVE_PIPED: u32 = 4;

/// The class that the demo keeps for ever by mistake.
const LEAK: &str = "demo.Demo$AuditEvent";

/// Runs the demo; its exit code, or why it could not be run.
pub(crate) fn run(args: DemoArgs) -> Result<u8, Error> {
    let agent = agent_library::find()?;
    let java = java::find(args.java.as_deref())?;
    let build = tempfile::tempdir()
        .map_err(|source| Error::NotWritten { name: "the folder for the demo program".to_owned(), source })?;
    let mut arguments = program_arguments(&java, build.path())?;
    arguments.push(args.seconds.to_string().into());
    let recording = recording(args.output.as_deref())?;

    eprintln!("mayfly demo: a web shop that nobody visits, under the agent for {} s.", args.seconds);
    eprintln!("Its objects live for a moment, for one second, for some seconds, or for ever.");
    let log_folder = recording_files::literal_template(build.path())?;
    let options = options(&recording, &log_folder, io::stderr().is_terminal()).to_string();
    let launch = Launch { program: java.launcher.clone().into(), arguments, agent, options };
    let files = RecordingFiles::before_run(&recording);
    let ended = run_apart(&launch)?;
    if ended.status.code().is_some_and(|code| code != 0) && java.compiler.is_none() {
        output::say("this JVM may lack a compiler; the demo needs a JDK (11 or newer): --java PATH");
    } else if let Some(recording) = files.written_by(ended.pid).first() {
        let profile = recording_input::read(recording, None)?;
        output::text(&summary(&profile, recording), None)?;
        tell_next_steps(recording);
    }
    Ok(exit_code(ended.status))
}

/// Runs it with its output kept until its end: the agent draws one block over the other, and would draw over the
/// program's lines.
fn run_apart(launch: &Launch) -> Result<Ended, Error> {
    let mut kept = KeptOutput::new().map_err(Error::OutputNotKept)?;
    let ended = launch.start(|command| kept.take_stdout_from(command))?.wait();
    kept.show(&mut io::stdout().lock()).map_err(Error::OutputNotKept)?;
    ended
}

/// The report on one screen.
fn summary(profile: &Profile, recording: &Path) -> String {
    report::text(Format::Text, profile, &profile.run.view) + &everything(&[recording.to_owned()])
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
    let output = javac
        .args(["-Xlint:-options", "--release", OLDEST_JAVA, "-d"])
        .arg(classes)
        .arg(source)
        .output()
        .map_err(|source| refused(source.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(refused(said.lines().next().unwrap_or("it says nothing").to_owned()))
}

/// A fine sample, so that a few seconds show something; buckets that tell the demo's kinds of objects apart. The agent's
/// own report goes to a file: we print a shorter one.
fn options(recording: &str, log_folder: &str, on_terminal: bool) -> AgentOptions {
    let options = AgentOptions::default()
        .with("sample", "16k")
        .flag("trace")
        .flag("lines")
        .with("bucket", "1,2,5")
        .with("outputlimit", 6)
        .with("output", log_folder)
        .with("recording", recording);
    if on_terminal {
        options.with("live", LIVE_ON_TERMINAL).flag("redraw")
    } else {
        options.with("live", LIVE_PIPED)
    }
}

fn recording(wished: Option<&Path>) -> Result<String, Error> {
    match wished {
        Some(path) => recording_files::absolute_template(path),
        None => {
            // The JVM's number, which is on the screen.
            let folder = recording_files::literal_template(&std::env::temp_dir())?;
            Ok(format!("{folder}/mayfly-demo-%p.mayfly"))
        }
    }
}

fn tell_next_steps(recording: &Path) {
    let (mayfly, recording) = (program(), shown(recording));
    eprintln!("\nThe recording is {recording}. Next:");
    eprintln!("  {mayfly} report --include '{LEAK}' {recording}   # who makes what never dies?");
    eprintln!("  {mayfly} report --json {recording}");
    eprintln!("  {mayfly} run -- java -jar YOUR-APP.jar");
}
