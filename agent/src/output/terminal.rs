//! What stderr is, and what it can show.

use std::env;
use std::io::{self, IsTerminal};

use mayfly_report::COLUMNS;
use terminal_size::{Height, Width, terminal_size_of};

/// What stderr can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terminal {
    /// It is one.
    pub(super) is_terminal: bool,
    /// It takes more than ASCII: a file or pipe, or a terminal of a UTF-8 locale.
    pub(super) unicode: bool,
    /// It obeys escape sequences.
    pub(super) escapes: bool,
}

impl Terminal {
    /// As the process was started.
    pub(super) fn of_stderr() -> Self {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
        Self::of(io::stderr().is_terminal(), locale.as_deref(), variable("TERM").as_deref())
    }

    fn of(is_terminal: bool, locale: Option<&str>, term: Option<&str>) -> Self {
        let utf8 = locale.is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        let escapes = is_terminal && !matches!(term, None | Some("dumb"));
        // A dumb terminal shows what it can't know as who knows what.
        Self { is_terminal, unicode: !is_terminal || (utf8 && escapes), escapes }
    }
}

/// Columns and rows of the console; 80 by 24 if it is none.
pub(super) fn size() -> (usize, usize) {
    match terminal_size_of(io::stderr()) {
        Some((Width(columns), Height(rows))) if columns > 0 && rows > 0 => (columns.into(), rows.into()),
        _ => (80, 24),
    }
}

/// Columns of a report: all it has use for, unless stderr is a terminal that has fewer.
pub(super) fn columns_of_reports() -> usize {
    terminal_size_of(io::stderr()).map_or(COLUMNS, |(Width(columns), _)| columns.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_get_what_they_can_show() {
        for (is_terminal, locale, term, unicode, escapes) in [
            (true, Some("en_GB.UTF-8"), Some("xterm"), true, true),
            (true, Some("C.utf8"), Some("screen"), true, true),
            (true, Some("C"), Some("xterm"), false, true),
            (true, None, Some("xterm"), false, true),
            (true, Some("en_GB.UTF-8"), Some("dumb"), false, false),
            (true, Some("en_GB.UTF-8"), None, false, false),
            (false, Some("C"), Some("xterm"), true, false),
        ] {
            let expected = Terminal { is_terminal, unicode, escapes };
            assert_eq!(Terminal::of(is_terminal, locale, term), expected, "{locale:?} {term:?}");
        }
    }
}
