//! `mayfly run --live-view`: the live view on the terminal while the program runs.
//!
//! The terminal is either the view's or the program's, never both: what the program writes waits until the view is left.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crate::error::Error;
use crate::live::awaited_file::AwaitedFile;
use crate::live::screen::{self, Jvm};
use crate::live::takes_a_view;
use crate::output;
use crate::session::kept_output::KeptOutput;
use crate::session::launch::{Ended, Launch};
use crate::session::recording_files::RecordingFiles;

/// How often it is looked whether the program wrote more, once the view was left.
const LOOK: Duration = Duration::from_millis(50);

/// Whether there can be a view at all, before the program is started.
///
/// # Errors
/// [`Error::NoView`].
pub(super) fn check(recording: &str) -> Result<(), Error> {
    match takes_a_view() {
        false => Err(Error::NoView("needs a terminal on standard output (and TERM set)")),
        true if recording == "/dev/null" => {
            Err(Error::NoView("reads the recording, and /dev/null keeps none"))
        }
        true => Ok(()),
    }
}

/// Runs the program with the view in front of it.
///
/// # Errors
/// As [`Launch::run`]; [`Error::OutputNotKept`]. What goes wrong with the view is said, and the program runs on.
pub(super) fn run(launch: &Launch, files: &RecordingFiles) -> Result<Ended, Error> {
    let kept = KeptOutput::new().map_err(Error::OutputNotKept)?;
    let running = launch.start(|command| kept.take_from(command))?;
    let pid = running.pid();
    let ended = Arc::new(AtomicBool::new(false));
    let ends = Arc::clone(&ended);
    let wait = move || {
        let outcome = running.wait();
        ends.store(true, Relaxed);
        outcome
    };
    let waiting = thread::Builder::new().name("program".to_owned()).spawn(wait).map_err(Error::NoThread)?;
    let writer = launch.is_java().then_some(pid);
    let source = AwaitedFile::of(files.clone(), writer, Arc::clone(&ended));
    let jvm = writer.map_or_else(
        || {
            Jvm::Closed(
                "which JVM this is is not known here: mayfly ps, then mayfly heap dump PID FILE".to_owned(),
            )
        },
        Jvm::Running,
    );
    if let Err(error) = screen::run(Box::new(source), jvm) {
        output::say(&error.to_string());
    }
    show(kept, &ended)?;
    waiting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Shows what the program wrote, and writes until it ends.
fn show(mut kept: KeptOutput, ended: &AtomicBool) -> Result<(), Error> {
    loop {
        let last = ended.load(Relaxed);
        if kept.show(&mut io::stdout().lock()).is_err() {
            output::say(&format!("what the program writes is in {}", kept.path().display()));
            return kept.keep().map_err(Error::OutputNotKept);
        }
        if last {
            return Ok(());
        }
        thread::sleep(LOOK);
    }
}
