//! One page that needs nothing but a browser: cells are in it, and added up there.
//!
//! Its script is plain: `cells.js` adds up, `flame.js` and `charts.js` draw, `page.js` ties them to what is chosen. All texts of other programs pass the template's escapes, or are data
//! that the script writes as text. Not here: what the numbers are (`mayfly-profile`), the words of the summary
//! (`mayfly-report`).

mod answer;
mod cells;
mod clocks;
mod diff;
mod document;
mod figures;
mod groups;
mod growing;
mod heap;
mod old;
mod timeline;
mod traces;
mod verdicts;

use std::collections::HashMap;
use std::io::{self, Write};

use mayfly_profile::{ClassProfile, Lifetimes, MEASURES, Profile, Slices, Value};
use mayfly_report::{Occasion, Summary, coverage, measured, sources_line};

pub use self::answer::{AnswerPage, AnswerPart};
use self::cells::{Cells, classes};
use self::clocks::Clocks;
pub use self::diff::{DiffPage, DiffPart};
use self::document::{Class, Curves, Data, Head, written};
use self::figures::{facts, figures};
use self::growing::Growing;
pub use self::heap::{HeapPage, HeapPart};
use self::timeline::Timeline;
use self::traces::Traces;
pub use self::verdicts::Verdicts;
use crate::choice::{Choice, values};

/// Classes of which the clocks of collections and of bytes are told, too: those with most bytes.
const CLOCKS: usize = 60;

pub(crate) fn write(
    profile: &Profile,
    slices: Option<&Slices>,
    choice: &Choice,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut all = Lifetimes::default();
    profile.classes.iter().filter_map(|class| class.lifetimes.as_ref()).for_each(|one| all.merge(one));
    let occasion = Occasion { timestamp: None, reason: "mayfly report".to_owned() };
    let Summary { text, found, growers, growing } = Summary::of(profile, &profile.run.view, &occasion);
    let command = profile.run.jvm.command.as_str();
    let merged = sources_line(profile);
    let head = Head {
        title: merged.as_deref().unwrap_or(if command.is_empty() { "a recording" } else { command }),
        heading: "Stacks",
        facts: facts(profile),
        figures: figures(profile, &all),
        found,
        growing: Growing::of(profile, growers),
        old: old::rows(profile, growing.as_ref()),
        trust: coverage(profile),
        summary: &text,
        is_compared: false,
    };
    written(head, &data(profile, &all, slices, choice), out)
}

fn data<'a>(profile: &'a Profile, all: &Lifetimes, slices: Option<&Slices>, choice: &Choice) -> Data<'a> {
    let known: Vec<Value> = values(profile).collect();
    let names = classes(profile);
    let rows: HashMap<&str, (usize, &ClassProfile)> = profile
        .classes
        .iter()
        .enumerate()
        .map(|(rank, class)| (class.name.as_str(), (rank, class)))
        .collect();
    let class = |&name: &&'a str| {
        let row = rows.get(name);
        let is_top = row.is_some_and(|(rank, _)| *rank < CLOCKS);
        let lifetimes = row.and_then(|(_, class)| class.lifetimes.as_ref());
        let clocks = row.filter(|_| is_top).and_then(|(_, class)| Clocks::of(class));
        let survival = lifetimes.map(|one| Curves::of(one, is_top)).unwrap_or_default();
        let measures = row.map(|(_, class)| texts(profile, class)).unwrap_or_default();
        Class { measures, survival, clocks, ..Class::named(name) }
    };
    let cells = Cells::of(profile, slices, &names, &known, choice.lines);
    Data {
        traces: Traces::of(profile, &cells.traced),
        values: known.iter().map(|value| value.name()).collect(),
        value: choice.value.name(),
        meanings: known.iter().map(|&value| meaning(value)).collect(),
        measures: MEASURES.iter().map(|measure| [measure.long, measure.meaning]).collect(),
        classes: names.iter().map(class).collect(),
        cells,
        sides: None,
        survival: Curves::of(all, true),
        clocks: Clocks::of_all(profile),
        timeline: Timeline::of(profile),
    }
}

/// What a value is.
fn meaning(value: Value) -> &'static str {
    MEASURES.iter().find(|measure| measure.value == Some(value)).map_or("", |measure| measure.meaning)
}

/// The measures of a class in words, in their order.
fn texts(profile: &Profile, class: &ClassProfile) -> Vec<Option<String>> {
    MEASURES.iter().map(|measure| measured(measure, measure.of(profile, class)?)).collect()
}
