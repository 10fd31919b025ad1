//! `mayfly report`: what a recording says, as text or JSON.
//!
//! Not here: the format of recordings (`mayfly-recording`), and what a report looks like (`report/`).

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use mayfly_profile::{ClassFilter, Profile};

use crate::args::{ClassArgs, ReportArgs};
use crate::error::Error;
use crate::exit_codes;
use crate::report::view::{View, Wishes};
use crate::report::{json, text};

/// Reads the recording and writes the report. Damage behind a readable part is a warning on stderr, no failure.
pub(crate) fn run(args: ReportArgs) -> Result<u8, Error> {
    let profile = read(&args.recording)?;
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

/// The profile in a recording; `-` is standard input.
pub(crate) fn read(recording: &Path) -> Result<Profile, Error> {
    let (name, bytes) = if recording == Path::new("-") {
        let mut bytes = Vec::new();
        ("standard input".to_owned(), io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes))
    } else {
        (recording.display().to_string(), fs::read(recording))
    };
    let bytes = bytes.map_err(|source| Error::RecordingUnreadable { name: name.clone(), source })?;
    let (profile, damage) = mayfly_recording::read_profile(&bytes)
        .map_err(|source| Error::RecordingRefused { name: name.clone(), reason: source.to_string() })?;
    match damage {
        Some(damage) => eprintln!("mayfly: warning: {name}: {damage}"),
        None if !profile.complete => {
            eprintln!(
                "mayfly: warning: {name}: not closed by the agent: the JVM was killed, or is still running"
            );
        }
        None => {}
    }
    Ok(profile)
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
