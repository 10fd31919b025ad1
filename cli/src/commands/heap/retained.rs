//! `mayfly heap retained`: what would be freed with an object, a class, a class loader: the tree of dominators.
//!
//! Strong and soft references count: the JVM clears soft ones only when memory is short.

use mayfly_heap::dominators::{ClassRetained, Dominators, LoaderRetained};
use mayfly_heap::paths::{edge_text, object_text};
use mayfly_heap::{EdgeName, Filter, Graph, ObjectIndex, ObjectSet, Strength, reach};
use mayfly_profile::{HeapOrder, Total, readable_classes};
use mayfly_report::{grouped, size};
use serde::Serialize;

use super::asked;
use crate::args::heap::{RetainedArgs, RetainedBy};
use crate::error::Error;
use crate::heap::class_rows::ClassRows;
use crate::heap::columns::{Columns, counted, left_out};
use crate::heap::document::{self, Answer};
use crate::heap::owning_field::owning_field;
use crate::heap::pages;
use crate::heap::progress::Progress;
use crate::heap::selection;

/// Rows when `--limit` does not say, and on a terminal.
const SHOWN: usize = 30;
const SCREEN: usize = 15;

/// Who retains most.
#[derive(Debug, Serialize)]
struct Retained {
    /// `object`, `class` or `loader`.
    by: &'static str,
    /// All that is reachable by strong and soft references.
    reachable_bytes: u64,
    /// Objects, classes or loaders there are.
    of: usize,
    rows: Vec<Row>,
    /// Whether the text is for people: in units.
    #[serde(skip)]
    in_units: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    /// Freed if it were gone, itself included.
    retained_bytes: u64,
    /// Its share of all that is reachable.
    share: f64,
    /// Of the object, or of all objects of the class or loader.
    bytes: u64,
    /// 1, or how many objects the class or loader has.
    objects: u64,
    /// An object `class@id`, a class, or a class loader.
    name: String,
    /// What of it retains nearly all of that.
    #[serde(skip)]
    below: Vec<String>,
}

/// What some objects retain together.
#[derive(Debug, Serialize)]
struct Members {
    /// As asked.
    retained_by: String,
    total: Total,
    classes: ClassRows,
    /// The first of them.
    rows: Vec<Member>,
}

#[derive(Debug, Serialize)]
struct Member {
    object: String,
    bytes: u64,
}

impl Answer for Retained {
    const QUERY: &'static str = "retained";

    fn text(&self) -> String {
        let bytes = |bytes: u64| if self.in_units { size(bytes) } else { bytes.to_string() };
        let objects = |objects: u64| if self.in_units { grouped(objects) } else { objects.to_string() };
        let own = if self.in_units { "size" } else { "bytes" };
        let mut table = Columns::new(&["retained", "%", own, "objects", self.by]);
        for row in &self.rows {
            table.row([
                bytes(row.retained_bytes),
                format!("{:.1}", row.share * 100.0),
                bytes(row.bytes),
                objects(row.objects),
                readable_classes(&row.name).into_owned(),
            ]);
            row.below.iter().for_each(|object| table.line_below(&readable_classes(object)));
        }
        let total = match self.in_units {
            true => format!("{} are reachable\n", size(self.reachable_bytes)),
            false => format!("{} bytes are reachable\n", self.reachable_bytes),
        };
        table.text() + &total + &left_out(self.rows.len(), self.of, self.by)
    }
}

impl Answer for Members {
    const QUERY: &'static str = "retained";

    fn text(&self) -> String {
        let total = format!(
            "{} in {} would be freed with {}\n",
            counted(self.total.bytes, "byte"),
            counted(self.total.objects, "object"),
            self.retained_by
        );
        let mut table = Columns::new(&["bytes", "object"]);
        for row in &self.rows {
            table.row([row.bytes.to_string(), readable_classes(&row.object).into_owned()]);
        }
        let more = left_out(self.rows.len(), self.total.objects as usize, "object");
        total + &self.classes.text() + "\n" + &table.text() + &more
    }
}

pub(super) fn run(args: &RetainedArgs) -> Result<(), Error> {
    let file = asked::open(&args.heap)?;
    let graph = file.graph()?;
    let filter = Filter::new(&graph, Strength::Soft);
    let chosen = args.of.as_ref().map(|of| selection::some_objects(&graph, of)).transpose()?;
    let for_people = args.shown.is_for_people();
    let limit = args.shown.limit.unwrap_or(if for_people { SCREEN } else { SHOWN });
    if let (true, Some(by), Some(chosen)) = (args.members, &args.of, &chosen) {
        let members = members(&graph, &filter, by, chosen, limit);
        return document::show(&file.source(), &members, args.shown.json.is_json());
    }
    let dominators = file.dominators(&graph);
    if let Some(page) = &args.html {
        return pages::retained(&file, &graph, &dominators, page);
    }
    let retained = match args.by {
        RetainedBy::Object if !args.shown.json.is_json() && chosen.is_none() => {
            answer("object", &dominators, dominators.reachable().len(), chains(&graph, &dominators, limit))
        }
        RetainedBy::Object => by_object(&graph, &dominators, chosen, limit),
        RetainedBy::Class => by_class(&dominators, &file.retained_by_class(&graph, &dominators), limit),
        RetainedBy::Loader => {
            by_loader(&graph, &dominators, &file.retained_by_loader(&graph, &dominators), limit)
        }
    };
    let retained = Retained { in_units: for_people, ..retained };
    document::show(&file.source(), &retained, args.shown.json.is_json())
}

fn by_object(
    graph: &Graph,
    dominators: &Dominators,
    chosen: Option<Vec<ObjectIndex>>,
    limit: usize,
) -> Retained {
    let (of, largest) = match chosen {
        Some(objects) => (objects.len(), dominators.largest(objects, limit)),
        None => (dominators.reachable().len(), dominators.largest_of_all(limit)),
    };
    let own = |object| Total::one(graph.size(object));
    let row = |(object, retained)| row(dominators, retained, own(object), object_text(graph, object));
    answer("object", dominators, of, largest.into_iter().map(row).collect())
}

/// A part of what its holder retains from which on both are one row: a cache and its table, the links of a list.
const NEARLY_ALL: f64 = 0.9;
/// Of so many rows a field is looked for among all objects.
const LOOKED_FOR: usize = 3;
/// Objects below the first of a row.
const BELOW: usize = 2;

/// The objects that retain most; below each those that retain nearly all of that, with the fields that hold them.
fn chains(graph: &Graph, dominators: &Dominators, limit: usize) -> Vec<Row> {
    /// Of one row there may be as many, at first; of a list that is linked each of its nodes.
    const OBJECTS: usize = 16;
    const MORE: usize = 8;
    let all = dominators.reachable().len();
    let mut objects = limit.saturating_mul(OBJECTS);
    loop {
        let rows = chains_of(graph, dominators, dominators.largest_of_all(objects), limit);
        if rows.len() >= limit || objects >= all {
            return rows;
        }
        objects = objects.saturating_mul(MORE);
    }
}

/// The same among these, the largest first.
fn chains_of(
    graph: &Graph,
    dominators: &Dominators,
    objects: Vec<(ObjectIndex, u64)>,
    limit: usize,
) -> Vec<Row> {
    let mut rows: Vec<((ObjectIndex, u64), Row)> = Vec::new();
    for (object, retained) in objects {
        let holder = dominators.immediate(object);
        let is_held = |&((last, all), _): &((ObjectIndex, u64), Row)| {
            Some(last) == holder && retained as f64 >= NEARLY_ALL * all as f64
        };
        let own = Total::one(graph.size(object));
        match rows.iter().position(is_held) {
            Some(at) => {
                let ((last, all), row) = &mut rows[at];
                let field = graph.edges(*last).find(|edge| edge.to == object);
                let by = field.map_or_else(String::new, |edge| format!("{} -> ", edge_text(&edge)));
                if row.below.len() < BELOW {
                    row.below.push(by + &object_text(graph, object));
                }
                (*last, *all) = (object, retained);
            }
            None if rows.len() < limit => {
                let field = holder.and_then(|holder| {
                    let edge = graph.edges(holder).find(|edge| edge.to == object)?;
                    // Which element it is changes.
                    (!matches!(edge.name, EdgeName::Element)).then_some(())?;
                    let class = graph.mirrored(holder).unwrap_or(graph.class_of(holder));
                    Some(format!(", {}.{}", graph.class(class).name, edge_text(&edge)))
                });
                // Something else holds it as well: a thread, say.
                let is_wanted = field.is_none() && rows.len() < LOOKED_FOR;
                let owner = || owning_field(graph, vec![object]).map(|field| format!(", {field}"));
                let field = field.or_else(|| is_wanted.then(owner).flatten());
                let name = object_text(graph, object) + &field.unwrap_or_default();
                rows.push(((object, retained), row(dominators, retained, own, name)));
            }
            None => {}
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

fn by_class(dominators: &Dominators, classes: &[ClassRetained], limit: usize) -> Retained {
    let rows = classes
        .iter()
        .take(limit)
        .map(|class| row(dominators, class.retained, class.own, class.name.to_string()));
    answer("class", dominators, classes.len(), rows.collect())
}

fn by_loader(graph: &Graph, dominators: &Dominators, loaders: &[LoaderRetained], limit: usize) -> Retained {
    let rows = loaders.iter().take(limit).map(|loader| {
        let name =
            loader.loader.map_or_else(|| "boot loader".to_owned(), |loader| object_text(graph, loader));
        row(dominators, loader.retained, loader.own, format!("{name} ({})", counted(loader.classes, "class")))
    });
    answer("loader", dominators, loaders.len(), rows.collect())
}

fn row(dominators: &Dominators, retained_bytes: u64, own: Total, name: String) -> Row {
    let share = retained_bytes as f64 / dominators.total().max(1) as f64;
    Row { retained_bytes, share, bytes: own.bytes, objects: own.objects, name, below: Vec::new() }
}

fn answer(by: &'static str, dominators: &Dominators, of: usize, rows: Vec<Row>) -> Retained {
    Retained { by, reachable_bytes: dominators.total(), of, rows, in_units: false }
}

/// What would be freed if all of these were gone, also what only several of them hold together.
fn members(graph: &Graph, filter: &Filter, by: &str, objects: &[ObjectIndex], limit: usize) -> Members {
    let set = {
        let _progress = Progress::work("finding what is retained");
        reach::retained(graph, &ObjectSet::of(graph, objects.iter().copied()), filter)
    };
    let summary = graph.summary(set.iter());
    let member = |object| Member { object: object_text(graph, object), bytes: graph.size(object) };
    Members {
        retained_by: by.to_owned(),
        total: summary.total(),
        classes: ClassRows::of(&summary, HeapOrder::Size, Some(SHOWN)),
        rows: set.iter().take(limit).map(member).collect(),
    }
}
