//! The heap that a question is asked of: a dump, or that of a running JVM, written for this question in the fastest way there is.
//!
//! That is the JVM's own dump; where it can't be attached to, its agent's, if it has one.

use std::path::Path;

use super::by_the_jvm;
use super::dump::{self, Content};
use crate::args::heap::HeapArg;
use crate::error::Error;
use crate::heap::dump_file::DumpFile;
use crate::session::connect::Target;
use crate::session::jvms;
use crate::session::process::Process;
use crate::session::unreachable::Unreachable;

/// Opens a dump, with its index unless that is not wanted, or has a JVM write one.
///
/// # Errors
/// What can't be opened or asked.
pub(super) fn open(heap: &HeapArg) -> Result<DumpFile, Error> {
    match jvm(&heap.dump)? {
        Some(pid) => of_jvm(pid),
        None if heap.no_index => Ok(DumpFile::open(&heap.dump)?),
        None => Ok(DumpFile::open_indexed(&heap.dump)?),
    }
}

/// The JVM that is meant, if no file is: by a number, or by what one JVM runs.
fn jvm(heap: &Path) -> Result<Option<u32>, Error> {
    let Some(word) = heap.to_str().filter(|_| !heap.exists() || jvms::is_jar(heap)) else { return Ok(None) };
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    match jvms::pid_of(word) {
        Ok(pid) => Ok(Some(pid)),
        Err(refused @ Unreachable::Ambiguous { .. }) => Err(refused.into()),
        Err(refused) if is_number => Err(refused.into()),
        // What else is not there is a file that is not there.
        Err(_) => Ok(None),
    }
}

fn of_jvm(pid: u32) -> Result<DumpFile, Error> {
    let process = Process::find(pid)?;
    process.check_user()?;
    by_the_jvm::temporary(&process, |file| {
        by_the_jvm::write(&process, file).or_else(|refused| {
            // That it has no agent is no news: why it can't be attached to is.
            let Ok(agent) = Target::find(pid) else { return Err(refused) };
            dump::ask(&agent, pid, file, Content { collected: false, strings: true }).map(drop)
        })
    })
}
