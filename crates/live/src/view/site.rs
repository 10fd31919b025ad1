//! One site: its numbers, the lifetimes of its objects, and its whole stack.

use mayfly_profile::readable_class;
use mayfly_report::{count, size, stack_line};
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::charts;
use super::put::Put;
use crate::bars;
use crate::state::State;

pub(super) fn draw(put: &mut Put<'_>, area: Rect, state: &State, row: usize) {
    let Some(site) = state.shown.sites.get(row) else { return };
    let builder = &state.followed.builder;
    let class = builder.class_of_site(row).unwrap_or_default();
    put.line(area, 0, &put.look.short(&readable_class(class), area.width.into()), put.look.loud());
    let tally = site.counts.allocated;
    let mut parts = vec![format!("{}/s", size(site.pace.rate))];
    parts.push(format!("{} objects, {} allocated", count(tally.objects), size(tally.bytes)));
    parts.extend(
        site.counts
            .live
            .map(|live| format!("{} live", state.shown.live_text(live.bytes, put.look.sign("≤", "<")))),
    );
    put.line(area, 1, &parts.join("  "), Style::new());
    let mut y = 3;
    if state.shown.profile.run.lifetimes {
        let bars = bars::of_site(&state.shown.profile, &site.counts);
        let height = (bars.len() as u16 + 1).min(area.height / 2);
        charts::bars(put, Rect { y: area.y + y, height, ..area }, "lifetime by time", &bars);
        y += height + 1;
    }
    put.line(area, y, "stack, innermost frame first", put.look.heading());
    let room = usize::from(area.height.saturating_sub(y + 1));
    let frames: Vec<_> = builder.stack_of_site(row).collect();
    for (at, frame) in frames.iter().take(room).enumerate() {
        let last = at + 1 == room && frames.len() > room;
        let text = match last {
            true => format!("and {} more", frames.len() - at),
            false => format!("  {}", stack_line(frame)),
        };
        put.line(area, y + 1 + at as u16, &put.look.short(&text, area.width.into()), Style::new());
    }
}
