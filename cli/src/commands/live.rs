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
use crate::live::{blocks, takes_a_view};
use crate::output;
use crate::session::writer;

/// Shows it until the user leaves; plain blocks where standard output is no terminal.
pub(crate) fn run(args: &LiveArgs) -> Result<u8, Error> {
    let path = Path::new(&args.target);
    let source = Box::new(GrowingFile::open(path)?);
    let jvm = writer::of(path).map_or_else(
        || Jvm::Closed("the JVM of this recording does not run any more, or not here".to_owned()),
        Jvm::Running,
    );
    show(source, jvm)
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
