//! A running JVM: dumps some time apart, each looked at and removed, and how long the program was paused for them.

use std::io::{self, BufRead};
use std::thread;
use std::time::{Duration, Instant};

use super::dumps::Dumps;
use crate::args::judging::LeaksArgs;
use crate::commands::heap::dump::{self, Content};
use crate::error::Error;
use crate::heap::dump_file::DumpFile;
use crate::output;
use crate::session::process::Process;
use crate::session::unreachable::Unreachable;
use crate::verdicts::{Leaks, Searched};

/// How often the JVM is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// What a weak map has of keys that are gone would look like growth.
const CONTENT: Content = Content { collected: true, strings: false };

pub(super) fn search(pid: u32, args: &LeaksArgs) -> Result<Leaks, Error> {
    let folder = tempfile::tempdir().map_err(|source| Error::NotWritten {
        name: "to the folder for temporary files".to_owned(),
        source,
    })?;
    let (begin, mut paused_ms, mut taken) = (Instant::now(), 0, 0);
    let mut dumps = Dumps::default();
    while taken < args.dumps {
        if taken > 0 && !wait(pid, args, begin, taken)? {
            break;
        }
        let file = folder.path().join(format!("{taken}.mayheap"));
        paused_ms += dump::take(pid, &file, CONTENT)?.paused_ms;
        taken += 1;
        output::say(&progress(args, taken));
        dumps.add(&DumpFile::open(&file)?)?;
        // What is needed of it is in memory; a folder that stays full is said by the next dump.
        let _ = std::fs::remove_file(&file);
    }
    let seconds = begin.elapsed().as_secs_f64();
    let mut leaks = dumps.leaks(Searched::Jvm { pid, dumps: taken, seconds, paused_ms });
    if taken < 2 {
        leaks.untold = Some("one dump tells no growth".to_owned());
    }
    Ok(leaks)
}

fn progress(args: &LeaksArgs, taken: usize) -> String {
    let next = match (taken < args.dumps, args.step) {
        (false, _) => "",
        (true, true) => "; press Enter for the next",
        (true, false) => "",
    };
    format!("dump {taken} of {} is taken{next}", args.dumps)
}

/// Waits until the next dump is due; whether there is to be one.
fn wait(pid: u32, args: &LeaksArgs, begin: Instant, taken: usize) -> Result<bool, Error> {
    if args.step {
        let mut line = String::new();
        return Ok(io::stdin().lock().read_line(&mut line).is_ok_and(|bytes| bytes > 0));
    }
    let intervals = u32::try_from(args.dumps - 1).unwrap_or(u32::MAX);
    let due = begin + args.time / intervals * u32::try_from(taken).unwrap_or(u32::MAX);
    while Instant::now() < due {
        if Process::find(pid).is_err() {
            return Err(Unreachable::Ended { pid }.into());
        }
        thread::sleep(LOOK.min(due.saturating_duration_since(Instant::now())));
    }
    Ok(true)
}
