//! The same page of two sides: frames coloured by what grew and shrank, classes with the verdicts on them.
//!
//! Not here: the verdicts (`mayfly-verdicts`), and their words (the CLI).

use std::collections::HashMap;
use std::io::{self, Write};

use mayfly_report::size;

use super::cells::Cells;
use super::clocks::Clocks;
use super::document::{Class, Curves, Data, Head, written};
use super::figures::Figure;
use super::timeline::Timeline;
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
        let mut ids: HashMap<&str, usize> = HashMap::new();
        let mut names: Vec<&str> = Vec::new();
        for part in &self.parts {
            let next = names.len();
            if *ids.entry(&part.class).or_insert(next) == next {
                names.push(&part.class);
            }
        }
        let paths = self.parts.iter().map(|part| (&*part.path, ids[&*part.class]));
        let (cells, places) = Cells::of_paths(paths);
        let data = Data {
            values: if self.live { vec!["bytes", "live"] } else { vec!["bytes"] },
            value: "bytes",
            classes: names.iter().map(|name| self.class(name)).collect(),
            sides: Some(self.sides(&places)),
            cells,
            survival: Curves::default(),
            clocks: Clocks::default(),
            timeline: Timeline::default(),
        };
        let head = Head {
            title: &self.title,
            heading: "What grew and shrank",
            facts: self.facts.clone(),
            figures: self.figures(),
            trust: self.words.clone(),
            summary: &self.summary,
            is_compared: true,
        };
        written(head, &data, out)
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
        let paths = page.parts.iter().map(|part| (&*part.path, 0));
        assert_eq!(page.sides(&Cells::of_paths(paths).1), [[2.0, 2.0, 2.0, 1.0]]);
    }
}
