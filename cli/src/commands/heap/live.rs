//! `mayfly heap PID`: objects and bytes by class on the heap of a running JVM.

use mayfly_profile::HeapSummary;
use mayfly_recording::control::{Request, Response};
use serde::Serialize;

use super::order;
use crate::args::heap::LiveArgs;
use crate::error::Error;
use crate::heap::class_rows::ClassRows;
use crate::heap::document::{self, Answer};
use crate::heap::progress::Progress;
use crate::heap::summary_file;
use crate::session::connect::Target;
use crate::session::jvms;

/// Where the numbers are from, for JSON.
#[derive(Serialize)]
struct Source {
    pid: u32,
    /// Whether garbage is counted, too: no collections came first.
    all: bool,
}

#[derive(Serialize)]
struct Live {
    #[serde(flatten)]
    classes: ClassRows,
}

impl Answer for Live {
    const QUERY: &'static str = "summary";

    fn text(&self) -> String {
        self.classes.text()
    }
}

pub(super) fn run(args: &LiveArgs) -> Result<(), Error> {
    // clap requires it unless there is a verb.
    let Some(jvm) = &args.jvm else { return Ok(()) };
    let pid = jvms::pid_of(jvm)?;
    let summary = ask(pid, args.all)?;
    let (order, shown) = (order(&args.rows), args.rows.shown);
    if let Some(output) = &args.output {
        return summary_file::write(output, &summary, order);
    }
    let classes = ClassRows::of(&summary, order, shown.limit);
    document::show(&Source { pid, all: args.all }, &Live { classes }, shown.json)
}

fn ask(pid: u32, all: bool) -> Result<HeapSummary, Error> {
    let _progress = Progress::work("counting objects");
    match Target::connect(pid)?.ask(&Request::HeapSummary { all })? {
        Response::HeapSummary(summary) => Ok(summary),
        _ => Err(Error::unexpected(pid)),
    }
}
