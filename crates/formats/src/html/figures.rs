//! The numbers at the head of the page, and what was profiled, in words.
//!
//! Not here: the text report below them (`mayfly-report`), and all that changes with a selection (`page.js`).

use mayfly_profile::{Lifetimes, LiveAsOf, Profile, Tally};
use mayfly_report::{count, duration, off_heap_lines, pauses_known, size, tracking_text};

/// A number with what it is of.
pub(super) struct Figure {
    pub(super) label: &'static str,
    pub(super) value: String,
    /// More of it, smaller.
    pub(super) note: String,
    /// What it is of, for who does not know the word; empty where the label says it.
    pub(super) meaning: &'static str,
}

/// Program, JVM, length: a short text each.
pub(super) fn facts(profile: &Profile) -> Vec<String> {
    let jvm = &profile.run.jvm;
    let mut facts = Vec::new();
    if jvm.pid > 0 {
        facts.push(format!("pid {}", jvm.pid));
    }
    if !jvm.version.is_empty() {
        facts.push(format!("JVM {}", jvm.version));
    }
    facts.extend([jvm.gc.name().to_owned()].into_iter().filter(|gc| !gc.is_empty()));
    facts.push(format!("{} profiled", duration(profile.duration_ms as f64)));
    facts.push(tracking_text(profile));
    facts.extend(mayfly_report::reading_lines(profile));
    if !profile.complete {
        facts.push("not ended, or its end was not recorded".to_owned());
    }
    facts.extend(mayfly_report::part_lines(profile));
    facts
}

/// What one wants to know first. `lifetimes`: of all classes.
pub(super) fn figures(profile: &Profile, lifetimes: &Lifetimes) -> Vec<Figure> {
    let (mut allocated, mut live) = (Tally::default(), Tally::default());
    for class in &profile.classes {
        allocated.add(class.allocated);
        live.add(class.live.unwrap_or_default());
    }
    let mut figures = vec![Figure {
        label: "Allocated",
        meaning: "All objects made while the program was profiled, whether they are alive or not",
        value: size(allocated.bytes),
        note: format!("{} objects", count(allocated.objects)),
    }];
    let seconds = profile.duration_ms as f64 / 1_000.0;
    if seconds > 0.0 {
        let rate = |amount: u64| (amount as f64 / seconds) as u64;
        figures.push(Figure {
            label: "Rate",
            meaning: "What was allocated, by the seconds profiled",
            value: format!("{}/s", size(rate(allocated.bytes))),
            note: format!("{} objects/s", count(rate(allocated.objects))),
        });
    }
    if profile.run.lifetimes {
        let known = profile.live_as_of != LiveAsOf::NoCollection;
        let at_most = if profile.live_is_at_most() { "at most " } else { "" };
        figures.push(Figure {
            label: "Live at the end",
            meaning: "What the last collection found in use of what was followed: reachable from the program",
            value: if known { format!("{at_most}{}", size(live.bytes)) } else { "?".to_owned() },
            note: match profile.live_as_of {
                LiveAsOf::NoCollection => "nothing was collected".to_owned(),
                LiveAsOf::Ms(ms) if !profile.complete => {
                    format!("{} objects, after the GC at {}", count(live.objects), duration(ms as f64))
                }
                _ => format!("{} objects", count(live.objects)),
            },
        });
        figures.extend(median(lifetimes));
    }
    figures.push(pauses(profile));
    figures.extend(off_heap(profile));
    figures.extend(profile.trust.share().map(|share| Figure {
        label: "Coverage",
        meaning: "What was counted, of what the JVM itself says it allocated; the sentences below name the rest",
        value: format!("{:.1} %", (share * 1_000.0).floor() / 10.0),
        note: "counted ÷ allocated by the JVM".to_owned(),
    }));
    figures
}

/// What is outside of the heap; none where nothing was read of it.
fn off_heap(profile: &Profile) -> Option<Figure> {
    let [direct, others] = <[String; 2]>::try_from(off_heap_lines(profile)).ok()?;
    Some(Figure {
        label: "Outside of the heap",
        meaning: "Memory of direct buffers and of arenas at the end, as the JVM counts it; a container is killed for all that its processes have",
        value: direct,
        note: others,
    })
}

fn median(lifetimes: &Lifetimes) -> Option<Figure> {
    let half = lifetimes.in_time()?.quantile(0.5);
    let value = half.point.map_or_else(|| format!("over {}", duration(half.low)), duration);
    let survivors = lifetimes.died_before_first_gc_share();
    let note =
        survivors.map(|share| format!("estimated; {:.0} % of the dead by their first GC", 100.0 * share));
    Some(Figure {
        label: "Half live no longer than",
        value,
        note: note.unwrap_or_default(),
        meaning: "The median lifetime, by objects: a death is known to lie between two collections, so it is an estimate",
    })
}

fn pauses(profile: &Profile) -> Figure {
    let us: u64 = profile.collections.iter().map(|gc| gc.pause_us).sum();
    let longest = profile.collections.iter().map(|gc| gc.pause_us).max();
    Figure {
        label: "Collections",
        meaning: "Garbage collections, and for how long the program stood still for them",
        value: count(u64::from(profile.gcs)),
        note: longest.map_or_else(String::new, |longest| {
            let paused = format!("{} paused, {} at most", duration(us as f64 / 1e3), milliseconds(longest));
            pauses_known(profile).map_or(paused.clone(), |known| format!("{paused}; {known}"))
        }),
    }
}

/// Pauses are short: with a decimal below ten.
fn milliseconds(us: u64) -> String {
    let ms = us as f64 / 1e3;
    if ms < 10.0 { format!("{ms:.1} ms") } else { duration(ms) }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{ClassProfile, Collection, RunInfo};

    use super::*;

    #[test]
    fn figures_are_of_all_classes() {
        let class = ClassProfile {
            allocated: Tally::of(1_000, 1_024),
            live: Some(Tally::of(10, 1_024)),
            ..ClassProfile::default()
        };
        let run = RunInfo { lifetimes: true, ..RunInfo::default() };
        let collections = vec![
            Collection { pause_us: 2_500, ..Collection::default() },
            Collection { pause_us: 9_500, ..Collection::default() },
        ];
        let profile = Profile {
            run,
            duration_ms: 2_000,
            gcs: 2,
            classes: vec![class.clone(), class],
            collections,
            ..Profile::default()
        };
        let said: Vec<_> = figures(&profile, &Lifetimes::default())
            .into_iter()
            .map(|one| format!("{}: {}, {}", one.label, one.value, one.note))
            .collect();
        assert_eq!(
            said,
            [
                "Allocated: 1.95 MiB, 2.00 k objects",
                "Rate: 1000 KiB/s, 1.00 k objects/s",
                "Live at the end: 20.0 KiB, 20 objects",
                "Collections: 2, 12 ms paused, 9.5 ms at most",
            ]
        );
    }
}
