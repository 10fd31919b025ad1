//! Profiles in the formats of other tools, one file per format.
//!
//! Each has `fn write(&Profile, &Choice, &mut dyn Write)`, but `parquet`, which is several files. What is written are the cells of the profile as it is given: classes,
//! lifetimes and times were chosen before (`mayfly-profile`). So all formats have the same totals. Not here: text and JSON
//! of our own (`mayfly-report`, the CLI), and where bytes go.

mod choice;
mod collapsed;
mod columns;
mod csv;
mod hdr;
mod html;
mod jfr;
mod openmetrics;
mod otlp;
mod parquet;
mod pprof;
mod speedscope;
mod spelling;
mod svg;
mod traces;

use std::io::{self, Write};

use mayfly_profile::{Profile, Slices};

pub use choice::Choice;
pub use html::{AnswerPage, AnswerPart, DiffPage, DiffPart, HeapPage, HeapPart, Verdicts};
pub use mayfly_report::readable_class;
pub use otlp::{otlp, rejected_by_otlp};
pub use parquet::{Table, fleet_tables, parquet};

/// A format that other tools read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A line per stack: frames from the outermost on, `;` between them, the class, a number. Of flamegraph.pl and many others.
    Collapsed,
    /// JSON of speedscope.
    Speedscope,
    /// The protocol buffer of pprof, gzipped.
    Pprof,
    /// A table with a row per class and stack (RFC 4180).
    Csv,
    /// A table with a row per trace, span, class and stack of which objects are still there.
    CsvTraces,
    /// One page that needs nothing but a browser.
    Html,
    /// A log of HdrHistogram (V2) with a histogram of lifetimes per class.
    Hdr,
    /// Metrics of Prometheus and its relatives.
    OpenMetrics,
    /// A recording of Java Flight Recorder.
    Jfr,
    /// A picture: a flame graph.
    SvgFlame,
    /// A picture: how long objects lived.
    SvgLifetimes,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Collapsed,
        Self::Speedscope,
        Self::Pprof,
        Self::Csv,
        Self::CsvTraces,
        Self::Html,
        Self::Hdr,
        Self::OpenMetrics,
        Self::Jfr,
        Self::SvgFlame,
        Self::SvgLifetimes,
    ];

    /// Whether it has nothing to say of a run that did not follow deaths.
    pub fn needs_lifetimes(self) -> bool {
        matches!(self, Self::Hdr | Self::SvgLifetimes)
    }

    /// Whether it is of traces alone, and has nothing to say where no id of one was seen.
    pub fn needs_traces(self) -> bool {
        self == Self::CsvTraces
    }

    /// Whether it is no text.
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Pprof | Self::Jfr)
    }

    /// Writes `profile`. Deterministic: the same profile gives the same bytes.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(self, profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Collapsed => collapsed::write(profile, choice, out),
            Self::Speedscope => speedscope::write(profile, choice, out),
            Self::Pprof => pprof::write(profile, choice, out),
            Self::Csv => csv::write(profile, choice, out),
            Self::CsvTraces => csv::write_traces(profile, choice, out),
            Self::Html => page(profile, None, choice, out),
            Self::Hdr => hdr::write(profile, choice, out),
            Self::OpenMetrics => openmetrics::write(profile, choice, out),
            Self::Jfr => jfr::write(profile, choice, out),
            Self::SvgFlame => svg::flame(profile, choice, out),
            Self::SvgLifetimes => svg::lifetimes(profile, choice, out),
        }
    }
}

/// Metrics as the textfile collector of node_exporter takes them: Prometheus's text format, without times; labels `application` and `pid` tell
/// JVMs apart.
pub fn textfile(profile: &Profile) -> String {
    openmetrics::textfile(profile)
}

/// Writes [`Format::Html`]; with slices of the same stream a time can be chosen in the page.
///
/// # Errors
/// Those of `out`.
pub fn page(
    profile: &Profile,
    slices: Option<&Slices>,
    choice: &Choice,
    out: &mut dyn Write,
) -> io::Result<()> {
    html::write(profile, slices, choice, out)
}
