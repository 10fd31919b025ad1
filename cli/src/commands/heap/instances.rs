//! `mayfly heap instances`: the objects of a class, largest first, with what each refers to if asked.

use std::cmp::Reverse;

use mayfly_heap::paths::{edge_text, object_text};
use mayfly_heap::{ClassIndex, Edge, Filter, Graph, ObjectIndex, Strength, reach};
use mayfly_profile::{Total, readable_classes};
use serde::Serialize;

use super::asked;
use crate::args::heap::InstancesArgs;
use crate::error::Error;
use crate::heap::columns::{Columns, counted, left_out};
use crate::heap::document::{self, Answer};
use crate::heap::dump_file::DumpFile;
use crate::heap::error::QueryError;
use crate::heap::progress::Progress;
use crate::heap::selection;

/// Rows when `--limit` does not say: enough to look at.
const SHOWN: usize = 50;

/// What to do where a format does not tell classes apart so.
const TELLS: &str = "a dump by a walk does: mayfly heap dump --walk PID FILE";

/// The objects of a class.
#[derive(Debug, Serialize)]
struct Instances {
    total: Total,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    object: String,
    /// Shallow size.
    bytes: u64,
    /// Size of everything reachable by strong references; `None`: not asked for.
    deep_bytes: Option<u64>,
    /// What it refers to; empty if not asked for.
    fields: Vec<Reference>,
    /// Its fields that are no references; empty if not asked for, and of a dump that has none.
    values: Vec<Value>,
    #[serde(skip)]
    id: u64,
}

#[derive(Debug, Serialize)]
struct Value {
    /// Field name.
    by: String,
    /// As Java prints it.
    value: String,
}

#[derive(Debug, Serialize)]
struct Reference {
    /// Field name, or `[i]`.
    by: String,
    to: String,
}

impl Answer for Instances {
    const QUERY: &'static str = "instances";

    fn text(&self) -> String {
        let deep = self.rows.iter().any(|row| row.deep_bytes.is_some());
        let mut table =
            Columns::new(if deep { &["deep bytes", "bytes", "object"] } else { &["bytes", "object"] });
        for row in &self.rows {
            let deep = row.deep_bytes.map(|bytes| bytes.to_string());
            let own = [row.bytes.to_string(), readable_classes(&row.object).into_owned()];
            table.cells(deep.into_iter().chain(own).collect());
            row.values.iter().for_each(|field| table.line_below(&format!("{} = {}", field.by, field.value)));
            row.fields.iter().for_each(|field| {
                table.line_below(&format!("{} -> {}", field.by, readable_classes(&field.to)))
            });
        }
        let total =
            format!("{}, {}\n", counted(self.total.objects, "object"), counted(self.total.bytes, "byte"));
        table.text() + &total + &left_out(self.rows.len(), self.total.objects as usize, "object")
    }
}

pub(super) fn run(args: &InstancesArgs) -> Result<(), Error> {
    let file = asked::open(&args.heap)?;
    let graph = file.graph()?;
    let class = args.of.as_ref().or(args.class.as_ref()).map_or("", String::as_str);
    let mut objects = selection::objects(&graph, class)?;
    if args.subclasses {
        let classes = selection::classes(&graph, class)?;
        objects = selection::objects_of(&graph, &with_subclasses(&file, &graph, &classes)?);
    }
    let mut instances = {
        let _progress = Progress::work("measuring");
        instances(&graph, objects, args)
    };
    if args.fields {
        add_values(&file, &mut instances)?;
    }
    document::show(&file.source(), &instances, args.shown.json.is_json())
}

fn instances(graph: &Graph, mut objects: Vec<ObjectIndex>, args: &InstancesArgs) -> Instances {
    let total = graph.total(objects.iter().copied());
    objects.sort_by_key(|&object| Reverse(graph.size(object)));
    let mut filter = Filter::new(graph, Strength::Strong);
    filter.skip_classes(graph);
    let row = |object| Row {
        object: object_text(graph, object),
        bytes: graph.size(object),
        deep_bytes: args.deep.then(|| graph.total(reach::from(graph, [object], &filter).iter()).bytes),
        fields: if args.fields { references(graph, object) } else { Vec::new() },
        values: Vec::new(),
        id: graph.id(object),
    };
    let rows = objects.into_iter().take(args.shown.limit.unwrap_or(SHOWN)).map(row).collect();
    Instances { total, rows }
}

/// The values of fields, if the dump has them.
fn add_values(file: &DumpFile, instances: &mut Instances) -> Result<(), QueryError> {
    let ids: Vec<_> = instances.rows.iter().map(|row| row.id).collect();
    let Some(mut values) = file.values(&ids)? else { return Ok(()) };
    for row in &mut instances.rows {
        let found = values.remove(&row.id).unwrap_or_default().into_iter();
        row.values = found.map(|(by, value)| Value { by, value }).collect();
    }
    Ok(())
}

fn references(graph: &Graph, object: ObjectIndex) -> Vec<Reference> {
    let reference = |edge: Edge<'_>| Reference { by: edge_text(&edge), to: object_text(graph, edge.to) };
    graph.edges(object).map(reference).collect()
}

/// These classes, and all that extend or implement them, if the file tells.
fn with_subclasses(
    file: &DumpFile,
    graph: &Graph,
    classes: &[ClassIndex],
) -> Result<Vec<ClassIndex>, QueryError> {
    let not_told = |what| QueryError::NotTold { file: file.path().to_owned(), what, advice: TELLS };
    if !file.tells_superclasses() {
        return Err(not_told("what extends what"));
    }
    let all = graph.with_subclasses(classes);
    let is_alone = all.len() == classes.len() && !graph.objects().any(|at| all.contains(&graph.class_of(at)));
    // hprof does not even tell what an interface is; one has neither objects nor subclasses.
    if is_alone && !file.tells_interfaces() {
        return Err(not_told("which classes implement this one, if it is an interface; nothing extends it"));
    }
    Ok(all)
}
