//! Where a command's answer goes: standard output, or a file; and what is said on standard error.
//!
//! Everything passes through here, and so through one fence: names and texts of other programs may hold what steers a
//! terminal, and leave it as escapes.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use mayfly_report::{harmless, harmless_json, printable};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::error::Error;

/// Writes a text for people to a file, or to standard output.
///
/// # Errors
/// [`Error::NotWritten`].
pub(crate) fn text(text: &str, file: Option<&Path>) -> Result<(), Error> {
    write(harmless(text).as_bytes(), file)
}

/// Writes a part of a text that goes on to standard output. Whether somebody still reads it.
///
/// # Errors
/// [`Error::NotWritten`].
pub(crate) fn part(text: &str) -> Result<bool, Error> {
    written_to_stdout(harmless(text).as_bytes())
}

/// Whether somebody may still read what is written to standard output: a pipe whose reader left says so.
pub(crate) fn is_read() -> bool {
    let stdout = io::stdout();
    let mut asked = [PollFd::new(&stdout, PollFlags::empty())];
    let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
    match poll(&mut asked, Some(&Timespec::default())) {
        Ok(_) => !asked[0].revents().intersects(gone),
        Err(_) => true,
    }
}

/// Whether standard output is read by people as it comes.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
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
    if file.is_none() && is_terminal() {
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
    let Some(path) = file else { return written_to_stdout(bytes).map(drop) };
    let written = File::create(path).and_then(|file| write_all(BufWriter::new(file), bytes));
    written.map_err(|source| Error::NotWritten { name: name_of(file), source })
}

/// Whether the reader has not seen enough (`| head`).
fn written_to_stdout(bytes: &[u8]) -> Result<bool, Error> {
    match write_all(io::stdout().lock(), bytes) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        written => written.map(|()| true).map_err(|source| Error::NotWritten { name: name_of(None), source }),
    }
}

fn name_of(file: Option<&Path>) -> String {
    file.map_or_else(|| "to standard output".to_owned(), |path| path.display().to_string())
}

fn write_all(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}
