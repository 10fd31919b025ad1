//! What profiling costs, as text and as JSON. Described for users in `docs/guide/cost.md`.

use std::time::Duration;

use mayfly_report::{duration, right_aligned, size, whole_seconds};
use mayfly_verdicts::{Cost, OfRounds};
use serde::Serialize;

use super::document::Document;

/// A way to run the program, and what it took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// As it is called on a command line; that without Mayfly first.
    pub(crate) name: &'static str,
    pub(crate) cost: Cost,
}

/// All ways.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    pub(crate) program: String,
    pub(crate) rounds: usize,
    /// Each run was ended after so long.
    pub(crate) ended_after: Option<Duration>,
    pub(crate) ways: Vec<Way>,
}

#[derive(Serialize)]
struct CostsJson<'a> {
    schema: &'static str,
    program: &'a str,
    rounds: usize,
    /// Null if the program ended by itself.
    ended_after_s: Option<u64>,
    ways: Vec<WayJson>,
}

#[derive(Serialize)]
struct WayJson {
    way: &'static str,
    cpu_s: RoundsJson,
    elapsed_s: RoundsJson,
    peak_bytes: Option<RoundsJson>,
    /// Of the way without, in the same round; null for that itself.
    more_cpu_share: Option<RoundsJson>,
    more_elapsed_share: Option<RoundsJson>,
    more_bytes: Option<RoundsJson>,
}

#[derive(Serialize)]
struct RoundsJson {
    median: f64,
    least: f64,
    most: f64,
}

impl From<OfRounds> for RoundsJson {
    fn from(OfRounds { median, least, most }: OfRounds) -> Self {
        Self { median, least, most }
    }
}

/// As JSON, schema `mayfly-cost/1`.
pub(crate) fn costs_json(costs: &Costs) -> String {
    let ways = costs.ways.iter().enumerate().map(|(at, Way { name, cost })| {
        let beside = |of: OfRounds| (at > 0).then(|| of.into());
        WayJson {
            way: name,
            cpu_s: cost.cpu_s.into(),
            elapsed_s: cost.elapsed_s.into(),
            peak_bytes: cost.peak_bytes.map(Into::into),
            more_cpu_share: beside(cost.more_cpu),
            more_elapsed_share: beside(cost.more_elapsed),
            more_bytes: cost.more_bytes.and_then(beside),
        }
    });
    let document = CostsJson {
        schema: "mayfly-cost/1",
        program: &costs.program,
        rounds: costs.rounds,
        ended_after_s: costs.ended_after.map(|time| time.as_secs()),
        ways: ways.collect(),
    };
    serde_json::to_string_pretty(&document).expect("names and finite numbers") + "\n"
}

/// A sentence for each way, and a table.
pub(crate) fn costs_document(costs: &Costs) -> Document {
    let mut document = Document::default();
    costs.ways.iter().skip(1).for_each(|way| document.sentence(sentence(way)));
    if let Some(time) = costs.ended_after {
        document.sentence(format!(
            "Each run was ended after {}: the numbers compare only if the program had the same to do in each.",
            whole_seconds(time.as_secs())
        ));
    }
    let headings =
        ["CPU time", "more (least to most)", "elapsed", "more (least to most)", "memory", "more", "way"];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    rows.extend(costs.ways.iter().enumerate().map(|(at, way)| row(way, at > 0)));
    let rounds = if costs.rounds == 1 { "one round".to_owned() } else { format!("{} rounds", costs.rounds) };
    document.block(
        format!("Medians of {rounds}; more: than in the same round without Mayfly:"),
        right_aligned(&rows, "  ").lines().map(str::to_owned).collect(),
    );
    document
}

fn sentence(way: &Way) -> String {
    let cpu = way.cost.more_cpu;
    let memory = way.cost.more_bytes.map_or(String::new(), |more| format!(", and {}", memory(more.median)));
    if cpu.may_be_none() {
        return format!(
            "{}: the difference in CPU time is within that of the rounds ({}){memory}.",
            way.name,
            range(cpu)
        );
    }
    let (share, word) = (percent(cpu.median.abs()), if cpu.median < 0.0 { "less" } else { "more" });
    format!("{} takes {share} {word} CPU time ({}){memory}.", way.name, range(cpu))
}

fn memory(bytes: f64) -> String {
    let word = if bytes < 0.0 { "less" } else { "more" };
    format!("{} {word} memory", size(bytes.abs() as u64))
}

fn row(way: &Way, is_beside: bool) -> Vec<String> {
    let Cost { cpu_s, elapsed_s, peak_bytes, more_cpu, more_elapsed, more_bytes } = way.cost;
    let seconds = |of: OfRounds| duration(of.median * 1_000.0);
    let beside = |text: String| if is_beside { text } else { "-".to_owned() };
    let share = |of: OfRounds| beside(format!("{} ({})", percent(of.median), range(of)));
    let bytes = |of: Option<OfRounds>| of.map_or("?".to_owned(), |of| signed_bytes(of.median));
    vec![
        seconds(cpu_s),
        share(more_cpu),
        seconds(elapsed_s),
        share(more_elapsed),
        bytes(peak_bytes),
        beside(bytes(more_bytes)),
        way.name.to_owned(),
    ]
}

fn signed_bytes(bytes: f64) -> String {
    let sign = if bytes < 0.0 { "-" } else { "" };
    format!("{sign}{}", size(bytes.abs() as u64))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0 + 0.0)
}

fn range(of: OfRounds) -> String {
    format!("{:.0} to {:.0} %", of.least * 100.0 + 0.0, of.most * 100.0 + 0.0)
}
