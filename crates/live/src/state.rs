//! The view's state: what was told, what is shown, and where the user is.
//!
//! Not here: what keys do (`steer`), how it is drawn (`view`).

use std::collections::HashMap;

use mayfly_profile::measures::P50_S;
use mayfly_profile::{Profile, Update};

use crate::bars::{self, Bar, Clock};
use crate::follow::Followed;
use crate::rows::{Column, SiteRow};
use crate::screen::{Prompt, Screen, Tab};
use crate::shown::Shown;
use crate::table::{Table, names};

/// Something to be done outside of the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The user wants to leave.
    Quit,
    /// Write [`State::profile`] into a file, and [`State::say`] which.
    Snapshot,
    /// Find out what holds an object of this class, and [`State::show_text`]. It stops the program.
    HeapPath(String),
}

/// Everything about a view but the terminal.
#[derive(Debug, Default)]
pub struct State {
    pub(crate) followed: Followed,
    pub(crate) shown: Shown,
    /// Above the overview.
    pub(crate) screens: Vec<Screen>,
    pub(crate) tab: Tab,
    pub(crate) classes: Table,
    pub(crate) sites: Table,
    /// Sites of the class that is looked at.
    pub(crate) class_sites: Table,
    pub(crate) clock: Clock,
    pub(crate) bars: Vec<Bar>,
    /// Whether charts show the whole run, not only the last steps.
    pub(crate) whole: bool,
    pub(crate) paused: bool,
    pub(crate) prompt: Prompt,
    pub(crate) message: Option<String>,
    /// Why the heap can't be asked.
    pub(crate) no_heap: Option<String>,
}

impl State {
    /// A view of a stream that has said nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next update of the stream. [`Self::refresh`] shows it.
    pub fn apply(&mut self, update: Update) {
        self.followed.apply(update);
    }

    /// Says a line at the foot of the screen, until a key is typed.
    pub fn say(&mut self, message: impl Into<String>) {
        self.message = Some(message.into());
    }

    /// Shows a text on a screen of its own.
    pub fn show_text(&mut self, title: impl Into<String>, text: &str) {
        let lines = text.lines().map(str::to_owned).collect();
        self.message = None;
        self.screens.push(Screen::Text { title: title.into(), lines, top: 0 });
    }

    /// Why it can't be asked who holds a class; `None` if it can, once the user has agreed.
    pub fn heap_is_closed(&mut self, why: Option<String>) {
        self.no_heap = why;
    }

    /// All that was told so far, whatever is shown.
    pub fn profile(&self) -> Profile {
        self.followed.builder.profile()
    }

    /// Shows what is new, unless the view is paused. Whether anything is.
    pub fn refresh(&mut self) -> bool {
        if self.paused || !self.followed.changed {
            return false;
        }
        let resets = self.shown.profile.resets;
        self.shown.renew(&mut self.followed);
        if self.shown.profile.resets != resets {
            self.say("all counts were set to zero");
        }
        self.arrange();
        true
    }

    /// The screen on top.
    pub(crate) fn screen(&self) -> &Screen {
        self.screens.last().unwrap_or(&Screen::Overview)
    }

    /// The table that is on the screen.
    pub(crate) fn table(&self) -> Option<&Table> {
        match (self.screen(), self.tab) {
            (Screen::Overview, Tab::Classes) => Some(&self.classes),
            (Screen::Overview, Tab::Sites) => Some(&self.sites),
            (Screen::Class(_), _) => Some(&self.class_sites),
            _ => None,
        }
    }

    pub(crate) fn table_mut(&mut self) -> Option<&mut Table> {
        match (self.screen(), self.tab) {
            (Screen::Overview, Tab::Classes) => Some(&mut self.classes),
            (Screen::Overview, Tab::Sites) => Some(&mut self.sites),
            (Screen::Class(_), _) => Some(&mut self.class_sites),
            _ => None,
        }
    }

    /// The class that is looked at, or chosen.
    pub(crate) fn class_in_question(&self) -> Option<&str> {
        match self.screen() {
            Screen::Overview if self.tab == Tab::Classes => {
                Some(self.shown.class(self.classes.chosen()?)?.name.as_str())
            }
            Screen::Overview => self.followed.builder.class_of_site(self.sites.chosen()?),
            Screen::Class(number) => Some(self.shown.class(*number)?.name.as_str()),
            Screen::Site(row) => self.followed.builder.class_of_site(*row),
            _ => None,
        }
    }

    /// Puts what is on the screen in order again.
    pub(crate) fn arrange(&mut self) {
        match *self.screen() {
            Screen::Overview if self.tab == Tab::Classes => self.arrange_classes(),
            Screen::Overview => {
                let mut table = std::mem::take(&mut self.sites);
                self.arrange_sites(&mut table, None);
                self.sites = table;
            }
            Screen::Class(number) => {
                let mut table = std::mem::take(&mut self.class_sites);
                self.arrange_sites(&mut table, self.shown.class(number).map(|class| class.name.as_str()));
                self.class_sites = table;
            }
            _ => {}
        }
        self.bars = match *self.screen() {
            Screen::Class(number) => self
                .shown
                .class(number)
                .map_or_else(Vec::new, |class| bars::of_class(&self.shown.profile, class, self.clock)),
            _ => bars::of_profile(&self.shown.profile, self.clock),
        };
    }

    fn arrange_classes(&mut self) {
        let (shown, table) = (&self.shown, &mut self.classes);
        let named = |number: &usize| shown.class(*number).is_some_and(|class| table.admits(&class.name));
        let rows: Vec<_> = shown.in_order().into_iter().filter(named).collect();
        let (column, marked) = (table.sort, shown.marked_ms.is_some());
        table.arrange(rows, |number| {
            let row = &shown.classes[number];
            let since = |now: f64, before: f64| if marked { now - before } else { now };
            match column {
                Column::Rate => row.pace.rate as f64,
                Column::Of(measure) if *measure == P50_S => {
                    shown.class(number).and_then(|class| row.median(class)).map_or(-1.0, |median| median.ms())
                }
                Column::Of(measure) => match (row.now.of(measure), row.pace.marked.of(measure)) {
                    (Some(now), Some(before)) => since(now, before),
                    _ => {
                        let known = |class| measure.number(&shown.profile, class);
                        shown.class(number).and_then(known).unwrap_or(-1.0)
                    }
                },
            }
        });
    }

    fn arrange_sites(&self, table: &mut Table, class: Option<&str>) {
        let rows = self.sites_that_pass(table, class);
        let (column, marked) = (table.sort, self.shown.marked_ms.is_some());
        table.arrange(rows, |row| site_key(&self.shown.sites[row], column, marked));
    }

    /// Rows of sites that have counts, are of the class, and pass the filter.
    fn sites_that_pass(&self, table: &Table, class: Option<&str>) -> Vec<usize> {
        let (builder, sites) = (&self.followed.builder, &self.shown.sites);
        let counted = (0..sites.len()).filter(|&row| !sites[row].counts.allocated.is_empty());
        let of_class =
            counted.filter(|&row| class.is_none_or(|class| builder.class_of_site(row) == Some(class)));
        if table.filter.is_empty() {
            return of_class.collect();
        }
        // Texts are shared by many stacks: each is looked at once.
        let mut known: HashMap<*const u8, bool> = HashMap::new();
        let mut passes =
            |text: &str| *known.entry(text.as_ptr()).or_insert_with(|| names(text, &table.filter));
        let mut admitted = |&row: &usize| {
            builder.class_of_site(row).is_some_and(&mut passes)
                || builder.stack_of_site(row).any(|frame| passes(&frame.class) || passes(&frame.method))
        };
        of_class.filter(|row| admitted(row)).collect()
    }
}

fn site_key(row: &SiteRow, column: Column, marked: bool) -> f64 {
    let (now, before) = (row.now(), if marked { row.pace.marked } else { Default::default() });
    match column {
        Column::Rate => row.pace.rate as f64,
        Column::Of(measure) if *measure == P50_S => row.median_bucket().map_or(-1.0, |bucket| bucket as f64),
        Column::Of(measure) => {
            now.of(measure).zip(before.of(measure)).map_or(0.0, |(now, before)| now - before)
        }
    }
}
