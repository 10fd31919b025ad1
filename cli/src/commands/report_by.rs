//! `mayfly report --by LABEL`: recordings compared by a label.
//!
//! Not here: what the comparison looks like (`report/by`).

use std::collections::BTreeMap;
use std::path::PathBuf;

use mayfly_profile::Merging;

use crate::args::ReportArgs;
use crate::error::Error;
use crate::exit_codes;
use crate::output;
use crate::recordings::{self, Wanted};
use crate::report::by::{self, Row};
use crate::report::view;

/// A merge for each value of the label, without stacks, then a row of each.
pub(crate) fn run(label: &str, args: &ReportArgs, json: bool) -> Result<u8, Error> {
    let mut groups: BTreeMap<Option<String>, Merging> = BTreeMap::new();
    let mut mixed: Option<(PathBuf, Vec<String>)> = None;
    let wanted = Wanted { during: args.part.during, phase: args.part.phase, totals_alone: true };
    recordings::each(&args.recordings, wanted, |path, mut profile| {
        profile.sites.clear();
        match by::value_of(label, &profile) {
            Ok(value) => groups.entry(value).or_default().add(profile),
            Err(values) => mixed = Some((path.to_owned(), values)),
        }
        Ok(())
    })?;
    if let Some((file, values)) = mixed {
        return Err(Error::MixedLabels { file, label: label.to_owned(), values: values.join(", ") });
    }
    if groups.keys().all(Option::is_none) {
        return Err(Error::NoSuchLabel(label.to_owned()));
    }
    let row = |(value, merging): (Option<String>, Merging)| {
        let profile = merging.end()?;
        Some(Row::of(value, &profile, &view::overridden(&profile.run.view, args)))
    };
    let rows: Vec<_> = groups.into_iter().filter_map(row).collect();
    let file = args.output.as_deref();
    match json {
        true => output::json(&by::json(label, &rows), file)?,
        false => output::text(&by::text(label, &rows), file)?,
    }
    Ok(exit_codes::SUCCESS)
}
