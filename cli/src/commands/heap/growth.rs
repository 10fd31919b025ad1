//! `mayfly heap growth`: what grew between two dumps of one program: where it is held, and of which classes.

use mayfly_heap::dominators::Dominators;
use mayfly_heap::growth::{self, PathGrowth};
use mayfly_heap::{Filter, Graph, Strength};
use mayfly_profile::{Total, readable_classes};
use serde::Serialize;

use super::diff::{self, Diff};
use crate::args::heap::GrowthArgs;
use crate::error::Error;
use crate::heap::columns::{Columns, left_out};
use crate::heap::document::{self, Answer};
use crate::heap::dump_file::{DumpFile, Source};
use crate::heap::progress::Progress;

/// Rows of each list when `--limit` does not say.
const SHOWN: usize = 20;

/// What grew.
#[derive(Debug, Serialize)]
struct Growth {
    /// Paths that grew, whatever the limit.
    places: usize,
    /// Where it is held, most grown first. No path is part of another.
    held: Vec<HeldPath>,
    /// By class.
    classes: Diff,
}

/// Objects of one class below others that alone hold them.
#[derive(Debug, Serialize)]
struct HeldPath {
    /// Classes from a root on: `class A`, `static field: B`, `C`.
    path: Vec<Box<str>>,
    /// What these objects retain.
    before: Total,
    after: Total,
    growth_bytes: i64,
}

impl Answer for Growth {
    const QUERY: &'static str = "growth";

    fn text(&self) -> String {
        let mut table = Columns::new(&["+bytes", "bytes", "objects", "retained by"]);
        for path in &self.held {
            table.row([
                format!("{:+}", path.growth_bytes),
                path.after.bytes.to_string(),
                path.after.objects.to_string(),
                readable_classes(&path.path.join(" -> ")).into_owned(),
            ]);
        }
        table.text() + &left_out(self.held.len(), self.places, "place") + "\n" + &self.classes.text()
    }
}

pub(super) fn run(args: &GrowthArgs) -> Result<(), Error> {
    let (before, source_before) = load(&args.before)?;
    let (after, source_after) = load(&args.after)?;
    let limit = args.shown.limit.unwrap_or(SHOWN);
    let grown = {
        let _progress = Progress::work("finding what grew");
        let retained = |graph| Dominators::new(graph, &Filter::new(graph, Strength::Soft));
        growth::by_path((&before, &retained(&before)), (&after, &retained(&after)))
    };
    let summaries = [&before, &after].map(|graph| graph.summary(graph.objects()));
    let answer = Growth {
        places: grown.len(),
        held: grown.into_iter().take(limit).map(held_path).collect(),
        classes: diff::diff(&summaries, mayfly_profile::HeapOrder::Size, Some(limit)),
    };
    document::show(&[source_before, source_after], &answer, args.shown.json.is_json())
}

fn load(file: &std::path::Path) -> Result<(Graph, Source), Error> {
    let file = DumpFile::open(file)?;
    Ok((file.graph()?, file.source()))
}

fn held_path(growth: PathGrowth) -> HeldPath {
    HeldPath { growth_bytes: growth.bytes(), before: growth.before, after: growth.after, path: growth.path }
}
