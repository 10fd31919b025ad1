//! What keys do to the view.

use crate::key::Key;
use crate::rows::Column;
use crate::screen::{Prompt, Screen, Tab};
use crate::state::{Effect, State};

/// Rows that a screen up or down goes.
const PAGE: isize = 10;

impl State {
    /// A key was typed. What is to be done outside of the view, if anything.
    pub fn key(&mut self, key: Key) -> Option<Effect> {
        self.message = None;
        if key == Key::Interrupt {
            return Some(Effect::Quit);
        }
        match std::mem::take(&mut self.prompt) {
            Prompt::None => self.command(key),
            Prompt::Filter => {
                self.type_filter(key);
                None
            }
            Prompt::HeapPath(class) => match key {
                Key::Char('y' | 'Y') => {
                    self.say(format!("the program is paused: looking for what holds {class} …"));
                    Some(Effect::HeapPath(class))
                }
                _ => {
                    self.say("the heap was left alone");
                    None
                }
            },
        }
    }

    fn command(&mut self, key: Key) -> Option<Effect> {
        match key {
            Key::Char('q') => return Some(Effect::Quit),
            Key::Char('w') => return Some(Effect::Snapshot),
            Key::Char('?' | 'h') if *self.screen() != Screen::Help => self.open(Screen::Help),
            Key::Char(' ') => self.pause(),
            Key::Char('m') => self.mark(),
            Key::Char('p') => self.ask_for_heap_path(),
            Key::Char('z') => self.whole = !self.whole,
            Key::Char('c') => {
                self.clock = self.clock.next();
                self.arrange();
            }
            Key::Enter => self.go_in(),
            Key::Escape | Key::Backspace => self.go_back(),
            Key::Tab => self.switch_tab(),
            _ if self.table().is_some() => self.steer_table(key),
            _ => self.scroll(key),
        }
        None
    }

    fn pause(&mut self) {
        self.paused = !self.paused;
        self.refresh();
    }

    fn mark(&mut self) {
        let on = self.shown.marked_ms.is_none();
        self.shown.mark(on);
        self.say(if on { "marked: tables show what changed from here on" } else { "mark removed" });
        self.arrange();
    }

    fn ask_for_heap_path(&mut self) {
        let Some(class) = self.class_in_question().map(str::to_owned) else { return };
        match &self.no_heap {
            Some(why) => self.message = Some(why.clone()),
            None => self.prompt = Prompt::HeapPath(class),
        }
    }

    fn open(&mut self, screen: Screen) {
        self.screens.push(screen);
        self.arrange();
    }

    fn go_in(&mut self) {
        let Some(row) = self.table().and_then(|table| table.chosen()) else { return };
        match (self.screen(), self.tab) {
            (Screen::Overview, Tab::Classes) => {
                self.class_sites = Default::default();
                self.open(Screen::Class(row));
            }
            _ => self.open(Screen::Site(row)),
        }
    }

    fn go_back(&mut self) {
        if self.screens.pop().is_none() {
            // Nothing to leave but the filter.
            if let Some(table) = self.table_mut() {
                table.filter.clear();
            }
        }
        self.arrange();
    }

    fn switch_tab(&mut self) {
        if *self.screen() == Screen::Overview {
            self.tab = match self.tab {
                Tab::Classes => Tab::Sites,
                Tab::Sites => Tab::Classes,
            };
            self.arrange();
        }
    }

    fn steer_table(&mut self, key: Key) {
        let lifetimes = self.shown.profile.run.lifetimes;
        let sites = *self.screen() != Screen::Overview || self.tab == Tab::Sites;
        let Some(table) = self.table_mut() else { return };
        match key {
            Key::Up | Key::Char('k') => return table.step(-1),
            Key::Down | Key::Char('j') => return table.step(1),
            Key::PageUp => return table.step(-PAGE),
            Key::PageDown => return table.step(PAGE),
            Key::Home => return table.step(isize::MIN),
            Key::End => return table.step(isize::MAX),
            Key::Char('/') => {
                self.prompt = Prompt::Filter;
                return;
            }
            Key::Char('s') => table.sort = next_column(table.sort, sites, lifetimes),
            Key::Char('r') => table.reversed = !table.reversed,
            _ => return,
        }
        self.arrange();
    }

    fn type_filter(&mut self, key: Key) {
        let Some(table) = self.table_mut() else { return };
        let goes_on = match key {
            Key::Char(c) => {
                table.filter.push(c);
                true
            }
            Key::Backspace => table.filter.pop().is_some(),
            Key::Escape => {
                table.filter.clear();
                false
            }
            Key::Up => {
                table.step(-1);
                true
            }
            Key::Down => {
                table.step(1);
                true
            }
            Key::Enter => false,
            _ => true,
        };
        self.prompt = if goes_on { Prompt::Filter } else { Prompt::None };
        self.arrange();
    }

    fn scroll(&mut self, key: Key) {
        let Some(Screen::Text { lines, top, .. }) = self.screens.last_mut() else { return };
        let last = lines.len().saturating_sub(1);
        let by = match key {
            Key::Up | Key::Char('k') => -1,
            Key::Down | Key::Char('j') => 1,
            Key::PageUp => -PAGE,
            Key::PageDown => PAGE,
            Key::Home => isize::MIN,
            Key::End => isize::MAX,
            _ => return,
        };
        *top = top.saturating_add_signed(by).min(last);
    }
}

fn next_column(column: Column, sites: bool, lifetimes: bool) -> Column {
    let all = Column::all();
    let at = all.iter().position(|&it| it == column).unwrap_or(0);
    let mut following = all.iter().cycle().skip(at + 1).take(all.len());
    following.find(|column| column.is_in(sites, lifetimes)).copied().unwrap_or(column)
}
