//! A program run to its end under the agent, with everything that was written about it.

use std::fs;
use std::path::PathBuf;

use crate::json_report::JsonReport;
use crate::jvm::Jvm;
use crate::launch::{Launch, Workspace};
use crate::running::{Outcome, Running};
use crate::text_report::TextReport;

/// A program under the agent, its report log and recording in a folder of its own.
#[derive(Debug)]
pub struct Profiled {
    workspace: Workspace,
    launch: Launch,
}

impl Profiled {
    /// A main class with these agent options; those for the log and the recording are added, and the live histogram is off.
    pub fn new(jvm: &Jvm, main: &str, options: &str) -> Self {
        let workspace = Workspace::new();
        let recording = workspace.file("run.mayfly");
        let files =
            format!("#live-0#output-{}#recording-{}", workspace.path().display(), recording.display());
        let launch = Launch::new(jvm, main).agent(format!("{options}{files}"));
        Self { workspace, launch }
    }

    /// Changes how it is launched.
    pub fn with(mut self, change: impl FnOnce(Launch) -> Launch) -> Self {
        self.launch = change(self.launch);
        self
    }

    /// How it is launched.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Starts it.
    pub fn start(&self) -> Running {
        self.launch.start()
    }

    /// Runs it to its end, which must be a good one.
    ///
    /// # Panics
    /// If it is not.
    #[track_caller]
    pub fn run(&self) -> Outcome {
        self.launch.run().ok()
    }

    /// Where its recording lies.
    pub fn recording(&self) -> PathBuf {
        self.workspace.file("run.mayfly")
    }

    /// The recording as JSON.
    ///
    /// # Panics
    /// If it can't be read.
    #[track_caller]
    pub fn json(&self) -> JsonReport {
        JsonReport::of(&self.recording())
    }

    /// The whole report log.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn log(&self) -> String {
        let path = self.workspace.file("mayfly.log");
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// The report made at exit.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn text(&self) -> TextReport {
        TextReport::at_exit(&self.log())
    }
}
