//! A program beside itself under the agent, in each mode: the same result, no crash, and what it states is counted.

use std::fs;

use crate::expect::check_all;
use crate::jvm::Jvm;
use crate::jvms::turns_of;
use crate::launch::{Launch, Workspace};
use crate::profiled::Profiled;
use crate::running::Outcome;
use crate::skip::skip;

/// Options of the modes in which objects are counted, followed, and followed with their stacks.
pub const MODES: [&str; 3] = ["", "#trackcollections", "#trackcollections#trace"];

/// A program, and how it is launched.
#[derive(Clone, Debug)]
pub struct Beside<'a> {
    main: &'a str,
    args: &'a [&'a str],
    jvm_args: Vec<&'a str>,
    stdin: &'a str,
    layout_differs: bool,
    variant: Option<usize>,
}

impl<'a> Beside<'a> {
    /// A main class of the fixtures.
    pub fn new(main: &'a str, args: &'a [&'a str]) -> Self {
        Self { main, args, jvm_args: Vec::new(), stdin: "", layout_differs: false, variant: None }
    }

    /// Arguments for the JVM. One that does not take them is a printed skip.
    pub fn jvm_args(mut self, args: &[&'a str]) -> Self {
        self.jvm_args.extend(args);
        self
    }

    /// What it reads.
    pub fn stdin(mut self, lines: &'a str) -> Self {
        self.stdin = lines;
        self
    }

    /// Its objects are not as large as it states; they are counted all the same.
    pub fn layout_differs(mut self) -> Self {
        self.layout_differs = true;
        self
    }

    /// It is one of several variants: where every release runs, each does so in one of the modes, by turns.
    pub fn by_turns(mut self, variant: usize) -> Self {
        self.variant = Some(variant);
        self
    }

    /// Compares, in each mode. What was reported goes to `judge`, too.
    ///
    /// # Errors
    /// The mode, and what does not hold.
    pub fn check(&self, jvm: &Jvm, judge: &dyn Fn(&Profiled) -> Result<(), String>) -> Result<(), String> {
        let plain = self.finish(self.change(Launch::new(jvm, self.main)))?;
        if let Some(line) = refusal(&plain) {
            skip(&format!("{} {:?} on {jvm}", self.main, self.jvm_args), &line);
            return Ok(());
        }
        let layout_differs = self.layout_differs || jvm.compact_headers;
        let counted_on = Jvm { compact_headers: layout_differs, ..jvm.clone() };
        let modes = match self.variant {
            Some(variant) => turns_of(jvm, variant, &MODES).copied().collect(),
            None => MODES.to_vec(),
        };
        for mode in modes {
            self.mode(&counted_on, mode, &plain, judge)
                .map_err(|why| format!("{} {:?} {mode:?}: {why}", self.main, self.jvm_args))?;
        }
        Ok(())
    }

    fn mode(
        &self,
        jvm: &Jvm,
        mode: &str,
        plain: &Outcome,
        judge: &dyn Fn(&Profiled) -> Result<(), String>,
    ) -> Result<(), String> {
        let folder = Workspace::new();
        let run = Profiled::new(jvm, self.main, mode).with(|l| self.change(l).folder(folder.path()));
        let outcome = self.finish(run.launch().clone())?;
        let left: Vec<_> = fs::read_dir(folder.path()).into_iter().flatten().flatten().collect();
        if outcome.status != plain.status || !left.is_empty() {
            return Err(format!("{}, left {left:?}\n{}{}", outcome.status, outcome.stdout, outcome.stderr));
        }
        if program_lines(&outcome.stdout) != program_lines(&plain.stdout) {
            return Err(format!("stdout is not that of the program alone:\n{}", outcome.stdout));
        }
        check_all(jvm, &outcome.stdout, &run.json().allocated())?;
        judge(&run)
    }

    fn change(&self, launch: Launch) -> Launch {
        launch.jvm_args(&self.jvm_args).args(self.args)
    }

    fn finish(&self, launch: Launch) -> Result<Outcome, String> {
        let mut running = launch.start();
        if !self.stdin.is_empty() {
            running.send_line(self.stdin);
        }
        running.try_finish()
    }
}

/// Why the JVM did not start.
fn refusal(outcome: &Outcome) -> Option<String> {
    let refused =
        ["Unrecognized VM option", "Could not create the Java Virtual Machine", "initialization of VM"];
    let said = format!("{}{}", outcome.stderr, outcome.stdout);
    let why = said.lines().find(|line| refused.iter().any(|word| line.contains(word)))?;
    (!outcome.status.success()).then(|| why.to_owned())
}

/// What the program wrote; the JVM's own warnings carry times.
fn program_lines(stdout: &str) -> Vec<&str> {
    stdout.lines().filter(|line| !line.starts_with('[') && !line.contains("VM warning:")).collect()
}
