//! What the agent in a running JVM says while it profiles, kept in a file as it comes: a JVM that ends takes nothing of it along.
//!
//! Not here: when profiling begins and ends (`commands/record`).

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use mayfly_profile::Update;
use mayfly_recording::{Growth, RecordingWriter, Thinner};

use crate::error::Error;
use crate::live::source::{Piece, Source};
use crate::output;

/// A stream on its way into a file.
pub(crate) struct KeptStream {
    thread: JoinHandle<Result<Kept, Error>>,
}

/// What is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// All, to the end of profiling.
    Whole,
    /// What was said until the stream broke.
    CutOff,
    /// Nothing was said, and there is no file.
    Nothing,
}

impl KeptStream {
    /// Begins to keep it; a file of that name is replaced by the first words.
    ///
    /// # Errors
    /// [`Error::NoThread`].
    pub(crate) fn begin(source: Box<dyn Source>, path: &Path) -> Result<Self, Error> {
        let file = KeptFile::at(path.to_owned());
        let thread = thread::Builder::new().name("keeping".to_owned()).spawn(move || keep(source, file));
        Ok(Self { thread: thread.map_err(Error::NoThread)? })
    }

    /// Whether nothing more comes.
    pub(crate) fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the end of the stream.
    ///
    /// # Errors
    /// Those of the stream; [`Error::NotWritten`].
    pub(crate) fn end(self) -> Result<Kept, Error> {
        // A panic has been said.
        self.thread.join().unwrap_or(Ok(Kept::CutOff))
    }
}

fn keep(mut source: Box<dyn Source>, mut file: KeptFile) -> Result<Kept, Error> {
    loop {
        match source.next() {
            Ok(Piece::Updates(updates)) => file.take(updates)?,
            Ok(Piece::CaughtUp) => {}
            Ok(Piece::End(_)) => break,
            Err(error) => {
                file.rest()?;
                return Err(error);
            }
        }
    }
    file.rest()?;
    Ok(file.kept())
}

struct KeptFile {
    path: PathBuf,
    /// Once there is something to write.
    file: Option<File>,
    began: Instant,
    thinner: Thinner,
    writer: RecordingWriter,
    ended: bool,
}

impl KeptFile {
    fn at(path: PathBuf) -> Self {
        let (thinner, writer) = (Thinner::new(Growth::STEADY), RecordingWriter::new());
        Self { path, file: None, began: Instant::now(), thinner, writer, ended: false }
    }

    fn take(&mut self, updates: Vec<Update>) -> Result<(), Error> {
        self.ended |= updates.last() == Some(&Update::End);
        let now_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let due = self.thinner.take(updates, now_ms);
        self.write(&due)
    }

    /// What was held back, as nothing follows.
    fn rest(&mut self) -> Result<(), Error> {
        let rest = self.thinner.rest();
        self.write(rest.as_slice())
    }

    fn write(&mut self, updates: &[Update]) -> Result<(), Error> {
        let mut bytes = Vec::new();
        for update in updates {
            match self.writer.encode(update) {
                Ok(mut frame) => bytes.append(&mut frame),
                Err(error) => output::say(&error.to_string()),
            }
        }
        self.thinner.wrote(bytes.len());
        if bytes.is_empty() {
            return Ok(());
        }
        let not_written = |source| Error::NotWritten { name: self.path.display().to_string(), source };
        if self.file.is_none() {
            let mut options = OpenOptions::new();
            let options = options.write(true).create(true).truncate(true).mode(0o600);
            self.file = Some(options.open(&self.path).map_err(not_written)?);
        }
        self.file.iter_mut().try_for_each(|file| file.write_all(&bytes)).map_err(not_written)
    }

    fn kept(&self) -> Kept {
        match (&self.file, self.ended) {
            (None, _) => Kept::Nothing,
            (Some(_), true) => Kept::Whole,
            (Some(_), false) => Kept::CutOff,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use mayfly_profile::Progress;
    use mayfly_recording::read_profile;

    use super::*;

    struct Scripted(VecDeque<Piece>);

    impl Source for Scripted {
        fn next(&mut self) -> Result<Piece, Error> {
            Ok(self.0.pop_front().unwrap_or(Piece::End(Some("gone".to_owned()))))
        }
    }

    fn progress(ms: u64) -> Update {
        Update::from(Progress { duration_ms: ms, ..Progress::default() })
    }

    #[test]
    fn what_was_said_before_the_jvm_was_gone_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        for (said, kept, ms) in [
            (vec![Update::Start(Box::default()), progress(3_000)], Kept::CutOff, 3_000),
            (vec![Update::Start(Box::default()), progress(4_000), Update::End], Kept::Whole, 4_000),
        ] {
            let path = folder.path().join("kept.mayfly");
            let source = Scripted([Piece::Updates(said), Piece::CaughtUp].into());
            let stream = KeptStream::begin(Box::new(source), &path).expect("a thread");
            assert_eq!(stream.end().expect("written"), kept);
            let (profile, damage) = read_profile(&std::fs::read(&path).expect("there")).expect("a recording");
            assert_eq!((profile.duration_ms, damage), (ms, None));
            assert_eq!(profile.complete, kept == Kept::Whole);
        }
    }

    #[test]
    fn where_nothing_was_said_there_is_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kept.mayfly");
        let stream = KeptStream::begin(Box::new(Scripted(VecDeque::new())), &path).expect("a thread");
        assert_eq!(stream.end().expect("nothing to write"), Kept::Nothing);
        assert!(!path.exists());
    }
}
