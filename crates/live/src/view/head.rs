//! The first line: which program this is, how long it has run, and whether the view stands still.

use mayfly_report::{clock, gcs, tracking_text, width};
use ratatui::layout::Rect;

use super::put::Put;
use crate::state::State;

pub(super) fn draw(put: &mut Put<'_>, area: Rect, state: &State) {
    let profile = &state.shown.profile;
    let run = &profile.run;
    let mut right = format!("  {}  {}  {}", clock(profile.duration_ms), gcs(profile), tracking_text(profile));
    if profile.complete {
        right += "  ended";
    }
    if state.paused {
        right += "  PAUSED";
    }
    let (who, command) = match run.jvm.pid {
        0 => ("mayfly live  waiting for the first numbers".to_owned(), ""),
        pid => (format!("mayfly live  pid {pid}  "), run.jvm.command.as_str()),
    };
    let room = usize::from(area.width).saturating_sub(width(&who) + width(&right));
    let left = who + &put.look.short(command, room);
    put.between(area, 0, (&left, &right), put.look.heading());
}
