//! The first screen: charts over time, the lifetime histogram, what surely grows, and the table of classes or sites.

use ratatui::layout::Rect;

use super::put::Put;
use super::{charts, tables};
use crate::state::State;

/// From so many columns on charts and histogram stand side by side.
const WIDE: u16 = 110;
/// Rows that the table has at least, its heading among them.
const TABLE: u16 = 7;

pub(super) fn draw(put: &mut Put<'_>, area: Rect, state: &State) {
    let lifetimes = state.shown.profile.run.lifetimes;
    let wanted = if lifetimes { state.bars.len() as u16 + 1 } else { 0 };
    let upper = if area.width >= WIDE {
        let height = wanted.max(7).min(area.height - TABLE - 1);
        let half = area.width / 2;
        let left = Rect { width: if lifetimes { half - 2 } else { area.width }, height, ..area };
        charts::over_time(put, left, state);
        let right = Rect { x: area.x + half, width: area.width - half, height, ..area };
        histogram(put, right, state);
        height
    } else {
        let charts_height = if lifetimes { 4 } else { 3 } + u16::from(charts::has_off_heap(state));
        let height = wanted.min(area.height.saturating_sub(TABLE + charts_height + 1));
        charts::over_time(put, Rect { height: charts_height, ..area }, state);
        histogram(put, Rect { y: area.y + charts_height, height, ..area }, state);
        charts_height + height
    };
    if let Some(growing) = &state.shown.growing {
        put.full(area, upper, &put.look.cut(growing, area.width.into()), put.look.loud());
    }
    let table = Rect { y: area.y + upper + 1, height: area.height - upper - 1, ..area };
    tables::of_overview(put, table, state);
}

fn histogram(put: &mut Put<'_>, area: Rect, state: &State) {
    if state.shown.profile.run.lifetimes {
        charts::bars(put, area, &heading(state), &state.bars);
    }
}

/// What the bars are of.
pub(super) fn heading(state: &State) -> String {
    let run = &state.shown.profile.run;
    let bounds = if run.jvm.lifetimes_are_upper_bounds() { ", upper bounds" } else { "" };
    format!("lifetime by {}{bounds}", state.clock.name())
}
