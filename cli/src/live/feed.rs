//! A source read by a thread of its own, so that keys are never waited on behind it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::error::Error;
use crate::live::source::{Piece, Source};

/// Pieces that wait at most: then the source waits.
const WAITING: usize = 4;

/// What a source says, as it comes.
#[derive(Debug)]
pub(super) struct Feed {
    pieces: Receiver<Result<Piece, Error>>,
}

impl Feed {
    /// Begins to read.
    ///
    /// # Errors
    /// [`Error::NoThread`].
    pub(super) fn of(mut source: Box<dyn Source>) -> Result<Self, Error> {
        let (sender, pieces) = sync_channel(WAITING);
        let read = move || {
            loop {
                let piece = source.next();
                let last = matches!(piece, Err(_) | Ok(Piece::End(_)));
                if sender.send(piece).is_err() || last {
                    return;
                }
            }
        };
        thread::Builder::new().name("source".to_owned()).spawn(read).map_err(Error::NoThread)?;
        Ok(Self { pieces })
    }

    /// The next piece, if there is one already.
    pub(super) fn ready(&self) -> Option<Result<Piece, Error>> {
        self.pieces.try_recv().ok()
    }

    /// The next piece; waits for it so long at most.
    pub(super) fn within(&self, time: Duration) -> Option<Result<Piece, Error>> {
        match self.pieces.recv_timeout(time) {
            Ok(piece) => Some(piece),
            Err(RecvTimeoutError::Timeout) => None,
            // Only after a panic, which has been said.
            Err(RecvTimeoutError::Disconnected) => Some(Ok(Piece::End(None))),
        }
    }
}
