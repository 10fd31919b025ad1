//! A program's output while something else has the terminal: kept in a file in the order in which it was written, shown
//! afterwards.
//!
//! Standard output and standard error go to one file, as they would to one terminal. Nothing is lost if we are killed: the file
//! has a name until all of it was shown.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::{Builder, NamedTempFile};

/// What the program wrote so far, and how much of it was shown.
#[derive(Debug)]
pub(crate) struct KeptOutput {
    file: NamedTempFile,
    shown: File,
}

impl KeptOutput {
    /// A file for it, in the folder for temporary files.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn new() -> io::Result<Self> {
        let file = Builder::new().prefix("mayfly-output-").append(true).tempfile()?;
        let shown = File::open(file.path())?;
        Ok(Self { file, shown })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Has a program write there; the terminal's keys are the view's, so it gets nothing to read.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn take_from(&self, command: &mut Command) -> io::Result<()> {
        let file = || self.file.as_file().try_clone().map(Stdio::from);
        command.stdin(Stdio::null()).stdout(file()?).stderr(file()?);
        Ok(())
    }

    /// Has a program write its standard output there, where the agent draws on its standard error.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn take_stdout_from(&self, command: &mut Command) -> io::Result<()> {
        command.stdout(self.file.as_file().try_clone()?);
        Ok(())
    }

    /// Shows what was not shown yet. Whether there was any.
    ///
    /// # Errors
    /// What the system says about reading or writing.
    pub(crate) fn show(&mut self, to: &mut dyn Write) -> io::Result<bool> {
        let mut piece = vec![0; 64 << 10];
        let mut any = false;
        loop {
            match self.shown.read(&mut piece)? {
                0 => break,
                length => to.write_all(&piece[..length])?,
            }
            any = true;
        }
        to.flush()?;
        Ok(any)
    }

    /// Leaves the file where it is, as it could not be shown.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn keep(self) -> io::Result<()> {
        self.file.keep().map(drop).map_err(|error| error.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_streams_are_kept_in_order_and_shown_once() {
        let mut kept = KeptOutput::new().expect("a file");
        let path = kept.path().to_owned();
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; read line || echo nothing to read; printf three"]);
        kept.take_from(&mut command).expect("a file");
        assert!(command.status().expect("a shell").success());
        let mut shown = Vec::new();
        assert!(kept.show(&mut shown).expect("shown"));
        assert!(!kept.show(&mut shown).expect("shown"));
        assert_eq!(String::from_utf8_lossy(&shown), "one\ntwo\nnothing to read\nthree");
        drop(kept);
        assert!(!path.exists());
    }
}
