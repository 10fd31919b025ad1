//! The agent's control socket as any program may find and misuse it: bytes in, bytes out.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long an answer is waited for.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

/// Where the agent of this process listens; `None` if nowhere.
pub fn control_socket(pid: u32) -> Option<PathBuf> {
    let folders = ["/tmp", "/dev/shm"];
    let paths = folders.iter().map(|folder| Path::new(folder).join(format!(".mayfly-{pid}.sock")));
    paths.into_iter().find(|path| fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket()))
}

/// A connection to it.
///
/// # Panics
/// If there is none.
#[track_caller]
pub fn connect_control(pid: u32) -> UnixStream {
    let path = control_socket(pid).expect("the agent has a socket");
    let stream = UnixStream::connect(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    stream.set_read_timeout(Some(ANSWER_LIMIT)).expect("a limit can be set");
    stream
}

/// Sends bytes, and returns everything that comes back until the agent hangs up.
///
/// # Panics
/// If it does not hang up in time.
#[track_caller]
pub fn exchange_bytes(pid: u32, bytes: &[u8]) -> Vec<u8> {
    let mut stream = connect_control(pid);
    // It may hang up before everything is said.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => answer,
        Err(error) if error.kind() == ErrorKind::ConnectionReset => answer,
        Err(error) => panic!("the agent neither answers nor hangs up: {error}"),
    }
}
