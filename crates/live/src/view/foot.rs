//! The last two lines: how far to trust the numbers, always; and what can be typed, or what is to be said.

use mayfly_report::{count, short_trust_line, trust_line, width};
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::put::Put;
use crate::screen::{Prompt, Screen, Tab};
use crate::state::State;

pub(super) fn draw(put: &mut Put<'_>, area: Rect, state: &State) {
    let (trust, complete) = trust(state, area.width.into());
    let style = if complete { Style::new() } else { put.look.loud() };
    put.full(area, 0, &put.look.cut(&trust, area.width.into()), style);
    let (text, style) = match (&state.prompt, &state.message) {
        (Prompt::Filter, _) => {
            (format!("filter: {}_   Enter keeps it, Esc clears it", filter(state)), put.look.loud())
        }
        (Prompt::HeapPath(class), _) => (
            format!("What holds {class}? This stops the program for a walk of its heap. y/n"),
            put.look.loud(),
        ),
        (Prompt::None, Some(message)) => (message.clone(), put.look.loud()),
        (Prompt::None, None) => (keys(state), put.look.quiet()),
    };
    put.full(area, 1, &put.look.cut(&text, area.width.into()), style);
}

/// The trust line with what is missing; whether nothing is.
fn trust(state: &State, columns: usize) -> (String, bool) {
    let trust = &state.shown.profile.trust;
    let mut missing = String::new();
    let dropped = trust.dropped_objects();
    if dropped > 0 {
        missing += &format!("; {} objects dropped", count(dropped));
    }
    // Steps of the stream that its reader was too slow for.
    for steps in trust.dropped.iter().filter(|it| it.objects == 0) {
        missing += &format!("; {}", steps.cause);
    }
    if state.followed.fault.is_some() {
        missing += "; the stream contradicts itself";
    }
    let engine = state.shown.profile.run.engine;
    let line = trust_line(trust, engine) + &missing;
    let line = if width(&line) > columns { short_trust_line(trust, engine) + &missing } else { line };
    (line, missing.is_empty())
}

fn filter(state: &State) -> &str {
    state.table().map_or("", |table| table.filter.as_str())
}

fn keys(state: &State) -> String {
    let has_table = "s sort  / filter";
    match state.screen() {
        Screen::Overview => {
            let other = if state.tab == Tab::Classes { "sites" } else { "classes" };
            format!("? help  q quit  Enter into  Tab {other}  {has_table}  c clock  m mark  Space pause")
        }
        Screen::Class(_) => format!("? help  Esc back  Enter stack  {has_table}  c clock  p what holds it"),
        Screen::Site(_) => {
            "? help  Esc back  p what holds this class  w write a recording  q quit".to_owned()
        }
        Screen::Help => "Esc back  q quit".to_owned(),
        Screen::Text { .. } => "Esc back  ↑ ↓ PgUp PgDn scroll  q quit".to_owned(),
    }
}
