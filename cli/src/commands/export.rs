//! `mayfly export`: recordings as tables by application and day, as engines for many files read them.
//!
//! Not here: the tables (`mayfly-formats`), reading (`recordings`).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use mayfly_formats::{Choice, fleet_tables};
use mayfly_profile::Profile;

use crate::args::fleet::ExportArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recordings::{self, Wanted};

/// What Hive, and so Spark and DuckDB, take for a value that is not known.
const UNKNOWN: &str = "__HIVE_DEFAULT_PARTITION__";

/// Writes each, and says on standard error how many.
pub(crate) fn run(args: &ExportArgs) -> Result<u8, Error> {
    let choice = Choice { lines: args.lines, ..Choice::default() };
    let mut written = 0u64;
    recordings::each(&args.recordings, Wanted::default(), |path, profile| {
        written += 1;
        write(&args.output, path, &profile, &choice)
    })?;
    output::say(&format!("{written} recordings written to {}", args.output.display()));
    Ok(exit_codes::SUCCESS)
}

fn write(folder: &Path, recording: &Path, profile: &Profile, choice: &Choice) -> Result<(), Error> {
    let name = name_of(recording, profile);
    let not_written = |place: &Path, source| Error::NotWritten { name: place.display().to_string(), source };
    for table in fleet_tables(profile, choice, &name).map_err(|cause| not_written(folder, cause))? {
        let folder = folder.join(table.name).join(partition(profile));
        fs::create_dir_all(&folder).map_err(|cause| not_written(&folder, cause))?;
        output::binary(&table.bytes, Some(&folder.join(&name).with_added_extension("parquet")))?;
    }
    Ok(())
}

/// One name for one recording, wherever its file lies: its process, and when the recording began; else the name of the file.
fn name_of(recording: &Path, profile: &Profile) -> String {
    match profile.labels.get("process") {
        Some(process) => {
            // Each file of a run is a recording of its own.
            let file = profile.rotation.map(|files| format!("-{:04}", files.last)).unwrap_or_default();
            format!("{}-{}{file}", escaped(process), profile.run.started_unix_ms)
        }
        None => escaped(&recording.file_stem().unwrap_or_default().to_string_lossy()),
    }
}

fn partition(profile: &Profile) -> PathBuf {
    let application = profile
        .labels
        .get("application")
        .filter(|name| !name.is_empty())
        .map_or_else(|| UNKNOWN.to_owned(), |name| escaped(name));
    PathBuf::from(format!("application={application}"))
        .join(format!("day={}", day(profile.run.started_unix_ms)))
}

/// The day of a moment in UTC, as 2026-11-26.
fn day(unix_ms: u64) -> String {
    if unix_ms == 0 {
        return UNKNOWN.to_owned();
    }
    let moment = UNIX_EPOCH + Duration::from_millis(unix_ms);
    humantime::format_rfc3339(moment).to_string().chars().take_while(|&c| c != 'T').collect()
}

/// Letters, digits and a few signs stay; others become %XX, as Hive has them in names of folders.
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_. ".contains(&byte);
    let shown = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_as_hive_names_partitions() {
        let labels = [("application".to_owned(), "a/b=c".to_owned())].into();
        let mut profile = Profile { labels, ..Profile::default() };
        assert_eq!(partition(&profile), Path::new("application=a%2Fb%3Dc").join(format!("day={UNKNOWN}")));
        profile.labels.clear();
        profile.run.started_unix_ms = 1_795_651_200_000;
        assert_eq!(partition(&profile), Path::new(&format!("application={UNKNOWN}")).join("day=2026-11-26"));
        assert_eq!(name_of(Path::new("x/run.1.mayfly"), &profile), "run.1");
    }
}
