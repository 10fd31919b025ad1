//! What holds an object of a class, asked while the view goes on: a dump of the heap, and the shortest path in it.
//!
//! By this program's own `heap dump` and `heap paths`: they know how a JVM is reached.

use std::env;
use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// The answer, when it is there.
#[derive(Debug)]
pub(super) struct HeapPath {
    pub(super) class: String,
    answer: Receiver<String>,
}

impl HeapPath {
    /// Begins to look for it in the heap of a JVM.
    pub(super) fn ask(pid: u32, class: String) -> Self {
        let (sender, answer) = channel();
        let asked = class.clone();
        // Without a thread there is no sender, and so no answer.
        let _ = thread::Builder::new().name("heap".to_owned()).spawn(move || sender.send(find(pid, &asked)));
        Self { class, answer }
    }

    /// The answer; `None` if it is still looked for.
    pub(super) fn ready(&self) -> Option<String> {
        use std::sync::mpsc::TryRecvError;
        match self.answer.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some("it could not be looked for: no thread".to_owned()),
        }
    }
}

fn find(pid: u32, class: &str) -> String {
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return format!("no folder for a heap dump: {error}"),
    };
    let dump = folder.path().join("heap.mayheap");
    let pid = pid.to_string();
    let dumped = mayfly(&["heap".as_ref(), "dump".as_ref(), "-q".as_ref(), pid.as_ref(), dump.as_ref()]);
    let (done, said) = said(dumped);
    if !done {
        return said;
    }
    let words: [&OsStr; 5] =
        ["heap".as_ref(), "paths".as_ref(), dump.as_ref(), "--to".as_ref(), class.as_ref()];
    self::said(mayfly(&words)).1
}

fn mayfly(words: &[&OsStr]) -> std::io::Result<Output> {
    Command::new(env::current_exe()?).args(words).stdin(Stdio::null()).output()
}

/// Whether it was done, and the answer or what went wrong.
fn said(output: std::io::Result<Output>) -> (bool, String) {
    match output {
        Ok(output) if output.status.success() => (true, String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(output) => (false, String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => (false, error.to_string()),
    }
}
