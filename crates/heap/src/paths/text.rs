//! Paths as INSANE prints them: a line for the root, a line for each object with what refers to the next.

use super::path::{Path, Steps};
use crate::edge::{Edge, EdgeName};
use crate::graph::Graph;
use crate::index::ObjectIndex;

impl Path {
    /// The path as text, without a newline at its end:
    ///
    /// ```text
    /// static java.util.Map Cache.ENTRIES->
    /// java.util.HashMap@2a40cd94-table->
    /// [Ljava.util.HashMap$Node;@436813f3-[11]->
    /// java.lang.Object@2f2c9b19
    /// ```
    pub fn text(&self, graph: &Graph) -> String {
        self.root_text(graph)
            + "->\n"
            + &self.steps.text_from(graph, usize::from(self.static_field(graph).is_some()))
    }

    /// What the path begins with, without its arrow: `static java.util.Map Cache.ENTRIES`, or the kind of root and where
    /// it is.
    pub fn root_text(&self, graph: &Graph) -> String {
        match self.static_field(graph) {
            Some(field) => static_text(graph, &field),
            None => self.root(graph).kind.to_string(),
        }
    }
}

impl Steps {
    /// A line for each object with what refers to the next, as in the text of a path.
    pub fn text(&self, graph: &Graph) -> String {
        self.text_from(graph, 0)
    }

    fn text_from(&self, graph: &Graph, skipped: usize) -> String {
        let line = |edge: Edge<'_>| format!("{}-{}->\n", object_text(graph, edge.from), edge_text(&edge));
        let lines: String = self.edges(graph).skip(skipped).map(line).collect();
        lines + &object_text(graph, self.target(graph))
    }
}

/// An object as `class@id`, its id in hexadecimal; a `java.lang.Class` as the class that it stands for.
pub fn object_text(graph: &Graph, object: ObjectIndex) -> String {
    let class = graph.mirrored(object).map(|class| format!("class {}", graph.class(class).name));
    let class = class.unwrap_or_else(|| graph.class(graph.class_of(object)).name.to_string());
    format!("{class}@{:x}", graph.id(object))
}

/// What refers: a field's name, `[index]`, or `<what>` for what is the JVM's own.
pub fn edge_text(edge: &Edge<'_>) -> String {
    match (edge.name, edge.index) {
        (EdgeName::Field { name, .. } | EdgeName::Static { name, .. }, _) => name.to_string(),
        (EdgeName::Internal(what), _) => format!("<{what}>"),
        (EdgeName::Element, index) => format!("[{}]", index.unwrap_or_default()),
    }
}

fn static_text(graph: &Graph, edge: &Edge<'_>) -> String {
    let EdgeName::Static { declaring, name, type_name } = edge.name else { return edge_text(edge) };
    let type_name = type_name.as_ref().map(|name| format!("{name} ")).unwrap_or_default();
    format!("static {type_name}{}.{name}", graph.class(*declaring).name)
}
