//! The same page of a heap: who retains what, by class, as a flame graph of dominators; or bytes by class and package.
//!
//! Not here: the tree of dominators (`mayfly-heap`).

use std::collections::HashMap;
use std::io::{self, Write};

use mayfly_report::{count, size};

use super::cells::Cells;
use super::clocks::Clocks;
use super::document::{Class, Curves, Data, Head, written};
use super::figures::Figure;
use super::timeline::Timeline;

/// What of a heap is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeapPage {
    /// Of which heap.
    pub title: String,
    /// What the picture is of: `Who retains what`.
    pub heading: String,
    /// Short texts below the title.
    pub facts: Vec<String>,
    /// Sentences on what the numbers are.
    pub words: Vec<String>,
    /// Objects of one class in one place each.
    pub parts: Vec<HeapPart>,
}

/// Objects of one class, and where they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeapPart {
    /// From the outermost on: classes that retain them, or packages.
    pub path: Vec<String>,
    /// As `Class.getName()` gives it.
    pub class: String,
    /// How many.
    pub objects: u64,
    /// Their shallow sizes.
    pub bytes: u64,
}

impl HeapPage {
    /// Writes the page. Deterministic.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut ids: HashMap<&str, usize> = HashMap::new();
        let mut names: Vec<&str> = Vec::new();
        for part in &self.parts {
            let next = names.len();
            if *ids.entry(&part.class).or_insert(next) == next {
                names.push(&part.class);
            }
        }
        let paths = self.parts.iter().map(|part| (&*part.path, ids[&*part.class]));
        let (mut cells, places) = Cells::of_paths(paths);
        for (part, place) in self.parts.iter().zip(places) {
            cells.add(place, &[part.bytes, part.objects]);
        }
        let data = Data {
            values: vec!["bytes", "objects"],
            value: "bytes",
            classes: names.iter().map(|name| Class::named(name)).collect(),
            cells,
            sides: None,
            survival: Curves::default(),
            clocks: Clocks::default(),
            timeline: Timeline::default(),
        };
        let head = Head {
            title: &self.title,
            heading: &self.heading,
            facts: self.facts.clone(),
            figures: self.figures(names.len()),
            trust: self.words.clone(),
            summary: "",
            is_compared: false,
        };
        written(head, &data, out)
    }

    fn figures(&self, classes: usize) -> Vec<Figure> {
        let sum = |of: fn(&HeapPart) -> u64| self.parts.iter().map(of).fold(0, u64::saturating_add);
        let figure = |label, value, note: &str| Figure { label, value, note: note.to_owned() };
        vec![
            figure("Bytes", size(sum(|part| part.bytes)), "shallow sizes"),
            figure("Objects", count(sum(|part| part.objects)), ""),
            figure("Classes", classes.to_string(), ""),
        ]
    }
}
