//! `mayfly heap convert`: a dump as INSANE's XML; also the second half of `heap dump PID FILE.xml`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use mayfly_heap::HeapError;

use crate::args::heap::ConvertArgs;
use crate::error::Error;
use crate::heap::dump_file::DumpFile;
use crate::heap::error::QueryError;

pub(super) fn run(args: &ConvertArgs) -> Result<(), Error> {
    if !is_xml(&args.to) {
        let why = format!(
            "can't convert to {}: only XML is written, to a name that ends in .xml",
            args.to.display()
        );
        return Err(QueryError::Usage(why).into());
    }
    write(&args.from, &args.to)
}

/// Whether the name asks for XML.
pub(super) fn is_xml(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
}

/// Writes the dump `from` as XML into the new file `to`. Nothing is left of it if that fails.
///
/// # Errors
/// [`QueryError::Unreadable`], [`QueryError::Refused`], [`QueryError::Exists`], [`Error::NotWritten`].
pub(super) fn write(from: &Path, to: &Path) -> Result<(), Error> {
    let dump = DumpFile::open(from)?;
    let failed = |stop| match stop {
        Stop::Dump(cause) => QueryError::Refused { file: from.to_owned(), cause }.into(),
        Stop::File(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            QueryError::Exists(to.to_owned()).into()
        }
        Stop::File(source) => Error::NotWritten { name: to.display().to_string(), source },
    };
    let mut file = create(to).map_err(|error| failed(Stop::File(error)))?;
    dump.write_xml(&mut |lines| file.write_all(lines).map_err(Stop::File)).map_err(|stop| {
        // Half a file would be taken for a whole one.
        let _ = fs::remove_file(to);
        failed(stop)
    })
}

/// As the agent makes its own: for the user alone, since a heap holds secrets.
fn create(file: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)
}

/// What ends a conversion too early.
pub(crate) enum Stop {
    /// The dump can't be read.
    Dump(HeapError),
    /// The file can't be written.
    File(io::Error),
}

impl From<HeapError> for Stop {
    fn from(cause: HeapError) -> Self {
        Self::Dump(cause)
    }
}
