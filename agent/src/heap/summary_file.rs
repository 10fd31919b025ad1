//! The file of a heap summary: `heapsummary.YYYYMMDDhhmmss`, one of each second and more.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::conduct::descriptors::above_standard;

/// What HeapSummary called its files.
const NAME: &str = "heapsummary.";
/// Files of one second at most.
const MOST: u32 = 1000;

/// Where summaries go, as HeapSummary announced it: with a placeholder for the time.
pub(super) fn announced(dir: Option<&str>) -> String {
    folder(dir).join(format!("{NAME}YYYYMMDDhhmmss")).display().to_string()
}

/// Writes a summary into a new file named by the second. A file of that second is never touched: the next one is
/// called `….2`, and so on. It is empty until it is whole: who waits for it reads no half of it.
///
/// # Errors
/// The path, and why it can't be written. Nothing is left there.
pub(super) fn write(dir: Option<&str>, text: &str) -> Result<PathBuf, (PathBuf, io::Error)> {
    let time = jiff::Zoned::now().strftime("%Y%m%d%H%M%S").to_string();
    let first = folder(dir).join(format!("{NAME}{time}"));
    for number in 1..=MOST {
        let path = if number == 1 { first.clone() } else { numbered(&first, number) };
        match create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err((path, error)),
            Ok(_) => {
                return match fill(&path, text) {
                    Ok(()) => Ok(path),
                    Err(error) => Err((path, error)),
                };
            }
        }
    }
    Err((first, ErrorKind::AlreadyExists.into()))
}

/// `create_new` follows no link planted in its place.
fn create(path: &Path) -> io::Result<File> {
    above_standard(OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?)
}

/// Exchanges an empty file of ours for one with this text. Leaves neither if it can't.
fn fill(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = unfinished(path);
    let written = create(&unfinished)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
        let _ = fs::remove_file(path);
    }
    written
}

/// Hidden, beside it.
fn unfinished(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.unfinished"))
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
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::thread;

    use super::*;

    #[test]
    fn whoever_sees_a_summary_sees_all_of_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().to_str().expect("UTF-8").to_owned();
        // Larger than what the system writes at once.
        let text = "a row of a summary\n".repeat(500_000);
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut lengths = BTreeSet::new();
                loop {
                    let is_last = ended.load(Relaxed);
                    let all = fs::read_dir(&dir).expect("a folder").map(|file| file.expect("a file"));
                    let shown = all.filter(|file| !file.file_name().to_string_lossy().starts_with('.'));
                    lengths.extend(shown.map(|file| file.metadata().expect("there").len()));
                    if is_last {
                        return lengths;
                    }
                }
            });
            for _ in 0..5 {
                write(Some(&dir), &text).expect("written");
            }
            ended.store(true, Relaxed);
            let lengths = reader.join().expect("read");
            assert!(lengths.contains(&(text.len() as u64)), "{lengths:?}");
            let partly: Vec<_> =
                lengths.iter().filter(|&&length| length != 0 && length != text.len() as u64).collect();
            assert!(partly.is_empty(), "{partly:?} of {}", text.len());
        });
        assert_eq!(fs::read_dir(&dir).expect("a folder").count(), 5);
    }

    /// With and without a slash, and none.
    #[test]
    fn a_slash_at_the_end_makes_no_difference() {
        for dir in [Some("logs"), Some("logs/")] {
            assert_eq!(announced(dir), "logs/heapsummary.YYYYMMDDhhmmss");
        }
        assert_eq!(announced(None), "heapsummary.YYYYMMDDhhmmss");
    }
}
