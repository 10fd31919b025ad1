//! Several recordings: which of them leak, each judged by itself.
//!
//! Not here: the judgement of one (`recorded`).

use std::path::{Path, PathBuf};

use mayfly_report::{size, text_of_classes};

use super::recorded;
use crate::args::judging::LeaksArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::recordings;
use crate::verdicts::{self, Document, Leaks};

/// A row per recording, those that leak first. One that leaks is a failed check; what can't be judged is none that was passed.
pub(super) fn run(given: &[PathBuf], args: &LeaksArgs) -> Result<u8, Error> {
    let files = recordings::files(given)?;
    let search = |file: &PathBuf| recorded::search(file, args.trust).map(|leaks| (file.clone(), leaks));
    let mut all = files.iter().map(search).collect::<Result<Vec<_>, _>>()?;
    all.sort_by_key(|(_, leaks)| rank(leaks));
    let format = args.form.format();
    verdicts::show(&document(&all), || json(&all), "which recordings leak", format, args.output.as_deref())?;
    // The worst comes first.
    Ok(all.first().map_or(exit_codes::USAGE, |(_, worst)| worst.exit_code()))
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

fn document(all: &[(PathBuf, Leaks)]) -> Document {
    let row = |(file, leaks): &(PathBuf, Leaks)| {
        let verdict = VERDICTS[usize::from(rank(leaks))].to_owned();
        vec![verdict, reason(leaks), shown(file)]
    };
    let mut document = Document::default();
    document.verdicts(&["", "why", "recording"], all.iter().map(row));
    document
}

/// What leaks most, or why nothing is known.
fn reason(leaks: &Leaks) -> String {
    match (rank(leaks), leaks.suspects.first()) {
        (0, Some(suspect)) => {
            let rate = suspect
                .growth
                .map_or_else(String::new, |rate| format!(", {}/s", size(rate.bytes_per_s as u64)));
            let by = suspect.allocated_by.as_ref().map_or_else(String::new, |method| format!(" by {method}"));
            format!("{}{by}{rate}", text_of_classes(&suspect.what))
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

fn json(all: &[(PathBuf, Leaks)]) -> String {
    let one = |(file, leaks): &(PathBuf, Leaks)| {
        let verdict = [Some("leak"), None, Some("none")][usize::from(rank(leaks))];
        serde_json::json!({ "file": shown(file), "verdict": verdict, "found": verdicts::leaks_value(leaks) })
    };
    let document = serde_json::json!({
        "schema": "mayfly-leaks-of-many/1",
        "recordings": all.iter().map(one).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdicts::{Searched, Suspect};

    #[test]
    fn a_row_names_classes_as_people_read_them() {
        let by = Some("a.Main.keep:3".to_owned());
        let suspect = Suspect { what: "[J".to_owned(), allocated_by: by, ..Suspect::default() };
        let leaks = Leaks { suspects: vec![suspect], ..Leaks::of(Searched::Dumps { files: Vec::new() }) };
        assert_eq!(reason(&leaks), "long[] by a.Main.keep:3");
    }
}
