//! The state as characters: which parts a screen has, and where they are.
//!
//! What is drawn is what is seen: rows that are not on the screen cost nothing. Changes nothing. Not here: the terminal.

mod charts;
mod class;
mod foot;
mod head;
mod help;
mod overview;
mod put;
mod site;
mod survival;
mod tables;

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::look::Look;
use crate::screen::Screen;
use crate::state::State;
use put::Put;

/// The least columns that the view needs.
pub const LEAST_COLUMNS: u16 = 80;
/// The least rows that the view needs.
pub const LEAST_ROWS: u16 = 24;

/// Draws the whole screen.
pub fn draw(frame: &mut Frame<'_>, state: &State, look: &Look) {
    let area = frame.area();
    let mut put = Put { buffer: frame.buffer_mut(), look };
    if area.width < LEAST_COLUMNS || area.height < LEAST_ROWS {
        return too_small(&mut put, area);
    }
    let [head, body, foot] = parts(area);
    head::draw(&mut put, head, state);
    match state.screen() {
        Screen::Overview => overview::draw(&mut put, body, state),
        Screen::Class(number) => class::draw(&mut put, body, state, *number),
        Screen::Site(row) => site::draw(&mut put, body, state, *row),
        Screen::Help => help::draw(&mut put, body),
        Screen::Text { title, lines, top } => put.text(body, title, lines, *top),
    }
    foot::draw(&mut put, foot, state);
}

/// A line at the top, two at the foot, and what is between.
fn parts(area: Rect) -> [Rect; 3] {
    let row = |y, height| Rect { y, height, ..area };
    [row(0, 1), row(1, area.height - 3), row(area.height - 2, 2)]
}

fn too_small(put: &mut Put<'_>, area: Rect) {
    let lines = [
        format!("mayfly live needs {LEAST_COLUMNS} x {LEAST_ROWS} characters,"),
        format!("this terminal has {} x {}.", area.width, area.height),
        "Make it larger; q ends.".to_owned(),
    ];
    for (row, line) in lines.iter().enumerate() {
        put.line(area, row as u16, line, put.look.heading());
    }
}
