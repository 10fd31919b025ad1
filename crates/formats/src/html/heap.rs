//! The same page of a heap: who retains what, by class, as a flame graph of dominators; or bytes by class and package.
//!
//! Not here: the tree of dominators (`mayfly-heap`).

use std::io::{self, Write};

use mayfly_report::{count, size};

use super::cells::{Cells, Placed};
use super::document::{Class, Data, Head, written};
use super::figures::Figure;
use super::growing::Growing;

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
        let parts = self.parts.iter().map(|part| (&*part.path, &*part.class));
        let Placed { mut cells, places, classes } = Cells::of_paths(parts);
        for (part, place) in self.parts.iter().zip(places) {
            cells.add(place, &[part.bytes, part.objects]);
        }
        let classes: Vec<_> = classes.into_iter().map(Class::named).collect();
        let figures = self.figures(classes.len());
        let data = Data::without_lives(vec!["bytes", "objects"], classes, cells);
        let head = Head {
            title: &self.title,
            heading: &self.heading,
            facts: self.facts.clone(),
            figures,
            found: Vec::new(),
            growing: Growing::default(),
            old: Vec::new(),
            trust: self.words.clone(),
            summary: "",
            is_compared: false,
        };
        written(head, &data, out)
    }

    fn figures(&self, classes: usize) -> Vec<Figure> {
        let sum = |of: fn(&HeapPart) -> u64| self.parts.iter().map(of).fold(0, u64::saturating_add);
        let figure = |label, value, note: &str| Figure { label, value, note: note.to_owned(), meaning: "" };
        vec![
            figure("Bytes", size(sum(|part| part.bytes)), "shallow sizes"),
            figure("Objects", count(sum(|part| part.objects)), ""),
            figure("Classes", classes.to_string(), ""),
        ]
    }
}
