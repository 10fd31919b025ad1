//! The way to a client that watches: what is sent goes on until the JVM ends or the client leaves.

use std::io;
use std::time::Duration;

use mayfly_recording::control::{CHUNK_BYTES, Refusal, Response};

use super::reply::Reply;
use crate::steering::{self, Profiler, WatchError, Watcher};
use crate::target_jvm::Target;

/// How long it may take nothing, as when it is suspended, before it is left.
const STALL_LIMIT: Duration = Duration::from_secs(60);

/// Begins to send; what it is refused for, if it is.
pub(super) fn watch(target: &Target, reply: &Reply) -> Result<(), Refusal> {
    let profiler = Profiler::get().ok_or(Refusal::NotProfiling)?;
    if !target.is_running() || profiler.is_finished() {
        return Err(Refusal::NotRunning);
    }
    let failed = |error: WatchError| Refusal::Failed { why: error.to_string() };
    let reply = reply.endless(STALL_LIMIT).map_err(|error| failed(error.into()))?;
    steering::watch(&profiler, reply).map_err(failed)
}

impl Watcher for Reply {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        bytes.chunks(CHUNK_BYTES).try_for_each(|piece| self.send(&Response::Recording(piece.to_vec())))
    }

    fn end(&mut self) {
        // Who left needs no word.
        let _ = self.send(&Response::Done);
    }
}
