//! The same page of two sides: frames coloured by what grew and shrank, classes with the verdicts on them.
//!
//! Not here: the verdicts (`mayfly-verdicts`), and their words (the CLI).

use std::collections::HashMap;
use std::io::{self, Write};

use mayfly_report::size;

use super::cells::{Cells, Placed};
use super::document::{Class, Data, Head, written};
use super::figures::Figure;
use super::growing::Growing;
use super::verdicts::Verdicts;

/// What changed between two sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiffPage {
    /// Of what.
    pub title: String,
    /// Short texts below the title.
    pub facts: Vec<String>,
    /// Sentences on how sure it is.
    pub words: Vec<String>,
    /// The same as text.
    pub summary: String,
    /// Whether both sides know what was live.
    pub live: bool,
    /// On all of it.
    pub total: Verdicts,
    /// By class, as [`DiffPart::class`] names it; classes without are not judged.
    pub classes: HashMap<String, Verdicts>,
    /// Objects of one class from one stack each.
    pub parts: Vec<DiffPart>,
}

/// Objects of one class from one stack, on both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiffPart {
    /// From the outermost frame on.
    pub path: Vec<String>,
    /// As `Class.getName()` gives it.
    pub class: String,
    /// Bytes allocated before and after.
    pub allocated: [f64; 2],
    /// Bytes live before and after.
    pub live: [f64; 2],
}

impl DiffPage {
    /// Writes the page. Deterministic.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Placed { cells, places, classes } = self.placed();
        let values = if self.live { vec!["bytes", "live"] } else { vec!["bytes"] };
        let classes = classes.into_iter().map(|name| self.class(name)).collect();
        let data = Data { sides: Some(self.sides(&places)), ..Data::without_lives(values, classes, cells) };
        let head = Head {
            title: &self.title,
            heading: "What grew and shrank",
            facts: self.facts.clone(),
            figures: self.figures(),
            found: Vec::new(),
            growing: Growing::default(),
            old: Vec::new(),
            trust: self.words.clone(),
            summary: &self.summary,
            is_compared: true,
        };
        written(head, &data, out)
    }

    fn placed(&self) -> Placed<'_> {
        Cells::of_paths(self.parts.iter().map(|part| (&*part.path, &*part.class)))
    }

    fn class<'a>(&'a self, name: &'a str) -> Class<'a> {
        Class { verdicts: self.classes.get(name), ..Class::named(name) }
    }

    /// Of each cell the numbers before, then those after, in the order of the values.
    fn sides(&self, places: &[usize]) -> Vec<Vec<f64>> {
        let numbers = |part: &DiffPart| {
            [0, 1]
                .map(|side| {
                    if self.live {
                        vec![part.allocated[side], part.live[side]]
                    } else {
                        vec![part.allocated[side]]
                    }
                })
                .concat()
        };
        let mut sides: Vec<Vec<f64>> = Vec::new();
        for (part, &place) in self.parts.iter().zip(places) {
            match sides.get_mut(place) {
                Some(sums) => sums.iter_mut().zip(numbers(part)).for_each(|(sum, number)| *sum += number),
                None => sides.push(numbers(part)),
            }
        }
        sides
    }

    fn figures(&self) -> Vec<Figure> {
        let sum = |of: fn(&DiffPart) -> [f64; 2], side: usize| {
            size(self.parts.iter().map(|part| of(part)[side]).sum::<f64>().round() as u64)
        };
        let figure = |label, of: fn(&DiffPart) -> [f64; 2], verdict: &str| Figure {
            label,
            value: format!("{} \u{2192} {}", sum(of, 0), sum(of, 1)),
            note: verdict.to_owned(),
            meaning: "",
        };
        let mut figures =
            vec![figure("Allocated, before and after", |part| part.allocated, &self.total.allocated)];
        if self.live {
            figures.push(figure("Live at the end, before and after", |part| part.live, &self.total.live));
        }
        figures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_one_place_are_one_cell() {
        let part = |allocated| DiffPart {
            path: vec!["a.Main.main".into()],
            class: "[B".into(),
            allocated,
            live: [1.0, 0.5],
        };
        let page =
            DiffPage { live: true, parts: vec![part([1.5, 2.0]), part([0.5, 0.0])], ..DiffPage::default() };
        assert_eq!(page.sides(&page.placed().places), [[2.0, 2.0, 2.0, 1.0]]);
    }
}
