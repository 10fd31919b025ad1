//! Dumps of one program, in their order: what grew from each to the next, and a path to it in the last.

use std::path::PathBuf;

use mayfly_heap::dominators::Dominators;
use mayfly_heap::growth::{Outline, Sustained, sustained};
use mayfly_heap::{EdgeName, Filter, Graph, ObjectSet, Strength, paths};
use mayfly_profile::is_of_the_jdk;
use mayfly_verdicts::leaks::{Growth, Suspicion, growing, is_of_expiry};

use crate::error::Error;
use crate::heap::dump_file::DumpFile;
use crate::heap::progress::Progress;
use crate::verdicts::{Leaks, Searched, Suspect};

/// Leaks and doubtful ones that are shown with a path.
const MOST: usize = 5;
/// Less than this, and than one part in so many of the heap, is not looked at.
const LEAST_BYTES: u64 = 4 << 10;
const LEAST_PART: u64 = 2000;

pub(super) fn search(files: &[PathBuf]) -> Result<Leaks, Error> {
    let mut dumps = Dumps::default();
    for file in files {
        dumps.add(&DumpFile::open(file)?)?;
    }
    let names = files.iter().map(|file| file.display().to_string()).collect();
    Ok(dumps.leaks(Searched::Dumps { files: names }))
}

/// The dumps so far: outlines of all, the graph of the last.
#[derive(Default)]
pub(super) struct Dumps {
    outlines: Vec<Outline>,
    last: Option<Graph>,
}

impl Dumps {
    /// Takes the next dump.
    pub(super) fn add(&mut self, file: &DumpFile) -> Result<(), Error> {
        if let Some(before) = self.outlines.last_mut() {
            before.forget_objects();
        }
        self.last = None;
        let graph = file.graph()?;
        let _progress = Progress::work("finding what holds what");
        self.outlines.push(Outline::new(&graph, &Dominators::new(&graph, &held(&graph))));
        self.last = Some(graph);
        Ok(())
    }

    /// What they tell.
    pub(super) fn leaks(&self, searched: Searched) -> Leaks {
        let heap_bytes = self.outlines.last().map_or(0, Outline::bytes);
        let least = LEAST_BYTES.max(heap_bytes / LEAST_PART);
        let judged =
            sustained(&self.outlines, least).into_iter().map(|row| (self.judged(&row, heap_bytes), row));
        let mut rows: Vec<(Suspicion, Sustained)> =
            judged.filter(|(suspicion, _)| !matches!(suspicion, Suspicion::Harmless(_))).collect();
        rows.sort_by_key(|(suspicion, _)| suspicion.rank());
        let more = rows.len().saturating_sub(MOST);
        rows.truncate(MOST);
        let suspects = rows.into_iter().map(|(suspicion, row)| self.suspect(suspicion, &row)).collect();
        Leaks { searched, suspects, more, untold: None, floor: None }
    }

    fn judged(&self, row: &Sustained, heap_bytes: u64) -> Suspicion {
        let mut growth = Growth {
            objects: row.own.iter().map(|total| total.objects).collect(),
            bytes: row.retained.iter().map(|total| total.bytes).collect(),
            soft: row.soft.clone(),
            heap_bytes,
            expiry: None,
        };
        // All objects are gone through for it: only where it decides.
        if growing(&growth) == Suspicion::Leak {
            growth.expiry = self.expiry(row);
        }
        growing(&growth)
    }

    /// A field by which entries may be dropped in time, of the element or of what holds it, up to the first class that is the program's own.
    fn expiry(&self, row: &Sustained) -> Option<String> {
        let (graph, outline) = (self.last.as_ref()?, self.outlines.last()?);
        let own = row.path[..row.element].iter().rposition(|label| is_own(label));
        let mut nodes = own.unwrap_or(row.element)..=shown(row);
        nodes.find_map(|node| {
            // One stands for all, which are of one class.
            let object = outline.objects(&row.path[..=node]).first().copied()?;
            graph.edges(object).find_map(|edge| match edge.name {
                EdgeName::Field { declaring, name, .. } if is_of_expiry(name) => {
                    Some(format!("{}.{name}", graph.class(*declaring).name))
                }
                // Statics of a class may be of anything.
                _ => None,
            })
        })
    }

    fn suspect(&self, suspicion: Suspicion, row: &Sustained) -> Suspect {
        let shown = shown(row);
        let of = |totals: &[mayfly_heap::Total], what: fn(&mayfly_heap::Total) -> u64| {
            totals.iter().map(what).collect::<Vec<_>>()
        };
        Suspect {
            suspicion,
            what: class_of(&row.path[shown]).to_owned(),
            objects: of(&row.own, |total| total.objects),
            bytes: of(&row.retained, |total| total.bytes),
            held_by: row.path[..row.element].iter().map(|label| label.to_string()).collect(),
            path: self.path(&row.path[..=shown]),
            ..Suspect::default()
        }
    }

    /// A shortest path to one of the objects, in the last dump.
    fn path(&self, labels: &[Box<str>]) -> Option<String> {
        let (graph, outline) = (self.last.as_ref()?, self.outlines.last()?);
        let objects = ObjectSet::of(graph, outline.objects(labels));
        let _progress = Progress::work("searching paths");
        paths::shortest(graph, &objects, &held(graph), 1).first().map(|path| path.text(graph))
    }
}

/// What the collector can't take: strong references.
fn held(graph: &Graph) -> Filter {
    Filter::new(graph, Strength::Strong)
}

/// Down to the first object that is the program's own: `HashMap$Node` says little.
fn shown(row: &Sustained) -> usize {
    let own = row.path.iter().skip(row.element).position(|label| is_own(label));
    row.element + own.unwrap_or(0)
}

/// The class in a label: `a.B` of `class a.B` and of `field: a.B`.
fn class_of(label: &str) -> &str {
    let class = label.rsplit(": ").next().unwrap_or(label);
    class.strip_prefix("class ").unwrap_or(class)
}

/// Whether a class is neither the JDK's nor an array of such, or of numbers.
fn is_own(label: &str) -> bool {
    let class = class_of(label).trim_start_matches('[');
    let element = if class.len() < class_of(label).len() { class.strip_prefix('L') } else { Some(class) };
    element.is_some_and(|class| !is_of_the_jdk(class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_classes_are_told_from_the_jdks() {
        for (label, class, own) in [
            ("a.B", "a.B", true),
            ("class a.B", "a.B", true),
            ("cache: java.util.HashMap", "java.util.HashMap", false),
            ("[La.B;", "[La.B;", true),
            ("[Ljava.lang.Object;", "[Ljava.lang.Object;", false),
            ("[[B", "[[B", false),
        ] {
            assert_eq!((class_of(label), is_own(label)), (class, own), "{label}");
        }
    }
}
