//! `mayfly leaks`: what is held ever longer and becomes ever more, and who holds it: of a running JVM, of dumps, of a recording.
//!
//! Not here: the judgement (`mayfly-verdicts`), growth and paths (`mayfly-heap`), and what it looks like (`verdicts/`).

mod containers;
mod dumps;
mod labels;
mod makers;
mod many;
mod price;
mod recorded;
mod running;
mod threads;

use std::path::{Path, PathBuf};

use mayfly_heap::HeapError;

use crate::args::judging::LeaksArgs;
use crate::error::Error;
use crate::heap::dump_file::DumpFile;
use crate::heap::error::QueryError;
use crate::session::jvms;
use crate::verdicts::{self, Leaks};

/// Searches, and says what was found. Leaks are a failed check; what can't be told is none that was passed.
pub(crate) fn run(args: &LeaksArgs) -> Result<u8, Error> {
    let files: Vec<PathBuf> = args.targets.iter().map(PathBuf::from).collect();
    if files.iter().any(|file| file.is_dir()) || (files.len() > 1 && are_recordings(&files)?) {
        Error::if_given(&args.of_a_running_jvm())?;
        return many::run(&files, args);
    }
    let leaks = search(&files, args)?;
    let (document, json) = (verdicts::leaks_document(&leaks), || verdicts::leaks_json(&leaks));
    verdicts::show(&document, json, "what leaks", args.form.format(), args.output.as_deref())?;
    Ok(leaks.exit_code())
}

/// Whether several files are recordings, and not dumps.
fn are_recordings(files: &[PathBuf]) -> Result<bool, Error> {
    let of_each = files.iter().map(|file| Ok(file.exists() && is_recording(file)?));
    let of_each = of_each.collect::<Result<Vec<_>, Error>>()?;
    match of_each.iter().position(|&is_one| is_one) {
        None => Ok(false),
        Some(_) if of_each.iter().all(|&is_one| is_one) => Ok(true),
        Some(at) => {
            let what = "it is no dump: name one recording alone, or dumps only";
            Err(Error::MixedFiles { file: files[at].clone(), what })
        }
    }
}

fn search(files: &[PathBuf], args: &LeaksArgs) -> Result<Leaks, Error> {
    let jvm = match files {
        [one] if !one.exists() => jvms::pid_or_file(&args.targets[0])?,
        [one] if jvms::is_jar(one) => Some(jvms::pid_of(&args.targets[0])?),
        _ => None,
    };
    if let Some(pid) = jvm {
        return running::search(pid, args);
    }
    Error::if_given(&args.of_a_running_jvm())?;
    match files {
        [one] if is_recording(one)? => recorded::search(one, args.trust),
        [one] => Err(Error::OneDump(one.clone())),
        several => dumps::search(several),
    }
}

/// Whether a file is no dump: then it should be a recording.
fn is_recording(file: &Path) -> Result<bool, Error> {
    match DumpFile::open(file) {
        Ok(_) => Ok(false),
        Err(QueryError::Refused { cause: HeapError::Foreign, .. }) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};
    use crate::session::unreachable::Unreachable;

    #[test]
    fn a_jar_that_is_there_names_the_jvm_that_runs_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let jar = folder.path().join("nobody-runs-this.jar");
        std::fs::write(&jar, "PK").expect("a file");
        let Ok(Cli { command: Command::Leaks(args) }) =
            Cli::try_parse_from(["mayfly".as_ref(), "leaks".as_ref(), jar.as_os_str()])
        else {
            panic!("a command line");
        };
        let error = run(&args).expect_err("no JVM runs it");
        assert!(matches!(error, Error::Unreachable(Unreachable::NoSuchJvm { .. })), "{error}");
    }
}
