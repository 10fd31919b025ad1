//! One run of one bed script: a real program, installed and started by a script, under given JVM options. Compares nothing.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use thiserror::Error;

use crate::jvm_wrapper::{
    MEASURED, MOMENTS_FOLDER, Moment, REAL_JAVA, USAGE_FILE, Usage, moments_file, write_launcher,
};
use crate::pauses::{Pauses, logs_of_each, option_of_each};
use crate::progress::{left_in_heap, reached_s, value_at};
use crate::trust::{self, Trust, TrustError};

/// Variables by which what a bed does could differ between two runs.
const BED_VARIABLES: [&str; 8] = ["N", SECONDS, "READS", "ROUNDS", "PORT", "HEAP", "KEEP", "RDOCOPT"];
/// For how long a server is under load.
pub(crate) const SECONDS: &str = "SECS";
/// The share of all that is allocated after which a program counts as warm.
const WARM: f64 = 1.0 / 3.0;
const POLL: Duration = Duration::from_millis(50);

/// What one run gave.
#[derive(Clone, Debug)]
pub(crate) struct BedRun {
    /// The `BED-RESULT` line: equal for equal work.
    pub(crate) result: String,
    /// CPU time of all its measured JVMs, in seconds.
    pub(crate) jvm_cpu_s: f64,
    /// What it served, if the bed runs for a fixed time.
    pub(crate) requests: Option<f64>,
    /// Largest resident set of one of its JVMs, in MiB.
    pub(crate) rss_mib: f64,
    /// Its measured JVMs.
    pub(crate) jvms: Vec<MeasuredJvm>,
    /// How long its JVMs stood still each time; of JDK 17 and later.
    pub(crate) pauses: Pauses,
    /// What the agent says of itself; `None` without our agent.
    pub(crate) trust: Option<Trust>,
}

/// How one JVM went.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeasuredJvm {
    /// Second by second; none of one that ended at once.
    pub(crate) moments: Vec<Moment>,
    /// Bytes that each collection left in the heap, by uptime in seconds.
    pub(crate) left_in_heap: Vec<(f64, f64)>,
    /// CPU time from [`WARM`] to the last collection, in seconds; `None` if it did not collect.
    pub(crate) warm_cpu_s: Option<f64>,
}

impl MeasuredJvm {
    fn of(log: &str, moments: Vec<Moment>) -> Self {
        let cpu_s: Vec<_> = moments.iter().map(|moment| (moment.uptime_s, moment.cpu_s)).collect();
        let cpu_at = |share| Some(value_at(&cpu_s, reached_s(log, share)?));
        let warm_cpu_s = cpu_at(1.0).zip(cpu_at(WARM)).map(|(last, warm)| last - warm);
        Self { moments, left_in_heap: left_in_heap(log), warm_cpu_s }
    }
}

impl BedRun {
    /// CPU time in seconds; per 1,000 requests of a server: under load for a fixed time it uses the time.
    pub(crate) fn cpu_s(&self) -> f64 {
        self.requests.map_or(self.jvm_cpu_s, |requests| self.jvm_cpu_s * 1000.0 / requests)
    }

    /// What its JVMs did once they were warm. Memory, pauses and trust are of the whole.
    pub(crate) fn once_warm(self) -> Result<Self, BedFailure> {
        let warm = self.jvms.iter().map(|jvm| jvm.warm_cpu_s).sum::<Option<f64>>();
        let jvm_cpu_s = warm.filter(|&cpu_s| cpu_s > 0.0).ok_or(BedFailure::NeverWarm)?;
        Ok(Self { jvm_cpu_s, requests: self.requests.map(|requests| requests * (1.0 - WARM)), ..self })
    }
}

/// Why a run gave nothing.
#[derive(Debug, Error)]
pub(crate) enum BedFailure {
    /// The script said no, or said nothing.
    #[error("the bed script ended with {status}: {reason}")]
    Script {
        /// Of the script.
        status: ExitStatus,
        /// Its last words.
        reason: String,
    },
    /// Stopped by us.
    #[error("no end after {0} s; stopped (a longer limit: --timeout SECONDS)")]
    Timeout(u64),
    /// Stopped by the user.
    #[error("interrupted")]
    Interrupted,
    /// The script never ran `$JAVA`, or only unmeasured.
    #[error("the script started no JVM with JAVA_OPTS_EXTRA")]
    NoJvm,
    /// Not all JVMs told of their collections.
    #[error("a steady state is that of JVMs that collect; there was one that did not, or none")]
    NeverWarm,
    /// The agent's report tells nothing.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// Files or processes.
    #[error("running the bed: {0}")]
    Io(#[from] io::Error),
}

/// Everything a run needs but its variant.
pub(crate) struct BedRunner<'a> {
    /// The real java.
    pub(crate) java: &'a Path,
    /// Longest time for one run.
    pub(crate) timeout: Duration,
    /// A variable by which the script or its program is told what to do, and its value.
    pub(crate) variable: Option<(&'a str, &'a str)>,
    /// Set by SIGINT and SIGTERM.
    pub(crate) interrupted: &'a Arc<AtomicBool>,
}

impl BedRunner<'_> {
    /// Runs `script` with these JVM options. `folder` is the run's own: logs and reports go there.
    pub(crate) fn run(&self, script: &Path, options: &[String], folder: &Path) -> Result<BedRun, BedFailure> {
        let usage_file = folder.join("usage");
        let log = folder.join("script.log");
        let pauses = option_of_each(folder);
        let own = [MEASURED, &pauses];
        let marked: Vec<&str> = own.into_iter().chain(options.iter().map(String::as_str)).collect();
        let mut command = Command::new("bash");
        command.arg(script).env("JAVA", write_launcher(folder)?).env("JAVA_OPTS_EXTRA", marked.join(" "));
        command.env(REAL_JAVA, self.java).env(USAGE_FILE, &usage_file).env(MOMENTS_FOLDER, folder);
        for name in BED_VARIABLES {
            command.env_remove(name);
        }
        command.envs(self.variable);
        let file = File::create(&log)?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).process_group(0);
        let status = self.wait(command.spawn()?)?;
        let text = String::from_utf8_lossy(&std::fs::read(&log)?).into_owned();
        let result = result_line(&text).filter(|_| status.success());
        let result = result.ok_or_else(|| BedFailure::Script { status, reason: last_words(&text) })?;
        let usage = Usage::read_all(&usage_file)?;
        if usage.is_empty() {
            return Err(BedFailure::NoJvm);
        }
        let logs = logs_of_each(folder)?;
        let jvm = |(&pid, log): (&u32, &String)| {
            Ok(MeasuredJvm::of(log, Moment::read_all(&moments_file(folder, pid))?))
        };
        Ok(BedRun {
            result,
            jvm_cpu_s: usage.iter().map(|jvm| jvm.cpu_us as f64 / 1e6).sum(),
            requests: requests(&text),
            rss_mib: usage.iter().map(|jvm| jvm.max_rss_kib as f64 / 1024.0).fold(0.0, f64::max),
            jvms: logs.iter().map(jvm).collect::<io::Result<_>>()?,
            pauses: Pauses::told_in(logs.values()),
            trust: trust::read(folder)?,
        })
    }

    fn wait(&self, mut script: Child) -> Result<ExitStatus, BedFailure> {
        let start = Instant::now();
        loop {
            if let Some(status) = script.try_wait()? {
                return Ok(status);
            }
            let interrupted = self.interrupted.load(Ordering::Relaxed);
            if interrupted || start.elapsed() > self.timeout {
                stop(&mut script)?;
                let timeout = BedFailure::Timeout(self.timeout.as_secs());
                return Err(if interrupted { BedFailure::Interrupted } else { timeout });
            }
            sleep(POLL);
        }
    }
}

/// Ends the script and its JVMs, which share its process group.
fn stop(script: &mut Child) -> io::Result<()> {
    let group = i32::try_from(script.id()).map_err(io::Error::other)?;
    killpg(Pid::from_raw(group), Signal::SIGKILL)?;
    script.wait().map(drop)
}

/// The last `BED-RESULT` line of a script's output.
fn result_line(output: &str) -> Option<String> {
    output.lines().rev().find_map(|line| line.strip_prefix("BED-RESULT ")).map(str::to_owned)
}

/// The `requests=` of a `BED-INFO` line, which beds of a fixed time print.
fn requests(output: &str) -> Option<f64> {
    let infos = output.lines().filter(|line| line.starts_with("BED-INFO "));
    let number = infos.flat_map(str::split_whitespace).find_map(|word| word.strip_prefix("requests="))?;
    number.parse().ok().filter(|&requests: &f64| requests > 0.0)
}

fn last_words(output: &str) -> String {
    let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(5)..].join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_the_last_result_line_and_nothing_else() {
        let output =
            "BED-INFO h2 p50=3\nBED-RESULT h2 lines=1\nnoise\nBED-RESULT h2 lines=147 sha=49\nBED-INFO x\n";
        assert_eq!(result_line(output).as_deref(), Some("h2 lines=147 sha=49"));
        assert_eq!(result_line("see BED-RESULT h2\n"), None);
    }

    #[test]
    fn last_words_are_the_last_five_lines() {
        assert_eq!(last_words("1\n2\n\n3\n4\n5\n6\n"), "2 / 3 / 4 / 5 / 6");
        assert_eq!(last_words(""), "");
    }

    #[test]
    fn only_beds_of_a_fixed_time_count_requests() {
        let output = "BED-INFO tomcat Requests/sec: 9\nBED-INFO tomcat WRK requests=182198 non2xx=0\n";
        assert_eq!(requests(output), Some(182_198.0));
        assert_eq!(requests("BED-RESULT h2 requests=3\nBED-INFO h2 requests=0\n"), None);
    }

    /// A script that runs `$JAVA` like a bed does; `false` stands in for a JVM that fails.
    fn run_script(text: &str, java: &str, timeout: Duration) -> Result<BedRun, BedFailure> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let script = folder.path().join("bed.sh");
        std::fs::write(&script, text).expect("write script");
        let interrupted = Arc::default();
        let runner = BedRunner { java: Path::new(java), timeout, variable: None, interrupted: &interrupted };
        runner.run(&script, &[], folder.path())
    }

    #[test]
    fn a_script_that_fails_is_reported_with_its_last_words() {
        let failure = run_script("echo BED-FAIL h2: no heap >&2; exit 1", "false", Duration::from_secs(60));
        let text = failure.expect_err("exit 1").to_string();
        assert!(text.contains("BED-FAIL h2: no heap"), "{text}");
    }

    #[test]
    fn a_result_without_a_measured_jvm_is_a_failure() {
        let failure = run_script("echo BED-RESULT h2 ok", "true", Duration::from_secs(60));
        assert!(matches!(failure, Err(BedFailure::NoJvm)), "{failure:?}");
    }

    #[test]
    fn a_script_without_end_is_stopped() {
        let failure = run_script("while true; do read -t 1 < <(:); done", "true", Duration::from_millis(200));
        assert!(matches!(failure, Err(BedFailure::Timeout(_))), "{failure:?}");
    }
}
