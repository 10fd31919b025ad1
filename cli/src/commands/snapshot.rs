//! `mayfly snapshot`: the profile of a running JVM so far, as a recording.
//!
//! Not here: reading it (`report`).

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use mayfly_recording::control::Request;
use mayfly_recording::frame::end_of_recording;

use crate::args::running::SnapshotArgs;
use crate::commands::next_commands::{program, shown};
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::session::connect::Target;
use crate::session::jvms;

/// Fetches it, writes it, and says where it is.
pub(crate) fn run(args: SnapshotArgs) -> Result<u8, Error> {
    let pid = jvms::pid_of(&args.jvm.target)?;
    let target = Target::reach(pid)?;
    let path = args.output.unwrap_or_else(|| PathBuf::from(format!("mayfly-{pid}-snapshot.mayfly")));
    // The program goes on; what was fetched of it is whole.
    let mut recording = fetched(&target, &Request::Snapshot, &path)?;
    recording.extend(end_of_recording());
    if path == Path::new("-") {
        let not_written = |source| Error::NotWritten { name: "to standard output".to_owned(), source };
        io::stdout().lock().write_all(&recording).map_err(not_written)?;
        return Ok(exit_codes::SUCCESS);
    }
    write(&recording, &path)?;
    output::say(&format!("recording {}; read it: {} report {}", shown(&path), program(), shown(&path)));
    Ok(exit_codes::SUCCESS)
}

/// Writes what a request is answered with. Nothing is written before the agent has answered; a file of that name is replaced when it has.
pub(crate) fn fetch(target: &Target, request: &Request, path: &Path) -> Result<(), Error> {
    write(&fetched(target, request, path)?, path)
}

fn fetched(target: &Target, request: &Request, path: &Path) -> Result<Vec<u8>, Error> {
    let mut recording = Vec::new();
    target.fetch(request, &mut recording, &path.display().to_string())?;
    Ok(recording)
}

fn write(recording: &[u8], path: &Path) -> Result<(), Error> {
    let not_written = |source| Error::NotWritten { name: path.display().to_string(), source };
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(path).map_err(not_written)?;
    let mut file = BufWriter::new(file);
    file.write_all(recording).and_then(|()| file.flush()).map_err(not_written)
}
