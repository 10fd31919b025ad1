//! Which screen is shown, and what is asked of the user on it.

/// A screen. They lie upon each other: the last is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Screen {
    /// Charts, and the table of classes or of sites.
    Overview,
    /// A class, by its number: how long its objects live, and its sites.
    Class(usize),
    /// A site, by its row: its stack.
    Site(usize),
    /// The keys.
    Help,
    /// A text, from a line on.
    Text { title: String, lines: Vec<String>, top: usize },
}

/// Which table the overview has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tab {
    #[default]
    Classes,
    Sites,
}

/// What keys mean now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// Commands.
    #[default]
    None,
    /// Text of the filter.
    Filter,
    /// Yes or no: may the program be stopped to find out who holds this class?
    HeapPath(String),
}
