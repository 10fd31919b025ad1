//! The same question to others: the JDK's old object samples, and async-profiler's live mode. They give no verdict, so what counts is
//! whether the leak is among the first five rows.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::leak_truth::Program;
use crate::leak_verdict::{Outcome, Verdict};

/// Rows that somebody looks at.
const ROWS: usize = 5;
/// How the programs' own frames begin.
const OWN: &str = "leakbench.";

/// The options of a JVM that samples old objects, with paths to them, into a file.
pub(crate) fn jfr_options(file: &Path) -> String {
    // Of the settings of `profile` old objects have stacks.
    format!(
        "-XX:StartFlightRecording:settings=profile,path-to-gc-roots=true,dumponexit=true,filename={}",
        file.display()
    )
}

/// The options of a JVM with async-profiler, which writes a line for each stack and the samples that live.
pub(crate) fn async_profiler_options(library: &Path, file: &Path) -> String {
    format!(
        "-agentpath:{}=start,event=alloc,alloc=512k,live,ann,collapsed,file={}",
        library.display(),
        file.display()
    )
}

/// What the first rows of a recording's old objects name.
pub(crate) fn by_old_objects(program: &Program, jfr: &Path, file: &Path) -> io::Result<Verdict> {
    let mut command = Command::new(jfr);
    let output =
        command.args(["print", "--stack-depth", "64", "--events", "OldObjectSample"]).arg(file).output()?;
    if !output.status.success() {
        return Ok(Verdict::failed(String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(of_rows(program, old_objects(&String::from_utf8_lossy(&output.stdout))))
}

/// What the first rows of live stacks name.
pub(crate) fn by_live_stacks(program: &Program, file: &Path) -> io::Result<Verdict> {
    Ok(of_rows(program, live_stacks(&fs::read_to_string(file)?)))
}

/// The events as printed, by the first own frame of their stacks; with the number of each.
fn old_objects(printed: &str) -> Vec<(String, u64)> {
    let events = printed.split("jdk.OldObjectSample {").skip(1);
    pooled(events.map(|event| (event.to_owned(), 1)))
}

/// Lines `frame;frame;frame N`, the outermost frame first.
fn live_stacks(collapsed: &str) -> Vec<(String, u64)> {
    let lines = collapsed.lines().filter_map(|line| {
        let (stack, samples) = line.rsplit_once(' ')?;
        let frames: Vec<_> = stack.split(';').rev().map(|frame| frame.replace('/', ".")).collect();
        Some((frames.join("\n"), samples.parse().ok()?))
    });
    pooled(lines)
}

/// Those whose first own frame is the same are one row; most samples first.
fn pooled(rows: impl Iterator<Item = (String, u64)>) -> Vec<(String, u64)> {
    let mut pooled: HashMap<String, (String, u64)> = HashMap::new();
    for (text, samples) in rows {
        let stack = text.split_once("stackTrace").map_or(text.as_str(), |(_, stack)| stack);
        let own = stack.lines().find(|line| line.trim().starts_with(OWN)).unwrap_or_default();
        let key = own.split(['(', '_']).next().unwrap_or_default().trim().to_owned();
        let row = pooled.entry(key).or_default();
        row.0.push_str(&text);
        row.1 += samples;
    }
    let mut rows: Vec<_> = pooled.into_values().collect();
    rows.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    rows
}

fn of_rows(program: &Program, rows: Vec<(String, u64)>) -> Verdict {
    let Some(leak) = &program.leak else {
        return Verdict { outcome: Outcome::Silent, others: 0, summary: "it gives no verdict".into() };
    };
    let place = rows.iter().position(|(text, _)| leak.is_named_by(text));
    let samples = place.map_or(0, |place| rows[place].1);
    let outcome = if place.is_some_and(|place| place < ROWS) { Outcome::Found } else { Outcome::Missed };
    let summary = place.map_or_else(
        || format!("not among {} rows", rows.len()),
        |place| format!("row {} of {}, by {samples} samples", place + 1, rows.len()),
    );
    Verdict { outcome, others: 0, summary }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak_truth::Leak;

    fn program() -> Program {
        let leak =
            Leak { kib_per_s: 1, from_s: 0, names: vec!["leakbench.A.make".into()], holders: Vec::new() };
        Program { name: "A".into(), leak: Some(leak), java: 11 }
    }

    #[test]
    fn old_objects_are_pooled_by_the_first_own_frame() {
        let event = |frame: &str| {
            format!(
                "jdk.OldObjectSample {{\n  object = byte[1]\n  stackTrace = [\n    java.util.A.b() line: 1\n    {frame} line: 2\n  ]\n}}\n"
            )
        };
        let text = [
            event("leakbench.B.other()"),
            event("leakbench.A.make(Request)"),
            event("leakbench.A.make(Request)"),
        ];
        let rows = old_objects(&text.concat());
        assert_eq!(rows.iter().map(|row| row.1).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(of_rows(&program(), rows).summary, "row 1 of 2, by 2 samples");
        assert_eq!(of_rows(&program(), old_objects(&text[0])).outcome, Outcome::Missed);
    }

    #[test]
    fn live_stacks_are_read_from_the_inside_and_only_five_rows_count() {
        let mut text = String::from("leakbench/A.make;java/util/HashMap.put;byte[]_[i] 1\n");
        assert_eq!(of_rows(&program(), live_stacks(&text)).outcome, Outcome::Found);
        (0..5).for_each(|other| text += &format!("leakbench/B{other}.make;byte[]_[i] 2\n"));
        let verdict = of_rows(&program(), live_stacks(&text));
        assert_eq!(
            (verdict.outcome, verdict.summary.as_str()),
            (Outcome::Missed, "row 6 of 6, by 1 samples")
        );
    }
}
