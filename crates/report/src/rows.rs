//! Rows of a section of the post-run report, in InMemProfiler's grammar: classes, and under each its allocation sites and
//! the classes to blame.
//!
//! Not here: which sections there are, and totals (`sections`).

use mayfly_profile::{Frame, Profile, SiteProfile, Tally, View, blame};

use crate::doubts::NO_PLACE;
use crate::names::class_text;
use crate::text::printable;
use crate::units::{self, percent};

/// Sites of a section whose stacks are written unless the user says how many: real programs have tens of thousands, a
/// hundred megabytes of text.
const MOST_SITES: usize = 1000;

/// How old what was born then is at the end of the run; `?` where that is not known.
pub(crate) fn age(profile: &Profile, born_ms: u64) -> String {
    profile.age_ms(born_ms).map_or_else(|| "?".to_owned(), |ms| units::rough_duration(ms as f64))
}

/// One class in a section.
pub(crate) struct Row<'a> {
    pub(crate) name: &'a str,
    pub(crate) tally: Tally,
    /// Bytes that it is ranked by: those of `tally`, or fewer where the JIT compiler optimised objects away.
    pub(crate) ranked_by: u64,
    /// How many samples the tally rests on, about; `None`: it is no estimate.
    pub(crate) samples: Option<f64>,
    /// Relative standard error of the tally; 0 where it is exact.
    pub(crate) error: f64,
    /// Its sites with what of them belongs to the section, and the relative standard error of that. Empty without stacks.
    pub(crate) sites: Vec<(&'a SiteProfile, Tally, f64)>,
}

/// The rows that have something to say, most bytes first (of what was allocated, not executed), ties by name.
pub(crate) fn in_order(mut rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    rows.retain(|row| !row.tally.is_empty());
    rows.sort_by(|a, b| b.ranked_by.cmp(&a.ranked_by).then_with(|| a.name.cmp(b.name)));
    rows
}

/// Rows of a list that are written at most; without a limit all are, but only the [`MOST_SITES`] largest sites.
fn most(view: &View) -> usize {
    view.rows.unwrap_or(usize::MAX)
}

/// Header and rows; percentages are of all `rows`, written or not, by what they are ranked by.
pub(crate) fn write_rows(out: &mut String, rows: &[Row<'_>], indent: usize, view: &View) {
    let total: u64 = rows.iter().fold(0, |sum, row| sum.saturating_add(row.ranked_by));
    let too_small = if view.rows.is_none() { bytes_of_sites_left_out(rows) } else { None };
    line(out, indent, "%:size:count:(largest)");
    for row in rows.iter().take(most(view)) {
        let Tally { objects, bytes, largest } = row.tally;
        let few = few_samples(row.samples) + &band(row.error);
        let share = percent(row.ranked_by, total);
        line(
            out,
            indent,
            &format!("{share:>3}%:{bytes}:{objects}:({largest}) - {}{few}", class_text(row.name)),
        );
        if row.ranked_by < bytes {
            let allocated = units::bytes(row.ranked_by);
            line(
                out,
                indent + 6,
                &format!("optimised away: executed as above, about {allocated} of it allocated"),
            );
        }
        write_sites(out, row, indent + 2, view, too_small);
        write_blame(out, row, indent + 2, view);
    }
}

/// Of more than [`MOST_SITES`] sites, those with so many bytes or fewer have to be left out.
fn bytes_of_sites_left_out(rows: &[Row<'_>]) -> Option<u64> {
    let mut sizes: Vec<u64> =
        rows.iter().flat_map(|row| row.sites.iter().map(|(_, tally, _)| tally.bytes)).collect();
    (sizes.len() > MOST_SITES)
        .then(|| *sizes.select_nth_unstable_by_key(MOST_SITES, |&bytes| std::cmp::Reverse(bytes)).1)
}

fn write_sites(out: &mut String, row: &Row<'_>, indent: usize, view: &View, too_small: Option<u64>) {
    let mut sites: Vec<_> = row.sites.iter().filter(|(_, tally, _)| !tally.is_empty()).collect();
    if sites.is_empty() {
        return;
    }
    // Stable: ties stay in the order of the profile.
    sites.sort_by_key(|(_, tally, _)| std::cmp::Reverse(tally.bytes));
    let total = sites.iter().fold(0u64, |sum, (_, tally, _)| sum.saturating_add(tally.bytes));
    let large = sites.partition_point(|(_, tally, _)| too_small.is_none_or(|small| tally.bytes > small));
    line(out, indent, "Allocation Sites:");
    blank(out);
    for (site, tally, error) in sites[..large].iter().take(most(view)) {
        let share = percent(tally.bytes, total);
        let band = band(*error);
        line(out, indent + 2, &format!("{share}%:{}:{}{band}", tally.bytes, tally.objects));
        if site.stack.is_empty() {
            line(out, indent + 4, NO_PLACE);
        }
        for frame in &site.stack {
            line(out, indent + 4, &stack_line(frame));
        }
        blank(out);
    }
    let small = &sites[large..];
    if !small.is_empty() {
        let bytes = small.iter().fold(0u64, |sum, (_, tally, _)| sum.saturating_add(tally.bytes));
        let share = percent(bytes, total);
        line(out, indent + 2, &format!("{share}%:{bytes} at {} smaller sites", small.len()));
        blank(out);
    }
}

/// A row that rests on so many samples is known to a third of itself; those with fewer are marked.
const ENOUGH_SAMPLES: f64 = 10.0;

/// ` (1 sample)` where a number rests on few of them.
fn few_samples(samples: Option<f64>) -> String {
    match samples.map(|samples| samples.round().max(1.0)) {
        Some(1.0) => " (1 sample)".to_owned(),
        Some(few) if few < ENOUGH_SAMPLES => format!(" ({few} samples)"),
        _ => String::new(),
    }
}

/// The band of 95 % of a number that rests on a sample.
pub(crate) fn band(error: f64) -> String {
    if error > 0.0 { format!(" (±{:.0}%)", (error * 196.0).ceil().min(100.0)) } else { String::new() }
}

fn write_blame(out: &mut String, row: &Row<'_>, indent: usize, view: &View) {
    if !view.blame {
        return;
    }
    let allocations = || row.sites.iter().map(|(site, tally, _)| (&site.stack, *tally));
    let blamed = blame(allocations(), &view.rules);
    if blamed.is_empty() {
        return;
    }
    let total = allocations().fold(0u64, |sum, (_, tally)| sum.saturating_add(tally.bytes));
    line(out, indent, "Allocation Classes:");
    line(out, indent, "%:size:count");
    for class in blamed.iter().take(most(view)) {
        let Tally { objects, bytes, .. } = class.tally;
        line(out, indent + 2, &printable(&class.class));
        line(out, indent + 4, &format!("{}%:{bytes}:{objects} - All methods", percent(bytes, total)));
        for method in class.methods.iter().take(most(view)) {
            let share = percent(method.tally.bytes, bytes);
            let (bytes, objects) = (method.tally.bytes, method.tally.objects);
            line(out, indent + 6, &format!("{share:>3}%:{bytes}:{objects} - {}", printable(&method.method)));
        }
    }
    blank(out);
}

/// As `StackTraceElement.toString()` writes a frame without a module: `a.B.run(B.java:29)`.
pub fn stack_line(frame: &Frame) -> String {
    let place = match (&frame.file, frame.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_string(),
        (None, _) => "Unknown Source".to_owned(),
    };
    printable(&format!("{}.{}({place})", frame.class, frame.method)).into_owned()
}

/// One blank line, however often it is asked for.
pub(crate) fn blank(out: &mut String) {
    if !out.ends_with("\n\n") {
        out.push('\n');
    }
}

/// One line of text.
pub(crate) fn line(out: &mut String, indent: usize, text: &str) {
    out.extend(std::iter::repeat_n(' ', indent));
    out.push_str(text);
    out.push('\n');
}
