//! `mayfly heap histogram`: objects and bytes by class. An hprof file is only read through, not made a graph of.

use serde::Serialize;

use super::order;
use crate::args::heap::HistogramArgs;
use crate::error::Error;
use crate::heap::class_rows::ClassRows;
use crate::heap::document::{self, Answer};
use crate::heap::dump_file::DumpFile;
use crate::heap::summary_file;

#[derive(Serialize)]
pub(super) struct Histogram {
    #[serde(flatten)]
    pub(super) classes: ClassRows,
}

impl Answer for Histogram {
    const QUERY: &'static str = "histogram";

    fn text(&self) -> String {
        self.classes.text()
    }
}

pub(super) fn run(args: &HistogramArgs) -> Result<(), Error> {
    let file = DumpFile::open(&args.file)?;
    let summary = file.histogram()?;
    if let Some(output) = &args.output {
        return summary_file::write(output, &summary, order(&args.rows));
    }
    let shown = args.rows.shown;
    let classes = ClassRows::of(&summary, order(&args.rows), shown.limit);
    document::show(&file.source(), &Histogram { classes }, shown.json)
}
