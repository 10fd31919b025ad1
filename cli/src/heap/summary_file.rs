//! Objects and bytes by class, from whatever wrote them: HeapSummary's columns, JSON of ours, jcmd's text, a dump.
//!
//! Not here: comparing them (`commands/heap/diff.rs`).

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use mayfly_heap::{HeapError, jvm_text};
use mayfly_profile::{HeapOrder, HeapSummary, Total};
use mayfly_report::{heap_columns, parse_heap_columns};
use serde::Deserialize;

use crate::error::Error;
use crate::heap::document::SCHEMA;
use crate::heap::dump_file::DumpFile;
use crate::heap::error::QueryError;

/// Said of a file of no kind that is known.
const FOREIGN: &str =
    "it is neither HeapSummary's columns, JSON of mayfly heap, text of jcmd GC.class_histogram, nor a dump";

/// As much of a file as tells what it is.
const BEGINNING: usize = 512;

/// Reads a summary of any kind. What is no text is taken for a dump.
///
/// # Errors
/// [`QueryError::Unreadable`], [`QueryError::NoSummary`], [`QueryError::Refused`].
pub(crate) fn read(path: &Path) -> Result<HeapSummary, QueryError> {
    let unreadable = |source| QueryError::Unreadable { file: path.to_owned(), source };
    let no_summary = |reason| QueryError::NoSummary { file: path.to_owned(), reason };
    let mut file = File::open(path).map_err(unreadable)?;
    let mut beginning = Vec::new();
    Read::by_ref(&mut file).take(BEGINNING as u64).read_to_end(&mut beginning).map_err(unreadable)?;
    let Some(kind) = Kind::of(&beginning) else {
        return match DumpFile::open(path) {
            Err(QueryError::Refused { cause: HeapError::Foreign, .. }) => Err(no_summary(FOREIGN.to_owned())),
            opened => opened?.histogram(),
        };
    };
    let mut text = beginning;
    file.read_to_end(&mut text).map_err(unreadable)?;
    let text = jvm_text(&text);
    match kind {
        Kind::Json => from_json(&text),
        Kind::Jcmd => from_jcmd(&text),
        Kind::Columns => parse_heap_columns(&text).map_err(|error| error.to_string()),
    }
    .map_err(no_summary)
}

/// Writes HeapSummary's columns: bytes, objects, class, in this order.
///
/// # Errors
/// [`QueryError::Exists`], [`Error::NotWritten`].
pub(crate) fn write(path: &Path, summary: &HeapSummary, order: HeapOrder) -> Result<(), Error> {
    let not_written = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => QueryError::Exists(path.to_owned()).into(),
        _ => Error::NotWritten { name: path.display().to_string(), source },
    };
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(not_written)?;
    file.write_all(heap_columns(summary, order).as_bytes()).map_err(not_written)
}

/// Kinds of text that hold a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Json,
    /// `jcmd PID GC.class_histogram`, `jmap -histo`.
    Jcmd,
    /// HeapSummary's.
    Columns,
}

impl Kind {
    /// From the beginning of a file; `None` for what is no such text.
    fn of(beginning: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(beginning);
        let first = text.trim_start().lines().next().unwrap_or_default();
        if first.starts_with('{') {
            Some(Self::Json)
        } else if text.contains("#instances") {
            Some(Self::Jcmd)
        } else if is_column_line(first) {
            Some(Self::Columns)
        } else {
            None
        }
    }
}

/// Begins with two numbers and a word.
fn is_column_line(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let mut number = || words.next().is_some_and(|word| word.parse::<u64>().is_ok());
    number() && number() && words.next().is_some()
}

/// Lines ` 1:  objects  bytes  class (module)`, between a heading and `Total`.
///
/// # Errors
/// What is no such line, as text.
pub(crate) fn from_jcmd(text: &str) -> Result<HeapSummary, String> {
    let mut summary = HeapSummary::default();
    for line in text.lines() {
        let Some((rank, rest)) = line.split_once(':') else { continue };
        if rank.trim().parse::<u64>().is_err() || rest.trim().is_empty() {
            continue;
        }
        let mut words = rest.split_whitespace();
        let mut number = || words.next()?.parse::<u64>().ok();
        let (objects, bytes) = (number(), number());
        match (objects, bytes, words.next()) {
            (Some(objects), Some(bytes), Some(class)) => summary.add(class, Total { objects, bytes }),
            _ => return Err(format!("not a line of a class histogram: {line:?}")),
        }
    }
    if summary.rows().len() == 0 {
        return Err("a class histogram without classes".to_owned());
    }
    Ok(summary)
}

#[derive(Deserialize)]
struct Document {
    schema: String,
    #[serde(default)]
    classes: Option<usize>,
    #[serde(default)]
    rows: Vec<JsonRow>,
}

#[derive(Deserialize)]
struct JsonRow {
    #[serde(default)]
    class: Option<String>,
    #[serde(flatten)]
    held: Total,
}

fn from_json(text: &str) -> Result<HeapSummary, String> {
    let document: Document = serde_json::from_str(text).map_err(|error| format!("as JSON: {error}"))?;
    if document.schema != SCHEMA {
        return Err(format!("its schema is '{}', not '{SCHEMA}'", document.schema));
    }
    if document.classes.is_none_or(|classes| classes != document.rows.len()) {
        return Err(
            "it does not hold all classes: write it by mayfly heap --json, without --limit".to_owned()
        );
    }
    let mut summary = HeapSummary::default();
    for row in document.rows {
        let class = row.class.ok_or("a row of it names no class")?;
        summary.add(&class, row.held);
    }
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &str = "                 376                   6 TOTAL
                 200                   1 [int
                 100                   2 [java.lang.Object
                  76                   3 java.util.HashMap$Node
";
    const JCMD: &str = "4711:
 num     #instances         #bytes  class name (module)
-------------------------------------------------------
   1:             1            200  [I (java.base@17.0.15)
   2:             2            100  [Ljava.lang.Object; (java.base@17.0.15)
   3:             3             76  java.util.HashMap$Node (java.base@17.0.15)
Total             6            376
";
    const JSON: &str = r#"{"schema": "mayfly-heap/1", "query": "heap", "source": {"pid": 1}, "total": {"objects": 6, "bytes": 376},
        "classes": 3, "rows": [{"class": "[I", "objects": 1, "bytes": 200}, {"class": "[Ljava.lang.Object;",
        "objects": 2, "bytes": 100}, {"class": "java.util.HashMap$Node", "objects": 3, "bytes": 76}]}"#;

    fn written(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("summary");
        std::fs::write(&path, text).expect("write");
        (folder, path)
    }

    fn read_text(text: &str) -> Result<HeapSummary, QueryError> {
        let (_folder, path) = written(text);
        read(&path)
    }

    fn expected() -> HeapSummary {
        let rows = [("[I", 1, 200), ("[Ljava.lang.Object;", 2, 100), ("java.util.HashMap$Node", 3, 76)];
        rows.into_iter().map(|(class, objects, bytes)| (class, Total { objects, bytes })).collect()
    }

    #[test]
    fn every_kind_of_summary_says_the_same() {
        for text in [COLUMNS, JCMD, JSON] {
            assert_eq!(read_text(text).expect("a summary"), expected(), "{text}");
        }
    }

    #[test]
    fn what_is_incomplete_is_refused() {
        let cut = COLUMNS.rsplit_once("                  76").expect("its last line").0;
        for (text, words) in [
            (cut, "not whole"),
            (&*COLUMNS.replace("2 [java", "two [java"), "line 3 (byte 93)"),
            (&*JCMD.replace(" 100 ", " x "), "not a line of a class histogram"),
            (&*JSON.replace("\"classes\": 3", "\"classes\": 4"), "--limit"),
            (&*JSON.replace("heap/1", "report/1"), "mayfly-report/1"),
            ("{", "as JSON"),
        ] {
            let error = read_text(text).unwrap_err();
            assert!(error.to_string().contains(words) && error.exit_code() == 4, "{text}: {error}");
        }
    }

    #[test]
    fn what_is_written_is_read_back_and_nothing_is_overwritten() {
        let (_folder, path) = written("mine");
        let refused = write(&path, &expected(), HeapOrder::Size).unwrap_err();
        assert!(refused.to_string().contains("there already"), "{refused}");
        std::fs::remove_file(&path).expect("remove");
        write(&path, &expected(), HeapOrder::Size).expect("written");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), COLUMNS);
        assert_eq!(read(&path).expect("a summary"), expected());
    }
}
