//! The files of a recording: one, or one after the other with numbers in their names, of which none is another's.
//!
//! Not here: when a new one begins (`rotation`).

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use mayfly_report::printable;

use super::files;
use super::recorder::Files;
use super::rewritten::GrowingFile;
use crate::conduct::notice::say;

/// Where recordings are written to, and what is in the name of each.
pub(super) struct NumberedFiles {
    /// The folder, and the name without its number.
    path: PathBuf,
    /// When the agent was started, in UTC.
    started: String,
}

/// A file that was written, told from any other that may have its name by now.
#[derive(Debug)]
pub(super) struct Written {
    path: PathBuf,
    identity: (u64, u64),
}

impl NumberedFiles {
    /// The first of them, and its name.
    ///
    /// # Errors
    /// It can't be written.
    pub(super) fn first(path: &Path) -> io::Result<(Self, GrowingFile, PathBuf)> {
        let started = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
        let mut files = Self { path: path.to_owned(), started };
        match files.open(1, 0) {
            // Another JVM of this name began in the same second.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                files.path = with_pid(path);
                files.open(1, 0)
            }
            opened => opened,
        }
        .map(|(file, path)| (files, file, path))
    }

    /// What a shell takes for all their names: `run-20261127T112905Z-*.mayfly`.
    pub(super) fn names(&self) -> PathBuf {
        with_suffix(&self.path, &format!("{}-*", self.started))
    }

    /// `run.mayfly` as `run-20261127T112905Z-0001.mayfly`: in the order of names those of one run lie together.
    fn name(&self, number: u32) -> PathBuf {
        with_suffix(&self.path, &format!("{}-{number:04}", self.started))
    }
}

impl Files for NumberedFiles {
    type File = GrowingFile;
    type Written = Written;

    fn open(&mut self, number: u32, begins_ms: u64) -> io::Result<(GrowingFile, PathBuf)> {
        let path = self.name(number);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // Not one that is there, whoever wrote it.
        let file = files::open_own(&path, |options| options.read(true).write(true).create_new(true))?;
        lock(&file)?;
        Ok((GrowingFile::new(file, path.clone(), begins_ms), path))
    }

    fn written(file: &GrowingFile) -> Option<Written> {
        let (path, file) = file.place();
        let facts = file.metadata().ok()?;
        Some(Written { path: path.to_owned(), identity: (facts.dev(), facts.ino()) })
    }

    fn remove(&mut self, file: Written) -> bool {
        let there = fs::symlink_metadata(&file.path);
        // Removed by another, or another's by now.
        if !there.is_ok_and(|there| (there.dev(), there.ino()) == file.identity) {
            return false;
        }
        match fs::remove_file(&file.path) {
            Ok(()) => true,
            Err(error) => {
                let path = printable(&file.path.display().to_string()).into_owned();
                say(&format!("cannot remove {path} ({error}): #keep leaves it"));
                false
            }
        }
    }
}

/// No more can be done where there are no locks.
pub(super) fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(ErrorKind::WouldBlock.into()),
    }
}

/// The name with our process id at the end of its stem.
pub(super) fn with_pid(path: &Path) -> PathBuf {
    with_suffix(path, &std::process::id().to_string())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{suffix}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn files_of_a_run_are_in_the_order_of_their_names_and_none_takes_another_s_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/app-77.mayfly");
        let (mut files, mut first, name) = NumberedFiles::first(&path).expect("opened");
        first.write_all(b"first").expect("written");
        let (_, second) = files.open(2, 0).expect("opened");
        assert!(name < second && second < files.name(10) && files.name(10) < files.name(100));
        let shown = name.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(shown.starts_with("app-77-2") && shown.ends_with("Z-0001.mayfly"), "{shown}");
        let all = folder.path().join("new").join(shown.replace("0001", "*"));
        assert_eq!(files.names(), all, "for a shell");
        assert_eq!(files.open(1, 0).map(drop).expect_err("there").kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&name).expect("there"), b"first");
        // Another one that begins in the same second.
        let mut other = NumberedFiles { path: path.clone(), started: files.started.clone() };
        assert!(other.open(1, 0).is_err());
        other.path = with_pid(&path);
        assert!(other.open(1, 0).is_ok());
    }

    #[test]
    fn only_what_was_written_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut files, file, path) =
            NumberedFiles::first(&folder.path().join("run.mayfly")).expect("opened");
        let written = || NumberedFiles::written(&file).expect("a file");
        let moved = folder.path().join("moved.mayfly");
        fs::rename(&path, &moved).expect("moved");
        assert!(!files.remove(written()), "it is not there");
        fs::write(&path, "another's").expect("written");
        assert!(!files.remove(written()) && path.exists(), "it is another's");
        fs::rename(&moved, &path).expect("moved back");
        assert!(files.remove(written()) && !path.exists());
    }
}
