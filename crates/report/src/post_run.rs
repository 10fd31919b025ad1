//! The report after a run (or at an interval, or on request), in InMemProfiler's grammar, plus lifetimes and trust.
//!
//! Not here: where it is written.

use mayfly_profile::{ClassFilter, Grouping, Profile, View};

use crate::census::{census_lines, write_census};
use crate::doubts::doubts_block;
use crate::followed::{gcs, tracking_text};
use crate::groups::groups;
use crate::lifetimes::write_lifetimes;
use crate::off_heap::write_holders;
use crate::operations::operations_line;
use crate::over_time::over_time;
use crate::part::part_lines;
use crate::readings::reading_lines;
use crate::rows::{blank, line};
use crate::scopes::write_scopes;
use crate::sections::write_sections;
use crate::sources::{sources_block, sources_line};
use crate::text::printable;
use crate::traces::write_traces;
use crate::trust::{estimates_block, littles_law_line, trust_block};
use crate::units;

/// Columns of sparklines, with their labels and numbers.
const COLUMNS: usize = 98;

/// Why and when a report is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occasion {
    /// Date for the head of the record (`===`, date); `None` leaves the head out.
    pub timestamp: Option<String>,
    /// Why now: `JVM Shutdown`, `Periodic output` or `API request`.
    pub reason: String,
}

impl Default for Occasion {
    fn default() -> Self {
        Self { timestamp: None, reason: "JVM Shutdown".into() }
    }
}

/// The whole report. Ends with a line feed. Without a limit of rows all are written, but of the sites the thousand largest.
pub fn post_run(profile: &Profile, view: &View, occasion: &Occasion) -> String {
    let shown = view.of(profile);
    let mut out = String::new();
    if let Some(timestamp) = &occasion.timestamp {
        out.push_str(&format!("===\n{timestamp}:\n"));
    }
    line(&mut out, 0, &format!("Reason for output: {}", occasion.reason));
    part_lines(profile).iter().for_each(|text| line(&mut out, 0, text));
    write_view(&mut out, &shown, view);
    write_sections(&mut out, &shown, view);
    if profile.run.lifetimes {
        write_lifetimes(&mut out, &shown, view.rows.unwrap_or(usize::MAX));
    }
    write_census(&mut out, &shown, view.rows);
    Grouping::ALL.into_iter().for_each(|grouping| write_groups(&mut out, &shown, grouping));
    write_scopes(&mut out, &shown, view.rows.unwrap_or(usize::MAX));
    write_traces(&mut out, &shown, view.rows);
    write_holders(&mut out, &shown, view.rows);
    write_run(&mut out, profile);
    line(&mut out, 0, "Trust:");
    out.push_str(&trust_block(&profile.trust, profile.run.engine));
    census_lines(profile).iter().for_each(|text| line(&mut out, 2, text));
    if let Some(law) = profile.littles_law() {
        line(&mut out, 2, &littles_law_line(law));
    }
    out.push_str(&doubts_block(&shown));
    out.push_str(&estimates_block(&shown));
    out
}

fn write_groups(out: &mut String, shown: &Profile, grouping: Grouping) {
    if shown.has_groups(grouping) {
        out.push_str(&groups(shown, grouping));
        blank(out);
    }
}

/// What is left out, so that nobody takes a part for the whole.
fn write_view(out: &mut String, shown: &Profile, view: &View) {
    let ClassFilter { include, exclude, exact_match } = &view.classes;
    let mut say = |what: &str, list: &[String]| {
        if !list.is_empty() {
            let how = if *exact_match { "named" } else { "starting with" };
            line(out, 0, &format!("{what} classes {how}: {}", printable(&list.join(", "))));
        }
    };
    say("Only", include);
    say("Without", exclude);
    if view.min_bytes > 0 {
        line(out, 0, &format!("Only objects of at least {} bytes", view.min_bytes));
        if shown.classes.iter().any(|class| !class.allocated.is_uniform()) {
            line(
                out,
                2,
                "Allocated rows of classes with objects of several sizes count the smaller ones too",
            );
        }
    }
}

fn write_run(out: &mut String, profile: &Profile) {
    let jvm = &profile.run.jvm;
    out.push_str(&sources_block(profile));
    line(out, 0, "Run:");
    let named =
        |what: &str, name: &str| if name.is_empty() { String::new() } else { format!(", {what} {name}") };
    let jvm_text =
        format!("pid {}{}{}", jvm.pid, named("JVM", &jvm.version), named("collector", jvm.gc.name()));
    line(out, 2, &sources_line(profile).unwrap_or_else(|| printable(&jvm_text).into_owned()));
    if !jvm.command.is_empty() {
        line(out, 2, &format!("command: {}", printable(&jvm.command)));
    }
    let time = units::clock(profile.duration_ms);
    line(out, 2, &format!("profiled for {time}, {}, {}", gcs(profile), tracking_text(profile)));
    let lines = operations_line(profile).into_iter().chain(reading_lines(profile));
    for text in lines.chain(over_time(profile, COLUMNS)) {
        line(out, 2, &text);
    }
    if !profile.complete {
        line(
            out,
            2,
            "as of the last numbers received: the JVM still runs, or ended without closing the recording",
        );
    }
    blank(out);
}
