//! One class: what it allocates, how long its objects live, and its sites.

use mayfly_profile::measures::DIED_BEFORE_FIRST_GC_SHARE;
use mayfly_profile::{ClassProfile, readable_class};
use mayfly_report::{count, size, whole_percent};
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::put::Put;
use super::{charts, overview, survival, tables};
use crate::rows::ClassRow;
use crate::shown::Shown;
use crate::state::State;

/// Rows that the table has at least, its heading among them.
const TABLE: u16 = 6;
const MOST_CURVE: u16 = 12;

pub(super) fn draw(put: &mut Put<'_>, area: Rect, state: &State, number: usize) {
    let (Some(class), Some(row)) = (state.shown.class(number), state.shown.classes.get(number)) else {
        return put.line(area, 1, "nothing of this class since the reset", put.look.quiet());
    };
    put.line(area, 0, &put.look.short(&readable_class(&class.name), area.width.into()), put.look.loud());
    put.line(
        area,
        1,
        &put.look.cut(&numbers(put, &state.shown, class, row), area.width.into()),
        Style::new(),
    );
    let room = area.height.saturating_sub(3 + TABLE).min(MOST_CURVE);
    let upper = if class.lifetimes.is_some() { room } else { 0 };
    if upper > 0 {
        let half = area.width / 2;
        let left = Rect { y: area.y + 3, width: half - 2, height: upper, ..area };
        survival::draw(put, left, class, state.clock, &state.shown.profile);
        let right = Rect { x: area.x + half, width: area.width - half, ..left };
        charts::bars(put, right, &overview::heading(state), &state.bars);
    }
    let above = if upper > 0 { 4 + upper } else { 3 };
    let table = Rect { y: area.y + above, height: area.height.saturating_sub(above), ..area };
    tables::of_sites(put, table, state, &state.class_sites);
}

fn numbers(put: &Put<'_>, shown: &Shown, class: &ClassProfile, row: &ClassRow) -> String {
    let profile = &shown.profile;
    let mut parts = vec![
        format!("{}/s", size(row.pace.rate)),
        format!("{} objects, {} allocated", count(class.allocated.objects), size(row.now.allocated)),
    ];
    if let Some(live) = class.live.filter(|_| profile.knows_live_of(class)) {
        parts.push(format!("{} live", shown.live_text(live.bytes, put.look.sign("≤", "<"))));
    }
    if let Some(median) = row.median(class) {
        parts.push(format!("median {}", median.text(put.look.sign("≤", "<"))));
    }
    if let Some(share) = DIED_BEFORE_FIRST_GC_SHARE.number(profile, class) {
        parts.push(format!("{} died at the 1st GC", whole_percent(share)));
    }
    parts.join("  ")
}
