//! The heap as the JVM itself writes it, for one command: a file that has no name any more when it is read.
//!
//! Not here: who else may write it (`asked`, `dump`).

use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::heap::dump_file::DumpFile;
use crate::heap::error::QueryError;
use crate::heap::progress::Progress;
use crate::session::attach;
use crate::session::folder::{self, Folder};
use crate::session::process::Process;

/// The heap as an hprof file. No agent is needed, and hardly any memory of the JVM's.
///
/// # Errors
/// It can't be attached to, or does not write.
pub(super) fn open(process: &Process) -> Result<DumpFile, Error> {
    temporary(process, |file| write(process, file))
}

/// What `write` leaves in a file in the JVM's folder for temporary files, where it can write; `write` gets the path as the JVM sees
/// it.
///
/// # Errors
/// Those of `write`; the file can't be read.
pub(super) fn temporary(
    process: &Process,
    write: impl FnOnce(&Path) -> Result<(), Error>,
) -> Result<DumpFile, Error> {
    let name = format!("mayfly-{}.heap", std::process::id());
    let tmp = Folder::of(process, "/tmp").map_err(|cause| process.not_permitted(cause))?;
    let file = tmp.file(&name);
    let opened = write(&Path::new("/tmp").join(name)).and_then(|()| {
        let unreadable = |source| QueryError::Unreadable { file: file.clone(), source };
        let opened = folder::open_file(&file).map_err(unreadable)?;
        Ok(DumpFile::of_jvm(process.pid, opened, &file)?)
    });
    // If it is not there, that is what is told already.
    let _ = fs::remove_file(&file);
    opened
}

/// Has the JVM write `file`, as it sees it.
///
/// # Errors
/// As [`open`].
pub(super) fn write(process: &Process, file: &Path) -> Result<(), Error> {
    let _progress = Progress::work("waiting for the JVM to write its heap");
    attach::dump_hprof(process, text_of(file)?)
}

/// A path that can be passed on.
pub(super) fn text_of(file: &Path) -> Result<&str, Error> {
    file.to_str().ok_or_else(|| Error::UnpassablePath {
        what: "the dump's path",
        path: file.to_owned(),
        contains: "bytes that are not UTF-8",
    })
}
