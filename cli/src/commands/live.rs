//! `mayfly live`: how long objects live, as it happens.
//!
//! Not here: what is seen (`mayfly-live`), the terminal (`live/`).

use std::path::Path;

use crate::args::running::LiveArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::live::growing_file::GrowingFile;
use crate::live::screen::{self, Jvm, Left};
use crate::live::source::Source;
use crate::live::watched_jvm::WatchedJvm;
use crate::live::{blocks, takes_a_view};
use crate::output;
use crate::session::connect::Target;
use crate::session::{jvms, writer};

/// Shows it until the user leaves; plain blocks where standard output is no terminal.
pub(crate) fn run(args: &LiveArgs) -> Result<u8, Error> {
    if is_file(&args.target) { recorded(Path::new(&args.target)) } else { running(&args.target) }
}

fn recorded(path: &Path) -> Result<u8, Error> {
    let source = GrowingFile::open(path)?;
    let jvm = writer::of(path).map_or_else(
        || Jvm::Closed("the JVM of this recording does not run any more, or not here".to_owned()),
        Jvm::Running,
    );
    show(Box::new(source), jvm)
}

/// No agent is loaded: one that comes late counts nothing.
fn running(jvm: &str) -> Result<u8, Error> {
    let pid = jvms::pid_of(jvm)?;
    let source = WatchedJvm::watch(&Target::reach(pid)?)?;
    show(Box::new(source), Jvm::Running(pid))
}

/// Whether a word names a recording, not a JVM: what looks like a path is none of those.
fn is_file(word: &str) -> bool {
    let is_there = Path::new(word).is_file() && !word.ends_with(".jar");
    word.parse::<u32>().is_err() && (jvms::is_file_name(word) || is_there)
}

fn show(source: Box<dyn Source>, jvm: Jvm) -> Result<u8, Error> {
    if takes_a_view() {
        return screen::run(source, jvm).map(code);
    }
    if let Some(why) = blocks::write(source)? {
        output::say(&format!("warning: {why}"));
    }
    Ok(exit_codes::SUCCESS)
}

/// Signals end as shells say.
fn code(left: Left) -> u8 {
    match left {
        Left::ByUser | Left::Gone => exit_codes::SUCCESS,
        Left::BySignal(signal) => exit_codes::KILLED_BY_SIGNAL + signal as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_from_jvms() {
        for (word, file) in [
            ("4711", false),
            ("com.acme.Main", false),
            ("app.jar", false),
            ("gone.mayfly", true),
            ("./out/x", true),
            ("Cargo.toml", true),
        ] {
            assert_eq!(is_file(word), file, "{word}");
        }
    }
}
