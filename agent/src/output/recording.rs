//! The recording: its file, or its files, and what is known of them while they are written.
//!
//! Not here: the thread that writes (`recorder`), and when a new file begins (`rotation`).

use std::fs::{self, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mayfly_report::printable;

use super::fan_out::FanOut;
use super::files::{self, FileError};
use super::numbered::{NumberedFiles, with_pid};
use super::recorder::{Recorder, Several, State};
use super::rewritten::{GrowingFile, names};
use super::rotation::Rotation;
use crate::conduct::notice::say;
use crate::options::Options;

/// The file that keeps nothing.
const NOWHERE: &str = "/dev/null";

/// A recording that is being written.
pub(super) struct Recording {
    state: Arc<State>,
    /// The names of its files, where there are several.
    several: Option<PathBuf>,
}

/// Opens the file and subscribes to the stream; `None` if it is a place where nothing is kept.
///
/// # Errors
/// It can't be written.
pub(super) fn open(
    path: PathBuf,
    options: &Options,
    stream: &FanOut,
) -> Result<Option<(Recording, Recorder<NumberedFiles>)>, FileError> {
    let error = |cause| FileError::new(&path, cause, "#recording a file");
    if path == Path::new(NOWHERE) {
        say(&format!("{NOWHERE} keeps nothing: there is no recording"));
        return Ok(None);
    }
    let (file, path, several) = match options.rotate {
        None => {
            let (file, path) = open_own(&path).map_err(error)?;
            (GrowingFile::new(file, path.clone(), 0), path, None)
        }
        Some(every) => {
            let (files, file, path) = NumberedFiles::first(&path).map_err(error)?;
            (file, path, Some((files, Rotation::new(every, options.keep))))
        }
    };
    let (unserved, anew) = stream.subscribe();
    let names = several.as_ref().map(|(files, _)| files.names());
    let several = several.map(|(files, rotation)| Several::new(files, rotation, anew));
    let state = Arc::new(State::of(path));
    let recording = Recording { state: Arc::clone(&state), several: names };
    Ok(Some((recording, Recorder::new(unserved, file, state, several))))
}

/// The file, empty; if another JVM records into it, as those that a build tool starts would, one beside it.
fn open_own(path: &Path) -> io::Result<(fs::File, PathBuf)> {
    let file = open_file(path)?;
    match file.try_lock() {
        // Its JVM has just put another file in its place.
        Ok(()) if !names(path, &file)? => open_own(path),
        // No more can be done where there are no locks.
        Ok(()) | Err(TryLockError::Error(_)) => {
            file.set_len(0)?;
            Ok((file, path.to_owned()))
        }
        Err(TryLockError::WouldBlock) => {
            let own = with_pid(path);
            let [taken, free] =
                [path, own.as_path()].map(|path| printable(&path.display().to_string()).into_owned());
            say(&format!(
                "another JVM records into {taken}, so this one records into {free}: a name with %p is its own"
            ));
            let file = open_file(&own)?;
            file.set_len(0)?;
            Ok((file, own))
        }
    }
}

/// What is there is left as it is.
fn open_file(path: &Path) -> io::Result<fs::File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // Asked before it is opened: opening a pipe would wait for somebody who reads it.
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file() && !there.is_symlink()) {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is there, and no file"));
    }
    files::open_own(path, |options| options.read(true).write(true))
}

impl Recording {
    /// Its file, or the newest of them.
    pub(super) fn path(&self) -> PathBuf {
        self.state.path()
    }

    /// What a shell takes for all of it.
    pub(super) fn all(&self) -> PathBuf {
        self.several.clone().unwrap_or_else(|| self.path())
    }

    /// Whether something of it could not be written.
    pub(super) fn is_cut_off(&self) -> bool {
        self.state.is_cut_off()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_being_recorded_into_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("build.mayfly");
        fs::write(&path, "an older one").expect("written");
        let (first, name) = open_own(&path).expect("opened");
        assert_eq!((name, first.metadata().expect("there").len()), (path.clone(), 0));
        let (_second, name) = open_own(&path).expect("opened");
        assert_eq!(name, folder.path().join(format!("build-{}.mayfly", std::process::id())));
        drop(first);
        assert_eq!(open_own(&path).expect("opened").1, path);
    }

    #[test]
    fn only_files_are_recorded_into_and_their_folder_is_made() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(open_file(&folder.path().join("new/er/run.mayfly")).is_ok());
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).expect("a pipe");
        assert_eq!(open_file(&pipe).expect_err("no file").kind(), ErrorKind::InvalidInput);
        assert!(matches!(open(NOWHERE.into(), &Options::default(), &FanOut::default()), Ok(None)));
    }
}
