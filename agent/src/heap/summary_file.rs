//! The file of a heap summary: `heapsummary.YYYYMMDDhhmmss`, one of each second and more.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What HeapSummary called its files.
const NAME: &str = "heapsummary.";
/// Files of one second at most.
const MOST: u32 = 1000;

/// Where summaries go, as HeapSummary announced it: with a placeholder for the time.
pub(super) fn announced(dir: Option<&str>) -> String {
    folder(dir).join(format!("{NAME}YYYYMMDDhhmmss")).display().to_string()
}

/// Writes a summary into a new file named by the second. A file of that second is never touched: the next one is
/// called `….2`, and so on.
///
/// # Errors
/// The path, and why it can't be written. Nothing is left there.
pub(super) fn write(dir: Option<&str>, text: &str) -> Result<PathBuf, (PathBuf, io::Error)> {
    let time = jiff::Zoned::now().strftime("%Y%m%d%H%M%S").to_string();
    let first = folder(dir).join(format!("{NAME}{time}"));
    for number in 1..=MOST {
        let path = if number == 1 { first.clone() } else { numbered(&first, number) };
        // `create_new` follows no link planted in its place.
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err((path, error)),
            Ok(mut file) => {
                return match file.write_all(text.as_bytes()) {
                    Ok(()) => Ok(path),
                    Err(error) => {
                        let _ = fs::remove_file(&path);
                        Err((path, error))
                    }
                };
            }
        }
    }
    Err((first, ErrorKind::AlreadyExists.into()))
}

fn folder(dir: Option<&str>) -> &Path {
    Path::new(dir.unwrap_or_default())
}

fn numbered(first: &Path, number: u32) -> PathBuf {
    let mut name = first.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With and without a slash, and none.
    #[test]
    fn a_slash_at_the_end_makes_no_difference() {
        for dir in [Some("logs"), Some("logs/")] {
            assert_eq!(announced(dir), "logs/heapsummary.YYYYMMDDhhmmss");
        }
        assert_eq!(announced(None), "heapsummary.YYYYMMDDhhmmss");
    }
}
