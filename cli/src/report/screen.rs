//! A profile as text on one screen, as the agent prints it at the end of a run; made by the same crate.

use std::io::{self, IsTerminal, Write};

use mayfly_profile::{Profile, View};
use mayfly_report::{COLUMNS, Occasion, overview};

/// At most one screen, ending in a newline. Where everything is to be had is the caller's to say.
pub(crate) fn write(profile: &Profile, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let asked_for = Occasion { timestamp: None, reason: String::new() };
    out.write_all(overview(profile, view, &asked_for, columns(), "").as_bytes())
}

/// Columns of the terminal; where there is none those of `COLUMNS`, as shells export it.
pub(crate) fn columns() -> usize {
    let of_terminal = || ratatui::crossterm::terminal::size().ok().map(|(columns, _)| columns.into());
    let known = if io::stdout().is_terminal() { of_terminal() } else { None };
    let named = || std::env::var("COLUMNS").ok()?.parse().ok();
    known.or_else(named).filter(|&columns| columns > 0).unwrap_or(COLUMNS)
}
