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

use crate::host::Host;
use crate::notice::say;

/// Opens the socket and starts the thread, unless the user wants none. Says why if it can't.
pub(crate) fn start(host: &'static Host) -> Result<(), AttachRefusal> {
    if !host.options.control {
        return Ok(());
    }
    let listener = open(host)?;
    let spawned =
        thread::Builder::new().name("mayfly-control".into()).spawn(move || server::run(host, &listener));
    match spawned {
        Ok(_) => Ok(()),
        Err(error) => {
            host.lose();
            say(&format!("cannot start a thread ({error}): this JVM can't be reached by mayfly"));
            Err(AttachRefusal::Resources)
        }
    }
}

fn open(host: &Host) -> Result<UnixListener, AttachRefusal> {
    match socket::listen() {
        Ok((listener, place)) => {
            host.keep(place);
            Ok(listener)
        }
        Err(error) => {
            say(&format!("{error}: this JVM can't be reached by mayfly (#nocontrol says not to try)"));
            Err(error.refusal())
        }
    }
}
