//! Names made fit for a line of text: control characters shown, width known, middle left out.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

/// `name` fit for one line: what would break it, steer a terminal or turn its text around is escaped. A class may be called
/// anything.
pub fn printable(name: &str) -> Cow<'_, str> {
    replaced(name, is_steering, |c| c.escape_default().to_string())
}

/// `text`, whose lines stay, with everything else escaped that could steer a terminal: the last fence before one.
pub fn harmless(text: &str) -> Cow<'_, str> {
    replaced(text, |c| c != '\n' && is_steering(c), |c| c.escape_default().to_string())
}

/// The same for JSON: escaped as in its strings, where alone such characters can be.
pub fn harmless_json(json: &str) -> Cow<'_, str> {
    let escape = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect();
    replaced(json, |c| c != '\n' && is_steering(c), escape)
}

/// `text` in ASCII, for a terminal that shows nothing else: signs of ours by their like, others escaped.
pub fn ascii(text: &str) -> Cow<'_, str> {
    let like = |c: char| match c {
        '–' | '—' | '−' => "-".to_owned(),
        '…' => "...".to_owned(),
        '±' => "+-".to_owned(),
        '×' => "x".to_owned(),
        '≤' => "<=".to_owned(),
        '≥' => ">=".to_owned(),
        '→' => "->".to_owned(),
        '\u{a0}' | '\u{202f}' => " ".to_owned(),
        '▁' => ".".to_owned(),
        '▂' => ":".to_owned(),
        '▃' => "-".to_owned(),
        '▄' => "=".to_owned(),
        '▅' => "+".to_owned(),
        '▆' => "*".to_owned(),
        '\u{2580}'..='\u{259f}' => "#".to_owned(),
        c => c.escape_default().to_string(),
    };
    replaced(text, |c| !c.is_ascii(), like)
}

/// Control characters, and what orders or hides text: bidirectional marks and overrides, line and paragraph separators,
/// characters without width, tags.
fn is_steering(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn replaced(text: &str, taken: impl Fn(char) -> bool, by: impl Fn(char) -> String) -> Cow<'_, str> {
    if !text.chars().any(&taken) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if taken(c) { by(c) } else { c.to_string() }).collect())
}

/// Columns `text` takes on a terminal.
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` in at most `columns` columns: the packages of a name become initials, the outermost first, or go, if that is enough; what is
/// too much then goes from the middle, with more kept of the end, where class names differ.
pub fn shorten(text: &str, columns: usize, ellipsis: &str) -> String {
    let text = &*with_initials(text, columns);
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(width(ellipsis)) else { return ".".repeat(columns) };
    // A sign may be wider for the one behind it: each part is measured as it stands.
    let head = text.char_indices().map(|(at, c)| &text[..at + c.len_utf8()]);
    let head = head.take_while(|head| width(head) <= room / 3).last().unwrap_or_default();
    let tail = text.char_indices().rev().map(|(at, _)| &text[at..]);
    let tail = tail.take_while(|tail| width(tail) <= room - width(head)).last().unwrap_or_default();
    format!("{head}{ellipsis}{tail}")
}

/// As many columns of a text as there are, the last three of them dots if it is longer.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let heads = text.char_indices().map(|(at, c)| &text[..at + c.len_utf8()]);
    let head = heads.take_while(|head| width(head) + 3 <= columns).last().unwrap_or_default();
    format!("{head}...")
}

/// A class or method with initials for as many of its packages as have to be shorter: `o.a.catalina.connector.Request.recycle`; with
/// none, if only that is short enough. Other texts as they are.
fn with_initials(text: &str, columns: usize) -> Cow<'_, str> {
    let mut too_much = width(text).saturating_sub(columns);
    if too_much == 0 {
        return Cow::Borrowed(text);
    }
    let is_package = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let packages = text.split('.').take_while(|part| is_package(part)).count();
    let names_a_class =
        text.split('.').nth(packages).is_some_and(|part| part.starts_with(char::is_uppercase));
    if !names_a_class {
        return Cow::Borrowed(text);
    }
    let parts = text.split('.').enumerate().map(|(at, part)| {
        if at >= packages || too_much == 0 {
            return part;
        }
        too_much = too_much.saturating_sub(part.len() - 1);
        &part[..1]
    });
    let with_initials = parts.collect::<Vec<_>>().join(".");
    let alone = text.splitn(packages + 1, '.').last().unwrap_or(text);
    let fits = |text: &str| width(text) <= columns;
    if !fits(&with_initials) && fits(alone) { Cow::Borrowed(alone) } else { Cow::Owned(with_initials) }
}

/// `text` filled with spaces on the right up to `columns` columns.
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// `text` filled with spaces on the left up to `columns` columns.
pub fn pad_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_become_initials_and_then_the_middle_goes() {
        let name = "org.example.server.Server$Request.read:31";
        assert_eq!(shorten(name, 41, "…"), name);
        assert_eq!(shorten(name, 40, "…"), "o.example.server.Server$Request.read:31");
        assert_eq!(shorten(name, 38, "…"), "o.e.server.Server$Request.read:31");
        assert_eq!(shorten(name, 28, "…"), "o.e.s.Server$Request.read:31");
        assert_eq!(shorten(name, 24, "…"), "Server$Request.read:31");
        assert_eq!(shorten(name, 20, "…"), "o.e.s.…quest.read:31");
    }

    #[test]
    fn the_middle_goes_and_the_end_stays() {
        assert_eq!(shorten("java -jar org.example.Server", 20, "…"), "java -…xample.Server");
        assert_eq!(shorten("a.b.c.run.sh/or/not", 10, "…"), "a.b…or/not");
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
    fn signs_that_what_follows_makes_wider_count_twice() {
        let candles = "a🕯\u{fe0f}".repeat(30);
        for columns in 3..60 {
            let short = shorten(&candles, columns, "...");
            assert!(width(&short) <= columns, "{short} in {columns}");
        }
    }

    #[test]
    fn room_for_less_than_the_ellipsis_gives_dots() {
        assert_eq!(shorten("abcdef", 2, "..."), "..");
        assert_eq!(shorten("abcdef", 0, "…"), "");
    }

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(printable("a\n\u{1b}[2J"), "a\\n\\u{1b}[2J");
        assert!(matches!(printable("plain größer"), Cow::Borrowed(_)));
        assert_eq!(printable("a\u{202e}b\u{200b}\u{9b}2J"), "a\\u{202e}b\\u{200b}\\u{9b}2J");
    }

    #[test]
    fn lines_stay_and_nothing_steers() {
        assert_eq!(harmless("a\nb\r\u{1b}]0;x\u{7}\n"), "a\nb\\r\\u{1b}]0;x\\u{7}\n");
    }

    #[test]
    fn json_stays_json() {
        assert_eq!(harmless_json("{\n\"a\u{9b}\u{e0041}\": 1}"), "{\n\"a\\u009b\\udb40\\udc41\": 1}");
    }

    #[test]
    fn ascii_keeps_the_meaning() {
        assert_eq!(ascii("0 – 5 s ██▎ 3 ± 1 größer…"), "0 - 5 s ### 3 +- 1 gr\\u{f6}\\u{df}er...");
    }
}
