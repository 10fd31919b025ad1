//! What happened when, in a line each: allocation, what collections left in use, deaths, pauses.
//!
//! Of all classes, whatever is shown. Not here: charts in a terminal (`mayfly-live`).

use mayfly_profile::{LeftInUse, Point, Profile, StartUp, by_time};

use crate::off_heap;
use crate::text::pad;
use crate::units;

const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Stands where no value is known.
const UNKNOWN: char = '·';
/// Columns of the words at both ends.
const LABEL: usize = 14;
const NUMBER: usize = 34;

/// The lines, each of at most so many columns; none if there is no more than one step.
pub(crate) fn over_time(profile: &Profile, columns: usize) -> Vec<String> {
    let mut lines = rates(profile, columns);
    if profile.history.len() > 1 && profile.run.lifetimes {
        lines.push(rate(profile, columns, "died/s", Point::death_rate));
    }
    lines.extend(off_heap(profile, columns));
    lines.extend(pauses(profile));
    lines.extend(start_up(profile));
    lines
}

/// Of these the ones that are on one screen: what is allocated, what is left of it, the start.
pub(crate) fn in_short(profile: &Profile, columns: usize) -> Vec<String> {
    let off_heap = if off_heap::matters(profile) { off_heap(profile, columns) } else { Vec::new() };
    rates(profile, columns).into_iter().chain(off_heap).chain(start_up(profile)).collect()
}

fn rates(profile: &Profile, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if profile.history.len() > 1 {
        lines.push(rate(profile, columns, "allocated/s", Point::allocation_rate));
        lines.extend(live_after_gc(profile, room(columns)));
        lines.extend(old_garbage(profile, columns));
    }
    lines
}

/// Columns of the bars.
fn room(columns: usize) -> usize {
    columns.saturating_sub(LABEL + NUMBER).clamp(8, 60)
}

fn rate(profile: &Profile, columns: usize, label: &str, value: fn(&Point) -> u64) -> String {
    let values = by_time(&profile.history, room(columns), value);
    let most = units::bytes(profile.history.iter().map(value).max().unwrap_or(0));
    format!("{}{}  at most {most}/s", pad(label, LABEL), spark(&values))
}

/// Why it is not known what is live, where it is not.
pub(crate) fn why_not_known(profile: &Profile) -> &'static str {
    if profile.gcs == 0 { "nothing was collected" } else { "no collection has said it" }
}

/// What collections left in use; `None` where nobody asks for it and it is not known.
fn live_after_gc(profile: &Profile, room: usize) -> Option<String> {
    let label = pad("live after GC", LABEL);
    let known = || profile.history.iter().filter_map(|point| point.live);
    let Some((last, most)) = known().next_back().zip(known().max()) else {
        return profile.run.lifetimes.then(|| format!("{label}?  {}", why_not_known(profile)));
    };
    let values = by_time(&profile.history, room, |point| point.live.unwrap_or(0));
    let all = profile.history.iter().map(|point| point.span_ms).sum::<u64>().max(1);
    let unknown = known_from(profile).map_or(0, |ms| (ms as f64 / all as f64 * room as f64) as usize);
    let drawn: String = spark(&values)
        .chars()
        .enumerate()
        .map(|(column, height)| if column < unknown { UNKNOWN } else { height })
        .collect();
    let (last, most) = (units::bytes(last), units::bytes(most));
    let bound = curve_bound(profile).map_or_else(String::new, |why| format!(" ({why})"));
    Some(format!("{label}{drawn}  last {last}, at most {most}{bound}"))
}

/// Direct buffers, and below them what else is outside of the heap.
fn off_heap(profile: &Profile, columns: usize) -> Vec<String> {
    let Some(now) = profile.off_heap() else { return Vec::new() };
    let bytes = |point: &Point| point.direct_bytes().unwrap_or(0);
    let has_curve = profile.history.len() > 1 && now.direct.is_some();
    let (curve, most) = match has_curve {
        true => (
            spark(&by_time(&profile.history, room(columns), bytes)) + "  last ",
            format!(", at most {}", units::bytes(off_heap::most_direct(profile))),
        ),
        false => Default::default(),
    };
    vec![
        format!("{}{curve}{}{most}", pad("off-heap", LABEL), off_heap::direct(now)),
        format!("  {}", off_heap::others(now)),
    ]
}

/// When the first collection said what is live, in milliseconds of the profiled time, if that was late: a tenth of the time or more. A
/// collector that marks while the program runs judges an object a cycle or two after its birth.
fn known_from(profile: &Profile) -> Option<u64> {
    let all: u64 = profile.history.iter().map(|point| point.span_ms).sum();
    let before =
        profile.history.iter().take_while(|point| point.live.is_none()).map(|point| point.span_ms).sum();
    (before > 0 && before >= all / 10).then_some(before)
}

/// What is to be known of that curve beside its numbers: when it begins, and why it is too low (it is of what was followed, not the JVM's
/// own, and objects that matter beside that were dropped).
fn curve_bound(profile: &Profile) -> Option<String> {
    let begins =
        known_from(profile).map(|ms| format!("not known in the first {}", units::duration(ms as f64)));
    let bounds: Vec<_> = begins.into_iter().chain(profile.dropped_beside_curve().map(at_least)).collect();
    (!bounds.is_empty()).then(|| bounds.join("; "))
}

/// What stands behind a number that lacks so many dropped objects.
pub(crate) fn at_least(dropped: u64) -> String {
    format!("at least: {} objects were dropped", units::count(dropped))
}

/// What to know of the end of that curve, where it is no full collection's: in one line if there is room, else in two.
fn old_garbage(profile: &Profile, columns: usize) -> Vec<String> {
    let Some(last) = profile.last_left().filter(LeftInUse::is_at_most) else { return Vec::new() };
    let young = format!("  last: {}", young_left(last));
    match full_left(profile) {
        None => vec![young],
        Some(full) if young.len() + full.len() + 2 <= columns => vec![format!("{young}; {full}")],
        Some(full) => vec![young, format!("        {full}")],
    }
}

fn young_left(last: LeftInUse) -> String {
    format!("young GC at {}, old garbage is in it", units::clock(last.at_ms))
}

/// What the last full collection left.
fn full_left(profile: &Profile) -> Option<String> {
    let full = profile.last_left_in_full()?;
    Some(format!("full GC at {}: {}", units::clock(full.at_ms), units::bytes(full.bytes)))
}

/// When the last collection was whose number ends the curve of what is in use after collections, and of which kind, or why the curve is too
/// low, as a page has it.
pub fn left_by(profile: &Profile) -> Option<String> {
    let Some(last) = profile.last_left() else { return curve_bound(profile) };
    if !last.is_at_most() {
        return Some(format!("full GC at {}", units::clock(last.at_ms)));
    }
    let full = full_left(profile).map_or_else(String::new, |full| format!("; {full}"));
    Some(young_left(last) + &full)
}

fn pauses(profile: &Profile) -> Option<String> {
    let of = pauses_known(profile).map_or_else(String::new, |known| format!(" ({known})"));
    Some(format!("{}{}{of}", pad("paused", LABEL), stopped(profile)?))
}

/// For how long the program's collections stopped it, `275 ms in all, the longest 12 ms`; `None` if that is known of none.
pub(crate) fn stopped(profile: &Profile) -> Option<String> {
    let longest = profile.own_collections().map(|gc| gc.pause_us).max()?;
    let all: u64 = profile.own_collections().map(|gc| gc.pause_us).sum();
    let ms = |us: u64| units::duration(us as f64 / 1_000.0);
    Some(format!("{} in all, the longest {}", ms(all), ms(longest)))
}

/// What the program took to get up; `None` where that can't be told from its work.
fn start_up(profile: &Profile) -> Option<String> {
    let StartUp { ends_ms, allocated, classes } = profile.start_up()?;
    let (took, bytes, classes) =
        (units::duration(ends_ms as f64), units::bytes(allocated), units::count(classes));
    Some(format!(
        "{}{took}, {bytes}, {classes} classes; only what came after: --phase work",
        pad("start-up", LABEL)
    ))
}

/// Why fewer pauses are known than there were collections; `None` where each is known.
pub fn pauses_known(profile: &Profile) -> Option<String> {
    let (known, all) = (profile.collections.len(), profile.gcs);
    let fewer = u32::try_from(known).is_ok_and(|known| 0 < known && known < all);
    fewer.then(|| format!("{known} of {all} GCs have their times: others ended outside of the profiled time"))
}

/// A character per value, the largest the highest. What is not zero shows.
fn spark(values: &[f64]) -> String {
    let most = values.iter().copied().fold(0.0, f64::max);
    let height = |value: f64| match (value / most * 8.0).ceil() as usize {
        0 => ' ',
        eighths => HEIGHTS[eighths.min(8) - 1],
    };
    values.iter().map(|&value| if most > 0.0 { height(value) } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Collection, Gc, GcKind, GenerationUse, RunInfo};

    use super::*;

    fn point(span_ms: u64, allocated: u64, live: u64) -> Point {
        Point { span_ms, allocated, live: Some(live), ..Point::default() }
    }

    #[test]
    fn heights_are_means_over_equal_times() {
        // A step of three seconds and one of one second: each column is a second.
        let points = [point(3_000, 300, 7), point(1_000, 800, 7)];
        assert_eq!(by_time(&points, 4, Point::allocation_rate), [100.0, 100.0, 100.0, 800.0]);
        assert_eq!(by_time(&points, 2, Point::allocation_rate), [100.0, 450.0]);
        assert_eq!(spark(&[0.0, 1.0, 400.0, 800.0]), " ▁▄█");
        assert_eq!(spark(&[0.0, 0.0]), "  ");
    }

    #[test]
    fn lifetimes_have_two_lines_more_and_pauses_are_added_up() {
        let history = vec![point(1_000, 1 << 20, 10), point(1_000, 2 << 20, 20)];
        let counted = Profile { history, ..Profile::default() };
        let lines = over_time(&counted, 80);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with("  last 20 B, at most 20 B"), "{lines:?}");
        assert!(
            lines[0].starts_with("allocated/s   ▄") && lines[0].ends_with("█  at most 2.00 MiB/s"),
            "{lines:?}"
        );
        let run = RunInfo { lifetimes: true, ..RunInfo::default() };
        let pause = |pause_us| Collection { pause_us, ..Collection::default() };
        let forced = Collection { cause: "JvmtiEnv ForceGarbageCollection".into(), ..pause(94_000) };
        let followed = Profile { run, collections: vec![pause(1_500), pause(20_000), forced], ..counted };
        let lines = over_time(&followed, 80);
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[3], "paused        22 ms in all, the longest 20 ms");
        assert!(lines.iter().all(|line| crate::text::width(line) <= 80));
    }

    /// A G1 heap after a young collection: most of what is in use is garbage of the old generation.
    #[test]
    fn what_a_young_collection_left_is_stated_with_its_moment_and_kind() {
        let gc = |kind, at_ms, after| {
            let old = Some(GenerationUse { before: None, after, capacity: None });
            Collection { kind, at_ms, old, ..Collection::default() }
        };
        let mut profile = Profile {
            history: vec![point(5_000, 1, 5 << 20), point(5_000, 1, 60 << 20)],
            ..Profile::default()
        };
        profile.run.jvm.gc = Gc::G1;
        profile.collections = vec![gc(GcKind::Young, 9_000, 60 << 20)];
        let left = |profile: &Profile, columns| over_time(profile, columns)[2..].to_vec();
        let young = "  last: young GC at 0:00:09, old garbage is in it";
        assert_eq!(left(&profile, 80)[0], young);
        profile.collections.insert(0, gc(GcKind::Full, 3_000, 5 << 20));
        let full = "full GC at 0:00:03: 5.00 MiB";
        assert_eq!(left(&profile, 80)[0], format!("{young}; {full}"));
        assert_eq!(left(&profile, 60)[..2], [young.to_owned(), format!("        {full}")]);
        profile.collections.push(gc(GcKind::Full, 9_500, 60 << 20));
        assert!(!over_time(&profile, 80).concat().contains("old garbage"));
        assert_eq!(left_by(&profile).as_deref(), Some("full GC at 0:00:09"));
    }

    /// Generational ZGC: the curve is of what was followed, and of twenty arrays five were not.
    #[test]
    fn a_curve_that_lacks_dropped_objects_is_a_lower_bound() {
        let class = mayfly_profile::ClassProfile {
            live: Some(mayfly_profile::Tally::of(15, 1 << 20)),
            ..mayfly_profile::ClassProfile::default()
        };
        let history = vec![point(1_000, 1 << 20, 15 << 20); 2];
        let mut profile = Profile { classes: vec![class], history, ..Profile::default() };
        assert!(!over_time(&profile, 80)[1].contains("at least"));
        profile.trust.dropped =
            vec![mayfly_profile::Dropped { cause: "a share of the heap".into(), objects: 5 }];
        let why = "at least: 5 objects were dropped";
        assert!(over_time(&profile, 80)[1].ends_with(&format!("at most 15.0 MiB ({why})")));
        assert_eq!(left_by(&profile).as_deref(), Some(why), "as a page has it");
    }

    /// Generational ZGC judges an object after two cycles: a gap in the curve is not a heap of nothing.
    #[test]
    fn before_the_first_judgement_the_curve_is_not_known() {
        let unknown = Point { span_ms: 1_000, ..Point::default() };
        let history = vec![unknown, unknown, point(1_000, 1, 0), point(1_000, 1, 5)];
        let mut profile = Profile { history, ..Profile::default() };
        let line = over_time(&profile, 56)[1].clone();
        assert_eq!(line, "live after GC ····  ██  last 5 B, at most 5 B (not known in the first 2.00 s)");
        assert_eq!(left_by(&profile).as_deref(), Some("not known in the first 2.00 s"), "as a page has it");
        // A step of many: the first collection came as soon as one can expect.
        profile.history = [vec![unknown], vec![point(1_000, 1, 5); 40]].concat();
        assert_eq!(left_by(&profile), None);
    }

    #[test]
    fn what_no_collection_has_said_is_not_nothing() {
        let history = vec![Point { span_ms: 1_000, ..Point::default() }; 3];
        let run = RunInfo { lifetimes: true, ..RunInfo::default() };
        let profile = Profile { run, history, ..Profile::default() };
        assert_eq!(over_time(&profile, 80)[1], "live after GC ?  nothing was collected");
        assert_eq!(
            over_time(&Profile { gcs: 1, ..profile }, 80)[1],
            "live after GC ?  no collection has said it"
        );
    }

    #[test]
    fn fewer_pauses_than_collections_are_explained() {
        let collections = vec![Collection { pause_us: 1_000, ..Collection::default() }; 2];
        let known = Profile { gcs: 2, collections, ..Profile::default() };
        assert_eq!(pauses_known(&known), None);
        let fewer = pauses_known(&Profile { gcs: 3, ..known }).expect("one is not known");
        assert!(fewer.starts_with("2 of 3 GCs"), "{fewer}");
    }

    #[test]
    fn of_one_step_there_is_nothing_to_draw() {
        assert_eq!(over_time(&Profile { history: vec![point(1, 1, 1)], ..Profile::default() }, 80), [""; 0]);
    }
}
