//! The recording of a program that is being started, as a source: waited for, and then followed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crate::error::Error;
use crate::live::growing_file::GrowingFile;
use crate::live::source::{Piece, Source};
use crate::session::recording_files::RecordingFiles;

const LOOK: Duration = Duration::from_millis(100);

/// A recording that may not be there yet.
#[derive(Debug)]
pub(crate) struct AwaitedFile {
    files: RecordingFiles,
    /// The process that writes it, if that is known.
    pid: Option<u32>,
    /// The program has ended: none will come.
    ended: Arc<AtomicBool>,
    file: Option<GrowingFile>,
}

impl AwaitedFile {
    /// The first recording that is written.
    pub(crate) fn of(files: RecordingFiles, pid: Option<u32>, ended: Arc<AtomicBool>) -> Self {
        Self { files, pid, ended, file: None }
    }

    fn found(&self) -> Result<Option<GrowingFile>, Error> {
        let written = match self.pid {
            Some(pid) => self.files.written_by(pid),
            None => self.files.all_written(),
        };
        // Its header is there: what was left by an earlier run is not.
        let written = written.iter().find(|path| path.metadata().is_ok_and(|file| file.len() > 0));
        written.map(|path| GrowingFile::open(path)).transpose()
    }
}

impl Source for AwaitedFile {
    fn next(&mut self) -> Result<Piece, Error> {
        loop {
            if let Some(file) = &mut self.file {
                return file.next();
            }
            let ended = self.ended.load(Relaxed);
            self.file = self.found()?;
            if self.file.is_none() && ended {
                let why = "the program ended, and no JVM with the agent in it wrote a recording";
                return Ok(Piece::End(Some(why.to_owned())));
            }
            if self.file.is_none() {
                thread::sleep(LOOK);
            }
        }
    }
}
