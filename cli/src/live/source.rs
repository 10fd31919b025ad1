//! Where updates come from: a recording that grows, or the agent in a running JVM. All sources are read alike.

use mayfly_profile::Update;

use crate::error::Error;

/// What a source has to say.
#[derive(Debug)]
pub(crate) enum Piece {
    /// The next updates of the stream, in order.
    Updates(Vec<Update>),
    /// That is all there is so far.
    CaughtUp,
    /// Nothing follows; why, unless the agent has closed the stream.
    End(Option<String>),
}

/// A stream of updates.
pub(crate) trait Source: Send {
    /// What comes next; waits for it. Not to be called again after [`Piece::End`] or an error.
    ///
    /// # Errors
    /// Why there is nothing to be had, at first or any more.
    fn next(&mut self) -> Result<Piece, Error>;
}
