//! Where a command's answer goes: standard output, or a file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::error::Error;

/// Writes to a file, or to standard output.
///
/// # Errors
/// [`Error::NotWritten`].
pub(crate) fn write(bytes: &[u8], file: Option<&Path>) -> Result<(), Error> {
    let (name, written) = match file {
        Some(path) => (
            path.display().to_string(),
            File::create(path).and_then(|file| write_all(BufWriter::new(file), bytes)),
        ),
        None => ("to standard output".to_owned(), write_all(io::stdout().lock(), bytes)),
    };
    match written {
        // The reader has seen enough (`| head`).
        Err(error) if file.is_none() && error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|source| Error::NotWritten { name, source }),
    }
}

fn write_all(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}
