//! The way to the agent inside a running JVM: finding its socket, asking, hearing the answer.
//!
//! The socket is found from outside a container, too: by `/proc/PID/root`, named after the number that the JVM has in
//! there. Who answers is checked to be the process that was meant. Not here: what may be asked (`mayfly-recording`), how
//! an agent gets into a JVM that has none (`attach`).

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use mayfly_recording::control::exchange::greeting;
use mayfly_recording::control::{
    ExchangeError, Incoming, Refusal, Request, Response, SOCKET_FOLDERS, Status, encode, socket_name,
};
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use crate::error::Error;
use crate::session::folder::Folder;
use crate::session::process::Process;
use crate::session::unreachable::Unreachable;
use crate::session::{attach, jvms};

/// How long an agent may take to answer what costs it nothing.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);
/// The same of what may have the JVM take its classes anew: seconds as a rule, minutes where there are thousands on JDK 11.
const CLASSES_LIMIT: Duration = Duration::from_secs(15 * 60);
/// How long an agent that is being loaded may take to make its socket: the JVM may be starting, or short of CPU.
const SOCKET_LIMIT: Duration = Duration::from_secs(3);
const SOCKET_STEP: Duration = Duration::from_millis(10);

/// A JVM with an agent that takes requests.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    process: Process,
    /// In the folder below.
    socket: PathBuf,
    _folder: Arc<Folder>,
}

impl Target {
    /// The agent in this JVM; loads it into the running JVM if there is none.
    ///
    /// # Errors
    /// [`Error::Unreachable`], [`Error::AgentNotFound`], [`Error::AgentNotAFile`].
    pub(crate) fn connect(pid: u32) -> Result<Self, Error> {
        match Self::reach(pid) {
            Err(Unreachable::NoAgent { .. }) => {
                attach::attach(&Process::find(pid)?)?;
                Ok(Self::reach(pid)?)
            }
            reached => Ok(reached?),
        }
    }

    /// The agent that is in this JVM already. One that is about to make its socket is waited for.
    ///
    /// # Errors
    /// Why there is no way to it; [`Unreachable::NoAgent`] if a JVM simply has none.
    pub(crate) fn reach(pid: u32) -> Result<Self, Unreachable> {
        let deadline = Instant::now() + SOCKET_LIMIT;
        loop {
            match Self::find(pid) {
                Err(Unreachable::NoSocket { .. }) if Instant::now() < deadline => thread::sleep(SOCKET_STEP),
                found => return found,
            }
        }
    }

    /// The agent that takes requests in this JVM now.
    ///
    /// # Errors
    /// As [`Self::reach`].
    pub(crate) fn find(pid: u32) -> Result<Self, Unreachable> {
        let process = Process::find(pid)?;
        process.check_user()?;
        process.check_running()?;
        if let Some((folder, socket)) = socket_of(&process)? {
            return Ok(Self { process, socket, _folder: Arc::new(folder) });
        }
        match jvms::agent_library(&jvms::hotspot_files(&process)?) {
            Some(library) => Err(Unreachable::NoSocket { pid, inner_pid: process.inner_pid, library }),
            None => Err(Unreachable::NoAgent { pid }),
        }
    }

    /// Asks, and waits for the answer; for as long as it takes if the heap has to be walked, and long if classes may be changed.
    ///
    /// # Errors
    /// [`Error::Unreachable`]; [`Error::Refused`] if the agent does not do it.
    pub(crate) fn ask(&self, request: &Request) -> Result<Response, Error> {
        self.ask_within(request, limit(request))
    }

    /// What the agent is and does.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(crate) fn status(&self) -> Result<Status, Error> {
        match self.ask(&Request::Status)? {
            Response::Status(status) => Ok(*status),
            _ => Err(Error::unexpected(self.pid())),
        }
    }

    /// As [`Self::ask`]; the agent may be silent for so long.
    pub(crate) fn ask_within(&self, request: &Request, limit: Option<Duration>) -> Result<Response, Error> {
        let mut conversation = Conversation::begin(self, request, limit)?;
        match conversation.next_response()? {
            Response::Refused(refusal) => Err(self.refused(request, refusal)),
            response => Ok(response),
        }
    }

    /// Writes the recording that a request is answered with into `to`.
    ///
    /// # Errors
    /// As [`Self::ask`]; [`Error::NotWritten`] with `name`.
    pub(crate) fn fetch(&self, request: &Request, to: &mut dyn Write, name: &str) -> Result<(), Error> {
        let mut conversation = Conversation::begin(self, request, limit(request))?;
        loop {
            match conversation.next_response()? {
                Response::Recording(bytes) => to
                    .write_all(&bytes)
                    .map_err(|source| Error::NotWritten { name: name.to_owned(), source })?,
                Response::Refused(refusal) => return Err(self.refused(request, refusal)),
                _ => return Ok(()),
            }
        }
    }

    /// Asks, for one who hears the answers himself. The agent may be silent for so long.
    ///
    /// # Errors
    /// Why there is no way to it.
    pub(crate) fn converse(
        &self,
        request: &Request,
        limit: Option<Duration>,
    ) -> Result<Conversation, Unreachable> {
        Conversation::begin(self, request, limit)
    }

    /// Its number as the system has it here.
    pub(crate) fn pid(&self) -> u32 {
        self.process.pid
    }

    /// The error that a refusal is.
    pub(crate) fn refused(&self, request: &Request, refusal: Refusal) -> Error {
        Error::Refused { request: request.name(), pid: self.process.pid, refusal }
    }
}

/// How long the agent may be silent before it answers; `None`: for as long as it takes.
fn limit(request: &Request) -> Option<Duration> {
    match request {
        Request::HeapSummary { .. } | Request::HeapDump { .. } | Request::HeapStep { .. } => None,
        Request::Start { .. } | Request::Stop(_) | Request::Collect => Some(CLASSES_LIMIT),
        _ => Some(ANSWER_LIMIT),
    }
}

/// One request on its way, and its answers.
pub(crate) struct Conversation {
    pid: u32,
    stream: UnixStream,
    incoming: Incoming<Response>,
}

impl Conversation {
    fn begin(target: &Target, request: &Request, limit: Option<Duration>) -> Result<Self, Unreachable> {
        let pid = target.process.pid;
        let silent = |cause| Unreachable::Silent { pid, cause };
        let mut stream = UnixStream::from(connect(&target.socket, ANSWER_LIMIT).map_err(silent)?);
        check_server(&stream, pid, Path::new(target.socket.file_name().unwrap_or_default()))?;
        let frame = encode(request).map_err(|cause| Unreachable::Confused { pid, cause })?;
        stream.set_read_timeout(limit).map_err(silent)?;
        stream.write_all(&[&greeting()[..], &frame].concat()).map_err(silent)?;
        Ok(Self { pid, stream, incoming: Incoming::default() })
    }

    /// The JVM that was asked.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// What is being heard, for messages.
    pub(crate) fn name(&self) -> String {
        format!("of JVM {}", self.pid)
    }

    /// From now on the agent may be silent for so long.
    ///
    /// # Errors
    /// [`Unreachable::Silent`].
    pub(crate) fn wait_at_most(&self, limit: Option<Duration>) -> Result<(), Unreachable> {
        self.stream.set_read_timeout(limit).map_err(|cause| Unreachable::Silent { pid: self.pid, cause })
    }

    /// The next answer; waits for it.
    ///
    /// # Errors
    /// It does not come, or is none.
    pub(crate) fn next_response(&mut self) -> Result<Response, Unreachable> {
        let mut bytes = vec![0; 64 << 10];
        loop {
            match self.incoming.next_message() {
                Ok(Some(response)) => return Ok(response),
                Ok(None) => {}
                Err(cause) => return Err(self.confused(cause)),
            }
            match self.stream.read(&mut bytes) {
                Ok(0) => return Err(self.broken(ErrorKind::UnexpectedEof.into())),
                Ok(length) => self.incoming.push(&bytes[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.broken(error)),
            }
        }
    }

    fn confused(&self, cause: ExchangeError) -> Unreachable {
        Unreachable::Confused { pid: self.pid, cause }
    }

    fn broken(&self, cause: io::Error) -> Unreachable {
        match Process::find(self.pid) {
            Err(_) => Unreachable::Ended { pid: self.pid },
            Ok(process) if process.is_stopped => Unreachable::Stopped { pid: self.pid },
            Ok(_) if cause.kind() == ErrorKind::WouldBlock => {
                Unreachable::Silent { pid: self.pid, cause: ErrorKind::TimedOut.into() }
            }
            Ok(_) => Unreachable::Silent { pid: self.pid, cause },
        }
    }
}

/// The socket on which the process's agent listens; `None` if there is none, or only one that a dead process left.
fn socket_of(process: &Process) -> Result<Option<(Folder, PathBuf)>, Unreachable> {
    for folder in SOCKET_FOLDERS {
        let folder = match Folder::of(process, folder) {
            Ok(folder) => folder,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Err(process.not_permitted(error));
            }
            Err(_) => continue,
        };
        let path = folder.file(&socket_name(process.inner_pid));
        match fs::symlink_metadata(&path) {
            Ok(file) if file.file_type().is_socket() && file.uid() == process.uid => {}
            // Something planted, or nothing.
            _ => continue,
        }
        match connect(&path, ANSWER_LIMIT) {
            Ok(socket) => {
                // A process of the same number in another pid namespace may share the folder.
                if check_server(&socket.into(), process.pid, &path).is_ok() {
                    return Ok(Some((folder, path)));
                }
            }
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
            Err(cause) => return Err(Unreachable::Silent { pid: process.pid, cause }),
        }
    }
    Ok(None)
}

/// Connects, waiting for room if many do.
fn connect(path: &Path, limit: Duration) -> io::Result<rustix::fd::OwnedFd> {
    let socket =
        rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    sockopt::set_socket_timeout(&socket, Timeout::Send, Some(limit))?;
    let address = SocketAddrUnix::new(path)?;
    loop {
        match rustix::net::connect(&socket, &address) {
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Err(ErrorKind::TimedOut.into()),
            connected => return Ok(connected.map(|()| socket)?),
        }
    }
}

/// Whether the process that listens is the one that was meant: names in shared folders prove nothing.
fn check_server(stream: &UnixStream, pid: u32, path: &Path) -> Result<(), Unreachable> {
    let server = getsockopt(stream, PeerCredentials)
        .map_err(|error| Unreachable::Silent { pid, cause: error.into() })?
        .pid();
    if u32::try_from(server) == Ok(pid) {
        return Ok(());
    }
    Err(Unreachable::Foreign { pid, path: path.to_owned(), other: server })
}

#[cfg(test)]
mod tests {
    use mayfly_recording::control::StopMode;

    use super::*;

    #[test]
    fn what_may_change_classes_may_take_longer_than_what_costs_nothing() {
        let start = Request::Start { options: String::new(), stop_after_ms: None };
        for request in [start, Request::Stop(StopMode::KeepHooks), Request::Stop(StopMode::RestoreAndSend)] {
            assert!(limit(&request) > limit(&Request::Status), "{request:?}");
        }
        assert_eq!(limit(&Request::HeapSummary { all: true }), None, "as long as the heap is large");
    }
}
