//! `mayfly heap histogram`: objects and bytes by class. An hprof file is only read through, not made a graph of.

use serde::Serialize;

use super::asked;
use crate::args::heap::HistogramArgs;
use crate::error::Error;
use crate::heap::class_rows::ClassRows;
use crate::heap::document::{self, Answer};
use crate::heap::dump_file::DumpFile;
use crate::heap::pages;
use crate::heap::summary_file;

#[derive(Serialize)]
pub(super) struct Histogram {
    #[serde(flatten)]
    classes: ClassRows,
    /// What the numbers hold besides what they seem to.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

/// JVMs from 19 on fill gaps on the heap with arrays of a class of its own, which hprof has no kind for.
const FILLERS: &str = "arrays by which JDK 19 and later fill gaps on the heap are in [I here: hprof does not tell them apart \
                       (jcmd GC.class_histogram does, as jdk.internal.vm.FillerElement)";

impl Histogram {
    /// Of a file.
    pub(super) fn of(file: &DumpFile, classes: ClassRows) -> Self {
        let has_ints = classes.rows.iter().any(|row| row.class == "[I");
        Self { classes, note: (has_ints && file.tells_fillers_as_ints()).then_some(FILLERS) }
    }
}

impl Answer for Histogram {
    const QUERY: &'static str = "histogram";

    fn text(&self) -> String {
        self.classes.text() + &self.note.map(|note| format!("note: {note}\n")).unwrap_or_default()
    }
}

pub(super) fn run(args: &HistogramArgs) -> Result<(), Error> {
    let file = asked::open(&args.heap)?;
    let summary = file.histogram()?;
    if let Some(output) = &args.output {
        return summary_file::write(output, &summary, args.rows.order());
    }
    if let Some(page) = &args.html {
        return pages::histogram(&file, &summary, page);
    }
    let shown = args.rows.shown;
    let classes = ClassRows::shown(&summary, args.rows.order(), shown);
    document::show(&file.source(), &Histogram::of(&file, classes), shown.json.is_json())
}
