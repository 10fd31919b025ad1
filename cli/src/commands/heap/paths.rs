//! `mayfly heap paths`: shortest paths from a root to an object, as INSANE prints them.

use mayfly_heap::paths::{self, Path};
use mayfly_heap::{EdgeName, Filter, Graph, ObjectIndex, ObjectSet, Strength};
use serde::Serialize;

use super::asked;
use crate::args::heap::PathsArgs;
use crate::error::Error;
use crate::heap::document::{self, Answer};
use crate::heap::dump_file::DumpFile;
use crate::heap::error::QueryError;
use crate::heap::progress::Progress;
use crate::heap::root_kind::{self, StackPosition};
use crate::heap::selection;

/// Paths, the shortest first.
#[derive(Debug, Serialize)]
struct Paths {
    /// As asked.
    to: String,
    /// Objects that a path may lead to.
    targets: usize,
    /// Weakest references gone through: `strong`, `soft`, `weak` or `phantom`.
    along: &'static str,
    paths: Vec<PathJson>,
    /// If there is no path: the weakest reference on the strongest one that there is.
    only_by: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct PathJson {
    root: RootJson,
    /// The weakest reference on it.
    strength: &'static str,
    steps: Vec<Step>,
    /// As printed.
    text: String,
}

#[derive(Debug, Serialize)]
struct RootJson {
    /// `static field`, or the kind that `heap roots` shows.
    kind: String,
    /// The class that declares the static field.
    declared_by: Option<String>,
    /// Its name.
    field: Option<String>,
    #[serde(flatten)]
    place: StackPosition,
}

#[derive(Debug, Serialize)]
struct Step {
    object: String,
    /// What refers to the next step: a field, `[i]`; `None` for the target.
    by: Option<String>,
}

impl Answer for Paths {
    const QUERY: &'static str = "paths";

    /// Paths with a blank line between them.
    fn text(&self) -> String {
        if self.paths.is_empty() {
            return self.why_none();
        }
        let texts: Vec<_> = self.paths.iter().map(|path| path.text.as_str()).collect();
        texts.join("\n\n") + "\n"
    }
}

impl Paths {
    fn why_none(&self) -> String {
        let none = format!("no path along {} references from a root to {}", self.along, self.to);
        match self.only_by {
            Some(strength) => {
                format!("{none}; there is one by a {strength} reference (--{})\n", option(strength))
            }
            None => format!("{none}: nothing holds it any more, or all paths are excluded\n"),
        }
    }
}

/// The option that shows paths by such references.
fn option(strength: &str) -> &str {
    if strength == "phantom" { "all" } else { strength }
}

pub(super) fn run(args: &PathsArgs) -> Result<(), Error> {
    let file = asked::open(&args.heap)?;
    let graph = file.graph()?;
    let targets = selection::some_objects(&graph, &args.to)?;
    let answer = {
        let _progress = Progress::work("searching paths");
        search(&file, &graph, targets, args)?
    };
    document::show(&file.source(), &answer, args.json.is_json())
}

fn search(
    file: &DumpFile,
    graph: &Graph,
    targets: Vec<ObjectIndex>,
    args: &PathsArgs,
) -> Result<Paths, QueryError> {
    let targets = ObjectSet::of(graph, targets);
    let weakest = args.strength.weakest();
    let plain = weakest == Strength::Strong && args.exclude.is_empty();
    let found = match plain.then(|| file.shortest_paths(graph)).flatten() {
        Some(known) => paths::shortest_known(graph, &targets, &known, args.number),
        None => paths::shortest(graph, &targets, &filter(graph, weakest, &args.exclude)?, args.number),
    };
    let only_by = if found.is_empty() {
        let any = filter(graph, Strength::Phantom, &args.exclude)?;
        paths::strongest(graph, &targets, &any).map(|path| name(path.strength(graph)))
    } else {
        None
    };
    Ok(Paths {
        to: args.to.clone(),
        targets: targets.len(),
        along: name(weakest),
        paths: found.iter().map(|path| json(graph, path)).collect(),
        only_by,
    })
}

fn filter(graph: &Graph, weakest: Strength, exclude: &[String]) -> Result<Filter, QueryError> {
    let mut filter = Filter::new(graph, weakest);
    selection::skip(graph, &mut filter, exclude)?;
    Ok(filter)
}

fn name(strength: Strength) -> &'static str {
    match strength {
        Strength::Strong => "strong",
        Strength::Soft => "soft",
        Strength::Weak => "weak",
        Strength::Phantom => "phantom",
    }
}

fn json(graph: &Graph, path: &Path) -> PathJson {
    let by_static = path.static_field(graph).is_some();
    let edges = path.edges(graph).skip(usize::from(by_static));
    let step = |object, by| Step { object: paths::object_text(graph, object), by };
    let mut steps: Vec<_> = edges.map(|edge| step(edge.from, Some(paths::edge_text(&edge)))).collect();
    steps.push(step(path.target(graph), None));
    PathJson { root: root(graph, path), strength: name(path.strength(graph)), steps, text: path.text(graph) }
}

fn root(graph: &Graph, path: &Path) -> RootJson {
    if let Some(edge) = path.static_field(graph)
        && let EdgeName::Static { declaring, name, .. } = edge.name
    {
        return RootJson {
            kind: "static field".to_owned(),
            declared_by: Some(graph.class(*declaring).name.to_string()),
            field: Some(name.to_string()),
            place: StackPosition::default(),
        };
    }
    let kind = &path.root(graph).kind;
    RootJson {
        kind: kind.name().to_owned(),
        declared_by: None,
        field: None,
        place: root_kind::stack_position(kind),
    }
}
