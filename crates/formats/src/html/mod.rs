//! One page that needs nothing but a browser: cells are in it, and added up there.
//!
//! Its script is plain: `cells.js` adds up, `page.js` draws. All texts of other programs pass the template's escapes, or are data
//! that the script writes as text. Not here: what the numbers are (`mayfly-profile`), the words of the summary
//! (`mayfly-report`).

mod cells;
mod timeline;

use std::collections::HashMap;
use std::io::{self, Write};

use askama::Template;
use mayfly_profile::{ClassProfile, Lifetimes, Profile, Slices, Value};
use mayfly_report::{COLUMNS, Occasion, overview};
use serde::Serialize;

use self::cells::{Cells, classes};
use self::timeline::Timeline;
use crate::choice::{Choice, values};
use crate::spelling::readable_class;

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
#[derive(Serialize)]
struct Data<'a> {
    values: Vec<&'static str>,
    value: &'static str,
    classes: Vec<Class<'a>>,
    #[serde(flatten)]
    cells: Cells,
    survival: Option<Vec<Point>>,
    timeline: Timeline<'a>,
}

#[derive(Serialize)]
struct Class<'a> {
    name: &'a str,
    readable: String,
    p50_ms: Option<f64>,
    survival: Option<Vec<Point>>,
}

/// Share gone, by which age in milliseconds, at least and at most.
type Point = (f64, f64, f64, Option<f64>);

pub(crate) fn write(
    profile: &Profile,
    slices: Option<&Slices>,
    choice: &Choice,
    out: &mut dyn Write,
) -> io::Result<()> {
    let data = serde_json::to_string(&data(profile, slices, choice))?;
    let occasion = Occasion { timestamp: None, reason: "mayfly report".to_owned() };
    let summary = overview(profile, &profile.run.view, &occasion, COLUMNS, "");
    let command = profile.run.jvm.command.as_str();
    let page = Page {
        title: if command.is_empty() { "a recording" } else { command },
        part: Vec::new(),
        summary: &summary,
        // No end of the element, no comment and no element begins in it.
        data: &data.replace('<', "\\u003c"),
        style: include_str!("page.css"),
        cells: include_str!("cells.js"),
        page: include_str!("page.js"),
    };
    out.write_all(page.render().map_err(io::Error::other)?.as_bytes())
}

fn data<'a>(profile: &'a Profile, slices: Option<&Slices>, choice: &Choice) -> Data<'a> {
    let known: Vec<Value> = values(profile).collect();
    let names = classes(profile);
    let rows: HashMap<&str, (usize, &ClassProfile)> = profile
        .classes
        .iter()
        .enumerate()
        .map(|(rank, class)| (class.name.as_str(), (rank, class)))
        .collect();
    let class = |&name: &&'a str| {
        let of_top = rows.get(name).filter(|(rank, _)| *rank < CURVES);
        let survival = of_top.and_then(|(_, class)| class.lifetimes.as_ref()).and_then(points);
        let p50_ms =
            survival.as_ref().and_then(|points| points.iter().find(|point| point.0 == 0.5)).map(|p| p.1);
        Class { name, readable: readable_class(name), p50_ms, survival }
    };
    let mut all = Lifetimes::default();
    profile.classes.iter().filter_map(|class| class.lifetimes.as_ref()).for_each(|one| all.merge(one));
    Data {
        values: known.iter().map(|value| value.name()).collect(),
        value: choice.value.name(),
        classes: names.iter().map(class).collect(),
        cells: Cells::of(profile, slices, &names, &known, choice.lines),
        survival: points(&all),
        timeline: Timeline::of(profile),
    }
}

fn points(lifetimes: &Lifetimes) -> Option<Vec<Point>> {
    let survival = lifetimes.in_time()?;
    let point = |share| {
        let quantile = survival.quantile(share);
        quantile.point.map(|point| (share, point, quantile.low, quantile.high))
    };
    Some(SHARES.into_iter().map_while(point).collect())
}
