//! Requests and answers as bytes and back, from pieces of any size.
//!
//! Each side begins with a greeting, then sends frames as recordings have them ([`crate::frame`]); kind 16 carries a
//! request, kind 17 an answer (`contents`). Frames of other kinds are skipped, so that later releases may
//! add some.
//!
//! ```text
//! greeting, 12 bytes
//!  0                               8       10      12
//! ┌───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┐
//! │ 89  M   A   Y   C   T   L  \n │version│ 0   0 │
//! └───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┘
//! ```
//!
//! The other side may be hostile or broken: a length is believed only if its checksum holds, and never beyond the bound
//! of the message that is waited for.

use std::marker::PhantomData;

use crate::control::contents::{self, Unread};
use crate::control::message::{PROTOCOL_VERSION, Request, Response};
use crate::frame::{FRAME_HEAD_LEN, FrameStart, frame_head, split_frame};

/// First bytes of each side.
pub const GREETING: [u8; 8] = *b"\x89MAYCTL\n";
/// Length of a greeting, in bytes.
pub const GREETING_LEN: usize = 12;
const KIND_REQUEST: u8 = 16;
const KIND_RESPONSE: u8 = 17;

/// A request or an answer.
pub trait Message: Sized + sealed::Sealed {
    /// Kind of its frames.
    const KIND: u8;
    /// The most bytes of one.
    const MOST_BYTES: usize;

    /// Number and contents.
    ///
    /// # Errors
    /// The encoder's: never, as it seems.
    fn to_bytes(&self) -> postcard::Result<Vec<u8>>;

    /// The message of this number with these contents.
    ///
    /// # Errors
    /// This side has none of that number, or the contents are others.
    fn from_bytes(number: u32, contents: &[u8]) -> Result<Self, Unread>;
}

impl Message for Request {
    const KIND: u8 = KIND_REQUEST;
    const MOST_BYTES: usize = 64 << 10;

    fn to_bytes(&self) -> postcard::Result<Vec<u8>> {
        contents::request_bytes(self)
    }

    fn from_bytes(number: u32, contents: &[u8]) -> Result<Self, Unread> {
        contents::request(number, contents)
    }
}

impl Message for Response {
    const KIND: u8 = KIND_RESPONSE;
    /// A million classes with long names.
    const MOST_BYTES: usize = 256 << 20;

    fn to_bytes(&self) -> postcard::Result<Vec<u8>> {
        contents::response_bytes(self)
    }

    fn from_bytes(number: u32, contents: &[u8]) -> Result<Self, Unread> {
        contents::response(number, contents)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Request {}
    impl Sealed for super::Response {}
}

/// What is wrong with the other side's bytes. Nothing after it can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// Not the greeting of this protocol.
    #[error("the other side is not a Mayfly agent")]
    Foreign,
    /// Lost or changed on the way.
    #[error("damaged: {0}")]
    Damaged(&'static str),
    /// Longer than any message of its kind.
    #[error("{bytes} bytes announced, more than the {most} of the largest message")]
    TooLong {
        /// What was announced.
        bytes: u64,
        /// What is allowed.
        most: usize,
    },
    /// A message added in a later release.
    #[error("message {number} of protocol {version}, this side knows protocol {PROTOCOL_VERSION}")]
    UnknownMessage {
        /// Its number.
        number: u32,
        /// The other side's version.
        version: u16,
    },
    /// Good checksums around something else than a message.
    #[error("the contents are no message of protocol {version}")]
    Malformed {
        /// The other side's version.
        version: u16,
    },
}

/// The greeting with which a side begins.
pub fn greeting() -> [u8; GREETING_LEN] {
    let mut greeting = [0; GREETING_LEN];
    greeting[..8].copy_from_slice(&GREETING);
    greeting[8..10].copy_from_slice(&PROTOCOL_VERSION.to_le_bytes());
    greeting
}

/// The frame that carries a message.
///
/// # Errors
/// It is longer than any message of its kind may be.
pub fn encode<M: Message>(message: &M) -> Result<Vec<u8>, ExchangeError> {
    let malformed = |_| ExchangeError::Malformed { version: PROTOCOL_VERSION };
    let payload = message.to_bytes().map_err(malformed)?;
    if payload.len() > M::MOST_BYTES {
        return Err(ExchangeError::TooLong { bytes: payload.len() as u64, most: M::MOST_BYTES });
    }
    let mut frame = Vec::with_capacity(FRAME_HEAD_LEN + payload.len());
    frame.extend_from_slice(&frame_head(M::KIND, payload.len() as u32, &payload));
    frame.extend_from_slice(&payload);
    Ok(frame)
}

/// One side's bytes as they arrive: [`Self::push`] them, then take [`Self::next_message`] until it is `None`.
#[derive(Clone, Debug)]
pub struct Incoming<M> {
    pending: Vec<u8>,
    version: Option<u16>,
    message: PhantomData<M>,
}

impl<M: Message> Default for Incoming<M> {
    fn default() -> Self {
        Self { pending: Vec::new(), version: None, message: PhantomData }
    }
}

impl<M: Message> Incoming<M> {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// The next message; `None`: more bytes are needed.
    ///
    /// # Errors
    /// The bytes are not what they should be: give the connection up.
    pub fn next_message(&mut self) -> Result<Option<M>, ExchangeError> {
        let Some(version) = self.greeted()? else { return Ok(None) };
        loop {
            let (kind, payload) = match split_frame(&self.pending) {
                FrameStart::Whole { kind, payload } => (kind, payload),
                FrameStart::Partial => return self.check_announced().map(|()| None),
                FrameStart::Corrupt { what } => return Err(ExchangeError::Damaged(what)),
            };
            if payload.len() > M::MOST_BYTES {
                return Err(ExchangeError::TooLong { bytes: payload.len() as u64, most: M::MOST_BYTES });
            }
            let message = if kind == M::KIND { Some(decode(payload, version)?) } else { None };
            let length = FRAME_HEAD_LEN + payload.len();
            self.pending.drain(..length);
            if message.is_some() {
                return Ok(message);
            }
        }
    }

    /// The other side's version, if its greeting is whole.
    fn greeted(&mut self) -> Result<Option<u16>, ExchangeError> {
        if self.version.is_some() {
            return Ok(self.version);
        }
        let present = self.pending.len().min(GREETING.len());
        if self.pending[..present] != GREETING[..present] {
            return Err(ExchangeError::Foreign);
        }
        let Some(greeting) = self.pending.first_chunk::<GREETING_LEN>() else { return Ok(None) };
        let version = u16::from_le_bytes([greeting[8], greeting[9]]);
        self.pending.drain(..GREETING_LEN);
        self.version = Some(version);
        Ok(self.version)
    }

    /// A frame that is not whole yet must not announce more than a message may have. Its head, if it is there, is good.
    fn check_announced(&self) -> Result<(), ExchangeError> {
        let Some(head) = self.pending.first_chunk::<FRAME_HEAD_LEN>() else { return Ok(()) };
        let announced = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
        match usize::try_from(announced) {
            Ok(bytes) if bytes <= M::MOST_BYTES => Ok(()),
            _ => Err(ExchangeError::TooLong { bytes: announced.into(), most: M::MOST_BYTES }),
        }
    }
}

fn decode<M: Message>(payload: &[u8], version: u16) -> Result<M, ExchangeError> {
    let malformed = ExchangeError::Malformed { version };
    let (number, contents) = postcard::take_from_bytes::<u32>(payload).map_err(|_| malformed.clone())?;
    M::from_bytes(number, contents).map_err(|unread| match unread {
        Unread::Number => ExchangeError::UnknownMessage { number, version },
        Unread::Contents => malformed,
    })
}
