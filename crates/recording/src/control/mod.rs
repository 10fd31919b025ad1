//! What can be asked of an agent inside a running JVM, and what it answers: [`message`], and as bytes: [`exchange`].
//!
//! One connection carries one request and its answers. Not here: the socket that carries them (the agent's and the CLI's).

pub mod exchange;
pub mod message;

pub use exchange::{ExchangeError, Incoming, Message, encode};
pub use message::{
    AttachRefusal, CHUNK_BYTES, HeapDumped, Loaded, PROTOCOL_VERSION, Profiling, Refusal, Request, Response,
    SOCKET_FOLDERS, Status, socket_name,
};
