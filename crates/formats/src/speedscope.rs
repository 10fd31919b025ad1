//! JSON of speedscope (<https://www.speedscope.app/file-format-schema.json>): a profile per number, of which the wanted one is
//! shown first.

use std::collections::HashMap;
use std::io::{self, Write};

use mayfly_profile::{Cell, Profile, Value};
use serde::Serialize;

use crate::choice::{Choice, values};
use crate::spelling::frame;
use mayfly_report::readable_class;

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

#[derive(Serialize)]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: &'a str,
    #[serde(rename = "activeProfileIndex")]
    active: usize,
    shared: Shared,
    profiles: Vec<Sampled>,
}

#[derive(Default, Serialize)]
struct Shared {
    frames: Vec<NamedFrame>,
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
struct NamedFrame {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Serialize)]
struct Sampled {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'static str,
    unit: &'static str,
    #[serde(rename = "startValue")]
    start: u64,
    #[serde(rename = "endValue")]
    end: u64,
    samples: Vec<Vec<usize>>,
    weights: Vec<u64>,
}

pub(crate) fn write(profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let cells = profile.cells();
    let mut frames = Frames::default();
    let stacks: Vec<_> = cells.iter().map(|cell| frames.stack_of(cell, choice.lines)).collect();
    let known: Vec<Value> = values(profile).collect();
    let file = File {
        schema: SCHEMA,
        exporter: concat!("mayfly ", env!("CARGO_PKG_VERSION")),
        name: &profile.run.jvm.command,
        active: known.iter().position(|&value| value == choice.value).unwrap_or(0),
        shared: frames.shared,
        profiles: known.iter().map(|&value| sampled(value, &cells, &stacks)).collect(),
    };
    serde_json::to_writer(&mut *out, &file)?;
    out.write_all(b"\n")
}

fn sampled(value: Value, cells: &[Cell<'_>], stacks: &[Vec<usize>]) -> Sampled {
    let some = cells.iter().zip(stacks).filter(|(cell, _)| cell.amounts.of(value) > 0);
    let (samples, weights): (Vec<_>, Vec<_>) =
        some.map(|(cell, stack)| (stack.clone(), cell.amounts.of(value))).unzip();
    Sampled {
        kind: "sampled",
        name: value.name(),
        unit: if value.unit() == "bytes" { "bytes" } else { "none" },
        start: 0,
        end: weights.iter().sum(),
        samples,
        weights,
    }
}

#[derive(Default)]
struct Frames {
    shared: Shared,
    ids: HashMap<NamedFrame, usize>,
}

impl Frames {
    /// The stack of a cell from the outermost frame on, ending in its class.
    fn stack_of(&mut self, cell: &Cell<'_>, lines: bool) -> Vec<usize> {
        let mut stack: Vec<_> = cell
            .stack
            .from_outermost()
            .map(|one| {
                self.id(NamedFrame {
                    name: frame(one, false),
                    file: one.file.as_deref().map(str::to_owned),
                    line: one.line.filter(|_| lines),
                })
            })
            .collect();
        stack.push(self.id(NamedFrame { name: readable_class(cell.class), file: None, line: None }));
        stack
    }

    fn id(&mut self, frame: NamedFrame) -> usize {
        let next = self.shared.frames.len();
        *self.ids.entry(frame).or_insert_with_key(|frame| {
            self.shared.frames.push(frame.clone());
            next
        })
    }
}
