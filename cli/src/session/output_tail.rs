//! The last of what a program writes, for when it fails: in memory, however much it writes.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// So much is kept.
const KEPT_BYTES: usize = 4 << 10;
/// How long is waited for the end of it: what the program started may live on, and writes into the same pipe.
const END: Duration = Duration::from_secs(1);

/// What a program wrote last, on standard output and standard error.
pub(crate) struct OutputTail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    ended: Receiver<()>,
}

impl OutputTail {
    /// Has a program write into a pipe, from which a thread reads until nobody can write there.
    ///
    /// # Errors
    /// What the system says about a pipe or a thread.
    pub(crate) fn of(command: &mut Command) -> io::Result<Self> {
        let (mut reads, writes) = io::pipe()?;
        command.stdout(writes.try_clone()?).stderr(writes);
        let kept = Arc::default();
        let (ends, ended) = mpsc::channel();
        let mut last = Last(Arc::clone(&kept));
        thread::Builder::new().name("output".into()).spawn(move || {
            // Either way that is all there is.
            let _ = io::copy(&mut reads, &mut last);
            drop(ends);
        })?;
        Ok(Self { kept, ended })
    }

    /// The last whole lines, once the program has ended.
    pub(crate) fn lines(&self) -> String {
        // Either way the wait is over: there was its end, or it took too long.
        let _ = self.ended.recv_timeout(END);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_all = kept.len() < KEPT_BYTES;
        let text = String::from_utf8_lossy(kept.make_contiguous());
        let whole = match is_all {
            true => &*text,
            false => text.split_once('\n').map_or(&*text, |(_, rest)| rest),
        };
        whole.trim_end().to_owned()
    }
}

/// Takes all, and keeps the last of it.
struct Last(Arc<Mutex<VecDeque<u8>>>);

impl Write for Last {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(piece);
        let too_many = kept.len().saturating_sub(KEPT_BYTES);
        kept.drain(..too_many);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_of(script: &str) -> String {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let tail = OutputTail::of(&mut command).expect("a pipe");
        let mut child = command.spawn().expect("a shell");
        // It has our ends of the pipe.
        drop(command);
        child.wait().expect("its end");
        tail.lines()
    }

    #[test]
    fn the_last_lines_of_both_streams_are_kept() {
        assert_eq!(last_of("echo one; echo two >&2; printf three"), "one\ntwo\nthree");
        assert_eq!(last_of(":"), "");
        let many = last_of("i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); echo line $i; done");
        assert!(many.starts_with("line 1") && many.ends_with("\nline 20000"), "{many}");
        assert!((KEPT_BYTES - 20..KEPT_BYTES).contains(&many.len()), "{}", many.len());
    }

    #[test]
    fn whoever_writes_on_is_not_waited_for() {
        assert_eq!(last_of("echo here; sleep 30 &"), "here");
    }
}
