//! A folder of another process, held open: what lies in it is reached as that process sees it.
//!
//! A link planted in a container, `/tmp` itself among them, leads to where it leads in there and never out to our own
//! files, which matters when root asks. Not here: what is looked for in the folder.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};
use rustix::io::Errno;

use crate::session::process::Process;

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    _held: OwnedFd,
}

impl Folder {
    /// Opens a folder of a process by its absolute path in there.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn of(process: &Process, absolute: &str) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = open(process.root(), flags, Mode::empty())?;
        let held = match openat2(&root, absolute, flags, Mode::empty(), ResolveFlags::IN_ROOT) {
            // Kernels before 5.6.
            Err(Errno::NOSYS) => open(process.path(absolute), flags | OFlags::NOFOLLOW, Mode::empty())?,
            opened => opened?,
        };
        Ok(Self { path: format!("/proc/self/fd/{}", held.as_raw_fd()).into(), _held: held })
    }

    /// The folder itself, as long as this is held.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A name in it. Who uses it must not follow links there.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

/// A file that somebody else may have made, for reading: no link is followed, no pipe waited for.
///
/// # Errors
/// What the system says, or that it is no file.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(file)
}

/// A file to read from, also behind a link of the user's own; no pipe is waited for.
///
/// # Errors
/// As for [`open_file`].
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// The first bytes of such a file: at most `most`.
///
/// # Errors
/// As for [`open_file`].
pub(crate) fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_lies_in_a_folder_is_found_and_links_to_it_are_followed_within() {
        let own = Process::find(std::process::id()).expect("alive");
        let outer = tempfile::tempdir().expect("a folder");
        let inner = outer.path().join("inner");
        fs::create_dir(&inner).expect("made");
        symlink("inner", outer.path().join("link")).expect("linked");
        fs::write(inner.join("file"), "text").expect("written");
        let folder = Folder::of(&own, &outer.path().join("link").to_string_lossy()).expect("opened");
        assert_eq!(fs::read(folder.file("file")).expect("read"), b"text");
        assert!(Folder::of(&own, "/no/such/folder").is_err());
    }

    #[test]
    fn links_pipes_and_long_files_are_not_swallowed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("long"), "0123456789").expect("written");
        symlink("long", path("link")).expect("linked");
        rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), Mode::RUSR | Mode::WUSR).expect("made");
        assert_eq!(read_at_most(&path("long"), 4).expect("read"), b"0123");
        assert!(read_at_most(&path("link"), 4).is_err());
        assert!(read_at_most(&path("pipe"), 4).is_err());
        assert!(read_at_most(folder.path(), 4).is_err());
    }
}
