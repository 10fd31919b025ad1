//! Sending answers to a client that may be slow, stopped or gone.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use mayfly_recording::control::exchange::greeting;
use mayfly_recording::control::{CHUNK_BYTES, Response, encode};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::SendFlags;

/// How long a client may take nothing.
const STALL_LIMIT: Duration = Duration::from_secs(5);
/// How long a whole answer may take.
const REPLY_LIMIT: Duration = Duration::from_secs(60);

/// The way back to a client. Nothing may be locked while something is sent.
pub(super) struct Reply {
    stream: UnixStream,
    greeted: bool,
    /// How long the client may take nothing.
    stall: Duration,
    /// How long all of it may take.
    limit: Option<Duration>,
    /// From the first byte sent on.
    deadline: Option<Instant>,
}

impl Reply {
    /// Nothing is sent yet. The stream must not block.
    pub(super) fn new(stream: UnixStream) -> Self {
        Self { stream, greeted: false, stall: STALL_LIMIT, limit: Some(REPLY_LIMIT), deadline: None }
    }

    /// Another way to the same client, on which nothing was sent yet, that may be open as long as the client takes something within
    /// `stall`.
    pub(super) fn endless(&self, stall: Duration) -> io::Result<Self> {
        Ok(Self { stall, limit: None, ..Self::new(self.stream.try_clone()?) })
    }

    /// Sends one answer.
    pub(super) fn send(&mut self, response: &Response) -> io::Result<()> {
        let frame = encode(response).map_err(io::Error::other)?;
        if !self.greeted {
            self.greeted = true;
            self.send_bytes(&greeting())?;
        }
        self.send_bytes(&frame)
    }

    /// Sends a recording, in pieces, and that it is whole.
    pub(super) fn send_recording(&mut self, recording: &[u8]) -> io::Result<()> {
        for piece in recording.chunks(CHUNK_BYTES) {
            self.send(&Response::Recording(piece.to_vec()))?;
        }
        self.send(&Response::Done)
    }

    fn send_bytes(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        if self.deadline.is_none() {
            self.deadline = self.limit.map(|limit| Instant::now() + limit);
        }
        while !bytes.is_empty() {
            // A closed pipe is an error here, never a signal for the program.
            match rustix::net::send(&self.stream, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.wait_for_room()?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn wait_for_room(&self) -> io::Result<()> {
        let left = self.deadline.map_or(self.stall, |end| end.saturating_duration_since(Instant::now()));
        let left = left.min(self.stall);
        let timeout = Timespec::try_from(left).ok();
        match poll(&mut [PollFd::new(&self.stream, PollFlags::OUT)], timeout.as_ref()) {
            Ok(0) => Err(io::ErrorKind::TimedOut.into()),
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
