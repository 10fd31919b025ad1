//! The agent in a running JVM as a source: each step as it is published.

use std::time::Duration;

use mayfly_recording::RecordingReader;
use mayfly_recording::control::{CHUNK_BYTES, Request, Response};

use crate::error::Error;
use crate::live::source::{Piece, Source};
use crate::session::connect::{Conversation, Target};
use crate::session::unreachable::Unreachable;

/// How long the agent may take for its first words.
const FIRST: Duration = Duration::from_secs(30);

/// A JVM that is watched.
pub(crate) struct WatchedJvm {
    conversation: Conversation,
    reader: RecordingReader,
    /// The answer that came while it was found out whether there is one.
    first: Option<Response>,
    /// Whether what was said last was the end of a step.
    caught_up: bool,
}

impl WatchedJvm {
    /// Begins to watch.
    ///
    /// # Errors
    /// [`Error::Unreachable`]; [`Error::Refused`] if the agent does not profile, is too old, or is watched by too many.
    pub(crate) fn watch(target: &Target) -> Result<Self, Error> {
        let mut conversation = target.converse(&Request::Watch, Some(FIRST))?;
        let first = match conversation.next_response()? {
            Response::Refused(refusal) => return Err(target.refused(&Request::Watch, refusal)),
            response => Some(response),
        };
        // From here on it speaks when it has something to say: a JVM that stands still in a debugger may go on.
        conversation.wait_at_most(None)?;
        Ok(Self { conversation, reader: RecordingReader::new(), first, caught_up: false })
    }

    fn next_response(&mut self) -> Result<Response, Unreachable> {
        match self.first.take() {
            Some(response) => Ok(response),
            None => self.conversation.next_response(),
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<Piece, Error> {
        // Steps come in pieces of full length but the last.
        self.caught_up = bytes.len() < CHUNK_BYTES;
        self.reader.push(bytes);
        let mut updates = Vec::new();
        loop {
            match self.reader.next_update() {
                Ok(Some(update)) => updates.push(update),
                Ok(None) => break,
                Err(cause) => return Err(Error::RecordingRefused { name: self.conversation.name(), cause }),
            }
        }
        match self.reader.damage().filter(|damage| matches!(damage, mayfly_recording::Damage::Corrupt { .. }))
        {
            Some(damage) => Ok(Piece::End(Some(damage.to_string()))),
            None => Ok(Piece::Updates(updates)),
        }
    }
}

impl Source for WatchedJvm {
    fn next(&mut self) -> Result<Piece, Error> {
        if std::mem::take(&mut self.caught_up) {
            return Ok(Piece::CaughtUp);
        }
        match self.next_response() {
            Ok(Response::Recording(bytes)) => self.take(&bytes),
            Ok(Response::Done) => Ok(Piece::End(None)),
            Ok(_) => Err(Error::unexpected(self.conversation.pid())),
            Err(gone) => Ok(Piece::End(Some(gone.to_string()))),
        }
    }
}
