//! Several recordings: which of them leak, each judged by itself.
//!
//! Not here: the judgement of one (`recorded`).

use std::path::{Path, PathBuf};

use mayfly_profile::Labels;
use mayfly_report::{printable, size, text_of_classes};

use super::recorded;
use crate::args::judging::LeaksArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::recording_input;
use crate::recordings;
use crate::verdicts::{self, Document, Leaks, Searched};

/// A recording, and what was found in it.
struct Judged {
    file: PathBuf,
    labels: Labels,
    leaks: Leaks,
}

/// Labels with columns of their own, and those that say nothing to people.
const SHOWN_APART: [&str; 5] = ["application", "host", "process", "gc", "java"];

/// A row per recording, those that leak first, the fastest before the others. One that leaks is a failed check; what can't be judged is none
/// that was passed.
pub(super) fn run(given: &[PathBuf], args: &LeaksArgs) -> Result<u8, Error> {
    let judge = |file: PathBuf| judged(file, given, args.trust);
    let mut all = recordings::files(given)?.into_iter().map(judge).collect::<Result<Vec<_>, _>>()?;
    all.sort_by(|a, b| rank(&a.leaks).cmp(&rank(&b.leaks)).then(rate(&b.leaks).total_cmp(&rate(&a.leaks))));
    let format = args.form.format();
    verdicts::show(&document(&all), || json(&all), "which recordings leak", format, args.output.as_deref())?;
    Ok(exit_code(&all))
}

/// That of the worst, which comes first.
fn exit_code(all: &[Judged]) -> u8 {
    all.first().map_or(exit_codes::USAGE, |worst| worst.leaks.exit_code())
}

/// What is in a folder and can't be read is not judged, and has a row.
///
/// # Errors
/// A file that was named can't be read.
fn judged(file: PathBuf, given: &[PathBuf], trust: f64) -> Result<Judged, Error> {
    match recording_input::read(&file, None) {
        Ok(profile) => {
            let leaks = recorded::judged(&file, &profile, trust);
            Ok(Judged { file, labels: profile.all_labels(), leaks })
        }
        Err(error) if given.contains(&file) => Err(error),
        Err(error) => {
            let searched = Searched::Recording { file: shown(&file), collections: 0, seconds: 0.0 };
            let leaks = Leaks { untold: Some(error.to_string()), ..Leaks::of(searched) };
            Ok(Judged { file, labels: Labels::default(), leaks })
        }
    }
}

/// How fast the worst grows, in bytes a second; 0 if that is not known.
fn rate(leaks: &Leaks) -> f64 {
    leaks.suspects.first().and_then(|suspect| suspect.growth).map_or(0.0, |growth| growth.bytes_per_s)
}

/// Leaks, what is not known, the others.
fn rank(leaks: &Leaks) -> u8 {
    match (leaks.found(), leaks.is_decided()) {
        (true, _) => 0,
        (false, false) => 1,
        (false, true) => 2,
    }
}

const VERDICTS: [&str; 3] = ["leaks", "?", "no leak seen"];

fn document(all: &[Judged]) -> Document {
    let mut document = Document::default();
    let of = |verdict: u8| all.iter().filter(|one| rank(&one.leaks) == verdict).count();
    document.fact(format!(
        "{} recordings: {} leak{}, {} not known (?), {} without a leak that was seen.",
        all.len(),
        of(0),
        if of(0) == 1 { "s" } else { "" },
        of(1),
        of(2)
    ));
    let headings = ["", "lately", "live", "application", "host", "labels", "what, or why", "recording"];
    document.verdicts(&headings, all.iter().map(row));
    document
}

fn row(Judged { file, labels, leaks }: &Judged) -> Vec<String> {
    let label = |name| labels.get(name).cloned().unwrap_or_else(|| "?".to_owned());
    let others = labels.iter().filter(|(name, _)| !SHOWN_APART.contains(&name.as_str()));
    let others: Vec<_> = others.map(|(name, value)| format!("{name}={value}")).collect();
    let growth = leaks.suspects.first().and_then(|suspect| suspect.growth);
    vec![
        VERDICTS[usize::from(rank(leaks))].to_owned(),
        growth.map_or_else(String::new, |growth| format!("{}/s", size(growth.bytes_per_s.round() as u64))),
        growth.map_or_else(String::new, |growth| size(growth.bytes)),
        printable(&label("application")).into_owned(),
        printable(&label("host")).into_owned(),
        printable(&others.join(",")).into_owned(),
        reason(leaks),
        shown(file),
    ]
}

/// What leaks most, or why nothing is known.
fn reason(leaks: &Leaks) -> String {
    match (rank(leaks), leaks.suspects.first()) {
        (0, Some(suspect)) => {
            let by = suspect.allocated_by.as_ref().map_or_else(String::new, |method| format!(" by {method}"));
            format!("{}{by}", text_of_classes(&suspect.what))
        }
        (1, first) => leaks.untold.clone().unwrap_or_else(|| match (first, leaks.floor) {
            (Some(suspect), _) => format!("{} may leak", text_of_classes(&suspect.what)),
            (None, Some(floor)) => {
                format!("a leak slower than {}/s would not be seen", size(floor.bytes_per_s as u64))
            }
            (None, None) => "not all was looked at".to_owned(),
        }),
        _ => String::new(),
    }
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}

fn json(all: &[Judged]) -> String {
    let one = |Judged { file, labels, leaks }: &Judged| {
        let verdict = [Some("leak"), None, Some("none")][usize::from(rank(leaks))];
        let found = verdicts::leaks_value(leaks);
        serde_json::json!({ "file": shown(file), "labels": labels, "verdict": verdict, "found": found })
    };
    let document = serde_json::json!({
        "schema": "mayfly-leaks-of-many/1",
        "exit_code": exit_code(all),
        "recordings": all.iter().map(one).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdicts::Suspect;

    #[test]
    fn a_row_names_classes_as_people_read_them() {
        let by = Some("a.Main.keep:3".to_owned());
        let suspect = Suspect { what: "[J".to_owned(), allocated_by: by, ..Suspect::default() };
        let leaks = Leaks { suspects: vec![suspect], ..Leaks::of(Searched::Dumps { files: Vec::new() }) };
        assert_eq!(reason(&leaks), "long[] by a.Main.keep:3");
    }
}
