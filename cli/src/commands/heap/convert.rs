//! `mayfly heap convert`: a dump in one of INSANE's two forms; also the second half of `heap dump PID FILE.xml`.

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
    let Some(form) = Form::of(&args.to) else {
        let why = format!(
            "can't convert to {}: XML is written to a name that ends in .xml, INSANE's binary form to one in .insane",
            args.to.display()
        );
        return Err(QueryError::Usage(why).into());
    };
    write(&args.from, &args.to, form)
}

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// INSANE's XML.
    Xml,
    /// Its binary form, `SBIH`.
    Binary,
}

impl Form {
    /// The form that a name asks for.
    pub(super) fn of(file: &Path) -> Option<Self> {
        let extension = file.extension()?;
        let forms = [("xml", Self::Xml), ("insane", Self::Binary)];
        forms.into_iter().find(|(name, _)| extension.eq_ignore_ascii_case(name)).map(|(_, form)| form)
    }
}

/// Writes the dump `from` in a form into the new file `to`. Nothing is left of it if that fails.
///
/// # Errors
/// [`QueryError::Unreadable`], [`QueryError::Refused`], [`QueryError::Exists`], [`Error::NotWritten`].
pub(super) fn write(from: &Path, to: &Path, form: Form) -> Result<(), Error> {
    let dump = DumpFile::open(from)?;
    let failed = |stop| match stop {
        Stop::Dump(cause) => QueryError::Refused { file: from.to_owned(), cause }.into(),
        Stop::File(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            QueryError::Exists(to.to_owned()).into()
        }
        Stop::File(source) => Error::NotWritten { name: to.display().to_string(), source },
    };
    let mut file = create(to).map_err(|error| failed(Stop::File(error)))?;
    let sink = &mut |piece: &[u8]| file.write_all(piece).map_err(Stop::File);
    let written = match form {
        Form::Xml => dump.write_xml(sink),
        Form::Binary => dump.write_sbih(sink),
    };
    written.map_err(|stop| {
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
