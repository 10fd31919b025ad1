//! `mayfly heap FILE`: what a dump is, its largest classes, and what to ask of it next.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use mayfly_profile::{HeapOrder, is_of_the_program};
use serde::Serialize;

use super::histogram::Histogram;
use crate::args::heap::LiveArgs;
use crate::commands::next_commands;
use crate::error::Error;
use crate::heap::class_rows::ClassRows;
use crate::heap::document::{self, Answer};
use crate::heap::dump_file::DumpFile;
use crate::heap::error::QueryError;
use crate::heap::summary_file;

/// Whether a word names a file to look at, not a JVM: that of a jar may name both.
pub(super) fn is_file(word: &str) -> bool {
    let mut magic = [0; 2];
    word.parse::<u32>().is_err()
        && Path::new(word).is_file()
        && File::open(word).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic != *b"PK"
}

/// A dump in short.
#[derive(Serialize)]
struct Overview {
    heading: String,
    #[serde(flatten)]
    histogram: Histogram,
    next: String,
}

impl Answer for Overview {
    const QUERY: &'static str = Histogram::QUERY;

    fn text(&self) -> String {
        format!("{}\n{}\n{}", self.heading, self.histogram.text(), self.next)
    }
}

pub(super) fn run(file: &Path, args: &LiveArgs) -> Result<(), Error> {
    if args.all {
        let why = "--all is for a running JVM: a dump has what it has".to_owned();
        return Err(QueryError::Usage(why).into());
    }
    let dump = DumpFile::open(file)?;
    let summary = dump.histogram()?;
    let rows = &args.rows;
    if let Some(output) = &args.output {
        return summary_file::write(output, &summary, rows.order());
    }
    if rows.shown.json.is_json() {
        let classes = ClassRows::of(&summary, rows.order(), rows.shown.limit);
        return document::show(&dump.source(), &Histogram::of(&dump, classes), true);
    }
    let largest = summary.sorted(HeapOrder::Size);
    let class = largest.iter().map(|(class, _)| *class).find(|class| is_of_the_program(class));
    let classes = ClassRows::for_people(&summary, rows.order(), rows.shown.limit);
    let overview = Overview {
        heading: format!("{}: {}", file.display(), dump.described()),
        histogram: Histogram::of(&dump, classes),
        next: next(file, class.or(largest.first().map(|(class, _)| *class)).unwrap_or("java.lang.Object")),
    };
    document::show(&dump.source(), &overview, false)
}

fn next(file: &Path, class: &str) -> String {
    let (program, file) = (next_commands::program(), next_commands::shown(file));
    let class = next_commands::quoted(class);
    let ask = |verb: &str, more: &str| format!("  {program} heap {verb} {file}{more}\n");
    "what to ask next:\n".to_owned()
        + &ask("retained", " --by class")
        + &ask("retained", "")
        + &ask("paths", &format!(" --to {class}"))
        + &ask("holders", &format!(" --of {class}"))
        + &ask("strings", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_the_program_are_told_from_the_jdks() {
        for (class, expected) in [
            ("a.B", true),
            ("javafoo.B", true),
            ("[B", false),
            ("java.util.Map", false),
            ("sun.misc.X", false),
        ] {
            assert_eq!(is_of_the_program(class), expected, "{class}");
        }
    }

    #[test]
    fn numbers_and_jars_are_no_dumps() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        std::fs::write(path("app.jar"), "PK\x03\x04").expect("written");
        std::fs::write(path("app.hprof"), "JAVA PROFILE").expect("written");
        assert!(!is_file("4711") && !is_file(&path("app.jar")) && !is_file("com.example.Main"));
        assert!(is_file(&path("app.hprof")));
    }
}
