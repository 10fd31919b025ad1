//! Requests from outside the JVM, by a Unix-domain socket of the agent's own.
//!
//! One thread, `mayfly-control`, sleeps until somebody connects. It is not known to the JVM except while it carries out a
//! request that needs it, and what it allocates then is not counted. Not here: what profiling does with a request
//! (`steering`), the bytes of requests (`mayfly-recording`).

mod answer;
mod reply;
mod server;
mod socket;
mod start;
mod watcher;

use std::os::unix::net::UnixListener;
use std::sync::{Mutex, PoisonError};
use std::thread;

use mayfly_recording::control::AttachRefusal;

use self::socket::SocketFile;
use self::start::Start;
use crate::conduct::notice::say;
use crate::target_jvm::Target;

/// Where the socket is, until the JVM ends.
static SOCKET_FILE: Mutex<Option<SocketFile>> = Mutex::new(None);

/// Opens the socket and starts the thread, unless the user wants none. Says why if it can't.
pub(crate) fn start(target: &'static Target, start: Start) {
    if target.options.control
        && let Ok(socket) = listen()
    {
        serve(target, socket, start);
    }
}

/// Opens the socket; nobody is served yet.
pub(crate) fn listen() -> Result<Socket, AttachRefusal> {
    socket::listen().map_err(|error| {
        say(&format!("{error}: this JVM can't be reached by mayfly (#nocontrol says not to try)"));
        error.refusal()
    })
}

/// Starts the thread.
pub(crate) fn serve(target: &'static Target, socket: Socket, start: Start) {
    start::set(start);
    let (listener, file) = socket;
    let thread = thread::Builder::new().name("mayfly-control".into());
    match thread.spawn(move || server::run(target, &listener)) {
        Ok(_) => *SOCKET_FILE.lock().unwrap_or_else(PoisonError::into_inner) = Some(file),
        Err(error) => say(&format!("cannot start a thread ({error}): this JVM can't be reached by mayfly")),
    }
}

/// The JVM ends: the socket is taken away.
pub(crate) fn end() {
    drop(SOCKET_FILE.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// Whether requests are taken, or none are wanted.
pub(crate) fn is_served(target: &Target) -> bool {
    !target.options.control || SOCKET_FILE.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// A socket that listens, and its file.
type Socket = (UnixListener, SocketFile);
