//! What a page is made of, and how it is put together: what stands above, what the script reads, the script.
//!
//! Not here: which numbers it is of (`mod`, `heap`).

use std::io::{self, Write};

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use mayfly_profile::{Lifetimes, Survival};
use serde::Serialize;

use super::cells::Cells;
use super::clocks::Clocks;
use super::figures::Figure;
use super::growing::Growing;
use super::old::OldAlive;
use super::timeline::Timeline;
use super::traces::Traces;
use super::verdicts::Verdicts;
use mayfly_report::readable_class;

/// Shares gone that curves have points at.
const SHARES: [f64; 9] = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    head: Head<'a>,
    version: &'static str,
    data: &'a str,
    style: &'static str,
    cells: &'static str,
    folds: &'static str,
    lives: &'static str,
    flame: &'static str,
    traces: &'static str,
    charts: &'static str,
    page: &'static str,
}

/// What stands above all that can be chosen.
pub(super) struct Head<'a> {
    pub(super) title: &'a str,
    /// Of the picture.
    pub(super) heading: &'a str,
    pub(super) facts: Vec<String>,
    pub(super) figures: Vec<Figure>,
    /// Sentences on what was found, the most important first; with what to do next.
    pub(super) found: Vec<mayfly_report::Finding>,
    /// What grows.
    pub(super) growing: Growing,
    /// What is old and alive.
    pub(super) old: Vec<OldAlive>,
    pub(super) trust: Vec<String>,
    /// A whole report; empty if there is none.
    pub(super) summary: &'a str,
    /// Whether it is of two sides.
    pub(super) is_compared: bool,
}

impl Head<'_> {
    /// Whether anything stands beside what was found.
    fn has_tables(&self) -> bool {
        let Growing { rows, outside, .. } = &self.growing;
        !rows.is_empty() || outside.is_some() || !self.old.is_empty()
    }
}

/// What the script reads.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    pub(super) values: Vec<&'static str>,
    pub(super) value: &'static str,
    /// What each value is, as far as that is said.
    pub(super) meanings: Vec<&'static str>,
    /// Headings of measures, and what they are.
    pub(super) measures: Vec<[&'static str; 2]>,
    pub(super) classes: Vec<Class<'a>>,
    #[serde(flatten)]
    pub(super) cells: Cells,
    /// Of two sides: what each cell has of each value before, then after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sides: Option<Vec<Vec<f64>>>,
    pub(super) survival: Curves,
    pub(super) clocks: Clocks,
    pub(super) timeline: Timeline<'a>,
    /// Requests whose objects are still there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) traces: Option<Traces>,
}

#[derive(Serialize)]
pub(super) struct Class<'a> {
    pub(super) name: &'a str,
    /// As Java spells it, if that is something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) readable: Option<String>,
    /// A text for each measure; empty for all where none is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) measures: Vec<Option<String>>,
    pub(super) survival: Curves,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) clocks: Option<Clocks>,
    /// Of two sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verdicts: Option<&'a Verdicts>,
}

impl<'a> Data<'a> {
    /// Of which bytes are shown first, and no lengths of life or times are known.
    pub(super) fn without_lives(values: Vec<&'static str>, classes: Vec<Class<'a>>, cells: Cells) -> Self {
        Self {
            meanings: vec![""; values.len()],
            values,
            value: "bytes",
            measures: Vec::new(),
            classes,
            cells,
            sides: None,
            survival: Curves::default(),
            clocks: Clocks::default(),
            timeline: Timeline::default(),
            traces: None,
        }
    }
}

impl<'a> Class<'a> {
    /// Of which nothing is known but its name.
    pub(super) fn named(name: &'a str) -> Self {
        let readable = Some(readable_class(name)).filter(|readable| readable != name);
        Self {
            name,
            readable,
            measures: Vec::new(),
            survival: Curves::default(),
            clocks: None,
            verdicts: None,
        }
    }
}

/// How many outlive an age, by each clock; empty where nothing is known.
#[derive(Default, Serialize)]
pub(super) struct Curves {
    pub(super) ms: Vec<Point>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) gcs: Vec<Point>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) bytes: Vec<Point>,
}

/// Share gone, by which age (milliseconds, collections survived, bytes), at least and at most.
type Point = (f64, f64, f64, Option<f64>);

/// Writes a page.
pub(super) fn written(head: Head<'_>, data: &Data<'_>, out: &mut dyn Write) -> io::Result<()> {
    let page = Page {
        head,
        version: env!("CARGO_PKG_VERSION"),
        data: &packed(data)?,
        style: include_str!("page.css"),
        cells: include_str!("cells.js"),
        folds: include_str!("folds.js"),
        lives: include_str!("lives.js"),
        flame: include_str!("flame.js"),
        traces: include_str!("traces.js"),
        charts: include_str!("charts.js"),
        page: include_str!("page.js"),
    };
    out.write_all(page.render().map_err(io::Error::other)?.as_bytes())
}

/// JSON, gzipped, in letters: a page of many stacks would be several times as large. No markup begins in it.
fn packed(data: &Data<'_>) -> io::Result<String> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    serde_json::to_writer(io::BufWriter::with_capacity(1 << 16, &mut gz), data)?;
    Ok(BASE64.encode(gz.finish()?))
}

impl Curves {
    /// By the clock of time, or by all of them.
    pub(super) fn of(lifetimes: &Lifetimes, by_all: bool) -> Self {
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
