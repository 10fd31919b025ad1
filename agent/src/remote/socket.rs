//! The socket's file: where it is, whose it is, and that it is gone when the JVM is.
//!
//! Named after the process as the JVM itself sees it, in a folder that everybody has: who looks from another pid or mount
//! namespace finds both by `/proc`. Not here: who may connect (`server`).

use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, process};

use mayfly_recording::control::{AttachRefusal, SOCKET_FOLDERS, socket_name};
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use rustix::fd::OwnedFd;
use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use crate::conduct::descriptors::above_standard;

/// Connections that wait for the thread.
const BACKLOG: i32 = 64;
/// A socket that nobody serves and that is younger may be just about to be served.
const LEAST_AGE: Duration = Duration::from_secs(60);

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListenError {
    /// Another copy of this library got there first.
    #[error("another copy of the agent serves this JVM already")]
    AlreadyLoaded,
    /// In no folder.
    #[error("cannot make a socket: {}", tried(.0))]
    Nowhere(Vec<(PathBuf, io::Error)>),
}

impl ListenError {
    pub(super) fn refusal(&self) -> AttachRefusal {
        match self {
            Self::AlreadyLoaded => AttachRefusal::AlreadyLoaded,
            Self::Nowhere(_) => AttachRefusal::NoSocket,
        }
    }
}

fn tried(folders: &[(PathBuf, io::Error)]) -> String {
    folders.iter().map(|(path, error)| format!("{}: {error}", path.display())).collect::<Vec<_>>().join(", ")
}

/// A socket's file, removed when dropped if it is still the one that was made.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let found = fs::symlink_metadata(&self.path).map(|file| (file.dev(), file.ino()));
        if found.is_ok_and(|found| found == self.identity) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A socket that only its owner can connect to, in the first folder where one can be made.
pub(crate) fn listen() -> Result<(UnixListener, SocketFile), ListenError> {
    let mut failed = Vec::new();
    for folder in SOCKET_FOLDERS {
        let path = Path::new(folder).join(socket_name(process::id()));
        match listen_at(&path) {
            Ok(made) => return Ok(made),
            Err(Taken::ByUs) => return Err(ListenError::AlreadyLoaded),
            Err(Taken::No(error)) => failed.push((path, error)),
        }
    }
    Err(ListenError::Nowhere(failed))
}

enum Taken {
    ByUs,
    No(io::Error),
}

impl From<Errno> for Taken {
    fn from(error: Errno) -> Self {
        Self::No(error.into())
    }
}

impl From<io::Error> for Taken {
    fn from(error: io::Error) -> Self {
        Self::No(error)
    }
}

fn listen_at(path: &Path) -> Result<(UnixListener, SocketFile), Taken> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let address = SocketAddrUnix::new(path)?;
    let socket: OwnedFd =
        above_standard(rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?)?;
    // Before it has a name: Linux gives the file the mode of the socket, so it is never open to others. Changing the
    // process's umask instead would hit the program's own files.
    rustix::fs::fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
    // Never through a link: bind takes no name that is there, whatever it is.
    match rustix::net::bind(&socket, &address) {
        Err(Errno::ADDRINUSE) => {
            clear_stale(path, &address)?;
            rustix::net::bind(&socket, &address)?;
        }
        bound => bound?,
    }
    let made = fs::symlink_metadata(path)?;
    let file = SocketFile { path: path.to_owned(), identity: (made.dev(), made.ino()) };
    rustix::net::listen(&socket, BACKLOG)?;
    Ok((socket.into(), file))
}

/// Removes what an earlier process of this number left. Others' files, and sockets that somebody serves, are left alone.
fn clear_stale(path: &Path, address: &SocketAddrUnix) -> Result<(), Taken> {
    let found = fs::symlink_metadata(path)?;
    if !found.file_type().is_socket() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "a file of that name is in the way").into());
    }
    match probe(address) {
        Err(Errno::CONNREFUSED) => Ok(fs::remove_file(path)?),
        Ok(probe) if serves(&probe) == Some(process::id()) => Err(Taken::ByUs),
        // A process of the same number in another pid namespace that shares the folder.
        _ => Err(io::Error::new(io::ErrorKind::AddrInUse, "another process serves it").into()),
    }
}

/// A connection to whoever listens there, without waiting.
fn probe(address: &SocketAddrUnix) -> Result<OwnedFd, Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let probe = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&probe, address).map(|()| probe)
}

/// Removes what killed processes of our user left, as HotSpot does with its own files.
pub(super) fn sweep() {
    for folder in SOCKET_FOLDERS {
        sweep_folder(Path::new(folder), LEAST_AGE);
    }
}

fn sweep_folder(folder: &Path, least_age: Duration) {
    let own = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_named_so = entry.file_name().to_str().is_some_and(is_socket_name);
        let Some(file) = is_named_so.then(|| entry.metadata().ok()).flatten() else { continue };
        let is_old = file.modified().is_ok_and(|made| made.elapsed().is_ok_and(|age| age >= least_age));
        if !file.file_type().is_socket() || file.uid() != own || !is_old {
            continue;
        }
        // Whoever is alive listens, whatever its number means in our pid namespace.
        if SocketAddrUnix::new(entry.path()).is_ok_and(|at| probe(&at).err() == Some(Errno::CONNREFUSED)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_socket_name(name: &str) -> bool {
    let pid = name.strip_prefix(".mayfly-").and_then(|rest| rest.strip_suffix(".sock"));
    pid.and_then(|pid| pid.parse().ok()).is_some_and(|pid| socket_name(pid) == name)
}

/// The process that listens at the other end; 0 if it has no number in our pid namespace.
fn serves(probe: &OwnedFd) -> Option<u32> {
    getsockopt(probe, PeerCredentials).ok()?.pid().try_into().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn listens(path: &Path) -> Result<(UnixListener, SocketFile), String> {
        listen_at(path).map_err(|taken| match taken {
            Taken::ByUs => "by us".into(),
            Taken::No(error) => error.to_string(),
        })
    }

    #[test]
    fn only_the_owner_can_open_it_and_it_goes_when_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s");
        let (_listener, file) = listens(&path).expect("a socket");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o7777, 0o600);
        drop(file);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_dead_process_left_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s");
        drop(UnixListener::bind(&path).expect("a socket"));
        let (_listener, file) = listens(&path).expect("a socket in place of the stale one");
        assert!(std::os::unix::net::UnixStream::connect(&path).is_ok());
        drop(file);
    }

    #[test]
    fn a_second_one_of_this_process_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s");
        let (_listener, _file) = listens(&path).expect("a socket");
        assert_eq!(listens(&path).map(|_| ()), Err("by us".into()));
    }

    #[test]
    fn links_and_other_files_are_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let (link, file) = (folder.path().join("link"), folder.path().join("file"));
        symlink(folder.path().join("elsewhere"), &link).expect("a link");
        fs::write(&file, "kept").expect("a file");
        for path in [&link, &file] {
            let refused = listens(path).map(|_| ()).expect_err("in the way");
            assert!(refused.contains("in the way"), "{refused}");
        }
        assert!(!folder.path().join("elsewhere").exists());
        assert_eq!(fs::read_to_string(&file).expect("there"), "kept");
    }

    #[test]
    fn only_old_sockets_that_nobody_serves_are_swept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        drop(UnixListener::bind(path(".mayfly-1.sock")).expect("left behind"));
        let _served = UnixListener::bind(path(".mayfly-2.sock")).expect("served");
        drop(UnixListener::bind(path("another.sock")).expect("another's"));
        drop(UnixListener::bind(path(".mayfly-01.sock")).expect("another's"));
        fs::write(path(".mayfly-3.sock"), "").expect("no socket");
        symlink(path(".mayfly-1.sock"), path(".mayfly-4.sock")).expect("a link");
        let left = || {
            let entries = fs::read_dir(folder.path()).expect("there").flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
            names.sort();
            names
        };
        sweep_folder(folder.path(), Duration::from_secs(60));
        assert_eq!(left().len(), 6, "all are young");
        sweep_folder(folder.path(), Duration::ZERO);
        let others =
            [".mayfly-01.sock", ".mayfly-2.sock", ".mayfly-3.sock", ".mayfly-4.sock", "another.sock"];
        assert_eq!(left(), others);
    }

    #[test]
    fn another_file_put_in_its_place_is_not_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s");
        let (_listener, file) = listens(&path).expect("a socket");
        fs::remove_file(&path).expect("removed");
        fs::write(&path, "").expect("another file");
        drop(file);
        assert!(path.exists());
    }
}
