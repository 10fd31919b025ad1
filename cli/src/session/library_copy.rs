//! The agent's library where a target can load it: as it is, if it sees the same file; else as a copy in a folder that
//! everybody has.
//!
//! Not here: where the library lies (`agent_library`).

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

use rustix::fs::{StatVfsMountFlags, statvfs};
use tempfile::TempPath;

use crate::session::elf::{CLibrary, Machine, Needs, is_whole};
use crate::session::folder::Folder;
use crate::session::jvms::libjvm;
use crate::session::process::Process;
use crate::session::unreachable::Unreachable;

/// Where a copy may lie, as the target sees it, first choice first.
const FOLDERS: [&str; 3] = ["/tmp", "/dev/shm", "/var/tmp"];
/// Longest path that version 1 of the attach protocol takes.
const MOST_PATH_BYTES: usize = 1000;

/// A library that the target can load. A copy is removed when dropped: once loaded, its file is not needed.
pub(crate) struct Provided {
    /// Absolute path as the target sees it.
    pub(crate) path: String,
    /// Removed before its folder is let go.
    _copy: Option<(TempPath, Folder)>,
}

impl Provided {
    /// Makes the library loadable for the process.
    ///
    /// # Errors
    /// [`Unreachable::NotCopied`].
    pub(crate) fn to(process: &Process, library: &Path) -> Result<Self, Unreachable> {
        match library.to_str() {
            Some(path) if sees_same_file(process, library, path) => {
                Ok(Self { path: path.to_owned(), _copy: None })
            }
            _ => Self::in_some_folder(process, library),
        }
    }

    /// In the first folder from which it can be loaded; if there is none, why not from the first.
    fn in_some_folder(process: &Process, library: &Path) -> Result<Self, Unreachable> {
        let mut refused = None;
        for folder in FOLDERS {
            match copy(process, library, folder) {
                Ok(copy) => return Ok(copy),
                Err(cause) => {
                    refused.get_or_insert((folder, cause));
                }
            }
        }
        let (folder, cause) = refused.expect("there are folders");
        Err(Unreachable::NotCopied { pid: process.pid, path: process.path(folder), cause })
    }
}

fn sees_same_file(process: &Process, library: &Path, path: &str) -> bool {
    let identity = |path: &Path| fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    let same = identity(library).is_some_and(|ours| identity(&process.path(path)) == Some(ours));
    // Another user than ours may not be let into a folder on the way.
    same && path.len() <= MOST_PATH_BYTES && rustix::process::geteuid().as_raw() == process.uid
}

/// A new file that nobody else can have planted, readable for the target's user alone.
fn copy(process: &Process, library: &Path, folder: &'static str) -> io::Result<Provided> {
    let (name, folder) = (folder, Folder::of(process, folder)?);
    if statvfs(folder.path())?.f_flag.contains(StatVfsMountFlags::NOEXEC) {
        return Err(io::Error::other("it is mounted noexec, so no library can be loaded from it"));
    }
    let mut copy = tempfile::Builder::new().prefix(".libmayfly-").suffix(".so").tempfile_in(folder.path())?;
    io::copy(&mut File::open(library)?, copy.as_file_mut())?;
    copy.as_file().set_permissions(fs::Permissions::from_mode(0o500))?;
    if rustix::process::geteuid().as_raw() != process.uid {
        fchown(copy.as_file(), Some(process.uid), None)?;
    }
    let file = copy.path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
    Ok(Provided { path: format!("{name}/{file}"), _copy: Some((copy.into_temp_path(), folder)) })
}

/// Whether the JVM could load the library at all. One that was cut off would kill it: the loader maps what is not there.
///
/// # Errors
/// [`Unreachable::OtherArchitecture`], [`Unreachable::OtherCLibrary`], [`Unreachable::LibraryDamaged`]. What can't be read is left for the JVM to judge.
pub(crate) fn check_loadable(process: &Process, library: &Path) -> Result<(), Unreachable> {
    if !is_whole(library).unwrap_or(false) {
        return Err(Unreachable::LibraryDamaged { library: library.to_owned() });
    }
    let theirs = machine_of(process);
    let ours = Machine::of(library);
    match (theirs, ours) {
        (Some(theirs), Some(ours)) if theirs != ours => Err(Unreachable::OtherArchitecture {
            pid: process.pid,
            theirs: theirs.to_string(),
            ours: ours.to_string(),
            library: library.to_owned(),
        }),
        _ => check_c_library(process, library),
    }
}

/// What the JVM itself is built for: an emulator may run it.
fn machine_of(process: &Process) -> Option<Machine> {
    let files = process.mapped_files().ok();
    let jvm = files.as_deref().and_then(libjvm).and_then(|file| Machine::of(&process.path(file)));
    jvm.or_else(|| Machine::of(Path::new(&format!("/proc/{}/exe", process.pid))))
}

fn check_c_library(process: &Process, library: &Path) -> Result<(), Unreachable> {
    let theirs = process.mapped_files().ok().and_then(|files| CLibrary::of(process, &files));
    let why = theirs.zip(Needs::of(library)).and_then(|(theirs, needs)| needs.missing_in(theirs));
    let refused = |why| Unreachable::OtherCLibrary { pid: process.pid, library: library.to_owned(), why };
    why.map_or(Ok(()), |why| Err(refused(why)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_for_another_machine_is_refused() {
        let own = Process::find(std::process::id()).expect("alive");
        let folder = tempfile::tempdir().expect("a folder");
        let library = folder.path().join("lib.so");
        let mut head = [0; 64];
        head[..6].copy_from_slice(b"\x7fELF\x01\x01");
        head[18] = 3;
        fs::write(&library, head).expect("written");
        let error = check_loadable(&own, &library).unwrap_err().to_string();
        assert!(error.contains("the agent") && error.contains("for 32-bit x86"), "{error}");
        assert!(check_loadable(&own, &std::env::current_exe().expect("a path")).is_ok());
    }

    #[test]
    fn a_library_that_was_cut_off_is_refused() {
        let own = Process::find(std::process::id()).expect("alive");
        let folder = tempfile::tempdir().expect("a folder");
        let library = folder.path().join("lib.so");
        let bytes = fs::read(std::env::current_exe().expect("a path")).expect("readable");
        for length in [0, 20, 64, 4096, bytes.len() - 1] {
            fs::write(&library, &bytes[..length]).expect("written");
            let refused = check_loadable(&own, &library);
            assert!(matches!(refused, Err(Unreachable::LibraryDamaged { .. })), "{length}: {refused:?}");
        }
    }

    #[test]
    fn a_file_that_both_see_is_not_copied_and_a_copy_is_removed() {
        let own = Process::find(std::process::id()).expect("alive");
        let exe = std::env::current_exe().expect("a path");
        let same = Provided::to(&own, &exe).expect("visible");
        assert_eq!(Some(same.path.as_str()), exe.to_str());
        let folder = tempfile::tempdir().expect("a folder");
        let library = folder.path().join("lib.so");
        fs::write(&library, "bytes").expect("written");
        let copied = copy(&own, &library, "/tmp").expect("copied");
        let path = own.path(&copied.path);
        assert_eq!(fs::read(&path).expect("there"), b"bytes");
        drop(copied);
        assert!(!path.exists());
    }
}
