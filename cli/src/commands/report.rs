//! `mayfly report`: what a recording says, as text or JSON.
//!
//! Not here: reading recordings (`recording_input`), and what a report looks like (`report/`).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use mayfly_profile::ClassFilter;

use crate::args::{ClassArgs, ReportArgs};
use crate::error::Error;
use crate::exit_codes;
use crate::recording_input;
use crate::report::view::{View, Wishes};
use crate::report::{json, text};

/// Reads the recording and writes the report. Damage behind a readable part is a warning on stderr, no failure.
pub(crate) fn run(args: ReportArgs) -> Result<u8, Error> {
    let profile = recording_input::read(&args.recording)?;
    let (limit, as_json, output) = (args.limit, args.json, args.output.clone());
    let view = View::new(&profile.run.options, wishes(args));
    let report = if as_json { json::render(&view.of(profile), limit) } else { text::render(&profile, &view) };
    write(report.as_bytes(), output.as_deref())?;
    Ok(exit_codes::SUCCESS)
}

fn wishes(args: ReportArgs) -> Wishes {
    let ClassArgs { include, exclude, exact_match } = args.classes;
    Wishes {
        classes: ClassFilter { include, exclude, exact_match },
        trace_ignore: args.trace_ignore,
        trace_target: args.trace_target,
        no_blame: args.no_blame,
        limit: args.limit,
    }
}

/// Writes to a file, or to standard output.
pub(crate) fn write(report: &[u8], output: Option<&Path>) -> Result<(), Error> {
    let (name, written) = match output {
        Some(path) => (
            path.display().to_string(),
            File::create(path).and_then(|file| write_all(BufWriter::new(file), report)),
        ),
        None => ("to standard output".to_owned(), write_all(io::stdout().lock(), report)),
    };
    match written {
        // The reader has seen enough (`| head`).
        Err(error) if output.is_none() && error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|source| Error::NotWritten { name, source }),
    }
}

fn write_all(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}
