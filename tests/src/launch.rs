//! Starts Java programs, with or without the agent, and the `mayfly` command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::artifacts::{agent_flag, artifacts};
use crate::fixtures::fixture_classes;
use crate::jvm::Jvm;
use crate::running::{Outcome, Running};

/// How long a program may run unless its launch says otherwise.
const LIMIT: Duration = Duration::from_secs(300);

/// A folder of one test's own, removed at its end.
#[derive(Debug)]
pub struct Workspace(TempDir);

impl Workspace {
    /// Makes one.
    ///
    /// # Panics
    /// If the system's folder for temporary files can't be written.
    #[expect(clippy::new_without_default, reason = "it touches the disk")]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// A name in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// A Java program to run.
#[derive(Clone, Debug)]
pub struct Launch {
    java: PathBuf,
    agents: Vec<String>,
    jvm_args: Vec<String>,
    main: Vec<String>,
    folder: Option<PathBuf>,
    limit: Duration,
    environment: Vec<(String, String)>,
    under: Vec<String>,
}

impl Launch {
    /// A main class of the fixtures.
    pub fn new(jvm: &Jvm, main: &str) -> Self {
        Self {
            java: jvm.java(),
            agents: Vec::new(),
            jvm_args: Vec::new(),
            main: vec![main.to_owned()],
            folder: None,
            limit: LIMIT,
            environment: Vec::new(),
            under: Vec::new(),
        }
    }

    /// Loads the agent with these options (`#…`, or nothing). Twice loads it twice.
    pub fn agent(self, options: impl AsRef<str>) -> Self {
        self.agent_at(&artifacts().agent, options)
    }

    /// As [`Self::agent`], from another file.
    pub fn agent_at(mut self, library: &Path, options: impl AsRef<str>) -> Self {
        self.agents.push(agent_flag(library, options.as_ref()));
        self
    }

    /// Arguments for the JVM.
    pub fn jvm_args(mut self, args: &[&str]) -> Self {
        self.jvm_args.extend(args.iter().map(|arg| (*arg).to_owned()));
        self
    }

    /// Arguments for the program.
    pub fn args(mut self, args: &[&str]) -> Self {
        self.main.extend(args.iter().map(|arg| (*arg).to_owned()));
        self
    }

    /// The folder to start in. Default: one in the build folder, where a crash leaves its log.
    pub fn folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Kills the program, and fails the test, after this long.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Sets a variable of its environment.
    pub fn environment(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Starts another program, which is given these arguments and then the whole java command.
    pub fn under(mut self, program: &str, args: &[&str]) -> Self {
        self.under = std::iter::once(&program).chain(args).map(|word| (*word).to_owned()).collect();
        self
    }

    /// Arguments after `java`.
    pub fn java_args(&self) -> Vec<OsString> {
        let mut args: Vec<OsString> = self.agents.iter().chain(&self.jvm_args).map(OsString::from).collect();
        args.extend(["-cp".into(), fixture_classes().into()]);
        args.extend(self.main.iter().map(OsString::from));
        args
    }

    /// The launcher.
    pub fn java(&self) -> &Path {
        &self.java
    }

    /// Starts it; its stdout is read as it comes.
    ///
    /// # Panics
    /// If `java` does not start.
    pub fn start(&self) -> Running {
        let mut command = match self.under.split_first() {
            Some((program, args)) => {
                let mut command = Command::new(program);
                command.args(args).arg(&self.java);
                command
            }
            None => Command::new(&self.java),
        };
        command.args(self.java_args());
        spawn(command, &self.environment, self.folder.clone(), self.limit)
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// If it does not end in time.
    pub fn run(&self) -> Outcome {
        self.start().finish()
    }
}

/// Runs `mayfly` with these arguments to its end, its three streams piped.
///
/// # Panics
/// If it does not start, or not end in time.
pub fn mayfly<I: IntoIterator<Item = S>, S: Into<OsString>>(args: I) -> Outcome {
    let mut command = Command::new(&artifacts().cli);
    command.args(args.into_iter().map(Into::into));
    spawn(command, &[], None, LIMIT).finish()
}

impl Running {
    /// Any program, started in the build folder with its three streams piped.
    ///
    /// # Panics
    /// If it does not start.
    pub fn of(command: Command) -> Self {
        spawn(command, &[], None, LIMIT)
    }
}

fn spawn(
    mut command: Command,
    environment: &[(String, String)],
    folder: Option<PathBuf>,
    limit: Duration,
) -> Running {
    command.current_dir(folder.unwrap_or_else(|| fixture_classes().with_file_name("")));
    // What a developer's shell adds to every JVM would be on both sides of a comparison, or change one.
    for variable in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"] {
        command.env_remove(variable);
    }
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap_or_else(|e| panic!("{} starts: {e}", command.get_program().display()));
    Running::new(child, limit)
}
