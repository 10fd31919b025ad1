//! `mayfly heap size` and `reachable`: an object, or several, with everything that can be reached from them.
//!
//! `java.lang.Class` objects are not entered, as INSANE's measurements did not: what a class's statics hold is no part of
//! its instances.

use mayfly_heap::paths::object_text;
use mayfly_heap::{Filter, Graph, ObjectIndex, ObjectSet, reach};
use mayfly_profile::{HeapOrder, Total};
use serde::Serialize;

use super::asked;
use crate::args::heap::{ReachableArgs, SizeArgs, StrengthArgs};
use crate::error::Error;
use crate::heap::class_rows::ClassRows;
use crate::heap::columns::{Columns, counted, left_out};
use crate::heap::document::{self, Answer};
use crate::heap::error::QueryError;
use crate::heap::progress::Progress;
use crate::heap::selection;

/// Rows of objects when `--limit` does not say.
const SHOWN: usize = 50;

/// The size of a structure, by class.
#[derive(Debug, Serialize)]
struct Size {
    /// Objects that it was measured from.
    roots: usize,
    #[serde(flatten)]
    classes: ClassRows,
}

impl Answer for Size {
    const QUERY: &'static str = "size";

    fn text(&self) -> String {
        let Total { objects, bytes } = self.classes.total;
        let roots = counted(self.roots as u64, "object");
        format!("{} in {}, from {roots}\n", counted(bytes, "byte"), counted(objects, "object"))
            + &self.classes.text()
    }
}

/// What is reachable, by class.
#[derive(Debug, Serialize)]
struct ReachableClasses {
    #[serde(flatten)]
    classes: ClassRows,
}

impl Answer for ReachableClasses {
    const QUERY: &'static str = "reachable";

    fn text(&self) -> String {
        self.classes.text()
    }
}

/// What is reachable, one by one.
#[derive(Debug, Serialize)]
struct ReachableObjects {
    total: Total,
    rows: Vec<ObjectRow>,
}

#[derive(Debug, Serialize)]
struct ObjectRow {
    object: String,
    bytes: u64,
}

impl Answer for ReachableObjects {
    const QUERY: &'static str = "reachable";

    fn text(&self) -> String {
        let mut table = Columns::new(&["bytes", "object"]);
        for row in &self.rows {
            table.row([row.bytes.to_string(), row.object.clone()]);
        }
        table.text() + &left_out(self.rows.len(), self.total.objects as usize, "object")
    }
}

pub(super) fn size(args: &SizeArgs) -> Result<(), Error> {
    let file = asked::open(&args.heap)?;
    let graph = file.graph()?;
    let roots = selection::all_objects(&graph, &args.of)?;
    let filter = filter(&graph, &args.strength, &args.skip)?;
    let set = {
        let _progress = Progress::work("following references");
        reach::from(&graph, roots.iter().copied(), &filter)
    };
    let classes = ClassRows::of(&graph.summary(set.iter()), HeapOrder::Size, args.shown.limit);
    document::show(&file.source(), &Size { roots: roots.len(), classes }, args.shown.json.is_json())
}

pub(super) fn reachable(args: &ReachableArgs) -> Result<(), Error> {
    let file = asked::open(&args.heap)?;
    let graph = file.graph()?;
    let from = selection::all_objects(&graph, &args.from)?;
    let filter = filter(&graph, &args.strength, &args.skip)?;
    let set = within(&graph, from, &filter, &args.within)?;
    if args.objects {
        let rows =
            set.iter().take(args.shown.limit.unwrap_or(SHOWN)).map(|object| object_row(&graph, object));
        let rows = rows.collect();
        let total = graph.total(set.iter());
        return document::show(&file.source(), &ReachableObjects { total, rows }, args.shown.json.is_json());
    }
    let classes = ClassRows::of(&graph.summary(set.iter()), HeapOrder::Size, args.shown.limit);
    document::show(&file.source(), &ReachableClasses { classes }, args.shown.json.is_json())
}

fn object_row(graph: &Graph, object: ObjectIndex) -> ObjectRow {
    ObjectRow { object: object_text(graph, object), bytes: graph.size(object) }
}

/// References of the strength asked for, classes and what is to be skipped left out.
pub(super) fn filter(graph: &Graph, strength: &StrengthArgs, skip: &[String]) -> Result<Filter, QueryError> {
    let mut filter = Filter::new(graph, strength.weakest());
    filter.skip_classes(graph);
    selection::skip(graph, &mut filter, skip)?;
    Ok(filter)
}

/// What is reachable through objects of these classes only; through any, if there are none.
fn within(
    graph: &Graph,
    from: Vec<ObjectIndex>,
    filter: &Filter,
    classes: &[String],
) -> Result<ObjectSet, QueryError> {
    let mut names = Vec::new();
    for name in classes {
        names.extend(selection::classes(graph, name)?.into_iter().map(|class| &graph.class(class).name));
    }
    let _progress = Progress::work("following references");
    Ok(match names.is_empty() {
        true => reach::from(graph, from, filter),
        false => reach::limited(graph, from, filter, |class| names.contains(&&class.name)),
    })
}
