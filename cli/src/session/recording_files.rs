//! The files that a run's JVMs wrote: found by the recording's template, told from older ones.
//!
//! The agent fills the template in (`%p`, `%h`, `%t`); a script may start several JVMs, or none.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use glob::{MatchOptions, Pattern};

use crate::error::Error;

/// What was there before the run.
#[derive(Clone, Debug)]
pub(crate) struct RecordingFiles {
    template: String,
    before: HashMap<PathBuf, Stamp>,
}

type Stamp = (Option<SystemTime>, u64);

impl RecordingFiles {
    /// Remembers what matches `template` already.
    pub(crate) fn before_run(template: &str) -> Self {
        let before = matching(template, None).map(|path| (path.clone(), stamp(&path)));
        Self { template: template.to_owned(), before: before.collect() }
    }

    /// The recording of process `pid`, a `java` launcher; if it wrote none (the launcher is a script that starts the JVM
    /// under another id), all recordings written since.
    pub(crate) fn written_by(&self, pid: u32) -> Vec<PathBuf> {
        let own = self.written(Some(pid));
        if own.is_empty() { self.all_written() } else { own }
    }

    /// All recordings written since: a build tool, itself a JVM or not, starts others.
    pub(crate) fn all_written(&self) -> Vec<PathBuf> {
        self.written(None)
    }

    /// Whether the template is the file that keeps nothing.
    pub(crate) fn keep_nothing(&self) -> bool {
        self.template == "/dev/null"
    }

    fn written(&self, pid: Option<u32>) -> Vec<PathBuf> {
        let mut seen = HashSet::new();
        matching(&self.template, pid)
            .filter(|path| self.before.get(path) != Some(&stamp(path)) && seen.insert(path.clone()))
            .collect()
    }
}

fn stamp(path: &Path) -> Stamp {
    path.metadata().map_or((None, 0), |metadata| (metadata.modified().ok(), metadata.len()))
}

fn matching(template: &str, pid: Option<u32>) -> impl Iterator<Item = PathBuf> + use<> {
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
    let mut patterns = vec![pattern(template, pid)];
    let is_one_name = pattern(template, Some(1)) == pattern(template, Some(2));
    patterns.push(beside(&patterns[0], "[0-9]*Z-[0-9]*"));
    let pid = pid.map_or_else(|| "[0-9]*".into(), |pid| pid.to_string());
    patterns.extend(is_one_name.then(|| beside(&patterns[0], &pid)));
    let found = patterns.into_iter().filter_map(move |pattern| glob::glob_with(&pattern, options).ok());
    found.flatten().flatten().filter(|path| path.is_file())
}

/// A template as a pattern for file names; `%p` is `pid` if that is known.
fn pattern(template: &str, pid: Option<u32>) -> String {
    let mut pattern = String::with_capacity(template.len() + 16);
    let mut rest = template.chars();
    while let Some(c) = rest.next() {
        let code = if c == '%' { rest.next() } else { None };
        match (code, pid) {
            (Some('p'), Some(pid)) => pattern.push_str(&pid.to_string()),
            (Some('p'), None) => pattern.push_str("[0-9]*"),
            (Some('h' | 't'), _) => pattern.push('*'),
            (Some('%'), _) => pattern.push('%'),
            // The agent refuses other codes.
            (code, _) => [Some(c), code].into_iter().flatten().for_each(|c| push_literally(&mut pattern, c)),
        }
    }
    pattern
}

/// What the agent puts behind the stem: the process id if another JVM has the file, the time of the start and a number where there are
/// several files (`#loop`).
fn beside(pattern: &str, suffix: &str) -> String {
    let path = Path::new(pattern);
    let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let extension = path.extension().map(|extension| format!(".{}", part(Some(extension))));
    let name = format!("{}-{suffix}{}", part(path.file_stem()), extension.unwrap_or_default());
    path.with_file_name(name).to_string_lossy().into_owned()
}

/// Recordings in several files, by what is in all their names, and how many files there are; and the others.
pub(crate) fn by_run(recordings: &[PathBuf]) -> (BTreeMap<PathBuf, usize>, Vec<&PathBuf>) {
    let (mut runs, mut others) = (BTreeMap::new(), Vec::new());
    for recording in recordings {
        match run_of(recording) {
            Some(run) => *runs.entry(run).or_default() += 1,
            None => others.push(recording),
        }
    }
    (runs, others)
}

/// `app-20261127T112905Z.mayfly` of `app-20261127T112905Z-0007.mayfly`.
fn run_of(file: &Path) -> Option<PathBuf> {
    let (run, number) = file.file_stem()?.to_str()?.rsplit_once('-')?;
    let (_, started) = run.rsplit_once('-')?;
    let is_of_digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let (day, time) = started.strip_suffix('Z')?.split_once('T')?;
    let is_one = [number, day, time].into_iter().all(is_of_digits);
    let extension = file.extension().map(|it| format!(".{}", it.to_string_lossy())).unwrap_or_default();
    is_one.then(|| file.with_file_name(format!("{run}{extension}")))
}

fn push_literally(pattern: &mut String, c: char) {
    pattern.push_str(&Pattern::escape(c.encode_utf8(&mut [0; 4])));
}

/// A folder for recordings that are read and not kept.
///
/// # Errors
/// [`Error::NotWritten`].
pub(crate) fn unkept_folder() -> Result<tempfile::TempDir, Error> {
    let name = "to the folder for temporary files".to_owned();
    tempfile::tempdir().map_err(|source| Error::NotWritten { name, source })
}

/// The template that stands for `path` itself: a `%` in it is just that.
///
/// # Errors
/// [`Error::UnpassablePath`] if the option string can't hold it.
pub(crate) fn literal_template(path: &Path) -> Result<String, Error> {
    let text = path.to_string_lossy().replace('%', "%%");
    absolute_template(Path::new(&text))
}

/// `path` for the agent, whose JVM may run elsewhere: absolute, and a `%` in our own folder's name is just that.
///
/// # Errors
/// [`Error::UnpassablePath`] if the option string can't hold it.
pub(crate) fn absolute_template(path: &Path) -> Result<String, Error> {
    let refused =
        |contains| Error::UnpassablePath { what: "the recording's path", path: path.to_owned(), contains };
    let folder = if path.is_absolute() { PathBuf::new() } else { env::current_dir().unwrap_or_default() };
    let folder = folder.to_str().ok_or_else(|| refused("bytes that are not UTF-8"))?.replace('%', "%%");
    let relative = path.to_str().ok_or_else(|| refused("bytes that are not UTF-8"))?;
    let template = if folder.is_empty() { relative.to_owned() } else { format!("{folder}/{relative}") };
    if template.contains('#') {
        Err(refused("'#', which separates the agent's options"))
    } else {
        Ok(template)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(found: Vec<PathBuf>) -> Vec<String> {
        found.iter().map(|path| path.file_name().expect("name").to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn only_what_is_new_or_changed_counts() {
        let root = tempfile::tempdir().expect("temporary folder");
        let template = root.path().join("m[1]-%p.mayfly");
        for name in ["m[1]-1.mayfly", "m[1]-2.mayfly"] {
            fs::write(root.path().join(name), "old").expect("write");
        }
        let files = RecordingFiles::before_run(template.to_str().expect("UTF-8"));
        assert_eq!(files.written_by(1), Vec::<PathBuf>::new());
        for name in ["m[1]-2.mayfly", "m[1]-3.mayfly", "m1-4.mayfly", "other-5.mayfly"] {
            fs::write(root.path().join(name), "new and longer").expect("write");
        }
        assert_eq!(names(files.written_by(3)), ["m[1]-3.mayfly"]);
        assert_eq!(names(files.written_by(77)), ["m[1]-2.mayfly", "m[1]-3.mayfly"]);
        assert_eq!(names(files.all_written()), ["m[1]-2.mayfly", "m[1]-3.mayfly"]);
    }

    #[test]
    fn recordings_beside_one_that_was_taken_are_found() {
        let root = tempfile::tempdir().expect("temporary folder");
        let template = root.path().join("build.mayfly");
        let files = RecordingFiles::before_run(template.to_str().expect("UTF-8"));
        for name in ["build.mayfly", "build-31.mayfly", "build-4.mayfly", "build-x.mayfly", "build2.mayfly"] {
            fs::write(root.path().join(name), "new").expect("write");
        }
        assert_eq!(names(files.all_written()), ["build.mayfly", "build-31.mayfly", "build-4.mayfly"]);
        assert_eq!(names(files.written_by(31)), ["build.mayfly", "build-31.mayfly"]);
    }

    #[test]
    fn files_of_one_run_are_found_and_told_together() {
        let root = tempfile::tempdir().expect("temporary folder");
        let template = root.path().join("app-%p.mayfly");
        let files = RecordingFiles::before_run(template.to_str().expect("UTF-8"));
        let run = "app-31-20261127T112905Z";
        for name in [&format!("{run}-0001.mayfly"), &format!("{run}-0002.mayfly"), "app-4.mayfly"] {
            fs::write(root.path().join(name), "new").expect("write");
        }
        assert_eq!(files.written_by(31).len(), 2);
        let all = files.all_written();
        let (runs, others) = by_run(&all);
        assert_eq!(runs, [(root.path().join(format!("{run}.mayfly")), 2)].into());
        assert_eq!(others, [&root.path().join("app-4.mayfly")]);
    }

    #[test]
    fn placeholders_become_patterns() {
        assert_eq!(pattern("/a/%p-%h-%t.m", Some(7)), "/a/7-*-*.m");
        assert_eq!(pattern("/a/%p.m", None), "/a/[0-9]*.m");
        assert_eq!(pattern("/a/100%", None), "/a/100%");
        assert_eq!(pattern("/a/100%%p[", Some(7)), "/a/100%p[[]");
    }

    #[test]
    fn a_template_is_made_absolute() {
        let folder = env::current_dir().expect("a folder");
        let expected = format!("{}/x-%p.m", folder.display());
        assert_eq!(absolute_template(Path::new("x-%p.m")).expect("passable"), expected);
        assert_eq!(absolute_template(Path::new("/a/%p")).expect("passable"), "/a/%p");
    }

    #[test]
    fn a_hash_in_the_path_is_refused() {
        let error = absolute_template(Path::new("/a#b/%p")).unwrap_err().to_string();
        assert!(error.contains("/a#b/%p") && error.contains("'#'"), "{error}");
    }
}
