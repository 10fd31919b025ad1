//! `mayfly snapshot`: the profile of a running JVM so far, as a recording.
//!
//! Not here: reading it (`report`).

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use mayfly_recording::control::Request;

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
    if path == Path::new("-") {
        target.fetch(&Request::Snapshot, &mut io::stdout().lock(), "to standard output")?;
        return Ok(exit_codes::SUCCESS);
    }
    fetch(&target, &Request::Snapshot, &path)?;
    output::say(&format!("recording {}; read it: {} report {}", shown(&path), program(), shown(&path)));
    Ok(exit_codes::SUCCESS)
}

/// Writes what a request is answered with. Nothing is written before the agent has answered; a file of that name is replaced when it has.
pub(crate) fn fetch(target: &Target, request: &Request, path: &Path) -> Result<(), Error> {
    let name = path.display().to_string();
    let not_written = |source| Error::NotWritten { name: name.clone(), source };
    let mut recording = Vec::new();
    target.fetch(request, &mut recording, &name)?;
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(path).map_err(not_written)?;
    let mut file = BufWriter::new(file);
    file.write_all(&recording).and_then(|()| file.flush()).map_err(not_written)
}
