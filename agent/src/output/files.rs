//! Files that the user asked for: whose they are, what they are called, and why one can't be written.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::conduct::descriptors::above_standard;
use crate::options::name::NameFacts;

/// A file that the user asked for and that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {cause}; give {option} that you may write to")]
pub(crate) struct FileError {
    path: String,
    cause: io::Error,
    option: &'static str,
}

impl FileError {
    pub(super) fn new(path: &Path, cause: io::Error, option: &'static str) -> Self {
        Self { path: path.display().to_string(), cause, option }
    }
}

/// Opens a file that only the user may read, as `how` adds; a link planted in its place is not followed.
///
/// # Errors
/// What the system says.
pub(super) fn open_own(
    path: &Path,
    how: impl FnOnce(&mut OpenOptions) -> &mut OpenOptions,
) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    above_standard(how(&mut options).open(path)?)
}

/// What `%` codes in file names stand for.
pub(crate) fn name_facts() -> NameFacts {
    NameFacts { pid: std::process::id(), host: host(), started: started() }
}

fn started() -> String {
    jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string()
}

fn host() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "localhost".into(), |name| name.trim().into())
}
