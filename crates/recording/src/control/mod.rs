//! What can be asked of an agent inside a running JVM, and what it answers: [`message`], and as bytes: [`exchange`] (greetings and frames),
//! `contents` (what is in a frame), `facts` (a status).
//!
//! One connection carries one request and its answers. Not here: the socket that carries them (the agent's and the CLI's).

mod contents;
pub mod exchange;
mod facts;
pub mod message;

pub use exchange::{ExchangeError, Incoming, Message, encode};
pub use message::{
    AttachRefusal, CHUNK_BYTES, HeapDumped, Loaded, PROTOCOL_VERSION, Profiling, Refusal, Request, Response,
    SOCKET_FOLDERS, Status, StopMode, socket_name,
};
