//! What a view knows so far, as a recording of its own.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use mayfly_profile::Profile;
use mayfly_recording::write_profile;

/// Names tried at most.
const MOST: u32 = 1000;

/// Writes it into a new file in `folder`, and says which.
///
/// # Errors
/// What the system says, or that the profile is too large for a recording.
pub(super) fn write(profile: &Profile, folder: &Path) -> io::Result<PathBuf> {
    let whole = Profile { complete: true, ..profile.clone() };
    let bytes = write_profile(&whole).map_err(io::Error::other)?;
    for number in 1..=MOST {
        let path = folder.join(format!("mayfly-{}-live-{number}.mayfly", profile.run.jvm.pid));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut file) => {
                file.write_all(&bytes)?;
                return Ok(path);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use mayfly_recording::read_profile;

    use super::*;

    #[test]
    fn no_file_is_written_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let profile = Profile { duration_ms: 7, ..Profile::default() };
        let first = write(&profile, folder.path()).expect("written");
        let second = write(&Profile::default(), folder.path()).expect("written");
        assert_ne!(first, second);
        let bytes = std::fs::read(first).expect("there");
        let whole = Profile { complete: true, ..profile };
        assert_eq!(
            read_profile(&bytes).expect("readable").0,
            whole,
            "the program goes on, the file does not"
        );
    }
}
