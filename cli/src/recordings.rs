//! Several recordings, by files and folders, read one at a time.
//!
//! Not here: reading one (`recording_input`), and how several become one profile (`mayfly-profile`).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use mayfly_profile::{Merging, Profile, SharedStacks, Source, TimeRange};

use crate::args::Phase;
use crate::error::Error;
use crate::output;
use crate::recording_input;

/// How many warnings of single files are shown.
const WARNINGS: usize = 5;

/// Threads that read recordings, at most: each holds up to two.
const READERS: usize = 8;

/// The part of each recording that is wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    /// A range of its profiled time.
    pub(crate) during: Option<TimeRange>,
    /// A phase of its program.
    pub(crate) phase: Option<Phase>,
    /// Not what happened when, which takes longer to read; of a part it is always known.
    pub(crate) totals_alone: bool,
}

/// A file that is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    path: PathBuf,
    /// Found in a folder: nobody said that it can be read.
    by_folder: bool,
}

/// Whether one recording alone is meant.
pub(crate) fn alone(given: &[PathBuf]) -> Option<&PathBuf> {
    match given {
        [one] if !one.is_dir() => Some(one),
        _ => None,
    }
}

/// All recordings that are meant, folders replaced by the recordings in them.
///
/// # Errors
/// [`Error::NoRecordings`].
pub(crate) fn files(given: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    Ok(found(given)?.into_iter().map(|file| file.path).collect())
}

/// All that is meant as one profile. One recording alone keeps what only one has: its collections, and what happened when.
///
/// # Errors
/// As of [`each`].
pub(crate) fn merged(given: &[PathBuf], wanted: Wanted) -> Result<Profile, Error> {
    if let Some(one) = alone(given) {
        return read(one, wanted);
    }
    let mut merging = Merging::default();
    let found = found(given)?;
    // A merge of several does not say what happened when.
    let wanted = Wanted { totals_alone: found.len() > 1, ..wanted };
    each_of(&found, wanted, |_, profile| {
        merging.add(profile);
        Ok(())
    })?;
    let merged = merging.end().ok_or_else(|| Error::NoRecordings(given[0].clone()))?;
    warn_of_twins(&merged);
    warn_of_pieces(&merged);
    Ok(merged)
}

/// Hands each recording that is meant to `take`, in the order of their names. What is in a folder and can't be read is left out with a
/// warning.
///
/// # Errors
/// A file that was named can't be read, or none in a folder can; those of `take`, behind which none is read.
pub(crate) fn each(
    given: &[PathBuf],
    wanted: Wanted,
    take: impl FnMut(&Path, Profile) -> Result<(), Error>,
) -> Result<(), Error> {
    each_of(&found(given)?, wanted, take)
}

fn each_of(
    found: &[Found],
    wanted: Wanted,
    mut take: impl FnMut(&Path, Profile) -> Result<(), Error>,
) -> Result<(), Error> {
    let stacks = SharedStacks::default();
    let mut warnings = Warnings::default();
    let (mut taken, mut refused) = (0, None);
    read_ahead(
        found,
        |file| read_quietly(&file.path, wanted, &stacks),
        |Found { path, by_folder }, read| {
            match read {
                Ok((profile, warning)) => {
                    warning.into_iter().for_each(|text| warnings.say(&text));
                    take(path, profile)?;
                    taken += 1;
                }
                Err(error) if *by_folder => {
                    warnings.say(&format!("warning: left out: {error}"));
                    refused = Some(error);
                }
                Err(error) => return Err(error),
            }
            Ok(())
        },
    )?;
    warnings.end();
    match refused {
        Some(error) if taken == 0 => Err(error),
        _ => Ok(()),
    }
}

/// Reads on all processors, some items ahead, and takes what was read in the order of the items until one is refused.
///
/// # Errors
/// Of `take`.
fn read_ahead<T: Sync, R: Send>(
    items: &[T],
    read: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(&T, R) -> Result<(), Error>,
) -> Result<(), Error> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len()).min(READERS);
    thread::scope(|scope| {
        // One thread reads each nth item.
        let results: Vec<_> = (0..threads)
            .map(|first| {
                let (sender, results) = mpsc::sync_channel(1);
                let read = &read;
                scope.spawn(move || {
                    items.iter().skip(first).step_by(threads).all(|item| sender.send(read(item)).is_ok());
                });
                results
            })
            .collect();
        for (item, results) in items.iter().zip(results.iter().cycle()) {
            take(item, results.recv().expect("a reader reads each of its items"))?;
        }
        Ok(())
    })
}

fn read(path: &Path, wanted: Wanted) -> Result<Profile, Error> {
    match wanted.phase {
        Some(_) => recording_input::read_phase(path, wanted.phase),
        None => recording_input::read(path, wanted.during),
    }
}

fn read_quietly(
    path: &Path,
    wanted: Wanted,
    stacks: &SharedStacks,
) -> Result<(Profile, Option<String>), Error> {
    match wanted.phase {
        Some(_) => Ok((recording_input::read_phase(path, wanted.phase)?, None)),
        None if wanted.totals_alone && wanted.during.is_none() => {
            recording_input::read_totals_quietly(path, stacks)
        }
        None => recording_input::read_quietly(path, wanted.during),
    }
}

fn found(given: &[PathBuf]) -> Result<Vec<Found>, Error> {
    let mut found: Vec<Found> = Vec::new();
    for path in given {
        if !path.is_dir() {
            found.push(Found { path: path.clone(), by_folder: false });
            continue;
        }
        let mut inside = Vec::new();
        look_into(path, &mut inside)
            .map_err(|source| Error::RecordingUnreadable { name: path.display().to_string(), source })?;
        if inside.is_empty() {
            return Err(Error::NoRecordings(path.clone()));
        }
        inside.sort();
        found.extend(inside.into_iter().map(|path| Found { path, by_folder: true }));
    }
    // The same file by two ways is one recording.
    let mut seen = std::collections::HashSet::new();
    found.retain(|file| {
        file.path == Path::new("-")
            || seen.insert(fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone()))
    });
    Ok(found)
}

/// The recordings in a folder and those below it.
fn look_into(folder: &Path, into: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            look_into(&path, into)?;
        } else if path.extension().is_some_and(|extension| extension == "mayfly") {
            into.push(path);
        }
    }
    Ok(())
}

/// Two recordings that say the same of one process are one, counted twice.
fn warn_of_twins(merged: &Profile) {
    let twins =
        merged.sources.windows(2).filter(|pair| pair[0] == pair[1] && pair[0].labels.contains_key("process"));
    match twins.count() {
        0 => {}
        twins => output::say(&format!(
            "warning: {twins} of the {} recordings are copies of another one, and counted twice",
            merged.sources.len()
        )),
    }
}

/// Files of one run lie in several recordings that were merged before: who lives is in each of them.
fn warn_of_pieces(merged: &Profile) {
    let run = |source: &Source| {
        let process = source.labels.get("process").cloned();
        process.map(|process| (process, source.started_unix_ms))
    };
    let mut seen = std::collections::HashSet::new();
    let mut sources: Vec<_> = merged.sources.iter().collect();
    // Copies have been warned of.
    sources.dedup();
    let again = sources.into_iter().filter_map(run).filter(|run| !seen.insert(run.clone())).count();
    if again > 0 {
        output::say(&format!(
            "warning: {again} of the {} recordings are of a run of which there is another one: what lives is counted in each; merge \
             the files of a run before those of other runs",
            merged.sources.len()
        ));
    }
}

/// The first warnings, and how many there were.
#[derive(Default)]
struct Warnings {
    given: usize,
}

impl Warnings {
    fn say(&mut self, text: &str) {
        self.given += 1;
        if self.given <= WARNINGS {
            output::say(text);
        }
    }

    fn end(&self) {
        if self.given > WARNINGS {
            output::say(&format!("warning: {} more recordings like these", self.given - WARNINGS));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_ahead_is_taken_in_order_until_one_is_refused() {
        let items: Vec<usize> = (0..100).collect();
        let mut taken = Vec::new();
        let take = |item: &usize, read| {
            taken.push((*item, read));
            Ok(())
        };
        read_ahead(&items, |item| item * 2, take).expect("all");
        assert_eq!(taken, items.iter().map(|item| (*item, item * 2)).collect::<Vec<_>>());
        let refused = |item: &usize, _| match item {
            3 => Err(Error::NoRecordings("x".into())),
            _ => Ok(()),
        };
        assert!(read_ahead(&items, |item| *item, refused).is_err());
        read_ahead(&[], |item: &usize| *item, |_, _| Ok(())).expect("nothing");
    }

    #[test]
    fn a_folder_stands_for_the_recordings_in_it_and_no_file_is_read_twice() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).expect("made");
        for name in ["b.mayfly", "a.mayfly", "notes.txt", "sub/c.mayfly"] {
            fs::write(at(name), "").expect("written");
        }
        let given = [folder.path().to_owned(), at("a.mayfly")];
        let wanted: Vec<_> = ["a.mayfly", "b.mayfly", "sub/c.mayfly"].iter().map(|name| at(name)).collect();
        assert_eq!(files(&given).expect("found"), wanted);
        assert!(alone(&given[..1]).is_none() && alone(&given[1..]).is_some());
        fs::create_dir(at("empty")).expect("made");
        assert!(matches!(files(&[at("empty")]), Err(Error::NoRecordings(_))));
    }
}
