//! Where a command's answer goes: standard output, or a file; and what is said on standard error.
//!
//! Everything passes through here, and so through one fence: names and texts of other programs may hold what steers a
//! terminal, and leave it as escapes.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use mayfly_report::{harmless, harmless_json, printable};

use crate::error::Error;

/// Writes a text for people to a file, or to standard output.
///
/// # Errors
/// [`Error::NotWritten`].
pub(crate) fn text(text: &str, file: Option<&Path>) -> Result<(), Error> {
    write(harmless(text).as_bytes(), file)
}

/// Writes the page that `page` makes to a file, or to standard output.
///
/// # Errors
/// [`Error::NotWritten`].
pub(crate) fn page(
    page: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    file: Option<&Path>,
) -> Result<(), Error> {
    let mut bytes = Vec::new();
    page(&mut bytes).map_err(|source| Error::NotWritten { name: name_of(file), source })?;
    text(&String::from_utf8_lossy(&bytes), file)
}

/// Writes JSON to a file, or to standard output.
///
/// # Errors
/// [`Error::NotWritten`].
pub(crate) fn json(json: &str, file: Option<&Path>) -> Result<(), Error> {
    write(harmless_json(json).as_bytes(), file)
}

/// Writes a text for people to standard error, where standard output is somebody else's.
pub(crate) fn beside(text: &str) {
    let _ = io::stderr().write_all(harmless(text).as_bytes());
}

/// Writes bytes that are no text to a file, or to standard output.
///
/// # Errors
/// [`Error::NotWritten`], [`Error::BinaryOnTerminal`].
pub(crate) fn binary(bytes: &[u8], file: Option<&Path>) -> Result<(), Error> {
    if file.is_none() && io::stdout().is_terminal() {
        return Err(Error::BinaryOnTerminal);
    }
    write(bytes, file)
}

/// Says one line on standard error.
pub(crate) fn say(line: &str) {
    // A closed standard error is nobody's fault.
    let _ = writeln!(io::stderr(), "mayfly: {}", printable(line));
}

fn write(bytes: &[u8], file: Option<&Path>) -> Result<(), Error> {
    let written = match file {
        Some(path) => File::create(path).and_then(|file| write_all(BufWriter::new(file), bytes)),
        None => write_all(io::stdout().lock(), bytes),
    };
    match written {
        // The reader has seen enough (`| head`).
        Err(error) if file.is_none() && error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|source| Error::NotWritten { name: name_of(file), source }),
    }
}

fn name_of(file: Option<&Path>) -> String {
    file.map_or_else(|| "to standard output".to_owned(), |path| path.display().to_string())
}

fn write_all(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}
