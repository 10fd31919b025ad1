//! Charts: sparklines over time with marks of collections, and bars of lifetimes.

use mayfly_profile::Point;
use mayfly_report::{MUCH_OFF_HEAP, bar, count, pad, size};
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::symbols::bar::Set;
use ratatui::widgets::Sparkline;

use super::put::{NUMBER, Put, numbers};
use crate::bars::{Bar, fitted};
use crate::state::State;

const LABEL: u16 = 10;
const VALUE: u16 = 13;

/// Eight heights in ASCII.
const ASCII: Set<'static> = Set {
    full: "#",
    seven_eighths: "#",
    three_quarters: "*",
    five_eighths: "+",
    half: "=",
    three_eighths: "-",
    one_quarter: ":",
    one_eighth: ".",
    empty: " ",
};

/// Columns with heights in eighths of a row, the highest as high as the area.
pub(super) fn columns(put: &mut Put<'_>, area: Rect, values: &[u64], max: u64, style: Style) {
    let mut line = Sparkline::default().data(values.iter().copied()).max(max.max(1)).style(style);
    if !put.look.unicode {
        line = line.bar_set(ASCII);
    }
    put.widget(line, area);
}

/// Whether there is so much of direct buffers that they have a chart.
pub(super) fn has_off_heap(state: &State) -> bool {
    state.shown.history.points().iter().filter_map(Point::direct_bytes).any(|bytes| bytes >= MUCH_OFF_HEAP)
}

/// What was allocated, what was live, and what died over time, what is outside of the heap, and when collections were.
pub(super) fn over_time(put: &mut Put<'_>, area: Rect, state: &State) {
    let lifetimes = state.shown.profile.run.lifetimes;
    let room = area.width.saturating_sub(LABEL + VALUE);
    let points = state.shown.history.columns(room.into(), state.whole);
    let last = state.shown.history.last();
    let off_heap = has_off_heap(state);
    let charts = if lifetimes { 3 } else { 1 } + u16::from(off_heap);
    let each = (area.height.saturating_sub(1) / charts).max(1);
    let values = |of: fn(&Point) -> u64| points.iter().map(of).collect::<Vec<_>>();
    let mut charts = vec![(
        "alloc/s",
        Color::Cyan,
        values(Point::allocation_rate),
        format!("{}/s", size(last.allocation_rate())),
    )];
    if lifetimes {
        let at_most = state.shown.profile.last_left().is_some_and(|left| left.is_at_most());
        let sign = if at_most { put.look.sign("≤", "<") } else { "" };
        let live = last.live.map_or_else(|| "?".to_owned(), |bytes| format!("{sign}{}", size(bytes)));
        charts.push(("live (GC)", Color::Green, values(|point| point.live.unwrap_or(0)), live));
        let died = format!("{}/s", size(state.shown.history.recent().death_rate()));
        charts.push(("died/s", Color::Yellow, values(Point::death_rate), died));
    }
    if off_heap {
        let now = last.direct_bytes().map_or_else(|| "?".to_owned(), size);
        charts.push(("off-heap", Color::Red, values(|point| point.direct_bytes().unwrap_or(0)), now));
    }
    let mut y = 0;
    for (label, colour, values, value) in charts {
        let style = put.look.coloured(colour);
        put.line(area, y + each - 1, label, put.look.heading());
        let inside = Rect { x: area.x + LABEL, y: area.y + y, width: room, height: each };
        columns(put, inside, &values, values.iter().copied().max().unwrap_or(0), style);
        put.at(area, LABEL + room + 1, y + each - 1, &value, Style::new());
        y += each;
    }
    put.line(area, y, "GCs", put.look.heading());
    let marks: String = points.iter().map(|point| mark(put.look.sign("▲", "^"), point.gcs)).collect();
    put.at(area, LABEL, y, &marks, put.look.coloured(Color::Magenta));
    let span = if state.whole { "whole run" } else { "last steps" };
    put.at(area, LABEL + room + 1, y, span, put.look.quiet());
}

fn mark(one: &str, gcs: u32) -> String {
    match gcs {
        0 => " ".to_owned(),
        1 => one.to_owned(),
        2..=9 => gcs.to_string(),
        _ => "+".to_owned(),
    }
}

/// A bar for each, with its numbers.
pub(super) fn bars(put: &mut Put<'_>, area: Rect, heading: &str, bars: &[Bar]) {
    const LABELS: usize = 22;
    let bars = fitted(bars.to_vec(), usize::from(area.height).saturating_sub(1));
    let with_bytes = bars.iter().any(|bar| bar.bytes.is_some());
    let cells = if with_bytes { 2 } else { 1 };
    let labels = bars.iter().map(|bar| mayfly_report::width(&bar.label)).max().unwrap_or(0).min(LABELS) + 2;
    let room = usize::from(area.width).saturating_sub(labels + cells * NUMBER + 1);
    let headings = if with_bytes { numbers(&["objects", "bytes"]) } else { numbers(&["objects"]) };
    let left = put.look.short(heading, labels + room);
    put.line(area, 0, &format!("{} {headings}", pad(&left, labels + room)), put.look.heading());
    let length = |bar: &Bar| bar.bytes.unwrap_or(bar.objects);
    let largest = bars.iter().map(length).max().unwrap_or(0);
    for (row, it) in bars.iter().enumerate() {
        let row = row as u16 + 1;
        let mut cells = vec![count(it.objects)];
        cells.extend(it.bytes.map(size));
        put.line(area, row, &pad(&it.label, labels), Style::new());
        let drawn = bar(length(it), largest, room, put.look.unicode);
        put.at(area, labels as u16, row, &drawn, put.look.coloured(Color::Blue));
        put.at(area, (labels + room + 1) as u16, row, &numbers(&cells), Style::new());
    }
}
