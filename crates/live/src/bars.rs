//! The lifetime histogram on a clock: how many objects were gone by which age.
//!
//! By time it is that of all reports. By other clocks ages are those at which objects were found dead. Not here: how bars are drawn (`view/charts`).

use mayfly_profile::{Ages, ClassProfile, LifeRow, Lifetimes, Profile, SiteProfile};
use mayfly_report::{life_label, size};

/// By what age is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Clock {
    #[default]
    Time,
    Bytes,
    Gcs,
}

impl Clock {
    /// As headings name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Bytes => "bytes allocated",
            Self::Gcs => "collections",
        }
    }

    /// The one after this.
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Time => Self::Bytes,
            Self::Bytes => Self::Gcs,
            Self::Gcs => Self::Time,
        }
    }

    /// What is known on this clock.
    pub(crate) fn ages(self, lifetimes: &Lifetimes) -> &Ages {
        match self {
            Self::Time => &lifetimes.ms,
            Self::Bytes => &lifetimes.bytes,
            Self::Gcs => &lifetimes.gcs,
        }
    }
}

/// Objects that were gone by an age, or are live.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) objects: u64,
    /// Known on the clock of time only.
    pub(crate) bytes: Option<u64>,
}

const LIVE: &str = "live";
const NOT_JUDGED: &str = "not judged yet";

/// The histogram of all classes.
pub(crate) fn of_profile(profile: &Profile, clock: Clock) -> Vec<Bar> {
    of_classes(profile, &profile.classes, clock)
}

/// The histogram of one class.
pub(crate) fn of_class(profile: &Profile, class: &ClassProfile, clock: Clock) -> Vec<Bar> {
    of_classes(profile, std::slice::from_ref(class), clock)
}

/// The histogram of a site, on the clock of time.
pub(crate) fn of_site(profile: &Profile, site: &SiteProfile) -> Vec<Bar> {
    by_time(profile.life_rows_of_site(site))
}

fn of_classes(profile: &Profile, classes: &[ClassProfile], clock: Clock) -> Vec<Bar> {
    match clock {
        Clock::Time => by_time(classes_rows(profile, classes)),
        Clock::Bytes => {
            let (mut octaves, mut young) = ([0u64; 64], 0);
            for (after, by, weight) in gone(classes, clock) {
                // Who died before its first collection has one bar, whatever it may have lived.
                *(if after == 0 { &mut young } else { &mut octaves[octave(by)] }) += weight;
            }
            let first = Bar { label: "dead by 1st GC".to_owned(), objects: young, bytes: None };
            let grown = octaves.iter().any(|&objects| objects > 0);
            let bars = if grown { by_bytes(&octaves) } else { Vec::new() };
            with_living(std::iter::once(first).chain(bars).collect(), classes)
        }
        Clock::Gcs => {
            let mut counts = [0u64; GC_ENDS.len() + 1];
            for (_, by, weight) in gone(classes, clock) {
                counts[GC_ENDS.partition_point(|&end| end < by)] += weight;
            }
            with_living(by_gcs(&counts), classes)
        }
    }
}

fn classes_rows(profile: &Profile, classes: &[ClassProfile]) -> Vec<LifeRow> {
    match classes {
        [class] => profile.life_rows_of_class(class),
        _ => profile.life_rows(),
    }
}

fn by_time(rows: Vec<LifeRow>) -> Vec<Bar> {
    let bar = |row: LifeRow| Bar {
        label: life_label(row.range),
        objects: row.tally.objects,
        bytes: Some(row.tally.bytes),
    };
    rows.into_iter().map(bar).collect()
}

/// The dead of all classes as (age at which they were alive, and at which they were gone, weight).
fn gone(classes: &[ClassProfile], clock: Clock) -> impl Iterator<Item = (u64, u64, u64)> {
    let lifetimes = classes.iter().filter_map(|class| class.lifetimes.as_ref());
    lifetimes.flat_map(move |it| clock.ages(it).deaths())
}

fn with_living(mut bars: Vec<Bar>, classes: &[ClassProfile]) -> Vec<Bar> {
    let objects =
        classes.iter().filter_map(|class| class.live).fold(0u64, |sum, it| sum.saturating_add(it.objects));
    bars.push(Bar { label: LIVE.to_owned(), objects, bytes: None });
    bars
}

/// Ages are rounded up to steps: what was gone by 2^n is in octave n.
fn octave(by: u64) -> usize {
    by.max(1).saturating_sub(1).checked_ilog2().map_or(0, |log| log as usize + 1).min(63)
}

/// Bars with octaves joined by as many as it takes to have few, from the first that is not empty.
fn by_bytes(octaves: &[u64; 64]) -> Vec<Bar> {
    const MOST: usize = 7;
    let first = octaves.iter().position(|&objects| objects > 0).unwrap_or(20);
    let last = octaves.iter().rposition(|&objects| objects > 0).unwrap_or(first);
    let each = (last - first + 1).div_ceil(MOST).max(1);
    let last = last.max(first + each * 3 - 1).min(63);
    let bar = |from: usize| {
        let to = (from + each).min(64);
        let bound = |octave: usize| size(1u64.checked_shl(octave as u32).unwrap_or(u64::MAX));
        let label = match from {
            from if from == first => format!("up to {}", bound(to - 1)),
            from => format!("{} – {}", bound(from - 1), bound(to - 1)),
        };
        Bar { label, objects: octaves[from..to].iter().sum(), bytes: None }
    };
    (first..=last).step_by(each).map(bar).collect()
}

/// Collections at which objects were gone: last ones of bars.
const GC_ENDS: [u64; 6] = [1, 2, 4, 8, 16, 32];

fn by_gcs(counts: &[u64; GC_ENDS.len() + 1]) -> Vec<Bar> {
    let label = |bar: usize| match bar {
        0 => "1st GC".to_owned(),
        1 => "2nd GC".to_owned(),
        bar if bar == GC_ENDS.len() => format!("GC {} and more", GC_ENDS[bar - 1] + 1),
        bar => format!("GC {} – {}", GC_ENDS[bar - 1] + 1, GC_ENDS[bar]),
    };
    counts.iter().enumerate().map(|(bar, &objects)| Bar { label: label(bar), objects, bytes: None }).collect()
}

/// As many bars as there is room for: the last that were found dead become one.
pub(crate) fn fitted(mut bars: Vec<Bar>, rows: usize) -> Vec<Bar> {
    let last = bars.iter().filter(|bar| [LIVE, NOT_JUDGED].contains(&bar.label.as_str())).count();
    while bars.len() > rows.max(last + 2) {
        let at = bars.len() - last - 2;
        let later = bars.remove(at + 1);
        let bar = &mut bars[at];
        bar.objects = bar.objects.saturating_add(later.objects);
        bar.bytes = bar.bytes.zip(later.bytes).map(|(a, b)| a.saturating_add(b));
        let from = bar.label.split(" – ").next().unwrap_or_default().to_owned();
        bar.label = format!("{from} and more");
    }
    bars
}

#[cfg(test)]
mod tests {
    use mayfly_profile::Tally;

    use super::*;

    fn class(record: impl Fn(&mut Lifetimes)) -> ClassProfile {
        let mut lifetimes = Lifetimes::default();
        record(&mut lifetimes);
        ClassProfile { live: Some(Tally::of(3, 16)), lifetimes: Some(lifetimes), ..ClassProfile::default() }
    }

    fn counts(bars: &[Bar]) -> Vec<(&str, u64)> {
        bars.iter().map(|bar| (bar.label.as_str(), bar.objects)).collect()
    }

    #[test]
    fn collections_are_told_apart_first_and_then_by_twos() {
        let class = class(|lifetimes| {
            for (by, weight) in [(1, 5), (2, 1), (3, 10), (4, 10), (9, 7), (16, 7), (33, 2)] {
                lifetimes.gcs.record_deaths(by - 1, by, weight);
            }
        });
        let bars = of_class(&Profile::default(), &class, Clock::Gcs);
        let expected = [
            ("1st GC", 5),
            ("2nd GC", 1),
            ("GC 3 – 4", 20),
            ("GC 5 – 8", 0),
            ("GC 9 – 16", 14),
            ("GC 17 – 32", 0),
            ("GC 33 and more", 2),
            ("live", 3),
        ];
        assert_eq!(counts(&bars), expected);
    }

    #[test]
    fn bytes_are_told_apart_by_few_bars_that_hold_all() {
        for most in [1u64 << 20, 1 << 26, 1 << 40] {
            let class = class(|lifetimes| {
                lifetimes.bytes.record_deaths(0, 1 << 16, 5);
                lifetimes.bytes.record_deaths(1 << 16, most, 8);
            });
            let bars = of_class(&Profile::default(), &class, Clock::Bytes);
            assert!(bars.len() <= 9, "{bars:?}");
            assert_eq!(bars.iter().map(|bar| bar.objects).sum::<u64>(), 16);
            assert!(bars[0].objects == 5 && bars.iter().any(|bar| bar.objects == 8), "{bars:?}");
        }
        assert_eq!(octave(1), 0);
        assert_eq!((octave(1 << 16), octave((1 << 16) + 1)), (16, 17));
    }

    #[test]
    fn what_does_not_fit_becomes_one() {
        let class = class(|lifetimes| {
            lifetimes.ms.record_deaths(0, 300, 5);
            (1..200).for_each(|age| lifetimes.ms.record_deaths(age, age + 300, 1));
        });
        let bars = of_class(
            &Profile::default(),
            &ClassProfile { collected: vec![Tally::of(204, 16)], ..class },
            Clock::Time,
        );
        let fit = fitted(bars.clone(), 4);
        let labels: Vec<_> = fit.iter().map(|bar| bar.label.split(" ≤").next().unwrap_or_default()).collect();
        assert_eq!(labels, ["dead by 1st GC", "1 ms – 5 ms", "5 ms and more", "live"]);
        assert_eq!(fit.iter().map(|bar| bar.objects).sum::<u64>(), 207);
        assert_eq!(fitted(bars.clone(), 20), bars);
    }
}
