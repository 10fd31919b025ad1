//! What the terminal can show: characters and colours, and texts made fit for it.

use std::borrow::Cow;

use mayfly_report::{ascii, printable, shorten, width};
use ratatui::style::{Color, Modifier, Style};

/// What may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// More than ASCII; other characters, those of names too, are else spelled in ASCII.
    pub unicode: bool,
    /// Colours. Without them bold and reversed text are left.
    pub colour: bool,
}

impl Look {
    /// Somebody's text on a line.
    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let text = printable(text);
        if self.unicode { text } else { Cow::Owned(ascii(&text).into_owned()) }
    }

    /// Somebody's text in at most so many columns.
    pub(crate) fn short(&self, text: &str, columns: usize) -> String {
        shorten(&self.text(text), columns, if self.unicode { "…" } else { "..." })
    }

    /// Our own text in at most so many columns; what is too much goes from its end.
    pub(crate) fn cut(&self, text: &str, columns: usize) -> String {
        let text = self.text(text);
        if width(&text) <= columns {
            return text.into_owned();
        }
        let ellipsis = self.sign("…", "...");
        let room = columns.saturating_sub(width(ellipsis));
        let mut taken = 0;
        let fits = |c: &char| {
            taken += width(c.encode_utf8(&mut [0; 4]));
            taken <= room
        };
        text.chars().take_while(fits).chain(ellipsis.chars()).collect()
    }

    /// One of two signs.
    pub(crate) fn sign(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.unicode { unicode } else { ascii }
    }

    pub(crate) fn coloured(&self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    pub(crate) fn heading(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(crate) fn chosen(&self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(crate) fn quiet(&self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// What is to be seen at once.
    pub(crate) fn loud(&self) -> Style {
        self.coloured(Color::Yellow).add_modifier(Modifier::BOLD)
    }
}
