//! Which part of a recording is meant, and in which format of other tools it is wanted.

use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use mayfly_formats::Format as Foreign;
use mayfly_profile::{LifeBand, TimeRange, Value};

use crate::report::Format;

/// The format of a report.
#[derive(Debug, Args)]
#[group(id = "other_format", multiple = false, conflicts_with_all = ["json", "text", "full", "ways", "threads", "loaders", "traces"])]
pub(crate) struct FormatArgs {
    /// Write in this format: text on one screen, full text, the tree of who calls, JSON, a page for a browser, or what other tools read;
    /// parquet makes six tables in the folder that -o names
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(Format::is_of_reports))]
    format: Option<Format>,

    /// Write collapsed stacks, as flamegraph.pl and others read them
    #[arg(long, hide = true)]
    collapsed: bool,

    /// Write the JSON of speedscope
    #[arg(long, hide = true)]
    speedscope: bool,

    /// Write a gzipped pprof profile; lifetimes are labels
    #[arg(long, hide = true)]
    pprof: bool,

    /// Write a table (CSV) with a row per class and stack
    #[arg(long, hide = true)]
    csv: bool,

    /// Write six tables (Parquet) into the folder that -o names: classes, sites, lifetimes, collections, timeline and traces
    #[arg(long, hide = true)]
    parquet: bool,

    /// Write one page for a browser: flame graph, lifetimes, classes; it needs no network
    #[arg(long, hide = true)]
    html: bool,

    /// Write a log of HdrHistogram: how long objects of each class lived, in milliseconds
    #[arg(long, hide = true)]
    hdr: bool,

    /// Write metrics (OpenMetrics), as Prometheus reads them
    #[arg(long, hide = true)]
    openmetrics: bool,

    /// Write a recording of Java Flight Recorder, as jfr, JDK Mission Control and IDEs open it
    #[arg(long, hide = true)]
    jfr: bool,

    /// Write a picture: a flame graph, or how long objects lived
    #[arg(long, value_name = "PICTURE", num_args = 0..=1, require_equals = true, default_missing_value = "flame",
        hide = true)]
    svg: Option<Picture>,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Picture {
    Flame,
    Lifetimes,
}

impl FormatArgs {
    /// The one that was asked for by name, or by an option of its own.
    pub(crate) fn format(&self) -> Option<Format> {
        let asked = |format: &Foreign| match format {
            Foreign::Collapsed => self.collapsed,
            Foreign::Speedscope => self.speedscope,
            Foreign::Pprof => self.pprof,
            Foreign::Csv => self.csv,
            // By its name alone.
            Foreign::CsvTraces => false,
            Foreign::Html => self.html,
            Foreign::Hdr => self.hdr,
            Foreign::OpenMetrics => self.openmetrics,
            Foreign::Jfr => self.jfr,
            Foreign::SvgFlame => self.svg == Some(Picture::Flame),
            Foreign::SvgLifetimes => self.svg == Some(Picture::Lifetimes),
        };
        let foreign = || Foreign::ALL.into_iter().find(asked).map(Format::Of);
        self.format.or(self.parquet.then_some(Format::Parquet)).or_else(foreign)
    }
}

/// Whether text is wanted, or JSON.
#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
pub(crate) struct JsonArgs {
    /// Write in this format
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(Format::is_of_all))]
    format: Option<Format>,

    /// Write JSON; its first key names the schema
    #[arg(long)]
    json: bool,
}

impl JsonArgs {
    /// Whether it is JSON.
    pub(crate) fn is_json(self) -> bool {
        self.json || self.format == Some(Format::Json)
    }
}

/// The form of a verdict.
#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
pub(crate) struct VerdictArgs {
    /// Write in this format: text, JSON, Markdown for a comment on a pull request, or a page for a browser
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(Format::is_of_verdicts))]
    format: Option<Format>,

    /// Write JSON; its first key names the schema
    #[arg(long)]
    json: bool,
}

impl VerdictArgs {
    /// The one that is wanted.
    pub(crate) fn format(self) -> Format {
        let by_option = if self.json { Format::Json } else { Format::Text };
        self.format.unwrap_or(by_option)
    }
}

/// Reads the name of a format that a command has.
pub(super) fn format_parser(has: fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let names = PossibleValuesParser::new(Format::names(has));
    names.try_map(|name| Format::named(&name).ok_or("no such format"))
}

/// A part of a program's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Phase {
    /// Until class loading ebbs
    Start,
    /// What comes after it
    Work,
}

/// The part of a recording, and the number of it, that is wanted.
#[derive(Debug, Args)]
pub(crate) struct PartArgs {
    /// Only objects that lived so long: 30s..5m, 500ms.., ..2s (by the age up to which each was alive for sure; from 0 also those
    /// that died before a first collection)
    #[arg(long, value_name = "FROM..TO", value_parser = band, allow_hyphen_values = true)]
    pub(crate) lived: Option<LifeBand>,

    /// Only what happened between these moments of the profiled time: births and deaths between the recording's steps around
    /// them, and who lives at the end
    #[arg(long, value_name = "FROM..TO", value_parser = range, allow_hyphen_values = true)]
    pub(crate) during: Option<TimeRange>,

    /// Only the start-up of the program, until class loading ebbs, or only its work after that
    #[arg(long, value_name = "PHASE", conflicts_with = "during")]
    pub(crate) phase: Option<Phase>,

    /// The number to show, or to show first: bytes, objects, live, live-objects, byte-seconds, died-young, survived or optimised-away [default:
    /// bytes]
    #[arg(long, value_name = "VALUE", value_parser = value)]
    pub(crate) value: Option<Value>,
}

/// The id of a trace, or how it begins.
pub(super) fn trace_id(text: &str) -> Result<String, String> {
    let is_id = (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id
        .then(|| text.to_owned())
        .ok_or_else(|| "not the id of a trace: 32 hexadecimal digits, or the first of them".to_owned())
}

fn value(text: &str) -> Result<Value, String> {
    let names = Value::ALL.map(Value::name);
    let found = Value::ALL.into_iter().find(|value| value.name() == text);
    found.ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

fn band(text: &str) -> Result<LifeBand, String> {
    let (from, to) = ends(text)?;
    LifeBand::new(from, to).ok_or_else(|| EMPTY.to_owned())
}

fn range(text: &str) -> Result<TimeRange, String> {
    let (from, to) = ends(text)?;
    TimeRange::new(from, to).ok_or_else(|| EMPTY.to_owned())
}

const EMPTY: &str = "the first time must be before the second";

/// Two times with `..` between them, of which either may be left out.
fn ends(text: &str) -> Result<(Duration, Option<Duration>), String> {
    let (from, to) = text.split_once("..").ok_or("expected two times with .. between them, e.g. 30s..5m")?;
    let time = |text: &str| match text.trim() {
        "" => Ok(None),
        text => humantime::parse_duration(text)
            .map(Some)
            .map_err(|error| format!("{text:?} is no time ({error}); e.g. 500ms, 30s, 5m, 1h")),
    };
    Ok((time(from)?.unwrap_or_default(), time(to)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_one_end_or_two() {
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        assert_eq!(ends("1s..1m"), Ok((second, Some(minute))));
        assert_eq!(ends("1s.."), Ok((second, None)));
        assert_eq!(ends("..60s"), Ok((Duration::ZERO, Some(minute))));
        assert_eq!(ends(" 1000ms .. 1m "), Ok((second, Some(minute))));
        assert_eq!(ends(".."), Ok((Duration::ZERO, None)));
    }

    #[test]
    fn nonsense_is_refused_and_says_what_is_expected() {
        for text in ["", "30s", "30..40", "a..b", "-1s..2s"] {
            let error = ends(text).expect_err(text);
            assert!(error.contains("e.g."), "{text}: {error}");
        }
        assert_eq!(band("5s..5s"), Err(EMPTY.to_owned()));
        assert_eq!(range("5s..4s"), Err(EMPTY.to_owned()));
        assert!(value("byte").expect_err("no value").contains("byte-seconds"));
    }
}
