//! Tables of classes and sites: only the rows that are seen.

use mayfly_profile::measures::{BYTE_SECONDS, LIVE_BYTES, P50_S};
use mayfly_profile::{Frame, LiveAsOf, Measure, Profile, readable_class};
use mayfly_report::{measured, pad, size, whole_seconds};
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::put::{NUMBER, Put, numbers};
use crate::rows::{Column, Numbers, SiteRow};
use crate::screen::Tab;
use crate::state::State;
use crate::table::Table;

/// Columns that are left for names at least.
const NAME: usize = 28;

pub(super) fn of_overview(put: &mut Put<'_>, area: Rect, state: &State) {
    match state.tab {
        Tab::Classes => {
            draw(put, area, state, (&state.classes, CLASSES), |put, number, columns, name| {
                class_row(put, state, number, columns, name)
            });
        }
        Tab::Sites => of_sites(put, area, state, &state.sites),
    }
}

/// A table of sites.
pub(super) fn of_sites(put: &mut Put<'_>, area: Rect, state: &State, table: &Table) {
    draw(put, area, state, (table, SITES), |put, row, columns, name| {
        site_row(put, state, row, columns, name)
    });
}

/// What the rows are.
struct Named {
    one: &'static str,
    many: &'static str,
}

const CLASSES: Named = Named { one: "class", many: "classes" };
const SITES: Named = Named { one: "site", many: "sites" };

/// Heading and rows; `text` makes a row of its number, the columns, and the room for its name.
fn draw(
    put: &mut Put<'_>,
    area: Rect,
    state: &State,
    (table, what): (&Table, Named),
    text: impl Fn(&Put<'_>, usize, &[Column], usize) -> String,
) {
    let sites = what.one == "site";
    let columns = columns(state, sites, area.width.into());
    let name = usize::from(area.width) - columns.len() * NUMBER;
    let (from, window) = table.window(usize::from(area.height).saturating_sub(1));
    let shown = match window.len() {
        all if all == table.order.len() && table.filter.is_empty() => what.one.to_owned(),
        some => format!("{} {}–{} of {}", what.many, from + 1, from + some, table.order.len()),
    };
    let filter = if table.filter.is_empty() { String::new() } else { format!("  with '{}'", table.filter) };
    let left = put.look.short(&format!("{shown}{filter}"), name);
    let headings: Vec<_> = columns.iter().map(|&column| heading(put, state, table, column)).collect();
    put.line(area, 0, &format!("{}{}", pad(&left, name), numbers(&headings)), put.look.heading());
    let chosen = table.chosen();
    for (at, &row) in window.iter().enumerate() {
        let style = if chosen == Some(row) { put.look.chosen() } else { Style::new() };
        let line = text(put, row, &columns, name);
        put.full(area, at as u16 + 1, &line, style);
    }
    if window.is_empty() {
        let why = match (sites, state.shown.profile.run.stacks) {
            (true, false) => "no stacks are taken in this run",
            _ if !table.filter.is_empty() => "nothing passes the filter",
            _ => "nothing allocated yet",
        };
        put.line(area, 1, why, put.look.quiet());
    }
}

fn columns(state: &State, sites: bool, width: usize) -> Vec<Column> {
    let lifetimes = state.shown.profile.run.lifetimes;
    let mut columns = Column::all();
    columns.retain(|column| column.is_in(sites, lifetimes));
    columns.truncate(width.saturating_sub(NAME) / NUMBER);
    columns
}

fn heading(put: &Put<'_>, state: &State, table: &Table, column: Column) -> String {
    let marked = state.shown.marked_ms.is_some();
    let name = match column {
        Column::Rate => "alloc/s".to_owned(),
        Column::Of(measure) if marked && Numbers::default().of(measure).is_some() => {
            format!("+ {}", measure.short)
        }
        Column::Of(measure) => measure.short.to_owned(),
    };
    let sign = match (table.sort == column, table.reversed) {
        (false, _) => "",
        (true, false) => put.look.sign("▼", " v"),
        (true, true) => put.look.sign("▲", " ^"),
    };
    format!("{name}{sign}")
}

/// A class; of one that the JIT compiler optimised away the name is marked, as in reports.
fn class_row(put: &Put<'_>, state: &State, number: usize, columns: &[Column], name: usize) -> String {
    let (Some(class), Some(row)) = (state.shown.class(number), state.shown.classes.get(number)) else {
        return String::new();
    };
    let (profile, marked) = (&state.shown.profile, state.shown.marked_ms.is_some());
    let cell = |&column: &Column| {
        let cell = match column {
            Column::Rate => Some(size(row.pace.rate)),
            Column::Of(measure) if *measure == P50_S => {
                row.median(class).map(|median| median.text(put.look.sign("≤", "<")))
            }
            Column::Of(measure) if *measure == LIVE_BYTES && !profile.knows_live_of(class) => {
                Some("?".into())
            }
            Column::Of(measure) if *measure == LIVE_BYTES && !marked && class.live.is_some() => {
                Some(state.shown.live_text(row.now.live, put.look.sign("≤", "<")))
            }
            Column::Of(measure) if *measure == BYTE_SECONDS && class.lifetimes.is_none() => None,
            Column::Of(measure) => amount(measure, row.now, row.pace.marked, marked)
                .or_else(|| measure.of(profile, class).and_then(|of| measured(measure, of))),
        };
        cell.unwrap_or_else(|| "-".to_owned())
    };
    let cells: Vec<_> = columns.iter().map(cell).collect();
    let mark = if profile.is_optimised_away(class) { " *" } else { "" };
    let text = put.look.short(&readable_class(&class.name), name - 1 - mark.len());
    format!("{}{}", pad(&format!("{text}{mark}"), name), numbers(&cells))
}

fn site_row(put: &Put<'_>, state: &State, row: usize, columns: &[Column], name: usize) -> String {
    let Some(site) = state.shown.sites.get(row) else { return String::new() };
    let (profile, marked) = (&state.shown.profile, state.shown.marked_ms.is_some());
    let cell = |&column: &Column| match column {
        Column::Rate => size(site.pace.rate),
        Column::Of(measure) if *measure == P50_S => median_of_site(profile, site),
        Column::Of(measure) if *measure == LIVE_BYTES && profile.live_as_of == LiveAsOf::NoCollection => {
            "?".to_owned()
        }
        Column::Of(measure) if *measure == LIVE_BYTES && site.counts.live.is_none() => "-".to_owned(),
        Column::Of(measure) if *measure == LIVE_BYTES && !marked => {
            state.shown.live_text(site.now().live, put.look.sign("≤", "<"))
        }
        Column::Of(measure) => {
            amount(measure, site.now(), site.pace.marked, marked).unwrap_or_else(|| "-".to_owned())
        }
    };
    let cells: Vec<_> = columns.iter().map(cell).collect();
    let text = put.look.cut(&site_name(state, row, name), name - 1);
    format!("{}{}", pad(&text, name), numbers(&cells))
}

/// Class and innermost frames, not many more than may be seen; under a class the frames alone.
fn site_name(state: &State, row: usize, room: usize) -> String {
    let builder = &state.followed.builder;
    let mut name = match state.screens.is_empty() {
        true => format!("{} ", short_class(builder.class_of_site(row).unwrap_or_default())),
        false => String::new(),
    };
    for (depth, frame) in builder.stack_of_site(row).enumerate() {
        name += if depth == 0 { "" } else { " < " };
        name += &short_frame(frame);
        if name.chars().count() >= room {
            break;
        }
    }
    name
}

/// Without its package.
fn short_class(name: &str) -> String {
    let name = readable_class(name);
    name.rsplit('.').next().unwrap_or(&name).to_owned()
}

fn short_frame(frame: &Frame) -> String {
    match frame.line {
        Some(line) => format!("{}.{}:{line}", short_class(&frame.class), frame.method),
        None => format!("{}.{}", short_class(&frame.class), frame.method),
    }
}

fn median_of_site(profile: &Profile, site: &SiteRow) -> String {
    let range = site.median_bucket().and_then(|bucket| profile.run.buckets.ranges().nth(bucket));
    match range {
        Some((_, Some(to))) => format!("≤{}", whole_seconds(to)),
        Some((from, None)) => format!(">{}", whole_seconds(from)),
        None => "-".to_owned(),
    }
}

/// Of a measure that rows keep: a size, or by how much it changed since the mark.
fn amount(measure: &Measure, now: Numbers, before: Numbers, marked: bool) -> Option<String> {
    let now = now.of(measure)?;
    if !marked {
        return Some(size(now as u64));
    }
    let by = now - before.of(measure)?;
    Some(format!("{}{}", if by < 0.0 { "-" } else { "+" }, size(by.abs() as u64)))
}
