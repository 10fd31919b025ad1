//! What standard output is, what it can show, and that it is left as it was found.

use std::env;
use std::io::{self, IsTerminal};
use std::time::Duration;

use mayfly_live::Look;
use ratatui::DefaultTerminal;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Whether a view fits there at all: a terminal that obeys escape sequences.
pub(crate) fn takes_a_view() -> bool {
    let term = env::var("TERM").unwrap_or_default();
    io::stdout().is_terminal() && !matches!(term.as_str(), "" | "dumb")
}

/// Waits until something is typed there, at most so long. Whether the terminal still is there: of one that hung up, the reader
/// of keys would read for ever.
///
/// # Errors
/// What the system says.
pub(super) fn wait_for_keys(time: Duration) -> io::Result<bool> {
    let stdout = io::stdout();
    let mut terminal = [PollFd::new(&stdout, PollFlags::IN)];
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    match poll(&mut terminal, Some(&time)) {
        Ok(_) => Ok(!terminal[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)),
        // A new size, or a signal to end.
        Err(Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// What it can show, by the environment.
pub(super) fn look() -> Look {
    look_of(|name| env::var(name).ok().filter(|value| !value.is_empty()))
}

fn look_of(variable: impl Fn(&str) -> Option<String>) -> Look {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(&variable);
    let utf8 = locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    });
    Look { unicode: utf8, colour: variable("NO_COLOR").is_none() }
}

/// The terminal while a view is on it: raw, on its other screen. Dropping it, or a panic, gives it back.
pub(super) struct Screen {
    pub(super) terminal: DefaultTerminal,
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn take() -> io::Result<Self> {
        ratatui::try_init().map(|terminal| Self { terminal })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing more.
        let _ = ratatui::try_restore();
        let _ = self.terminal.show_cursor();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_what_is_shown() {
        for (variables, unicode, colour) in [
            (&[("LANG", "en_GB.UTF-8")][..], true, true),
            (&[("LANG", "en_GB.UTF-8"), ("LC_ALL", "C")], false, true),
            (&[("LC_CTYPE", "C.utf8"), ("NO_COLOR", "1")], true, false),
            (&[], false, true),
        ] {
            let value = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(look_of(value), Look { unicode, colour }, "{variables:?}");
        }
    }
}
