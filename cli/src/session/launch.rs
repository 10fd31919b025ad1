//! Starts a program with the agent inside, and waits for it.
//!
//! Not here: which agent options to use, and where the agent lies.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::error::Error;
use crate::session::java;
use crate::session::signals::SignalWatch;

/// Environment variable whose options every JVM takes, read by HotSpot before its command line.
const TOOL_OPTIONS: &str = "JAVA_TOOL_OPTIONS";
/// The same of the launcher `java`, which puts it before its arguments.
const LAUNCHER_OPTIONS: &str = "JDK_JAVA_OPTIONS";

/// A program to run under the agent.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// A `java` launcher, or any program that starts JVMs.
    pub(crate) program: OsString,
    /// Its arguments.
    pub(crate) arguments: Vec<OsString>,
    /// Absolute path of the agent library.
    pub(crate) agent: PathBuf,
    /// The agent's options, `#name-value…`.
    pub(crate) options: String,
}

/// A program that has come to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    /// Its process id: the JVM's own if the program was a launcher.
    pub(crate) pid: u32,
    /// How it ended.
    pub(crate) status: ExitStatus,
}

/// A program that was started.
pub(crate) struct Running {
    name: String,
    child: Child,
    watch: SignalWatch,
}

impl Running {
    /// Its process id: the JVM's own if the program is a launcher.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end; passes signals on meanwhile.
    ///
    /// # Errors
    /// [`Error::NotWatched`].
    pub(crate) fn wait(mut self) -> Result<Ended, Error> {
        let ended = self.watch.forward_until_end(&mut self.child);
        let status = ended.map_err(|source| Error::NotWatched { program: self.name, source })?;
        Ok(Ended { pid: self.child.id(), status })
    }
}

/// What the program writes to standard output goes to standard error: there is an answer to be on standard output alone.
///
/// # Errors
/// What the system says about another descriptor.
pub(crate) fn stdout_to_stderr(command: &mut Command) -> io::Result<()> {
    command.stdout(Stdio::from(io::stderr().as_fd().try_clone_to_owned()?));
    Ok(())
}

impl Launch {
    /// Whether the program is the JVM, and not something that starts JVMs.
    pub(crate) fn is_java(&self) -> bool {
        java::is_launcher(&self.program)
    }

    /// Runs the program on our own standard streams, to its end. Signals sent to us go on to it.
    ///
    /// # Errors
    /// [`Error::UnpassablePath`], [`Error::NotStarted`], [`Error::NotWatched`].
    pub(crate) fn run(&self) -> Result<Ended, Error> {
        self.start(|_| Ok(()))?.wait()
    }

    /// Starts the program, with its streams as `streams` has them. Signals sent to us go on to it once it is waited for.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub(crate) fn start(
        &self,
        streams: impl FnOnce(&mut Command) -> io::Result<()>,
    ) -> Result<Running, Error> {
        self.spawn(self.command()?, streams)
    }

    /// As [`Self::start`], without the agent.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub(crate) fn start_bare(
        &self,
        streams: impl FnOnce(&mut Command) -> io::Result<()>,
    ) -> Result<Running, Error> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        self.spawn(command, streams)
    }

    fn spawn(
        &self,
        mut command: Command,
        streams: impl FnOnce(&mut Command) -> io::Result<()>,
    ) -> Result<Running, Error> {
        let not_started = |source| Error::NotStarted { program: self.name(), source };
        streams(&mut command).map_err(not_started)?;
        // Before the start: a signal must find somebody who passes it on.
        let watch =
            SignalWatch::new().map_err(|source| Error::NotWatched { program: self.name(), source })?;
        let child = command.spawn().map_err(not_started)?;
        Ok(Running { name: self.name(), child, watch })
    }

    fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    fn command(&self) -> Result<Command, Error> {
        let agent = self.agent_argument()?;
        let mut command = Command::new(&self.program);
        let existing = env::var_os(TOOL_OPTIONS);
        let is_named = |variable| env::var_os(variable).is_some_and(|it| names_an_agent(&it));
        // An agent that the environment names comes before one of the command line, and would be the one that records.
        if self.is_java() && ![TOOL_OPTIONS, LAUNCHER_OPTIONS].into_iter().any(is_named) {
            command.arg(agent);
        } else {
            command.env(TOOL_OPTIONS, with_tool_option(existing.as_deref(), &agent));
        }
        command.args(&self.arguments);
        Ok(command)
    }

    /// `-agentpath:LIBRARY=OPTIONS`; the JVM splits at the first equals sign.
    fn agent_argument(&self) -> Result<String, Error> {
        let refused =
            |contains| Error::UnpassablePath { what: "the agent's path", path: self.agent.clone(), contains };
        let library = self.agent.to_str().ok_or_else(|| refused("bytes that are not UTF-8"))?;
        if library.contains('=') {
            return Err(refused("'='"));
        }
        let equals = if self.options.is_empty() { "" } else { "=" };
        Ok(format!("-agentpath:{library}{equals}{}", self.options))
    }
}

/// Adds one option to those that are there: behind them, but before an agent of ours, as the first of two profiles.
fn with_tool_option(existing: Option<&OsStr>, option: &str) -> OsString {
    let (existing, option) = (existing.unwrap_or_default(), OsString::from(quoted(option)));
    let (first, second) = match names_an_agent(existing) {
        true => (option.as_os_str(), existing),
        false => (existing, option.as_os_str()),
    };
    let mut all = first.to_owned();
    if !first.is_empty() && !second.is_empty() {
        all.push(" ");
    }
    all.push(second);
    all
}

/// Whether one of these options loads an agent of ours.
fn names_an_agent(options: &OsStr) -> bool {
    options.to_string_lossy().split_whitespace().any(|word| {
        ["-agentpath:", "-agentlib:"].iter().any(|option| word.contains(option)) && word.contains("mayfly")
    })
}

/// As HotSpot reads it: split at whitespace, `'…'` and `"…"` taken as they are, no escapes.
fn quoted(option: &str) -> String {
    let mut all = String::new();
    for c in option.chars() {
        match c {
            '"' => all.push_str("'\"'"),
            c if c == '\'' || c.is_whitespace() => all.push_str(&format!("\"{c}\"")),
            c => all.push(c),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(program: &str, agent: &str, options: &str) -> Launch {
        Launch {
            program: program.into(),
            arguments: vec!["-cp".into(), "x".into()],
            agent: agent.into(),
            options: options.into(),
        }
    }

    fn arguments(command: &Command) -> Vec<&str> {
        command.get_args().map(|argument| argument.to_str().expect("UTF-8")).collect()
    }

    #[test]
    fn a_launcher_gets_the_agent_first() {
        let command = launch("/jdk/bin/java", "/lib.so", "#trace").command().expect("passable");
        assert_eq!(arguments(&command), ["-agentpath:/lib.so=#trace", "-cp", "x"]);
        assert_eq!(command.get_envs().count(), 0);
    }

    #[test]
    fn any_other_program_gets_it_by_the_environment() {
        let command = launch("mvn", "/lib.so", "").command().expect("passable");
        assert_eq!(arguments(&command), ["-cp", "x"]);
        let (name, value) = command.get_envs().next().expect("one variable");
        assert_eq!(name, TOOL_OPTIONS);
        assert!(
            value.is_some_and(|value| value.to_str().is_some_and(|it| it.ends_with("-agentpath:/lib.so")))
        );
    }

    #[test]
    fn tool_options_keep_what_was_there_and_quote() {
        for (existing, option, expected) in [
            (None, "-a:b", "-a:b"),
            (Some(""), "-a:b", "-a:b"),
            (Some("-Xmx1g"), "-a:b", "-Xmx1g -a:b"),
            (Some("-Xmx1g -agentpath:/x/libmayfly.so"), "-a:b", "-a:b -Xmx1g -agentpath:/x/libmayfly.so"),
            (None, "-a:my dir", "-a:my\" \"dir"),
            (None, "it's", "it\"'\"s"),
            (None, "a\"b", "a'\"'b"),
        ] {
            assert_eq!(with_tool_option(existing.map(OsStr::new), option), expected);
        }
    }

    #[test]
    fn a_library_path_with_an_equals_sign_is_refused() {
        let error = launch("java", "/a=b/lib.so", "#trace").command().unwrap_err().to_string();
        assert!(error.contains("/a=b/lib.so") && error.contains("'='"), "{error}");
    }
}
