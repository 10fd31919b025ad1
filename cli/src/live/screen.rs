//! The view on the terminal: what the source says, what is typed, and what both lead to, one after the other.

use std::env;
use std::io;
use std::time::{Duration, Instant};

use mayfly_live::{Effect, State, draw};
use ratatui::crossterm::event::{self, Event};

use crate::error::Error;
use crate::live::feed::Feed;
use crate::live::heap_path::HeapPath;
use crate::live::source::{Piece, Source};
use crate::live::stop::Stop;
use crate::live::terminal::{self, Screen};
use crate::live::{keys, snapshot};

/// How long keys are waited for before the source is looked at.
const STEP: Duration = Duration::from_millis(100);
/// How long the source is listened to before keys are looked at.
const SLICE: Duration = Duration::from_millis(30);
/// Least time between two pictures, so that a long recording is read before it is drawn.
const PICTURE: Duration = Duration::from_millis(250);

/// Why a view ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// The user wanted it.
    ByUser,
    /// This signal came.
    BySignal(i32),
    /// The terminal is gone.
    Gone,
}

/// The JVM behind the stream.
#[derive(Clone, Debug)]
pub(crate) enum Jvm {
    /// It can be asked for its heap.
    Running(u32),
    /// Why it can't.
    Closed(String),
}

/// Shows what the source says until the user leaves. The terminal is as before then, whatever happened.
///
/// # Errors
/// Those of the source before it has said anything; [`Error::Terminal`].
pub(crate) fn run(source: Box<dyn Source>, jvm: Jvm) -> Result<Left, Error> {
    let stop = Stop::watch().map_err(Error::Terminal)?;
    let feed = Feed::of(source)?;
    let mut state = State::new();
    if let Jvm::Closed(why) = &jvm {
        state.heap_is_closed(Some(why.clone()));
    }
    // What can't be read at all is told where it can be read.
    if let Some(piece) = feed.within(STEP) {
        take(&mut state, piece?);
    }
    let screen = Screen::take().map_err(Error::Terminal)?;
    let mut view = View { state, feed, jvm, stop, screen, heap_path: None, pictured: None };
    match view.go_on() {
        Ok(left) => Ok(left),
        Err(_) if view.stop.signal().is_some() => Ok(Left::Gone),
        Err(error) if is_gone(&error) => Ok(Left::Gone),
        Err(error) => Err(Error::Terminal(error)),
    }
}

/// Whether there is no terminal any more to write to or read from.
fn is_gone(error: &io::Error) -> bool {
    const EIO: i32 = 5;
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof)
        || error.raw_os_error() == Some(EIO)
}

struct View {
    state: State,
    feed: Feed,
    jvm: Jvm,
    stop: Stop,
    screen: Screen,
    heap_path: Option<HeapPath>,
    pictured: Option<Instant>,
}

impl View {
    fn go_on(&mut self) -> io::Result<Left> {
        let look = terminal::look();
        let mut changed = true;
        loop {
            if let Some(signal) = self.stop.signal() {
                return Ok(Left::BySignal(signal));
            }
            changed |= self.listen();
            changed |= self.picture();
            if std::mem::take(&mut changed) {
                let state = &self.state;
                self.screen.terminal.draw(|frame| draw(frame, state, &look))?;
            }
            if !terminal::wait_for_keys(STEP)? {
                return Ok(self.stop.signal().map_or(Left::Gone, Left::BySignal));
            }
            if event::poll(Duration::ZERO)? {
                match self.typed(event::read()?) {
                    Some(Effect::Quit) => return Ok(Left::ByUser),
                    Some(effect) => self.perform(effect),
                    None => {}
                }
                changed = true;
            }
        }
    }

    /// Takes what the source has said. Whether there is anything to be seen at once.
    fn listen(&mut self) -> bool {
        let began = Instant::now();
        while began.elapsed() < SLICE
            && let Some(piece) = self.feed.ready()
        {
            match piece {
                Ok(piece) => take(&mut self.state, piece),
                Err(error) => self.state.say(error.to_string()),
            }
        }
        if let Some((class, answer)) =
            self.heap_path.as_ref().and_then(|path| Some((&path.class, path.ready()?)))
        {
            self.state.show_text(format!("What holds {class}"), &answer);
            self.heap_path = None;
            return true;
        }
        false
    }

    /// A new picture, if it is time for one. Whether there is one.
    fn picture(&mut self) -> bool {
        if self.pictured.is_some_and(|at| at.elapsed() < PICTURE) {
            return false;
        }
        let changed = self.state.refresh();
        if changed {
            self.pictured = Some(Instant::now());
        }
        changed
    }

    fn typed(&mut self, event: Event) -> Option<Effect> {
        match event {
            Event::Key(event) => self.state.key(keys::key(event)?),
            // A new size is drawn; the rest is nothing to us.
            _ => None,
        }
    }

    fn perform(&mut self, effect: Effect) {
        match (effect, &self.jvm) {
            (Effect::Snapshot, _) => {
                let folder = env::current_dir().unwrap_or_default();
                let said = match snapshot::write(&self.state.profile(), &folder) {
                    Ok(path) => format!("recording {}", path.display()),
                    Err(error) => format!("no recording was written: {error}"),
                };
                self.state.say(said);
            }
            (Effect::HeapPath(class), Jvm::Running(pid)) if self.heap_path.is_none() => {
                self.heap_path = Some(HeapPath::ask(*pid, class));
            }
            (Effect::HeapPath(_), Jvm::Running(_)) => {
                self.state.say("one walk at a time: the answer to the last question comes first");
            }
            (Effect::HeapPath(_), Jvm::Closed(_)) | (Effect::Quit, _) => {}
        }
    }
}

fn take(state: &mut State, piece: Piece) {
    match piece {
        Piece::Updates(updates) => updates.into_iter().for_each(|update| state.apply(update)),
        Piece::CaughtUp | Piece::End(None) => {}
        Piece::End(Some(why)) => state.say(why),
    }
}
