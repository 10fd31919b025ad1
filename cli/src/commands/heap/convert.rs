//! `mayfly heap convert`: a dump in one of INSANE's two forms, or an hprof file in ours; also the second half of `heap dump`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use mayfly_heap::HeapError;
use mayfly_heap::dump::{Facts, TEXT_LIMIT, Written};

use crate::args::heap::ConvertArgs;
use crate::error::Error;
use crate::heap::dump_file::DumpFile;
use crate::heap::error::QueryError;

pub(super) fn run(args: &ConvertArgs) -> Result<(), Error> {
    let Some(form) = Form::of(&args.to) else {
        let why = format!(
            "can't convert to {}: XML is written to a name that ends in .xml, INSANE's binary form to one in .insane, \
             a dump of ours to one in .mayheap",
            args.to.display()
        );
        return Err(QueryError::Usage(why).into());
    };
    let dump = DumpFile::open(&args.from)?;
    if form == Form::OURS && !dump.can_be_packed() {
        let why = format!("can't convert {}: only hprof files become dumps of ours", args.from.display());
        return Err(QueryError::Usage(why).into());
    }
    write(&dump, &args.to, form).map(drop)
}

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// INSANE's XML.
    Xml,
    /// Its binary form, `SBIH`.
    Binary,
    /// Ours, of an hprof file.
    Packed {
        /// The JVM that wrote it, as it sees itself; 0 if not known.
        pid: u32,
        /// With the texts of strings.
        strings: bool,
    },
}

impl Form {
    /// Ours, of a file that says no more than what is in it.
    const OURS: Self = Self::Packed { pid: 0, strings: true };

    /// The form that a name asks for.
    pub(super) fn of(file: &Path) -> Option<Self> {
        let extension = file.extension()?;
        let forms = [("xml", Self::Xml), ("insane", Self::Binary), ("mayheap", Self::OURS)];
        forms.into_iter().find(|(name, _)| extension.eq_ignore_ascii_case(name)).map(|(_, form)| form)
    }
}

/// Writes a dump in a form into the new file `to`. Nothing is left of it if that fails. How much, if it is ours.
///
/// # Errors
/// [`QueryError::Refused`], [`QueryError::Exists`], [`Error::NotWritten`].
pub(super) fn write(dump: &DumpFile, to: &Path, form: Form) -> Result<Option<Written>, Error> {
    let failed = |stop| match stop {
        Stop::Dump(cause) => QueryError::Refused { file: dump.path().to_owned(), cause }.into(),
        Stop::File(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            QueryError::Exists(to.to_owned()).into()
        }
        Stop::File(source) => Error::NotWritten { name: to.display().to_string(), source },
    };
    let mut file = create(to).map_err(|error| failed(Stop::File(error)))?;
    let sink = &mut |piece: &[u8]| file.write_all(piece).map_err(Stop::File);
    let written = match form {
        Form::Xml => dump.write_xml(sink).map(|()| None),
        Form::Binary => dump.write_sbih(sink).map(|()| None),
        Form::Packed { pid, strings } => {
            let facts = Facts { pid, text_limit: strings.then_some(TEXT_LIMIT), ..Facts::default() };
            dump.write_packed(&facts, sink).map(Some)
        }
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
