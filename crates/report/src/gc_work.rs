//! Why the collector is busy, in lines: its causes, pauses, what it moves and leaves, and whose garbage it is.
//!
//! Not here: whether a flag would help (`mayfly-verdicts`), and the line of pauses over time (`over_time`).

use mayfly_profile::{BlameRules, GcKind, GcWork, MethodProfile, Profile};

use crate::text::{pad, shorten, width};
use crate::units;

/// Causes and methods that are named.
const NAMED: usize = 3;
/// Methods with a smaller share of the garbage are not.
const LEAST_SHARE: f64 = 0.01;
/// Columns of a line's name.
const LABEL: usize = 12;
/// Columns of a method's name, at least: with fewer it is not to be known again.
const LEAST_NAME: usize = 30;

/// The lines, without a heading, each of at most so many columns; none if nothing was collected.
pub fn gc_lines(profile: &Profile, columns: usize) -> Vec<String> {
    let work = profile.gc_work();
    if work.count() == 0 {
        return Vec::new();
    }
    let room = columns.saturating_sub(LABEL + 4);
    let lines = [
        Some(("causes", causes(&work, room))),
        Some(("pauses", pauses(&work))),
        work.promoted.map(|bytes| ("promoted", promoted(bytes, profile))),
        left(&work).map(|text| ("left in use", text)),
        humongous(&work).map(|text| ("large", text)),
        garbage(profile, room).map(|text| ("garbage of", text)),
    ];
    let line =
        |(label, text): (&str, String)| shorten(&format!("  {}  {text}", pad(label, LABEL)), columns, "...");
    lines.into_iter().flatten().map(line).collect()
}

/// A share of a whole, in percent with one decimal where it is small: `0.4 %`, `23 %`.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        none if none <= 0.0 => "0 %".to_owned(),
        little if little < 0.05 => "less than 0.1 %".to_owned(),
        some if some < 9.95 => format!("{some:.1} %"),
        much => format!("{much:.0} %"),
    }
}

/// As many as there is room for.
fn causes(work: &GcWork, room: usize) -> String {
    let mut text = String::new();
    for (at, cause) in work.causes.iter().enumerate() {
        let kind = match cause.kind {
            GcKind::Full => " of the whole heap",
            GcKind::ConcurrentPause | GcKind::MarkStart | GcKind::MarkEnd => " beside the program",
            _ => "",
        };
        let why = if cause.cause.is_empty() { "of unknown cause" } else { &cause.cause };
        let next = format!("{} {why}{kind}, {}", cause.count, pause(cause.pause_us));
        let more = format!("; {} more", work.causes.len() - at);
        if at > 0 && (at == NAMED || width(&text) + width(&next) + 2 + width(&more) > room) {
            return text + &more;
        }
        text += if at > 0 { "; " } else { "" };
        text += &next;
    }
    text
}

/// A pause of so many microseconds: `0.3 ms`, `12 ms`, `1.20 s`.
pub fn pause(us: u64) -> String {
    match us {
        0..50 => "less than 0.1 ms".to_owned(),
        50..9_950 => format!("{:.1} ms", us as f64 / 1_000.0),
        _ => units::duration(us as f64 / 1_000.0),
    }
}

fn pauses(work: &GcWork) -> String {
    let longest = work.longest.as_ref().map_or_else(String::new, |longest| {
        format!("; the longest {} at {}", pause(longest.us), units::duration(longest.at_ms as f64))
    });
    let unknown = match work.unknown {
        0 => String::new(),
        unknown => format!(" ({unknown} more have no time)"),
    };
    format!(
        "{} in {} pauses, {} of {}{longest}{unknown}",
        pause(work.pause_us()),
        units::count(u64::from(work.count())),
        percent(work.pause_share()),
        units::duration(work.span_ms as f64),
    )
}

fn promoted(bytes: u64, profile: &Profile) -> String {
    // The JVM's own number, as the coverage has it, is of the whole.
    let of_jvm = profile.trust.jvm_allocated_bytes.filter(|_| profile.part.during_ms.is_none());
    let all = of_jvm.unwrap_or_else(|| profile.allocated_bytes_of_all());
    let of = if all > 0 {
        format!(", {} of {} allocated", percent(bytes as f64 / all as f64), units::bytes(all))
    } else {
        String::new()
    };
    format!("{}{of}", units::bytes(bytes))
}

fn left(work: &GcWork) -> Option<String> {
    let left = work.left?;
    let limit = work.heap_limit.map_or_else(String::new, |limit| {
        let share = percent(left.most as f64 / limit.max(1) as f64);
        format!(", at most {share} of the {} that it may have", units::bytes(limit))
    });
    Some(format!(
        "{} to {}, {} after the last{limit}",
        units::bytes(left.least),
        units::bytes(left.most),
        units::bytes(left.last)
    ))
}

/// Collections that large objects brought about.
fn humongous(work: &GcWork) -> Option<String> {
    let (count, us) = work.pauses_by(|cause| cause.cause == "G1 Humongous Allocation");
    let collections = if count == 1 { "collection" } else { "collections" };
    (count > 0).then(|| format!("{count} {collections} for objects of half a region or more, {}", pause(us)))
}

/// Who makes what is collected, by the first frame outside of the JDK: as many as there is room for.
fn garbage(profile: &Profile, room: usize) -> Option<String> {
    let dead = |method: &MethodProfile| method.allocated_bytes.saturating_sub(method.live_bytes);
    let mut methods = profile.methods(&BlameRules::outside_the_jdk());
    methods.sort_by_key(|method| std::cmp::Reverse(dead(method)));
    let all = methods.iter().map(dead).fold(0, u64::saturating_add);
    let named = methods
        .iter()
        .filter(|method| dead(method) as f64 >= LEAST_SHARE * all as f64 && dead(method) > 0)
        .filter_map(|method| Some((method.method.as_ref()?, dead(method))))
        .take(NAMED);
    let mut text = String::new();
    for ((class, name), bytes) in named {
        let share = percent(bytes as f64 / all as f64);
        let before = if text.is_empty() { "" } else { ", " };
        let left = room.saturating_sub(width(&text) + width(before) + width(&share) + 1);
        let name = format!("{class}.{name}");
        if !text.is_empty() && left < width(&name).min(LEAST_NAME) {
            break;
        }
        text += &format!("{before}{} {share}", shorten(&name, left, "..."));
    }
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Collection, Flag, FlagValue, Frame, Gc, GenerationUse, SiteProfile, Tally};

    use super::*;

    fn profile() -> Profile {
        let used =
            |before, after| Some(GenerationUse { before: Some(before), after, ..GenerationUse::default() });
        let gc = |at_ms, pause_us, cause: &str| Collection {
            at_ms,
            pause_us,
            kind: GcKind::Young,
            cause: cause.to_owned(),
            young: used(4 << 20, 1 << 20),
            old: used(1 << 20, 2 << 20),
            ..Collection::default()
        };
        let site = |class: &str, bytes| SiteProfile {
            class: "[B".into(),
            stack: [Frame { class: class.into(), method: "m".into(), ..Frame::default() }]
                .into_iter()
                .collect(),
            allocated: Tally::of(1, bytes),
            ..SiteProfile::default()
        };
        let mut profile = Profile {
            collections: vec![
                gc(500, 30_000, "G1 Evacuation Pause"),
                gc(900, 2_000, "G1 Humongous Allocation"),
            ],
            gcs: 2,
            duration_ms: 1_000,
            flags: vec![Flag { name: "MaxHeapSize".into(), value: FlagValue::Number(64 << 20) }],
            sites: vec![site("a.Shop", 300), site("a.Page", 100)],
            ..Profile::default()
        };
        profile.run.jvm.gc = Gc::G1;
        profile
    }

    #[test]
    fn causes_pauses_what_is_moved_and_left_and_whose_garbage_it_is() {
        let lines = gc_lines(&profile(), 120);
        let expected = [
            "  causes        1 G1 Evacuation Pause, 30 ms; 1 G1 Humongous Allocation, 2.0 ms",
            "  pauses        32 ms in 2 pauses, 3.2 % of 1.00 s; the longest 30 ms at 500 ms",
            "  promoted      2.00 MiB",
            "  left in use   3.00 MiB to 3.00 MiB, 3.00 MiB after the last, at most 4.7 % of the 64.0 MiB that it may have",
            "  large         1 collection for objects of half a region or more, 2.0 ms",
            "  garbage of    a.Shop.m 75 %, a.Page.m 25 %",
        ];
        assert_eq!(lines, expected);
        let narrow = gc_lines(&profile(), 60);
        assert!(narrow.iter().all(|line| width(line) <= 60), "{narrow:?}");
        assert_eq!(narrow[0], "  causes        1 G1 Evacuation Pause, 30 ms; 1 more");
    }

    #[test]
    fn a_method_that_makes_garbage_is_shortened_by_itself_or_left_out_and_never_run_together_with_the_next() {
        let mut profile = profile();
        let names =
            ["org.acme.store.tx.TransactionMap$TMIterator", "org.acme.web.pages.SearchResultRenderer"];
        for (site, class) in profile.sites.iter_mut().zip(names) {
            site.stack = [Frame { class: class.into(), method: "next".into(), ..Frame::default() }]
                .into_iter()
                .collect();
        }
        let garbage = |columns| gc_lines(&profile, columns).pop().expect("a line");
        let [first, second] = names.map(|name| format!("{name}.next"));
        assert_eq!(garbage(130), format!("  garbage of    {first} 75 %, {second} 25 %"));
        let short = "o.a.w.p.SearchResultRenderer.next";
        assert_eq!(garbage(112), format!("  garbage of    {first} 75 %, {short} 25 %"));
        assert_eq!(garbage(70), format!("  garbage of    {first} 75 %"));
        assert_eq!(garbage(60), "  garbage of    o.a.s.tx.TransactionMap$TMIterator.next 75 %");
    }

    #[test]
    fn what_was_promoted_is_a_share_of_what_the_jvm_allocated() {
        let mut profile = profile();
        profile.trust.jvm_allocated_bytes = Some(8 << 20);
        assert_eq!(gc_lines(&profile, 120)[2], "  promoted      2.00 MiB, 25 % of 8.00 MiB allocated");
    }

    #[test]
    fn without_a_collection_there_is_nothing_to_say() {
        assert_eq!(gc_lines(&Profile { collections: Vec::new(), ..profile() }, 80), [""; 0]);
    }

    #[test]
    fn short_pauses_are_not_nothing() {
        let shown = [10, 300, 2_000, 12_400, 1_200_000].map(pause);
        assert_eq!(shown, ["less than 0.1 ms", "0.3 ms", "2.0 ms", "12 ms", "1.20 s"]);
    }

    #[test]
    fn shares_have_a_decimal_where_they_are_small() {
        let shown = [0.0, 0.0001, 0.0044, 0.031, 0.25, 1.0].map(percent);
        assert_eq!(shown, ["0 %", "less than 0.1 %", "0.4 %", "3.1 %", "25 %", "100 %"]);
    }
}
