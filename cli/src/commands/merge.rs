//! `mayfly merge`: several recordings as one.
//!
//! Not here: reading them (`recordings`), and what a merge means (`mayfly-profile`).

use mayfly_profile::Profile;
use mayfly_recording::write_profile;
use mayfly_report::{clock, size, sources_line};

use crate::args::fleet::MergeArgs;
use crate::commands::next_commands::{program, shown};
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recordings::{self, Wanted};

/// Merges and writes, and says on standard error what there is.
pub(crate) fn run(args: &MergeArgs) -> Result<u8, Error> {
    // A result of last time in the same folder would be counted with its own parts.
    let is_output = |path: &std::path::PathBuf| same_file(path, &args.output);
    if recordings::files(&args.recordings)?.iter().any(is_output) {
        return Err(Error::MergedIntoItself(args.output.clone()));
    }
    let merged = recordings::merged(&args.recordings, Wanted::default())?;
    let bytes = write_profile(&merged).map_err(|cause| Error::NotWritten {
        name: args.output.display().to_string(),
        source: std::io::Error::other(cause),
    })?;
    output::binary(&bytes, Some(&args.output))?;
    let allocated = merged.classes.iter().fold(0u64, |sum, class| sum.saturating_add(class.allocated.bytes));
    output::say(&format!(
        "{}, {} allocated in {}: {}; read it: {} report {}",
        sources_line(&merged).unwrap_or_else(|| files_of_one(&merged)),
        size(allocated),
        clock(merged.duration_ms),
        shown(&args.output),
        program(),
        shown(&args.output)
    ));
    Ok(exit_codes::SUCCESS)
}

/// How much of one run it is.
fn files_of_one(merged: &Profile) -> String {
    match merged.rotation {
        Some(rotation) if rotation.files > 1 => format!("{} files of one run", rotation.files),
        _ => "1 recording".to_owned(),
    }
}

fn same_file(one: &std::path::Path, other: &std::path::Path) -> bool {
    let real = |path: &std::path::Path| std::fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|path| real(other) == Some(path))
}
