//! How a program of the leak bench is asked whether it leaks: each way starts it once.
//!
//! Not here: whether the answer is right (`leak_verdict`).

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::leak_peers;
use crate::leak_truth::Program;
use crate::leak_verdict::{Verdict, of_leaks, of_screen};

/// From the first request to the first look: a service is not looked at while it starts.
const SETTLED: Duration = Duration::from_secs(3);
/// Walks, collections and the command's own start take so much beside the time looked at.
const BESIDE_S: u64 = 30;

/// A way to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub(crate) enum Way {
    /// `mayfly leaks PID`
    Pid,
    /// `mayfly run`, then `mayfly leaks FILE`
    File,
    /// What `mayfly run` prints at the end
    Screen,
    /// Beside ours: `OldObjectSample` of the JDK's flight recorder, five rows of samples pooled by own frame
    Jfr,
    /// Beside ours: async-profiler's live mode, five rows (needs --async-profiler)
    Async,
}

impl Way {
    /// In tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pid => "`leaks PID`",
            Self::File => "`leaks FILE`",
            Self::Screen => "first screen",
            Self::Jfr => "JFR, five rows",
            Self::Async => "async-profiler, five rows",
        }
    }
}

/// What all runs share.
pub(crate) struct Bench {
    /// The command under test.
    pub(crate) mayfly: PathBuf,
    /// The compiled programs.
    pub(crate) classes: PathBuf,
    /// Where recordings go.
    pub(crate) folder: PathBuf,
    /// For how long a program is looked at.
    pub(crate) seconds: u64,
    /// Another profiler's library.
    pub(crate) async_profiler: Option<PathBuf>,
    /// Garbage beside it.
    pub(crate) garbage_mb_per_s: u32,
    /// Of `mayfly run`, in recordings.
    pub(crate) run_options: Vec<String>,
}

/// A JVM with its options.
pub(crate) struct Target {
    /// In tables.
    pub(crate) name: String,
    /// Its JAVA_HOME.
    pub(crate) home: PathBuf,
    /// Options of all runs.
    pub(crate) options: Vec<String>,
}

impl Target {
    fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }
}

/// A program that runs. Dropping it kills it.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        // Fails only if it has ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Bench {
    /// Asks by the running program.
    pub(crate) fn by_pid(&self, target: &Target, program: &Program) -> Verdict {
        self.ask_pid(target, program).unwrap_or_else(|error| Verdict::failed(error.to_string()))
    }

    fn ask_pid(&self, target: &Target, program: &Program) -> io::Result<Verdict> {
        let mut command = Command::new(target.java());
        self.arguments(&mut command, target, program, self.seconds + SETTLED.as_secs() + BESIDE_S);
        let mut service = Service(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?);
        let stdout = service.0.stdout.take();
        let mut ready = String::new();
        let mut lines = BufReader::new(stdout.ok_or_else(|| io::Error::other("stdout is piped"))?);
        lines.read_line(&mut ready)?;
        if !ready.starts_with("READY") {
            return Ok(Verdict::failed(format!("{} said {ready:?}, not READY", program.name)));
        }
        thread::sleep(SETTLED);
        let mut command = Command::new(&self.mayfly);
        let pid = service.0.id().to_string();
        command.args(["leaks", "--json", "--for", &format!("{}s", self.seconds), &pid]);
        Ok(judged(program, &command.output()?))
    }

    /// Asks by a recording, and by what is printed at its end.
    pub(crate) fn by_recording(&self, target: &Target, program: &Program) -> [Verdict; 2] {
        self.record(target, program).unwrap_or_else(|error| {
            let failed = Verdict::failed(error.to_string());
            [failed.clone(), failed]
        })
    }

    fn record(&self, target: &Target, program: &Program) -> io::Result<[Verdict; 2]> {
        let recording = self.folder.join(format!("{}.mayfly", program.name));
        let mut command = Command::new(&self.mayfly);
        command.args(["run", "-o"]).arg(&recording).args(&self.run_options).arg("--").arg(target.java());
        self.arguments(&mut command, target, program, self.seconds);
        let run = command.output()?;
        let screen = text(&run.stderr);
        if !run.status.success() {
            return Err(io::Error::other(format!("{}: {screen}", run.status)));
        }
        let mut command = Command::new(&self.mayfly);
        let answer = command.args(["leaks", "--json"]).arg(&recording).output()?;
        Ok([judged(program, &answer), of_screen(program, &screen)])
    }

    /// Asks another profiler, which looks from the start to the end.
    pub(crate) fn by_peer(&self, way: Way, target: &Target, program: &Program) -> Verdict {
        self.ask_peer(way, target, program).unwrap_or_else(|error| Verdict::failed(error.to_string()))
    }

    fn ask_peer(&self, way: Way, target: &Target, program: &Program) -> io::Result<Verdict> {
        let file = self.folder.join(format!("{}.{way:?}.jfr", program.name));
        let option = match (way, &self.async_profiler) {
            (Way::Async, Some(library)) => leak_peers::async_profiler_options(library, &file),
            (Way::Async, None) => return Ok(Verdict::failed("no library: name it by --async-profiler")),
            _ => leak_peers::jfr_options(&file),
        };
        let mut command = Command::new(target.java());
        command.arg(option);
        self.arguments(&mut command, target, program, self.seconds);
        let output = command.output()?;
        if !output.status.success() {
            return Ok(Verdict::failed(text(&output.stderr)));
        }
        match way {
            Way::Async => leak_peers::by_live_stacks(program, &file),
            _ => leak_peers::by_old_objects(program, &target.home.join("bin/jfr"), &file),
        }
    }

    fn arguments(&self, command: &mut Command, target: &Target, program: &Program, seconds: u64) {
        command.arg("-Xmx512m").args(&target.options).arg("-cp").arg(&self.classes);
        command.args(["leakbench.LeakBench", &program.name, &seconds.to_string()]);
        command.arg(self.garbage_mb_per_s.to_string());
    }
}

fn judged(program: &Program, answer: &Output) -> Verdict {
    of_leaks(program, answer.status.code(), &text(&answer.stdout), &text(&answer.stderr))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The command beside this program, unless another one is named.
pub(crate) fn find_mayfly(named: Option<&Path>) -> io::Result<PathBuf> {
    let beside = || Some(std::env::current_exe().ok()?.with_file_name("mayfly"));
    let mayfly = named.map(Path::to_path_buf).or_else(beside);
    mayfly.filter(|mayfly| mayfly.is_file()).ok_or_else(|| {
        io::Error::other(
            "no mayfly beside this program; build it by `cargo build --release`, or name it by --mayfly",
        )
    })
}
