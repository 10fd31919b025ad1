//! `mayfly report`: what a recording says, as text, as JSON, or for other tools.
//!
//! Not here: reading recordings (`recording_input`), and what a report looks like (`report/`).

use std::path::{Path, PathBuf};

use mayfly_formats::{Choice, Format as Foreign};
use mayfly_profile::{ClassFilter, Grouping, Profile, Slices, Value, View};

use crate::args::ReportArgs;
use crate::commands::next_commands::{program, shown};
use crate::commands::report_by;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recording_input;
use crate::recordings::{self, Wanted};
use crate::report::{self, Format, view};

/// A full report of more lines is announced: who wanted to read it may want fewer.
const READABLE_LINES: usize = 2_000;

/// Reads the recording and writes the report. Damage behind a readable part is a warning on stderr, no failure.
pub(crate) fn run(args: ReportArgs) -> Result<u8, Error> {
    let format = format(&args)?;
    if let Some(label) = &args.by {
        return report_by::run(label, &args, format == Format::Json);
    }
    let (profile, slices) = read(&args, format)?;
    let view = view::overridden(&profile.run.view, &args);
    let profile = of_trace(part(profile, &view, &args)?, &args)?;
    shows_something(&profile, &view, &args)?;
    let file = args.output.as_deref();
    match (format, file) {
        (Format::Parquet, Some(folder)) => write_tables(profile, &args, folder)?,
        (Format::Of(foreign), _) => write_foreign(profile, slices.as_ref(), foreign, &args, file)?,
        _ => write_own(profile, view, format, &args)?,
    }
    Ok(exit_codes::SUCCESS)
}

/// In a format of ours.
fn write_own(profile: Profile, mut view: View, format: Format, args: &ReportArgs) -> Result<(), Error> {
    let profile = match format {
        // Whole stacks are asked for.
        Format::Full | Format::Groups(_) | Format::Traces | Format::Json => profile,
        _ => profile.folded(&args.own.code()),
    };
    if format == Format::Json {
        // What the run wanted of its own text leaves no rows out of JSON.
        view.rows = args.limit;
    }
    let text = match format {
        Format::Traces if args.trace.is_some() => mayfly_report::traces(&view.of(&profile), true),
        format => report::text(format, &profile, &view),
    };
    let file = args.output.as_deref();
    if let (Format::Full, Some(lines)) = (format, too_long(&text)) {
        output::say(&format!("{lines} lines follow; --limit 20 shows the 20 largest rows of each list"));
    }
    match format {
        Format::Json => output::json(&text, file),
        Format::Full | Format::Groups(_) | Format::Traces | Format::Ways => output::text(&text, file),
        _ => output::text(&(text + &everything(&args.recordings)), file),
    }
}

/// Lines of a text, if nobody reads so many.
fn too_long(text: &str) -> Option<usize> {
    let lines = text.lines().count();
    (lines > READABLE_LINES).then_some(lines)
}

/// What was recorded; with slices of time for a page of all of it, in which one chooses.
fn read(args: &ReportArgs, format: Format) -> Result<(Profile, Option<Slices>), Error> {
    let is_part = args.part.during.is_some() || args.part.phase.is_some() || args.part.lived.is_some();
    if let (Format::Of(Foreign::Html), Some(one), false) =
        (format, recordings::alone(&args.recordings), is_part)
    {
        return recording_input::read_sliced(one);
    }
    let wanted = Wanted { during: args.part.during, phase: args.part.phase, ..Wanted::default() };
    Ok((recordings::merged(&args.recordings, wanted)?, None))
}

/// The part that is wanted of what was recorded.
fn part(profile: Profile, view: &View, args: &ReportArgs) -> Result<Profile, Error> {
    let Some(band) = args.part.lived else { return Ok(profile) };
    if !profile.run.lifetimes {
        return Err(missing(args, "--lived"));
    }
    Ok(view.part_of(profile).lived(band))
}

/// With the trace alone that was asked for.
fn of_trace(mut profile: Profile, args: &ReportArgs) -> Result<Profile, Error> {
    let Some(id) = &args.trace else { return Ok(profile) };
    let Some(traces) = &profile.traces else {
        return Err(no_trace(args, id));
    };
    let of_it = traces.of_trace(id);
    if of_it.rows.is_empty() {
        let others = match traces.others.objects + traces.unknown.objects {
            0 => String::new(),
            others => format!("; {others} objects of other traces are not told apart"),
        };
        return Err(not_in(args, format!("no object of trace {id} is still there{others}")));
    }
    profile.traces = Some(of_it);
    Ok(profile)
}

/// Whether a filter leaves any class: of a name that no class has, nothing is known, and it is not nothing that was allocated.
fn shows_something(profile: &Profile, view: &View, args: &ReportArgs) -> Result<(), Error> {
    let classes = profile.classes.len();
    let recorded = &profile.run.view;
    let is_filtered = view.classes != recorded.classes || view.min_bytes != recorded.min_bytes;
    if classes == 0 || !is_filtered || !view.part_of(profile.clone()).classes.is_empty() {
        return Ok(());
    }
    let filter =
        if view.classes == ClassFilter::default() { "its least size" } else { "--include and --exclude" };
    Err(Error::NothingShown { name: named(&args.recordings), classes, filter })
}

/// In a format of other tools.
fn write_foreign(
    profile: Profile,
    slices: Option<&Slices>,
    format: Foreign,
    args: &ReportArgs,
    file: Option<&Path>,
) -> Result<(), Error> {
    let value = args.part.value.unwrap_or_default();
    if !profile.knows(value) {
        return Err(unknown(&profile, value, args));
    }
    if format.needs_lifetimes() && !profile.run.lifetimes {
        return Err(missing(args, "this format"));
    }
    if format.needs_traces() && profile.traces.is_none() {
        return Err(no_trace(args, "this format"));
    }
    let (shown, choice) = shown_in(profile, value, args);
    let mut bytes = Vec::new();
    match format {
        Foreign::Html => mayfly_formats::page(&shown, slices, &choice, &mut bytes),
        format => format.write(&shown, &choice, &mut bytes),
    }
    .expect("a vector takes all");
    match String::from_utf8(bytes) {
        Ok(text) if format == Foreign::Speedscope => output::json(&text, file),
        Ok(text) if !format.is_binary() => output::text(&text, file),
        Ok(text) => output::binary(text.as_bytes(), file),
        Err(bytes) => output::binary(bytes.as_bytes(), file),
    }
}

/// The rows that are wanted, and how.
fn shown_in(profile: Profile, value: Value, args: &ReportArgs) -> (Profile, Choice) {
    let view = view::overridden(&profile.run.view, args);
    let choice = Choice { value, lines: view.detailed_trace };
    let mut rows = view.part_of(profile);
    // What the page says of itself.
    rows.run.view = view;
    (rows, choice)
}

/// As tables, a file each in a folder that is made if need be.
fn write_tables(profile: Profile, args: &ReportArgs, folder: &Path) -> Result<(), Error> {
    let not_written = |source| Error::NotWritten { name: folder.display().to_string(), source };
    let (rows, choice) = shown_in(profile, Value::default(), args);
    std::fs::create_dir_all(folder).map_err(not_written)?;
    for table in mayfly_formats::parquet(&rows, &choice).map_err(not_written)? {
        let file = folder.join(table.name).with_extension("parquet");
        output::binary(&table.bytes, Some(&file))?;
    }
    Ok(())
}

fn unknown(profile: &Profile, value: Value, args: &ReportArgs) -> Error {
    let asked = format!("--value {}", value.name());
    match value {
        _ if profile.part.lived.is_some() => beside_a_band(args, &asked),
        Value::OptimisedAway => not_in(
            args,
            format!("{asked} compares counts with the JVM's samples, which this recording does not hold"),
        ),
        _ => missing(args, &asked),
    }
}

fn missing(args: &ReportArgs, asked: &str) -> Error {
    not_in(
        args,
        format!(
            "{asked} needs lifetimes, which this run did not follow; record with mayfly run, without --counts-only"
        ),
    )
}

fn no_trace(args: &ReportArgs, asked: &str) -> Error {
    not_in(args, format!("{asked}: no trace id was seen; mayfly report --traces says how they are"))
}

fn beside_a_band(args: &ReportArgs, asked: &str) -> Error {
    not_in(args, format!("{asked} is not known by lengths of time; leave out --lived"))
}

fn not_in(args: &ReportArgs, cause: String) -> Error {
    let name = named(&args.recordings);
    Error::NotInRecording { name, cause }
}

/// The format that is wanted, if all options that are given have a meaning for it.
fn format(args: &ReportArgs) -> Result<Format, Error> {
    let by_option = || match args.json {
        true => Format::Json,
        false if args.ways => Format::Ways,
        false if args.threads => Format::Groups(Grouping::Pool),
        false if args.loaders => Format::Groups(Grouping::Loader),
        false if args.traces || args.trace.is_some() => Format::Traces,
        false if args.full => Format::Full,
        false => Format::Text,
    };
    let format = args.format.format().unwrap_or_else(by_option);
    let own = args.own.code();
    let given = [
        ("--by", args.by.is_some()),
        ("--value", args.part.value.is_some()),
        ("--trace", args.trace.is_some()),
        ("--limit", args.limit.is_some()),
        ("--own", !own.own.is_empty()),
        ("--not-own", !own.not_own.is_empty()),
    ];
    match given.into_iter().find(|(option, is_given)| *is_given && format.refuses(option)) {
        Some((option, _)) => Err(Error::NotOfFormat { option, format: format.name() }),
        None if format == Format::Parquet && args.output.is_none() => Err(Error::NoFolder),
        // A limit of rows is one of the lists that only the full text has.
        None if format == Format::Text && args.limit.is_some() => Ok(Format::Full),
        None => Ok(format),
    }
}

/// The last line of a screen: where everything is to be had.
pub(crate) fn everything(recordings: &[PathBuf]) -> String {
    format!("Everything: {} report --full {}\n", program(), named(recordings))
}

/// What is read, as a shell takes it; of many the first.
fn named(recordings: &[PathBuf]) -> String {
    const NAMED: usize = 4;
    let names: Vec<_> = recordings.iter().take(NAMED).map(|path| shown(path)).collect();
    names.join(" ") + if recordings.len() > NAMED { " ..." } else { "" }
}
