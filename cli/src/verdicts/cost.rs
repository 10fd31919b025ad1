//! What profiling costs, as text and as JSON. Described for users in `docs/guide/cost.md`.

use std::time::Duration;

use mayfly_report::{duration, right_aligned, size, whole_seconds};
use mayfly_verdicts::{Cost, OfRounds};

use super::document::Document;
use crate::json::object;

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

/// As JSON, schema `mayfly-cost/1`.
pub(crate) fn costs_json(costs: &Costs) -> String {
    let ways = costs.ways.iter().enumerate().map(|(at, Way { name, cost })| {
        let beside = |of: OfRounds| (at > 0).then_some(of);
        object! {
            way: name,
            cpu_s: cost.cpu_s,
            elapsed_s: cost.elapsed_s,
            peak_bytes: cost.peak_bytes,
            /// Of the way without, in the same round; null for that itself.
            more_cpu_share: beside(cost.more_cpu),
            /// In the second half of the time; null if the program ended by itself.
            more_late_cpu_share: cost.more_late_cpu.and_then(beside),
            more_elapsed_share: beside(cost.more_elapsed),
            more_bytes: cost.more_bytes.and_then(beside),
        }
    });
    let document = object! {
        schema: "mayfly-cost/1",
        program: &costs.program,
        rounds: costs.rounds,
        /// Null if the program ended by itself.
        ended_after_s: costs.ended_after.map(|time| time.as_secs()),
        ways: ways.collect::<Vec<_>>(),
    };
    serde_json::to_string_pretty(&document).expect("names and finite numbers") + "\n"
}

/// Above what a way takes more than the one without.
const MORE: &str = "more (least to most)";

/// Of fewer rounds all lie on one side by chance in more than one case of ten.
const ENOUGH: usize = 5;

/// What a difference of few rounds is worth.
fn of_few(rounds: usize) -> String {
    format!("Of {} it is not known what is chance: --rounds 5.", number(rounds))
}

fn number(rounds: usize) -> String {
    if rounds == 1 { "one round".to_owned() } else { format!("{rounds} rounds") }
}

/// A sentence for each way, and a table.
pub(crate) fn costs_document(costs: &Costs) -> Document {
    let mut document = Document::default();
    costs.ways.iter().skip(1).for_each(|way| document.sentence(sentence(way, costs.rounds)));
    let late = costs.ways.iter().skip(1).filter_map(late).collect::<Vec<_>>();
    if !late.is_empty() {
        // A program that ends by itself does so in the second half, with the report.
        let of = if costs.ended_after.is_some() { "once it is up" } else { "with its end" };
        document.sentence(format!("CPU time in the second half of each run, {of}: {}.", late.join("; ")));
    }
    match costs.ways.first() {
        _ if costs.rounds < ENOUGH => document.sentence(of_few(costs.rounds)),
        without => without.and_then(apart).into_iter().for_each(|sentence| document.sentence(sentence)),
    }
    if let Some(time) = costs.ended_after {
        document.sentence(format!(
            "Each run was ended after {}: the numbers compare only if the program had the same to do in each.",
            whole_seconds(time.as_secs())
        ));
    }
    let more = if costs.rounds == 1 { "more" } else { MORE };
    let headings = ["CPU time", more, "elapsed", more, "peak resident", more, "way"];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    let one = costs.rounds == 1;
    rows.extend(costs.ways.iter().enumerate().map(|(at, way)| row(way, at > 0, one)));
    document.block(
        format!("Medians of {}; more: than in the same round without Mayfly:", number(costs.rounds)),
        right_aligned(&rows, "  ").lines().map(str::to_owned).collect(),
    );
    document
}

fn sentence(way: &Way, rounds: usize) -> String {
    if rounds == 1 {
        return of_one_round(way);
    }
    let cpu = way.cost.more_cpu;
    let memory = way.cost.more_bytes.map_or(String::new(), |more| format!(", and {}", memory(more)));
    if cpu.may_be_none() {
        return format!(
            "{}: the difference in CPU time is within that of the rounds ({}){memory}.",
            way.name,
            range(cpu)
        );
    }
    let [takes, rounds] = match rounds < ENOUGH {
        true => ["took", &format!(", in {}", number(rounds))],
        false => ["takes", ""],
    };
    format!("{} {takes} {} CPU time ({}){memory}{rounds}.", way.name, more(cpu), range(cpu))
}

/// How far the rounds without Mayfly are apart, if that is so much that differences of that size may be chance.
fn apart(without: &Way) -> Option<String> {
    const MUCH: f64 = 0.05;
    let OfRounds { median, least, most } = without.cost.cpu_s;
    let apart = (most - least) / median.max(f64::MIN_POSITIVE);
    (apart >= MUCH).then(|| {
        format!(
            "Without Mayfly the rounds differ by {} themselves ({} to {} of CPU time): such differences may be chance; --rounds 9 tells more.",
            percent(apart),
            duration(1_000.0 * least),
            duration(1_000.0 * most)
        )
    })
}

/// What a service pays once it is up.
fn late(way: &Way) -> Option<String> {
    let late = way.cost.more_late_cpu?;
    let range = if late.least < late.most { format!(" ({})", range(late)) } else { String::new() };
    Some(format!("{} {}{range}", way.name, more(late)))
}

/// Without a range, which would look like certainty.
fn of_one_round(way: &Way) -> String {
    let memory = |of: OfRounds| {
        let word = if of.median < 0.0 { "less" } else { "more" };
        format!(", and {} {word} peak resident memory", size(of.median.abs() as u64))
    };
    let memory = way.cost.more_bytes.map_or(String::new(), memory);
    format!("{} took {} CPU time{memory}, in one round.", way.name, more(way.cost.more_cpu))
}

/// `12 % more`.
fn more(share: OfRounds) -> String {
    format!("{} {}", percent(share.median.abs()), if share.median < 0.0 { "less" } else { "more" })
}

/// What the JVM has resident at its peak.
fn memory(more: OfRounds) -> String {
    if more.may_be_none() {
        let range = range_of_bytes(more);
        return format!("the difference in peak resident memory is within that of the rounds ({range})");
    }
    let word = if more.median < 0.0 { "less" } else { "more" };
    format!("{} {word} peak resident memory ({})", size(more.median.abs() as u64), range_of_bytes(more))
}

fn row(way: &Way, is_beside: bool, one_round: bool) -> Vec<String> {
    let Cost { cpu_s, elapsed_s, peak_bytes, more_cpu, more_elapsed, more_bytes, .. } = way.cost;
    let seconds = |of: OfRounds| duration(of.median * 1_000.0);
    let beside = |text: String| if is_beside { text } else { "-".to_owned() };
    let ranged = |of: String, range: String| if one_round { of } else { format!("{of} ({range})") };
    let share = |of: OfRounds| beside(ranged(percent(of.median), range(of)));
    let peak = peak_bytes.map_or("?".to_owned(), |of| signed_bytes(of.median));
    let more_bytes =
        more_bytes.map_or("?".to_owned(), |of| ranged(signed_bytes(of.median), range_of_bytes(of)));
    vec![
        seconds(cpu_s),
        share(more_cpu),
        seconds(elapsed_s),
        share(more_elapsed),
        peak,
        beside(more_bytes),
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

fn range_of_bytes(of: OfRounds) -> String {
    format!("{} to {}", signed_bytes(of.least), signed_bytes(of.most))
}

#[cfg(test)]
mod tests {
    use mayfly_verdicts::MeasuredRun;

    use super::*;

    fn of(median: f64, least: f64, most: f64) -> OfRounds {
        OfRounds { median, least, most }
    }

    fn text(more_bytes: Option<OfRounds>) -> String {
        text_of(5, more_bytes)
    }

    fn text_of(rounds: usize, more_bytes: Option<OfRounds>) -> String {
        let cost = Cost {
            cpu_s: of(1.1, 1.0, 1.2),
            elapsed_s: of(1.1, 1.0, 1.2),
            peak_bytes: Some(of(1e8, 9e7, 1.1e8)),
            more_cpu: of(0.12, 0.09, 0.14),
            more_late_cpu: None,
            more_elapsed: of(0.0, -0.01, 0.01),
            more_bytes,
        };
        let way = |name| Way { name, cost };
        let ways = vec![way("without Mayfly"), way("mayfly run")];
        let costs = Costs { program: "java".into(), rounds, ended_after: None, ways };
        costs_document(&costs).text(200)
    }

    #[test]
    fn which_memory_it_is_and_how_far_rounds_differ_is_stated() {
        const MIB: f64 = 1_048_576.0;
        let sure = text(Some(of(24.0 * MIB, 20.0 * MIB, 30.0 * MIB)));
        let sentence = "takes 12 % more CPU time (9 to 14 %), and 24.0 MiB more peak resident memory (20.0 MiB to 30.0 MiB).";
        assert!(sure.contains(sentence), "{sure}");
        assert!(sure.contains("peak resident") && sure.contains("24.0 MiB (20.0 MiB to 30.0 MiB)"), "{sure}");
        let chance = text(Some(of(5.0 * MIB, -2.0 * MIB, 9.0 * MIB)));
        let sentence =
            "the difference in peak resident memory is within that of the rounds (-2.00 MiB to 9.00 MiB)";
        assert!(chance.contains(sentence), "{chance}");
        assert!(!text(None).contains("peak resident memory"));
    }

    /// "16 % more CPU time (16 to 16 %)" of rounds that took 2.0 to 2.4 s without.
    #[test]
    fn rounds_that_differ_by_themselves_are_named() {
        let without = |least, most| Way {
            name: "without Mayfly",
            cost: Cost {
                cpu_s: of(2.2, least, most),
                ..Cost::of(&[MeasuredRun::default()], &[MeasuredRun::default()]).expect("a round")
            },
        };
        let sentence = super::apart(&without(2.0, 2.4)).expect("18 %");
        assert!(sentence.contains("differ by 18 % themselves (2.00 s to 2.40 s of CPU time)"), "{sentence}");
        assert_eq!(super::apart(&without(2.19, 2.21)), None);
    }

    #[test]
    fn what_a_service_pays_once_it_is_up_is_a_sentence() {
        let late = |median, least, most| Way {
            name: "mayfly run",
            cost: Cost {
                more_late_cpu: Some(of(median, least, most)),
                ..Cost::of(&[MeasuredRun::default()], &[MeasuredRun::default()]).expect("a round")
            },
        };
        assert_eq!(super::late(&late(0.02, 0.01, 0.04)).as_deref(), Some("mayfly run 2 % more (1 to 4 %)"));
        assert_eq!(super::late(&late(-0.02, -0.02, -0.02)).as_deref(), Some("mayfly run 2 % less"));
    }

    /// "takes 1 % less CPU time (-1 to -1 %)" looks certain.
    #[test]
    fn one_round_has_no_range_and_does_not_show_what_is_chance() {
        let one = text_of(1, Some(of(25_165_824.0, 25_165_824.0, 25_165_824.0)));
        let sentence =
            "mayfly run took 12 % more CPU time, and 24.0 MiB more peak resident memory, in one round.";
        assert!(one.contains(sentence) && one.contains(&of_few(1)) && !one.contains(" to "), "{one}");
        assert!(!text(None).contains("what is chance"));
    }

    /// "takes 12 % less CPU time (-21 to -3 %)" was said of two rounds.
    #[test]
    fn few_rounds_show_what_was_and_not_what_is() {
        let two = text_of(2, None);
        assert!(two.contains("mayfly run took 12 % more CPU time (9 to 14 %), in 2 rounds."), "{two}");
        assert!(two.contains("Of 2 rounds it is not known what is chance: --rounds 5."), "{two}");
    }
}
