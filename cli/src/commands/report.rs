//! `mayfly report`: what a recording says, as text or JSON.
//!
//! Not here: reading recordings (`recording_input`), and what a report looks like (`report/`).

use mayfly_profile::ClassFilter;

use crate::args::{ClassArgs, ReportArgs};
use crate::commands::next_commands::{program, shown};
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recording_input;
use crate::report::view::{View, Wishes};
use crate::report::{json, text};

/// Reads the recording and writes the report. Damage behind a readable part is a warning on stderr, no failure.
pub(crate) fn run(args: ReportArgs) -> Result<u8, Error> {
    let profile = recording_input::read(&args.recording)?;
    let (limit, as_json, file) = (args.limit, args.json, args.output.clone());
    // A limit of rows is one of the lists that only the full text has.
    let full = args.full || limit.is_some();
    let everything = format!("{} report --full {}", program(), shown(&args.recording));
    let view = View::new(&profile.run.options, wishes(args));
    if as_json {
        output::json(&json::render(&view.of(profile), limit), file.as_deref())?;
        return Ok(exit_codes::SUCCESS);
    }
    let report = match full {
        true => text::full(&profile, &view),
        false => text::screen(&profile, &view, &everything),
    };
    output::text(&report, file.as_deref())?;
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
