//! The console, stderr: live blocks, and reports if no folder is given for them.
//!
//! The program writes to the same terminal. So blocks are appended, below what is there, and nothing is drawn over unless
//! the user says that nothing else writes there ([why](../../../docs/design/recordings.md#0025-one-stream-many-readers-and-a-terminal-that-is-the-programs)).

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mayfly_profile::{Profile, View};
use mayfly_report::{LiveOptions, ascii, harmless};

use super::queue::{Pace, Unserved};
use super::terminal::{self, Terminal};
use super::texts::{self, Text, Texts};
use crate::conduct::descriptors::Stderr;
use crate::conduct::notice;
use crate::options::{Live, Options};
use crate::plan::Plan;

const LIVE_PIPED: Duration = Duration::from_secs(10);
/// Class rows of a live block at most.
const MOST_ROWS: usize = 12;

/// What is shown while the program runs.
pub(super) struct Console {
    pub(super) texts: Texts,
    terminal: Terminal,
    /// How often a live block is shown; `None`: never.
    pub(super) live_every: Option<Duration>,
    view: View,
    /// The profile that was shown last.
    shown: Mutex<Option<Profile>>,
}

/// What its thread needs.
pub(super) struct Screen<W> {
    to: W,
    terminal: Terminal,
    redraw: bool,
    /// Lines of the live block at the end of the screen, to be drawn over.
    drawn: Option<usize>,
    /// Lines that the agent said on the same screen by now, and had said when the block was drawn.
    notices: fn() -> u64,
    noticed: u64,
}

impl Console {
    /// Stderr, and what its thread needs.
    pub(super) fn new(options: &Options, plan: &Plan) -> (Self, Unserved<Text>, Screen<Stderr>) {
        let terminal = Terminal::of_stderr();
        let (texts, unserved) = Texts::new();
        let redraw = options.redraw && terminal.escapes;
        let console = Self {
            texts,
            terminal,
            live_every: live_every(options.live, plan.lifetimes, terminal.is_terminal),
            view: options.view.clone(),
            shown: Mutex::default(),
        };
        let notices = notice::lines;
        (console, unserved, Screen { to: Stderr, terminal, redraw, drawn: None, notices, noticed: 0 })
    }

    /// Shows a live block, unless the last one is still on its way.
    pub(super) fn show(&self, profile: impl FnOnce() -> Profile) {
        self.texts.show(|| {
            let profile = self.view.part_of(profile());
            let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
            let text = mayfly_report::live(&profile, shown.as_ref(), &self.layout());
            *shown = Some(profile);
            text
        });
    }

    /// A block that is drawn over must fit the screen, or what has scrolled out of it would pile up. One column stays
    /// free: in the last one some terminals begin a new line.
    fn layout(&self) -> LiveOptions {
        let (columns, rows) = terminal::size();
        LiveOptions {
            width: if self.terminal.is_terminal { columns - 1 } else { columns },
            rows: MOST_ROWS,
            height: self.terminal.is_terminal.then_some(rows - 1),
            unicode: self.terminal.unicode,
        }
    }
}

fn live_every(live: Live, lifetimes: bool, is_terminal: bool) -> Option<Duration> {
    match live {
        Live::Off => None,
        Live::Every(interval) => Some(interval),
        // The terminal is the program's.
        Live::Auto => (lifetimes && !is_terminal).then_some(LIVE_PIPED),
    }
}

impl<W: Write> Screen<W> {
    /// Writes one text.
    pub(super) fn write(&mut self, text: Text, pace: &Pace) {
        let text = match text {
            Text::Lasting(text) => {
                self.drawn = None;
                format!("{}\n", self.fit(&text))
            }
            Text::Live(text) if self.redraw => self.over(&self.fit(&text)),
            // On lines of its own: a prompt may stand in the last one.
            Text::Live(text) if self.terminal.is_terminal => format!("\n{}", self.fit(&text)),
            Text::Live(text) => format!("{}\n", self.fit(&text)),
        };
        // A closed stderr is nobody's fault.
        let _ = texts::write(&mut self.to, &text, pace);
    }

    fn over(&mut self, text: &str) -> String {
        let drawn = self.drawn.replace(text.lines().count());
        let noticed = std::mem::replace(&mut self.noticed, (self.notices)());
        let Some(lines) = drawn.filter(|_| noticed == self.noticed) else { return text.to_owned() };
        // Cursor up over the last block (ECMA-48 CUU), each line cleared to its end (EL), in the end what is left below
        // (ED): clearing all first would flicker, and some terminals keep a cleared screen in their history.
        format!("\x1b[{lines}A{}\x1b[J", text.replace('\n', "\x1b[K\n"))
    }

    fn fit(&self, text: &str) -> String {
        let text = harmless(text);
        if self.terminal.unicode { text.into_owned() } else { ascii(&text).into_owned() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::*;

    fn screen(escapes: bool, unicode: bool, redraw: bool) -> Screen<Vec<u8>> {
        let terminal = Terminal { is_terminal: true, unicode, escapes };
        Screen { to: Vec::new(), terminal, redraw, drawn: None, notices: || 0, noticed: 0 }
    }

    fn written(mut screen: Screen<Vec<u8>>, texts: Vec<Text>) -> String {
        texts.into_iter().for_each(|text| screen.write(text, &Pace::default()));
        String::from_utf8(screen.to).expect("UTF-8")
    }

    fn live(text: &str) -> Text {
        Text::Live(text.into())
    }

    #[test]
    fn blocks_are_appended_on_lines_of_their_own() {
        let all = written(screen(true, true, false), vec![live("a\nb\n"), live("c\nd\n")]);
        assert_eq!(all, "\na\nb\n\nc\nd\n");
    }

    #[test]
    fn blocks_are_drawn_over_where_the_user_says_so() {
        let report = Text::Lasting("report".into());
        let all = written(screen(true, true, true), vec![live("a\nb\n"), live("c\n"), report, live("d\n")]);
        assert_eq!(all, "a\nb\n\x1b[2Ac\x1b[K\n\x1b[Jreport\nd\n");
    }

    #[test]
    fn a_line_that_the_agent_said_meanwhile_is_not_drawn_over() {
        static SAID: AtomicU64 = AtomicU64::new(0);
        let mut screen = screen(true, true, true);
        screen.notices = || SAID.load(Relaxed);
        screen.write(live("a\n"), &Pace::default());
        SAID.store(1, Relaxed);
        let all = written(screen, vec![live("b\n"), live("c\n")]);
        assert_eq!(all, "a\nb\n\x1b[1Ac\x1b[K\n\x1b[J");
    }

    #[test]
    fn what_is_in_a_text_does_not_steer_the_terminal() {
        for redraw in [false, true] {
            let all = written(screen(true, true, redraw), vec![live("\x1b[2J\u{202e}\n")]);
            assert_eq!(all.trim_start(), "\\u{1b}[2J\\u{202e}\n");
        }
    }

    #[test]
    fn a_terminal_that_shows_ascii_only_gets_that() {
        let report = Text::Lasting("5 ± 1 – größer ▎".into());
        let all = written(screen(false, false, false), vec![live("0 – 5 s\n"), report]);
        assert!(all.is_ascii() && all.contains("5 +- 1 - gr"), "{all}");
    }

    #[test]
    fn the_terminal_is_the_programs_unless_blocks_are_asked_for() {
        let every = |text: &str, is_terminal| {
            let options = Options::parse(text).expect("options");
            live_every(options.live, Plan::of(&options).lifetimes, is_terminal).map(|every| every.as_secs())
        };
        assert_eq!(every("#trackcollections", true), None);
        assert_eq!(every("#trackcollections", false), Some(10));
        assert_eq!(every("#trackcollections#live-3", true), Some(3));
        assert_eq!(every("#trackcollections#live-0", false), None);
        assert_eq!(every("", false), None);
    }
}
