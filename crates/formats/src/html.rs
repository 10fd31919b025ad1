//! One page that needs nothing but a browser: cells are in it, and added up there.
//!
//! Its script is plain: `cells.js` adds up, `page.js` draws. All texts of other programs pass the template's escapes, or are data
//! that the script writes as text. Not here: what the numbers are (`mayfly-profile`), the words of the summary
//! (`mayfly-report`).

use std::collections::HashMap;
use std::io::{self, Write};

use askama::Template;
use mayfly_profile::{Frame, LifeSpan, Lifetimes, Profile, Value};
use mayfly_report::{COLUMNS, Occasion, overview};
use serde::Serialize;

use crate::choice::{Choice, values};
use crate::spelling::{frame, readable_class};

/// Shares gone that curves have points at.
const SHARES: [f64; 9] = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
/// Classes with a curve of their own: those with most bytes.
const CURVES: usize = 40;

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    title: &'a str,
    part: Vec<String>,
    summary: &'a str,
    data: &'a str,
    style: &'static str,
    cells: &'static str,
    page: &'static str,
}

/// What the script reads.
#[derive(Default, Serialize)]
struct Data<'a> {
    values: Vec<&'static str>,
    value: &'static str,
    frames: Vec<String>,
    classes: Vec<Class<'a>>,
    /// Alive after, gone by (milliseconds); `None`: alive.
    spans: Vec<(u64, Option<u64>)>,
    cells: Vec<Cell>,
    survival: Option<Vec<Point>>,
}

#[derive(Serialize)]
struct Class<'a> {
    name: &'a str,
    readable: String,
    p50_ms: Option<f64>,
    survival: Option<Vec<Point>>,
}

/// Class, frames from the outermost on, numbers by length of life.
type Cell = (usize, Vec<usize>, Vec<(i64, Vec<u64>)>);
/// Share gone, by which age in milliseconds, at least and at most.
type Point = (f64, f64, f64, Option<f64>);

pub(crate) fn write(profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let data = serde_json::to_string(&data(profile, choice))?;
    let occasion = Occasion { timestamp: None, reason: "mayfly report".to_owned() };
    let summary = overview(profile, &profile.run.view, &occasion, COLUMNS, "");
    let command = profile.run.jvm.command.as_str();
    let page = Page {
        title: if command.is_empty() { "a recording" } else { command },
        part: Vec::new(),
        summary: &summary,
        // No end of the element, no comment and no element begins in it.
        data: &data.replace('<', "\\u003c"),
        style: include_str!("html/page.css"),
        cells: include_str!("html/cells.js"),
        page: include_str!("html/page.js"),
    };
    out.write_all(page.render().map_err(io::Error::other)?.as_bytes())
}

fn data<'a>(profile: &'a Profile, choice: &Choice) -> Data<'a> {
    let known: Vec<Value> = values(profile).collect();
    let mut data = Data {
        values: known.iter().map(|value| value.name()).collect(),
        value: choice.value.name(),
        ..Data::default()
    };
    let mut all = Lifetimes::default();
    for (rank, class) in profile.classes.iter().enumerate() {
        let survival = class.lifetimes.as_ref().filter(|_| rank < CURVES).and_then(points);
        let p50_ms =
            survival.as_ref().and_then(|points| points.iter().find(|point| point.0 == 0.5)).map(|p| p.1);
        class.lifetimes.iter().for_each(|lifetimes| all.merge(lifetimes));
        data.classes.push(Class {
            name: &class.name,
            readable: readable_class(&class.name),
            p50_ms,
            survival,
        });
    }
    data.survival = points(&all);
    add_cells(&mut data, profile, &known, choice.lines);
    data
}

fn points(lifetimes: &Lifetimes) -> Option<Vec<Point>> {
    let survival = lifetimes.in_time()?;
    let point = |share| {
        let quantile = survival.quantile(share);
        quantile.point.map(|point| (share, point, quantile.low, quantile.high))
    };
    Some(SHARES.into_iter().map_while(point).collect())
}

fn add_cells<'a>(data: &mut Data<'a>, profile: &'a Profile, known: &[Value], lines: bool) {
    let (mut frames, mut spans) = (Ids::default(), Ids::default());
    let mut classes: HashMap<&str, usize> =
        data.classes.iter().enumerate().map(|(id, class)| (class.name, id)).collect();
    for (cell, parts) in profile.life_parts() {
        let class = *classes.entry(cell.class).or_insert_with(|| {
            let (name, readable) = (cell.class, readable_class(cell.class));
            data.classes.push(Class { name, readable, p50_ms: None, survival: None });
            data.classes.len() - 1
        });
        let stack = cell.stack.iter().rev().map(|one: &Frame| frames.id(frame(one, lines))).collect();
        let amounts = parts.iter().map(|part| {
            let ends = |life: LifeSpan| (life.after_ms, life.by_ms);
            let span = part.life.map_or(-1, |life| spans.id(ends(life)) as i64);
            (span, known.iter().map(|&value| part.amounts.of(value)).collect())
        });
        data.cells.push((class, stack, amounts.collect()));
    }
    (data.frames, data.spans) = (frames.values, spans.values);
}

/// Numbers for values.
struct Ids<T> {
    values: Vec<T>,
    ids: HashMap<T, usize>,
}

impl<T> Default for Ids<T> {
    fn default() -> Self {
        Self { values: Vec::new(), ids: HashMap::new() }
    }
}

impl<T: Clone + std::hash::Hash + Eq> Ids<T> {
    fn id(&mut self, value: T) -> usize {
        let next = self.values.len();
        *self.ids.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            next
        })
    }
}
