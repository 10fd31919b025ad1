//! `mayfly check`: whether recordings keep a budget; what `mayfly run --budget` ends with.
//!
//! Not here: the judgement (`mayfly-verdicts`), and what it looks like (`verdicts/`).

use std::fs;
use std::path::{Path, PathBuf};

use mayfly_profile::Profile;
use mayfly_report::COLUMNS;
use mayfly_verdicts::{Budget, Ruling, baseline, budget_of, check};

use crate::args::judging::{CheckArgs, CheckOutputs};
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recording_input;
use crate::verdicts::{self, CheckedRecording};

/// Checks the recordings, or writes a budget from the first of them.
pub(crate) fn run(args: CheckArgs) -> Result<u8, Error> {
    if let Some(path) = &args.write {
        return write(path, &args.recordings);
    }
    let (path, budget) = match &args.budget {
        Some(path) => {
            let mut budget = read_budget(path)?;
            budget.operations = args.operations.or(budget.operations);
            (path.clone(), budget)
        }
        None => (args.baseline.first().cloned().unwrap_or_default(), budget_of_runs(&args)?),
    };
    let all = held_against(&budget, &path, &args.recordings)?;
    let (document, json) = (verdicts::check_document(&all), || verdicts::check_json(&all));
    verdicts::show(&document, json, "check", args.form.format(), None)?;
    write_outputs(&all, &args.outputs)?;
    Ok(code(&all))
}

/// The budget in a file.
///
/// # Errors
/// [`Error::BudgetUnreadable`], [`Error::BudgetRefused`].
pub(crate) fn read_budget(path: &Path) -> Result<Budget, Error> {
    let text = fs::read_to_string(path)
        .map_err(|source| Error::BudgetUnreadable { path: path.to_owned(), source })?;
    Budget::parse(&text).map_err(|cause| Error::BudgetRefused { path: path.to_owned(), cause })
}

/// What the recordings of the baseline did, as a budget.
fn budget_of_runs(args: &CheckArgs) -> Result<Budget, Error> {
    let runs = args.baseline.iter().map(|file| recording_input::read(file, None));
    let runs = runs.collect::<Result<Vec<Profile>, _>>()?;
    baseline(&runs.iter().collect::<Vec<_>>(), args.tolerance, args.trust)
        .map_err(|cause| Error::NotComparable { file: args.baseline[cause.run].clone(), cause })
}

/// Checks what a run left; the code to end with. Says on standard error what came out, as standard output is the program's.
///
/// # Errors
/// A recording that can't be read, or none.
pub(crate) fn after_run(budget: &Budget, path: &Path, recordings: &[PathBuf]) -> Result<u8, Error> {
    if recordings.is_empty() {
        return Err(Error::NothingToCheck(path.to_owned()));
    }
    let all = held_against(budget, path, recordings)?;
    output::beside(&verdicts::check_document(&all).text(COLUMNS));
    Ok(code(&all))
}

fn held_against(
    budget: &Budget,
    path: &Path,
    recordings: &[PathBuf],
) -> Result<Vec<CheckedRecording>, Error> {
    let mut all = Vec::new();
    for recording in recordings {
        let profile = recording_input::read(recording, None)?;
        all.push(CheckedRecording {
            recording: recording.display().to_string(),
            budget: path.display().to_string(),
            checked: check(&profile, budget),
        });
    }
    Ok(all)
}

fn write_outputs(all: &[CheckedRecording], outputs: &CheckOutputs) -> Result<(), Error> {
    if outputs.annotations {
        output::text(&verdicts::annotations(all), None)?;
    }
    if let Some(file) = &outputs.junit {
        output::text(&verdicts::junit(all), Some(file))?;
    }
    if let Some(file) = &outputs.bmf {
        output::json(&verdicts::bmf(all), Some(file))?;
    }
    if let Some(file) = &outputs.markdown {
        output::text(&verdicts::check_document(all).markdown(), Some(file))?;
    }
    Ok(())
}

/// Nothing but kept is 0.
fn code(all: &[CheckedRecording]) -> u8 {
    match all.iter().map(|one| one.checked.ruling()).max() {
        Some(Ruling::Kept) => exit_codes::SUCCESS,
        Some(Ruling::Exceeded) => exit_codes::CHECK_FAILED,
        Some(Ruling::Unknown) | None => exit_codes::USAGE,
    }
}

fn write(path: &Path, recordings: &[PathBuf]) -> Result<u8, Error> {
    let [recording] = recordings else { return Err(Error::OneRecordingToWriteFrom) };
    let profile = recording_input::read(recording, None)?;
    let file = (path != Path::new("-")).then_some(path);
    let text = budget_of(&profile);
    output::text(&text, file)?;
    if let Some(file) = file {
        let limits = Budget::parse(&text).map_or(0, |budget| budget.limits.len());
        output::say(&format!(
            "{} has {limits} limits now, a tenth above what {} has of the whole program and of the classes that allocated most",
            file.display(),
            recording.display()
        ));
    }
    Ok(exit_codes::SUCCESS)
}
