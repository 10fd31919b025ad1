//! `mayfly report`: what a recording says, as text or JSON.
//!
//! Not here: reading recordings (`recording_input`), and what a report looks like (`report/`).

use std::path::Path;

use crate::args::ReportArgs;
use crate::commands::next_commands::{program, shown};
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recording_input;
use crate::report::{Format, view};

/// Reads the recording and writes the report. Damage behind a readable part is a warning on stderr, no failure.
pub(crate) fn run(args: ReportArgs) -> Result<u8, Error> {
    let profile = recording_input::read(&args.recording)?;
    let format = format(&args);
    let mut view = view::overridden(&profile.run.view, &args);
    if format == Format::Json {
        // What the run wanted of its own text leaves no rows out of JSON.
        view.rows = args.limit;
    }
    let report = format.text(&profile, &view);
    let file = args.output.as_deref();
    match format {
        Format::Json => output::json(&report, file)?,
        Format::Full => output::text(&report, file)?,
        Format::Screen => output::text(&(report + &everything(&args.recording)), file)?,
    }
    Ok(exit_codes::SUCCESS)
}

fn format(args: &ReportArgs) -> Format {
    // A limit of rows is one of the lists that only the full text has.
    match args.json {
        true => Format::Json,
        false if args.full || args.limit.is_some() => Format::Full,
        false => Format::Screen,
    }
}

/// The last line of a screen: where everything is to be had.
pub(crate) fn everything(recording: &Path) -> String {
    format!("Everything: {} report --full {}\n", program(), shown(recording))
}
