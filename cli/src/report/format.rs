//! The forms that an answer has, by the names that `--format` takes.
//!
//! One list for all commands; each says which of them it has. Not here: how they are written.

use mayfly_formats::Format as Foreign;
use mayfly_profile::Grouping;

/// A form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Text; of a report on one screen.
    Text,
    /// Text with all rows.
    Full,
    /// The tree of who calls, as text.
    Ways,
    /// What each group of a dimension allocates, as text.
    Groups(Grouping),
    /// Requests whose objects are still there, as text.
    Traces,
    /// JSON.
    Json,
    /// For a comment on a pull request.
    Markdown,
    /// Tables in a folder.
    Parquet,
    /// One file of other tools, or a page.
    Of(Foreign),
}

const NAMED: [(&str, Format); 20] = [
    ("text", Format::Text),
    ("full", Format::Full),
    ("ways", Format::Ways),
    ("threads", Format::Groups(Grouping::Pool)),
    ("loaders", Format::Groups(Grouping::Loader)),
    ("traces", Format::Traces),
    ("json", Format::Json),
    ("html", Format::Of(Foreign::Html)),
    ("markdown", Format::Markdown),
    ("collapsed", Format::Of(Foreign::Collapsed)),
    ("speedscope", Format::Of(Foreign::Speedscope)),
    ("pprof", Format::Of(Foreign::Pprof)),
    ("csv", Format::Of(Foreign::Csv)),
    ("csv-traces", Format::Of(Foreign::CsvTraces)),
    ("parquet", Format::Parquet),
    ("hdr", Format::Of(Foreign::Hdr)),
    ("openmetrics", Format::Of(Foreign::OpenMetrics)),
    ("jfr", Format::Of(Foreign::Jfr)),
    ("svg", Format::Of(Foreign::SvgFlame)),
    ("svg-lifetimes", Format::Of(Foreign::SvgLifetimes)),
];

impl Format {
    /// As `--format` takes it.
    pub(crate) fn name(self) -> &'static str {
        NAMED.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    /// The one of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        NAMED.iter().find(|(of, _)| *of == name).map(|(_, format)| *format)
    }

    /// The names of those that a command has.
    pub(crate) fn names(has: fn(Self) -> bool) -> impl Iterator<Item = &'static str> {
        NAMED.iter().filter(move |(_, format)| has(*format)).map(|(name, _)| *name)
    }

    /// Whether each command that answers has it.
    pub(crate) fn is_of_all(self) -> bool {
        matches!(self, Self::Text | Self::Json)
    }

    /// Whether each command that judges has it.
    pub(crate) fn is_of_verdicts(self) -> bool {
        self.is_of_all() || matches!(self, Self::Markdown | Self::Of(Foreign::Html))
    }

    /// Whether `mayfly report` has it.
    pub(crate) fn is_of_reports(self) -> bool {
        self != Self::Markdown
    }

    /// Whether `mayfly diff` has it.
    pub(crate) fn is_of_comparisons(self) -> bool {
        self.is_of_verdicts() || self == Self::Full
    }

    /// Whether an option of reports has no meaning for it.
    pub(crate) fn refuses(self, option: &str) -> bool {
        match option {
            "--value" => !matches!(self, Self::Of(_) | Self::Parquet),
            "--trace" => !matches!(self, Self::Traces | Self::Json | Self::Of(Foreign::CsvTraces)),
            "--by" => !self.is_of_all(),
            "--limit" => !matches!(self, Self::Text | Self::Full | Self::Json),
            // Which code is the program's own is a question of texts on one screen.
            _ => !matches!(self, Self::Text | Self::Ways),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_of_other_tools_has_a_name() {
        for foreign in Foreign::ALL {
            let format = Format::Of(foreign);
            assert_eq!(Format::named(format.name()), Some(format));
        }
    }
}
