//! Our own files and sockets keep off the numbers of the standard streams: where a daemon closed these, what is opened first gets
//! them, and what the program prints would go into it.

use std::io::{self, Write};
use std::sync::LazyLock;

use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{OFlags, fcntl_getfl};
use rustix::io::fcntl_dupfd_cloexec;

/// The first number that is no standard stream's.
const FIRST: i32 = 3;

/// The same file or socket under a number above those of the standard streams.
///
/// # Errors
/// What the system says: there may be no number left.
pub(crate) fn above_standard<F: From<OwnedFd>>(opened: impl Into<OwnedFd>) -> io::Result<F> {
    let opened: OwnedFd = opened.into();
    if opened.as_raw_fd() >= FIRST {
        return Ok(opened.into());
    }
    Ok(fcntl_dupfd_cloexec(&opened, FIRST)?.into())
}

/// Whether the process came with a stderr: if not, its number may be a file of the program's by now.
static HAS_STDERR: LazyLock<bool> = LazyLock::new(|| is_written(io::stderr()));

/// Looks whether there is a stderr, before anybody opens a file of that number.
pub(crate) fn look_at_stderr() {
    LazyLock::force(&HAS_STDERR);
}

fn is_written(descriptor: impl AsFd) -> bool {
    fcntl_getfl(descriptor).is_ok_and(|flags| !(flags & OFlags::RWMODE).is_empty())
}

/// Stderr as the process got it; what is written goes nowhere if it got none.
pub(crate) struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if *HAS_STDERR { io::stderr().write(bytes) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if *HAS_STDERR { io::stderr().flush() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn what_is_high_enough_stays_as_it_is() {
        let file = File::open("/dev/null").expect("there");
        let number = file.as_raw_fd();
        assert!(number >= FIRST, "the test has its standard streams");
        assert_eq!(above_standard::<File>(file).expect("moved").as_raw_fd(), number);
    }

    #[test]
    fn a_file_that_is_only_read_is_no_stderr() {
        assert!(!is_written(File::open("/dev/null").expect("there")));
        assert!(is_written(File::options().write(true).open("/dev/null").expect("there")));
    }
}
