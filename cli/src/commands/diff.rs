//! `mayfly diff`: what changed between recordings, and how sure that is.
//!
//! Not here: the judgement (`mayfly-verdicts`), and what it looks like (`verdicts/`).

use std::path::PathBuf;

use mayfly_profile::Profile;
use mayfly_verdicts::{Side, diff};

use crate::args::judging::DiffArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recording_input;
use crate::verdicts;

/// Compares the recordings and writes what changed. That something changed is no failure.
pub(crate) fn run(mut args: DiffArgs) -> Result<u8, Error> {
    if let [before, after] = args.pair.as_slice() {
        (args.before, args.after) = (vec![before.clone()], vec![after.clone()]);
    }
    let files: Vec<&PathBuf> = args.before.iter().chain(&args.after).collect();
    let operations = operations(&args.per, files.len())?;
    let profiles =
        files.iter().map(|file| recording_input::read(file, None)).collect::<Result<Vec<Profile>, _>>()?;
    let mut runs = profiles.iter().zip(operations);
    let before = Side { runs: runs.by_ref().take(args.before.len()).collect() };
    let after = Side { runs: runs.collect() };
    let difference = diff(&before, &after, args.level, args.trust)
        .map_err(|cause| Error::NotComparable { file: files[cause.run].clone(), cause })?;
    let file = args.output.as_deref();
    let counts = [args.before.len(), args.after.len()];
    if args.json {
        output::json(&verdicts::diff_json(&difference), file)?;
    } else if args.html {
        let title = format!("{} to {}", named(&args.before), named(&args.after));
        let page = verdicts::diff_page(title, &difference, [&before, &after], counts);
        output::page(|out| page.write(out), file)?;
    } else {
        output::text(&verdicts::diff_text(&difference, counts, args.full), file)?;
    }
    Ok(exit_codes::SUCCESS)
}

/// The files of a side.
fn named(files: &[PathBuf]) -> String {
    let name = |file: &PathBuf| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    files.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// How many operations each recording did.
fn operations(per: &[f64], recordings: usize) -> Result<Vec<f64>, Error> {
    match per {
        [] => Ok(vec![1.0; recordings]),
        [all] => Ok(vec![*all; recordings]),
        each if each.len() == recordings => Ok(each.to_vec()),
        each => Err(Error::OperationsDoNotMatch { numbers: each.len(), recordings }),
    }
}
