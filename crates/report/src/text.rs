//! Names made fit for a line of text: control characters shown, width known, middle left out.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

/// `name` with control characters escaped: a class may be called anything, but must not break lines or steer terminals.
pub(crate) fn printable(name: &str) -> Cow<'_, str> {
    if name.chars().any(char::is_control) {
        let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
        Cow::Owned(name.chars().map(escape).collect())
    } else {
        Cow::Borrowed(name)
    }
}

/// Columns `text` takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// `text` in at most `columns` columns; what is too much goes from the middle, with more kept of the end, where class names
/// differ.
pub(crate) fn shorten(text: &str, columns: usize, ellipsis: &str) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(width(ellipsis)) else { return ".".repeat(columns) };
    let head = take_columns(text.chars(), room / 3);
    let tail: String = take_columns(text.chars().rev(), room - width(&head)).chars().rev().collect();
    format!("{head}{ellipsis}{tail}")
}

/// The longest start of `chars` that takes at most `columns` columns.
fn take_columns(chars: impl Iterator<Item = char>, columns: usize) -> String {
    let mut taken = String::new();
    for c in chars {
        taken.push(c);
        if width(&taken) > columns {
            taken.pop();
            break;
        }
    }
    taken
}

/// `text` filled with spaces on the right up to `columns` columns.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// `text` filled with spaces on the left up to `columns` columns.
pub(crate) fn pad_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_goes_and_the_end_stays() {
        assert_eq!(shorten("org.example.server.Server$Request", 20, "…"), "org.ex…erver$Request");
        assert_eq!(width(&shorten("org.example.server.Server$Request", 20, "…")), 20);
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(shorten("[B", 2, "…"), "[B");
    }

    #[test]
    fn wide_characters_count_twice() {
        let short = shorten("日本語日本語日本語", 9, "…");
        assert!(width(&short) <= 9, "{short}");
    }

    #[test]
    fn room_for_less_than_the_ellipsis_gives_dots() {
        assert_eq!(shorten("abcdef", 2, "..."), "..");
        assert_eq!(shorten("abcdef", 0, "…"), "");
    }

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(printable("a\n\u{1b}[2J"), "a\\n\\u{1b}[2J");
        assert!(matches!(printable("plain"), Cow::Borrowed(_)));
    }
}
