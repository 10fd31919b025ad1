//! What is in a message's frame: its number, then its contents.
//!
//! Numbers and contents are as they were when a message was added, in postcard encoding. Fields ([`crate::fields`]) may be added
//! behind the contents, if whoever skips them still does what was meant; anything else gets a number of its own. So what
//! follows the contents that this side knows is skipped. Request 11 and the answers 2 and 6 are free: no release had them.

use mayfly_profile::HeapSummary;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::facts;
use super::message::{HeapDumped, Refusal, Request, Response, StopMode};

/// Why contents are none of this side's messages.
pub enum Unread {
    /// No message has this number yet.
    Number,
    /// They do not hold what a message of this number holds.
    Contents,
}

pub(super) fn request_bytes(request: &Request) -> postcard::Result<Vec<u8>> {
    match request {
        Request::Status => bytes(0, ()),
        Request::Pause => bytes(1, ()),
        Request::Resume => bytes(2, ()),
        Request::Reset => bytes(3, ()),
        Request::Snapshot => bytes(4, ()),
        Request::HeapSummary { all } => bytes(5, all),
        Request::HeapDump { path, collect, strings } => bytes(6, (path, collect, strings)),
        Request::Watch => bytes(7, ()),
        Request::Start { options, stop_after_ms } => bytes(8, (options, stop_after_ms)),
        Request::Stop(StopMode::KeepHooks) => bytes(9, ()),
        Request::Stop(StopMode::RestoreAndSend) => bytes(10, ()),
        Request::Stop(StopMode::Restore) => bytes(12, ()),
        Request::HeapStep { path, series, keep_ms } => bytes(13, (path, series, keep_ms)),
        Request::HeapForget => bytes(14, ()),
        Request::Collect => bytes(15, ()),
    }
}

pub(super) fn request(number: u32, contents: &[u8]) -> Result<Request, Unread> {
    Ok(match number {
        0 => Request::Status,
        1 => Request::Pause,
        2 => Request::Resume,
        3 => Request::Reset,
        4 => Request::Snapshot,
        5 => Request::HeapSummary { all: read(contents)? },
        6 => {
            let (path, collect, strings) = read(contents)?;
            Request::HeapDump { path, collect, strings }
        }
        7 => Request::Watch,
        8 => {
            let (options, stop_after_ms) = read(contents)?;
            Request::Start { options, stop_after_ms }
        }
        9 => Request::Stop(StopMode::KeepHooks),
        10 => Request::Stop(StopMode::RestoreAndSend),
        12 => Request::Stop(StopMode::Restore),
        13 => {
            let (path, series, keep_ms) = read(contents)?;
            Request::HeapStep { path, series, keep_ms }
        }
        14 => Request::HeapForget,
        15 => Request::Collect,
        _ => return Err(Unread::Number),
    })
}

pub(super) fn response_bytes(response: &Response) -> postcard::Result<Vec<u8>> {
    match response {
        Response::Done => bytes(0, ()),
        Response::Refused(refusal) => bytes(1, refusal),
        Response::Recording(piece) => bytes(3, piece),
        Response::HeapSummary(summary) => bytes(4, summary),
        Response::HeapDump(dumped) => bytes(5, dumped),
        Response::Status(status) => Ok([bytes(7, ())?, facts::encode(status)?].concat()),
    }
}

pub(super) fn response(number: u32, contents: &[u8]) -> Result<Response, Unread> {
    Ok(match number {
        0 => Response::Done,
        1 => Response::Refused(read::<Refusal>(contents)?),
        3 => Response::Recording(read(contents)?),
        4 => Response::HeapSummary(read::<HeapSummary>(contents)?),
        5 => Response::HeapDump(read::<HeapDumped>(contents)?),
        7 => Response::Status(Box::new(facts::decode(contents).ok_or(Unread::Contents)?)),
        _ => return Err(Unread::Number),
    })
}

fn bytes(number: u32, contents: impl Serialize) -> postcard::Result<Vec<u8>> {
    postcard::to_stdvec(&(number, contents))
}

fn read<T: DeserializeOwned>(contents: &[u8]) -> Result<T, Unread> {
    postcard::take_from_bytes(contents).map(|(read, _)| read).map_err(|_| Unread::Contents)
}
