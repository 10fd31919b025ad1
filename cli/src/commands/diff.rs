//! `mayfly diff`: what changed between recordings, and how sure that is.
//!
//! Not here: the judgement (`mayfly-verdicts`), and what it looks like (`verdicts/`).

use std::path::PathBuf;

use mayfly_verdicts::{CountedBy, Side, by_program, diff};

use crate::args::judging::DiffArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recording_input;
use crate::recordings;
use crate::report::Format;
use crate::report::screen::columns;
use crate::verdicts::{self, Compared};

/// Compares the recordings and writes what changed. That something changed is no failure; that nothing can be told is.
pub(crate) fn run(mut args: DiffArgs) -> Result<u8, Error> {
    match args.pair.as_slice() {
        [before, after] => (args.before, args.after) = (vec![before.clone()], vec![after.clone()]),
        [one] => return Err(Error::OneToCompare(one.clone())),
        _ => {}
    }
    for side in [&mut args.before, &mut args.after] {
        *side = recordings::files(side)?;
    }
    let files: Vec<&PathBuf> = args.before.iter().chain(&args.after).collect();
    let given = operations(&args.per, files.len())?;
    let own = args.own.code();
    let read =
        |file: &&PathBuf| recording_input::read_phase(file, args.phase).map(|profile| profile.folded(&own));
    let profiles = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let (counted_by, operations) =
        given.map_or_else(|| by_program(&profiles), |given| (CountedBy::User, given));
    let mut runs = profiles.iter().zip(operations);
    let before = Side { runs: runs.by_ref().take(args.before.len()).collect() };
    let after = Side { runs: runs.collect() };
    let difference = diff(&before, &after, args.level, args.trust)
        .map_err(|cause| Error::NotComparable { file: files[cause.run].clone(), cause })?;
    let file = args.output.as_deref();
    let names = files.iter().map(|file| file.display().to_string()).collect();
    let compared = Compared { difference: &difference, sides: [&before, &after], counted_by, files: names };
    let format = args.format();
    let full = args.full || format == Format::Full;
    let document = || verdicts::diff_document(&compared, full);
    match format {
        Format::Json => output::json(&verdicts::diff_json(&compared), file)?,
        Format::Of(_) => {
            let title = format!("{} to {}", named(&args.before), named(&args.after));
            let page = verdicts::diff_page(title, &compared);
            output::page(|out| page.write(out), file)?;
        }
        Format::Markdown => output::text(&document().markdown(), file)?,
        _ => output::text(&document().text(if full { usize::MAX } else { columns() }), file)?,
    }
    Ok(if difference.is_decided() { exit_codes::SUCCESS } else { exit_codes::USAGE })
}

/// The files of a side.
fn named(files: &[PathBuf]) -> String {
    let name = |file: &PathBuf| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    files.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// How many operations each recording did, if it is given.
fn operations(per: &[f64], recordings: usize) -> Result<Option<Vec<f64>>, Error> {
    match per {
        [] => Ok(None),
        [all] => Ok(Some(vec![*all; recordings])),
        each if each.len() == recordings => Ok(Some(each.to_vec())),
        each => Err(Error::OperationsDoNotMatch { numbers: each.len(), recordings }),
    }
}
