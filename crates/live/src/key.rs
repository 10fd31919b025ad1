//! What can be typed.

/// A key, as the view knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// Return.
    Enter,
    /// Escape.
    Escape,
    /// Erases what was typed last.
    Backspace,
    /// To the other table.
    Tab,
    /// A row up.
    Up,
    /// A row down.
    Down,
    /// A screen up.
    PageUp,
    /// A screen down.
    PageDown,
    /// To the first row.
    Home,
    /// To the last row.
    End,
    /// Ctrl-C: ends, whatever is asked or typed.
    Interrupt,
}
