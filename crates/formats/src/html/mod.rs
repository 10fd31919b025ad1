//! One page that needs nothing but a browser: cells are in it, and added up there.
//!
//! Its script is plain: `cells.js` adds up, `flame.js` and `charts.js` draw, `page.js` ties them to what is chosen. All texts of other programs pass the template's escapes, or are data
//! that the script writes as text. Not here: what the numbers are (`mayfly-profile`), the words of the summary
//! (`mayfly-report`).

mod cells;
mod clocks;
mod figures;
mod timeline;

use std::collections::HashMap;
use std::io::{self, Write};

use askama::Template;
use mayfly_profile::{ClassProfile, Lifetimes, Profile, Slices, Survival, Value};
use mayfly_report::{COLUMNS, Occasion, coverage, overview};
use serde::Serialize;

use self::cells::{Cells, classes};
use self::clocks::Clocks;
use self::figures::{Figure, facts, figures};
use self::timeline::Timeline;
use crate::choice::{Choice, values};
use crate::spelling::readable_class;

/// Shares gone that curves have points at.
const SHARES: [f64; 9] = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
/// Classes of which the clocks of collections and of bytes are told, too: those with most bytes.
const CLOCKS: usize = 60;

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    title: &'a str,
    facts: Vec<String>,
    figures: Vec<Figure>,
    trust: Vec<String>,
    version: &'static str,
    summary: &'a str,
    data: &'a str,
    style: &'static str,
    cells: &'static str,
    flame: &'static str,
    charts: &'static str,
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
    survival: Curves,
    clocks: Clocks,
    timeline: Timeline<'a>,
}

#[derive(Serialize)]
struct Class<'a> {
    name: &'a str,
    /// As Java spells it, if that is something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    readable: Option<String>,
    survival: Curves,
    #[serde(skip_serializing_if = "Option::is_none")]
    clocks: Option<Clocks>,
}

/// How many outlive an age, by each clock; empty where nothing is known.
#[derive(Default, Serialize)]
struct Curves {
    ms: Vec<Point>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gcs: Vec<Point>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bytes: Vec<Point>,
}

/// Share gone, by which age (milliseconds, collections survived, bytes), at least and at most.
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
        facts: facts(profile),
        figures: figures(profile),
        trust: coverage(profile),
        version: env!("CARGO_PKG_VERSION"),
        summary: &summary,
        // No end of the element, no comment and no element begins in it.
        data: &data.replace('<', "\\u003c"),
        style: include_str!("page.css"),
        cells: include_str!("cells.js"),
        flame: include_str!("flame.js"),
        charts: include_str!("charts.js"),
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
        let row = rows.get(name);
        let is_top = row.is_some_and(|(rank, _)| *rank < CLOCKS);
        let lifetimes = row.and_then(|(_, class)| class.lifetimes.as_ref());
        let clocks = row.filter(|_| is_top).and_then(|(_, class)| Clocks::of(class));
        let readable = Some(readable_class(name)).filter(|readable| readable != name);
        Class {
            name,
            readable,
            survival: lifetimes.map(|one| Curves::of(one, is_top)).unwrap_or_default(),
            clocks,
        }
    };
    let mut all = Lifetimes::default();
    profile.classes.iter().filter_map(|class| class.lifetimes.as_ref()).for_each(|one| all.merge(one));
    Data {
        values: known.iter().map(|value| value.name()).collect(),
        value: choice.value.name(),
        classes: names.iter().map(class).collect(),
        cells: Cells::of(profile, slices, &names, &known, choice.lines),
        survival: Curves::of(&all, true),
        clocks: Clocks::of_all(profile),
        timeline: Timeline::of(profile),
    }
}

impl Curves {
    /// By the clock of time, or by all of them.
    fn of(lifetimes: &Lifetimes, by_all: bool) -> Self {
        let in_bytes = || lifetimes.in_bytes().map(points).unwrap_or_default();
        let survived =
            |share| lifetimes.gcs_survived(share).and_then(|quantile| Some((quantile.point?, quantile)));
        let gcs = SHARES
            .into_iter()
            .map_while(|share| survived(share).map(|(point, q)| (share, point, q.low, q.high)));
        Self {
            ms: lifetimes.in_time().map(points).unwrap_or_default(),
            gcs: if by_all { gcs.collect() } else { Vec::new() },
            bytes: if by_all { in_bytes() } else { Vec::new() },
        }
    }
}

fn points(survival: Survival) -> Vec<Point> {
    let point = |share| {
        let quantile = survival.quantile(share);
        quantile.point.map(|point| (share, short(point), short(quantile.low), quantile.high.map(short)))
    };
    SHARES.into_iter().map_while(point).collect()
}

/// With four digits: a page holds many of them.
fn short(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}
