//! `mayfly report`: what a recording says, as text or JSON.
//!
//! Not here: reading recordings (`recording_input`), and what a report looks like (`report/`).

use crate::args::ReportArgs;
use crate::commands::next_commands::{program, shown};
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recording_input;
use crate::report::{json, text, view};

/// Reads the recording and writes the report. Damage behind a readable part is a warning on stderr, no failure.
pub(crate) fn run(args: ReportArgs) -> Result<u8, Error> {
    let profile = recording_input::read(&args.recording)?;
    // A limit of rows is one of the lists that only the full text has.
    let full = args.full || args.limit.is_some();
    let everything = format!("{} report --full {}", program(), shown(&args.recording));
    let view = view::overridden(&profile.run.view, &args);
    if args.json {
        output::json(&json::render(&view.part_of(profile), args.limit), args.output.as_deref())?;
        return Ok(exit_codes::SUCCESS);
    }
    let report = match full {
        true => text::full(&profile, &view),
        false => text::screen(&profile, &view, &everything),
    };
    output::text(&report, args.output.as_deref())?;
    Ok(exit_codes::SUCCESS)
}
