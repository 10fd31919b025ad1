//! Requests from outside the JVM, by a Unix-domain socket of the agent's own.
//!
//! One thread, `mayfly-control`, sleeps until somebody connects. It is not known to the JVM except while it carries out a
//! request that needs it, and what it allocates then is not counted. Not here: what profiling does with a request
//! (`control`), the bytes of requests (`mayfly-recording`).

mod answer;
mod reply;
mod server;
pub(crate) mod socket;

use std::os::unix::net::UnixListener;
use std::thread;

use mayfly_recording::control::AttachRefusal;

use self::socket::Place;
use crate::host::Host;
use crate::notice::say;

/// Opens the socket and starts the thread, unless the user wants none. Says why if it can't.
pub(crate) fn start(host: &'static Host) {
    if host.options.control
        && let Ok(socket) = listen()
    {
        serve(host, socket);
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
pub(crate) fn serve(host: &'static Host, socket: Socket) {
    let (listener, place) = socket;
    let thread = thread::Builder::new().name("mayfly-control".into());
    match thread.spawn(move || server::run(host, &listener)) {
        Ok(_) => host.keep(place),
        Err(error) => say(&format!("cannot start a thread ({error}): this JVM can't be reached by mayfly")),
    }
}

/// A socket that listens, and its file.
type Socket = (UnixListener, Place);
