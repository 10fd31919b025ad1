//! `mayfly heap roots`: what the collector starts from, by kind; or each root of one kind.

use mayfly_heap::paths::object_text;
use mayfly_heap::{Graph, Root};
use serde::Serialize;

use super::asked;
use crate::args::heap::RootsArgs;
use crate::error::Error;
use crate::heap::columns::{Columns, left_out};
use crate::heap::document::{self, Answer};
use crate::heap::error::QueryError;
use crate::heap::root_kind::{self, StackPosition};

/// How many of each kind there are.
#[derive(Debug, Serialize, PartialEq)]
struct Kinds {
    kinds: Vec<Kind>,
}

#[derive(Debug, Serialize, PartialEq)]
struct Kind {
    kind: String,
    /// Reasons, not objects: one object may have several.
    roots: usize,
}

impl Answer for Kinds {
    const QUERY: &'static str = "roots";

    fn text(&self) -> String {
        let mut table = Columns::new(&["roots", "kind"]);
        for kind in &self.kinds {
            table.row([kind.roots.to_string(), kind.kind.clone()]);
        }
        table.text()
    }
}

/// Those of one kind.
#[derive(Debug, Serialize)]
struct Listed {
    kind: String,
    roots: usize,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    object: String,
    bytes: u64,
    #[serde(flatten)]
    place: StackPosition,
}

impl Answer for Listed {
    const QUERY: &'static str = "roots";

    fn text(&self) -> String {
        let mut table = Columns::new(&["bytes", "object"]);
        for row in &self.rows {
            table.row([row.bytes.to_string(), format!("{}{}", row.object, row.place.text())]);
        }
        table.text() + &left_out(self.rows.len(), self.roots, "root")
    }
}

pub(super) fn run(args: &RootsArgs) -> Result<(), Error> {
    let file = asked::open(&args.heap)?;
    let graph = file.graph()?;
    match &args.kind {
        None => document::show(&file.source(), &kinds(&graph), args.shown.json.is_json()),
        Some(kind) => {
            let listed = listed(&graph, kind, args.shown.limit)?;
            document::show(&file.source(), &listed, args.shown.json.is_json())
        }
    }
}

fn kinds(graph: &Graph) -> Kinds {
    let mut kinds: Vec<Kind> = Vec::new();
    for root in graph.roots() {
        let name = root.kind.name();
        match kinds.iter_mut().find(|kind| kind.kind == name) {
            Some(kind) => kind.roots += 1,
            None => kinds.push(Kind { kind: name.to_owned(), roots: 1 }),
        }
    }
    kinds.sort_by(|a, b| b.roots.cmp(&a.roots).then_with(|| a.kind.cmp(&b.kind)));
    Kinds { kinds }
}

fn listed(graph: &Graph, wanted: &str, limit: Option<usize>) -> Result<Listed, QueryError> {
    let of_kind = |root: &&Root| root.kind.name().eq_ignore_ascii_case(wanted);
    let roots = graph.roots().iter().filter(of_kind).count();
    if roots == 0 {
        let known: Vec<_> = kinds(graph).kinds.into_iter().map(|kind| format!("'{}'", kind.kind)).collect();
        return Err(QueryError::Usage(format!("no root of kind '{wanted}'; there are {}", known.join(", "))));
    }
    let shown = graph.roots().iter().filter(of_kind).take(limit.unwrap_or(usize::MAX));
    let row = |root: &Root| Row {
        object: object_text(graph, root.object),
        bytes: graph.size(root.object),
        place: root_kind::stack_position(&root.kind),
    };
    Ok(Listed { kind: wanted.to_lowercase(), roots, rows: shown.map(row).collect() })
}

#[cfg(test)]
mod tests {
    use mayfly_heap::{Class, GraphBuilder, RootFrame, RootKind};

    use super::*;

    fn graph() -> Graph {
        let mut builder = GraphBuilder::default();
        let class = builder.class(Class { name: "a.B".into(), ..Class::default() });
        let object = builder.object(0x1f, class, 16);
        builder.root(object, RootKind::Thread);
        let frame = RootFrame { thread: Some("main".into()), method: Some("a.B.run".into()), slot: Some(2) };
        builder.root(object, RootKind::StackLocal(frame));
        builder.root(object, RootKind::StackLocal(RootFrame::default()));
        builder.finish().expect("small")
    }

    #[test]
    fn roots_are_counted_by_kind_most_first() {
        assert_eq!(kinds(&graph()).text(), "roots  kind\n    2  stack local\n    1  thread\n");
    }

    #[test]
    fn the_roots_of_a_kind_say_where_they_are() {
        let text = listed(&graph(), "Stack Local", None).expect("there are some").text();
        let expected = "bytes  object\n   16  a.B@1f  (thread main, a.B.run, slot 2)\n   16  a.B@1f\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_kind_that_is_not_there_is_answered_by_those_that_are() {
        let error = listed(&graph(), "monitor", None).unwrap_err().to_string();
        assert_eq!(error, "no root of kind 'monitor'; there are 'stack local', 'thread'");
    }
}
