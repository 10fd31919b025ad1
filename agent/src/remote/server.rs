//! The thread that takes connections: who may ask, how long they may take, and one request at a time.
//!
//! It never waits for one client: all who are connected are listened to at once, and who has said nothing whole in time
//! is left. Not here: what requests do (`answer`), and how answers are sent (`reply`).

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use mayfly_recording::control::{ExchangeError, Incoming, Message, Refusal, Request, Response};
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::SocketFlags;

use super::answer::{answer, forget_heap};
use super::reply::Reply;
use super::socket;
use crate::conduct::descriptors::above_standard;
use crate::conduct::own_threads::exclude_this_thread;
use crate::heap;
use crate::steering::switch_off;
use crate::target_jvm::Target;

/// Clients listened to at once. Beyond, the one that has waited longest without saying anything whole is left.
const MOST_CLIENTS: usize = 32;
/// What a client may send: a request of the largest size, and a little that is passed over.
const MOST_BYTES: usize = 2 * Request::MOST_BYTES;
/// How long a client may take to say what it wants.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
/// Pause after the system refused a connection for want of something, as of file descriptors.
const SHORTAGE_PAUSE: Duration = Duration::from_millis(200);

/// A client that has not said everything yet.
struct Client {
    stream: UnixStream,
    incoming: Incoming<Request>,
    /// Bytes that it may still send.
    left: usize,
    deadline: Instant,
}

/// What is known of a client after it was read from.
enum Heard {
    NothingWhole,
    Request(Request),
    Nonsense(ExchangeError),
    Gone,
}

/// Serves until the process ends.
pub(super) fn run(target: &'static Target, listener: &UnixListener) {
    exclude_this_thread();
    socket::sweep();
    let mut clients = VecDeque::new();
    loop {
        wait(listener, &clients);
        // Before others come, too: nobody who has spoken is left for somebody who has not.
        hear_all(target, &mut clients);
        take_connections(listener, &mut clients);
        hear_all(target, &mut clients);
        forget_heap(target);
    }
}

fn hear_all(target: &'static Target, clients: &mut VecDeque<Client>) {
    for _ in 0..clients.len() {
        let Some(mut client) = clients.pop_front() else { return };
        match client.hear() {
            Heard::NothingWhole if Instant::now() < client.deadline => clients.push_back(client),
            Heard::NothingWhole | Heard::Gone => {}
            Heard::Request(request) => serve(target, client.reply(), request),
            Heard::Nonsense(error) => refuse(client.reply(), &error),
        }
    }
}

/// Sleeps until somebody connects, says something, or has had its time.
fn wait(listener: &UnixListener, clients: &VecDeque<Client>) {
    let first = clients.iter().map(|client| client.deadline).chain(heap::kept_until()).min();
    let timeout = first.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let timeout = timeout.and_then(|left| Timespec::try_from(left + Duration::from_millis(1)).ok());
    let streams = clients.iter().map(|client| PollFd::new(&client.stream, PollFlags::IN));
    let mut all: Vec<_> = std::iter::once(PollFd::new(listener, PollFlags::IN)).chain(streams).collect();
    // Interrupted, or not: what there is to do is found out without waiting.
    let _ = poll(&mut all, timeout.as_ref());
}

fn take_connections(listener: &UnixListener, clients: &mut VecDeque<Client>) {
    // Bounded: those who connect faster than they are taken must not keep those who speak from being heard.
    for _ in 0..MOST_CLIENTS {
        match rustix::net::accept_with(listener, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
            Ok(socket) => {
                let Ok(stream) = above_standard::<UnixStream>(socket) else { continue };
                if is_allowed(&stream) {
                    if clients.len() == MOST_CLIENTS {
                        clients.pop_front();
                    }
                    let deadline = Instant::now() + REQUEST_LIMIT;
                    let (incoming, left) = (Incoming::default(), MOST_BYTES);
                    clients.push_back(Client { stream, incoming, left, deadline });
                }
            }
            Err(error) => match io::Error::from(error).kind() {
                ErrorKind::Interrupted | ErrorKind::ConnectionAborted => {}
                ErrorKind::WouldBlock => return,
                _ => return thread::sleep(SHORTAGE_PAUSE),
            },
        }
    }
}

/// The file's mode keeps others out already; on what folders are mounted is not for us to say.
fn is_allowed(stream: &UnixStream) -> bool {
    let own = rustix::process::geteuid().as_raw();
    getsockopt(stream, PeerCredentials).is_ok_and(|peer| peer.uid() == own || peer.uid() == 0)
}

impl Client {
    fn hear(&mut self) -> Heard {
        let mut bytes = [0; 4096];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => return Heard::Gone,
                Ok(length) if length <= self.left => {
                    self.left -= length;
                    self.incoming.push(&bytes[..length]);
                }
                Ok(_) => return Heard::Gone,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Heard::NothingWhole,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return Heard::Gone,
            }
            match self.incoming.next_message() {
                Ok(None) => {}
                Ok(Some(request)) => return Heard::Request(request),
                Err(error) => return Heard::Nonsense(error),
            }
        }
    }

    /// The way back to it.
    fn reply(self) -> Reply {
        Reply::new(self.stream)
    }
}

fn serve(target: &'static Target, mut reply: Reply, request: Request) {
    // A client that left has its answer thrown away.
    if catch_unwind(AssertUnwindSafe(|| drop(answer(target, request, &mut reply)))).is_err() {
        switch_off();
        let why = "internal error in the agent, written to the JVM's stderr; please report it".into();
        let _ = reply.send(&Response::Refused(Refusal::Failed { why }));
    }
}

/// Tells what was wrong to who spoke this protocol at all; others hear nothing.
fn refuse(mut reply: Reply, error: &ExchangeError) {
    let refusal = match error {
        ExchangeError::Foreign => return,
        ExchangeError::UnknownMessage { number, .. } => Refusal::Unknown { number: *number },
        other => Refusal::Malformed { what: other.to_string() },
    };
    let _ = reply.send(&Response::Refused(refusal));
}
