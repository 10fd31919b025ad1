//! The lifetime table of the post-run report: how long the tracked objects of each class live, by three clocks.

use mayfly_profile::measures::P50_S;
use mayfly_profile::{
    ClassProfile, Gc, LifeRange, MEASURES, Measure, Profile, Quantile, Sureness, Tracking, Unit,
};

use crate::bars::bar;
use crate::measured::below_heading;
use crate::names::class_text;
use crate::rows::{blank, line};
use crate::sections::sampling_note;
use crate::table::right_aligned;
use crate::text::pad;
use crate::units;

/// A band as narrow as the steps of the clocks is not rough.
const RESOLUTION_S: f64 = 0.012;
const RESOLUTION_BYTES: f64 = 128.0 * 1024.0;

/// The measures that have a column.
fn columns() -> impl Iterator<Item = &'static Measure> {
    MEASURES.into_iter().filter(|measure| measure.in_full)
}

/// Of the columns, that of the median is followed by its band.
fn headings() -> Vec<String> {
    let heading = |measure: &Measure| match *measure == P50_S {
        true => vec![measure.long, "95 % band"],
        false => vec![measure.long],
    };
    columns().flat_map(heading).chain(["class"]).map(str::to_owned).collect()
}

/// Writes the table: one line for all classes together, then one per class of which objects were tracked, in the order of
/// the profile and at most `limit`.
pub(crate) fn write_lifetimes(out: &mut String, profile: &Profile, limit: usize) {
    let tracked: Vec<_> = profile.classes.iter().filter(|class| is_tracked(class)).collect();
    line(out, 0, "Lifetimes:");
    explain(out, profile);
    if tracked.is_empty() {
        line(out, 2, "no object was tracked");
        return blank(out);
    }
    histogram(out, profile);
    let mut table = vec![headings(), cells(profile, &all_classes(&tracked))];
    table.extend(tracked.iter().take(limit).map(|class| cells(profile, class)));
    if profile.run.tracking == Tracking::Balanced {
        let followed = |class: &&ClassProfile| {
            let share = profile.shares.get(&class.name);
            share.map_or(class.allocated.objects, |share| share.followed)
        };
        let all = tracked.iter().map(followed).fold(0, u64::saturating_add);
        let column = std::iter::once(all).chain(tracked.iter().take(limit).map(followed));
        let column = std::iter::once("followed".to_owned()).chain(column.map(|count| count.to_string()));
        table.iter_mut().zip(column).for_each(|(row, cell)| row.insert(1, cell));
    }
    out.push_str(&right_aligned(&table, "  "));
    blank(out);
}

/// How long objects lived, of all classes together.
fn histogram(out: &mut String, profile: &Profile) {
    const BAR: usize = 40;
    let rows = profile.life_rows();
    let most = rows.iter().map(|row| row.tally.bytes).max().unwrap_or(0);
    line(out, 2, &format!("{} {:>9}  {:>9}", pad(LIFE_HEADING, LIFE_LABEL + BAR), "objects", "bytes"));
    for row in &rows {
        let bar = pad(&bar(row.tally.bytes, most, BAR, true), BAR);
        let (objects, bytes) = (units::count(row.tally.objects), units::bytes(row.tally.bytes));
        line(out, 2, &format!("{}{bar} {objects:>9}  {bytes:>9}", pad(&life_label(row.range), LIFE_LABEL)));
    }
}

/// What the ages of a histogram are.
pub const LIFE_HEADING: &str = "alive for sure for";

/// Columns of a label, and a space behind.
pub(crate) const LIFE_LABEL: usize = 23;

/// What a row of the histogram is of.
pub fn life_label(range: LifeRange) -> String {
    match range {
        LifeRange::BeforeFirstGc { at_most_ms: 0 } => "dead by 1st GC".to_owned(),
        LifeRange::BeforeFirstGc { at_most_ms } => {
            format!("dead by 1st GC ≤{}", units::rough_duration(at_most_ms as f64))
        }
        LifeRange::Gone { at_most_ms } => format!("dead, ≤{}", units::rough_duration(at_most_ms as f64)),
        LifeRange::Alive { from_ms, to_ms: Some(to_ms) } => format!("{} – {}", age(from_ms), age(to_ms)),
        LifeRange::Alive { from_ms, to_ms: None } => format!("{} and more", age(from_ms)),
        LifeRange::Live => "live".to_owned(),
        LifeRange::NotJudged => "not judged yet".to_owned(),
    }
}

/// A round age.
fn age(ms: u64) -> String {
    if ms.is_multiple_of(1_000) { units::whole_seconds(ms / 1_000) } else { format!("{ms} ms") }
}

fn explain(out: &mut String, profile: &Profile) {
    line(out, 2, "Estimates from the GCs between which each object died, and from the ages of the living.");
    line(out, 2, "~ rough: the 95 % band is wider than a factor of 1.5; > not reached: too many still live.");
    line(out, 2, "1st GC: share of the collected gone at the first GC after birth.");
    if profile.resets > 0 {
        line(out, 2, "Counts began at a reset: of objects born before it nothing is known.");
    }
    if profile.run.jvm.lifetimes_are_upper_bounds() {
        line(out, 2, "<= upper bounds: nothing is known from below.");
        line(out, 2, upper_bounds_why(profile.run.jvm.gc));
    }
    if let Some(text) = sampling_note(profile) {
        line(out, 2, &format!("Live and collected counts are {text}"));
    }
    if profile.run.tracking == Tracking::Balanced {
        line(
            out,
            2,
            "Bands include the error of following a share: objects that stand for many count as few.",
        );
    }
}

fn upper_bounds_why(gc: Gc) -> &'static str {
    match gc {
        Gc::GenerationalZgc => {
            "Generational ZGC: young collections keep tracked objects, so lifetimes are upper bounds: the wait for an old one."
        }
        Gc::Shenandoah => {
            "Shenandoah does not say when it begins to mark, so lifetimes are too long by its marking."
        }
        _ => {
            "It is not known what this collector's collections look at, so lifetimes end when they are noticed."
        }
    }
}

fn is_tracked(class: &ClassProfile) -> bool {
    !class.dead().is_empty() || class.live.is_some_and(|live| !live.is_empty())
}

/// One row for all of them.
fn all_classes(classes: &[&ClassProfile]) -> ClassProfile {
    let mut all = ClassProfile { name: "(all of these)".into(), ..Default::default() };
    for class in classes {
        all.allocated.add(class.allocated);
        all.live.get_or_insert_default().add(class.live.unwrap_or_default());
        let mut dead = class.dead();
        dead.add(all.collected.pop().unwrap_or_default());
        all.collected = vec![dead];
        if let Some(lifetimes) = &class.lifetimes {
            all.lifetimes.get_or_insert_default().merge(lifetimes);
        }
    }
    all
}

fn cells(profile: &Profile, class: &ClassProfile) -> Vec<String> {
    let mut cells = Vec::new();
    for measure in columns() {
        let of = measure.of(profile, class);
        cells.push(of.and_then(|of| cell(profile, measure, of)));
        if *measure == P50_S {
            cells.push(of.and_then(band));
        }
    }
    let cells = cells.into_iter().map(|cell| cell.unwrap_or_else(|| "-".into()));
    cells.chain([class_text(&class.name)]).collect()
}

/// The point, marked if rough; where it was not reached, what it is above, if anything is known.
fn cell(profile: &Profile, measure: &Measure, of: Quantile) -> Option<String> {
    let is_age = measure.sureness == Sureness::Estimated;
    let upper_bounds = is_age && profile.run.jvm.lifetimes_are_upper_bounds();
    let text = |number: f64| {
        let text = below_heading(measure.unit, number);
        if upper_bounds { format!("<={text}") } else { text }
    };
    let resolution = match measure.unit {
        // Of an upper bound the width of the band says nothing.
        _ if upper_bounds => f64::INFINITY,
        Unit::Seconds => RESOLUTION_S,
        Unit::Bytes => RESOLUTION_BYTES,
        _ => 1.0,
    };
    match of.point {
        Some(point) if is_age && of.is_rough(resolution) => Some(format!("~{}", text(point))),
        Some(point) => Some(text(point)),
        None => (of.low > 0.0).then(|| format!(">{}", text(of.low))),
    }
}

/// A band in seconds; none where there is no point.
fn band(quantile: Quantile) -> Option<String> {
    quantile.point?;
    let seconds = |seconds: f64| units::seconds(seconds * 1_000.0);
    let high = quantile.high.map_or_else(|| "inf".to_owned(), seconds);
    Some(format!("{}-{high}", seconds(quantile.low)))
}
