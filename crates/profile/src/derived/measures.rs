//! The catalogue of measures: every number that outputs have of a class, each declared once.
//!
//! Text, live view, JSON, CSV, Parquet, OpenMetrics, pages, budgets, the Java API and the guide's table walk [`MEASURES`], so a number
//! has one key everywhere. A new one is a value here and its place in the list. Not here: how a number is spelled for people
//! (`mayfly-report`), numbers of a moment such as rates (`mayfly-live`).

use crate::derived::amounts::Value;
use crate::facts::run::Tracking;
use crate::facts::share::Share;
use crate::facts::tally::Tally;
use crate::lifetime::ages::Ages;
use crate::lifetime::lifetimes::Lifetimes;
use crate::lifetime::survival::{Quantile, Survival};
use crate::stream::profile::{ClassProfile, Profile};

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Objects.
    Objects,
    /// Bytes times seconds.
    ByteSeconds,
    /// Seconds.
    Seconds,
    /// Collections.
    Collections,
    /// A share from 0 to 1.
    Share,
}

impl Unit {
    /// In the guide and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Objects => "objects",
            Self::ByteSeconds => "byte-seconds",
            Self::Seconds => "seconds",
            Self::Collections => "collections",
            Self::Share => "share",
        }
    }
}

/// What has to be recorded for a number to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing more than counts.
    Counts,
    /// Deaths of objects.
    Deaths,
    /// Counts, and the JVM's own samples beside them.
    Samples,
}

/// How sure a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sureness {
    /// Exact; an estimate in the sampled engine.
    Counted,
    /// Exact where each object of the class was followed; else an estimate from those that were.
    Followed,
    /// Always an estimate.
    Estimated,
}

/// A number of a class.
#[derive(Debug)]
pub struct Measure {
    /// In JSON, CSV, Parquet, budgets and Java.
    pub key: &'static str,
    /// Its heading where columns are narrow: eight at most.
    pub short: &'static str,
    /// Its heading where there is room.
    pub long: &'static str,
    /// In words.
    pub meaning: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// What it needs.
    pub needs: Needs,
    /// How sure it is.
    pub sureness: Sureness,
    /// The same number of a stack, for formats that add up cells; `None`: it is of classes alone.
    pub value: Option<Value>,
    /// Its name in OpenMetrics, without suffix.
    pub metric: &'static str,
    /// Whether it has a column in the full report's table of classes.
    pub in_full: bool,
    /// Its place among the columns of the live view; `None`: it has none.
    pub in_view: Option<u8>,
    /// Whether the numbers of classes add up to that of all: whole numbers do.
    pub adds_up: bool,
    /// Whether it only grows while a program runs.
    pub grows: bool,
    read: Read,
}

type Read = fn(&Profile, &ClassProfile) -> Option<Quantile>;

/// What most measures are.
const PLAIN: Measure = Measure {
    key: "",
    short: "",
    long: "",
    meaning: "",
    unit: Unit::Bytes,
    needs: Needs::Counts,
    sureness: Sureness::Counted,
    value: None,
    metric: "",
    in_full: true,
    in_view: None,
    adds_up: true,
    grows: true,
    read: |_, _| None,
};

/// All of them, in the order in which files have them.
pub static MEASURES: [&Measure; 27] = [
    &OBJECTS,
    &BYTES,
    &LIVE_OBJECTS,
    &LIVE_BYTES,
    &BYTE_SECONDS,
    &DIED_YOUNG_BYTES,
    &SURVIVED_BYTES,
    &OPTIMISED_AWAY_BYTES,
    &RANK_BYTES,
    &DEAD_OBJECTS,
    &DEAD_BYTES,
    &P50_S,
    &P90_S,
    &P99_S,
    &OLDEST_S,
    &P50_GCS,
    &P99_GCS,
    &OLDEST_GCS,
    &P50_BYTES,
    &P99_BYTES,
    &OLDEST_BYTES,
    &DIED_BEFORE_FIRST_GC_SHARE,
    &FOLLOWED,
    &SAMPLES,
    &LARGEST,
    &MEAN_BYTES,
    &LIVE_SHARE,
];

impl Measure {
    /// The measure of this key.
    pub fn of_key(key: &str) -> Option<&'static Self> {
        MEASURES.iter().find(|measure| measure.key == key).copied()
    }

    /// Whether the profile holds what it needs.
    pub fn is_known(&self, profile: &Profile) -> bool {
        match (self.value, self.needs) {
            (Some(value), _) => profile.knows(value),
            (None, Needs::Counts) => true,
            (None, Needs::Deaths) => profile.run.lifetimes,
            (None, Needs::Samples) => profile.knows(Value::OptimisedAway),
        }
    }

    /// Of a class, with its 95 % band if it is a share or an age among estimated ones; `None`: it is not known.
    pub fn of(&self, profile: &Profile, class: &ClassProfile) -> Option<Quantile> {
        if self.is_known(profile) { (self.read)(profile, class) } else { None }
    }

    /// Of all classes together, of which `all` is the sum.
    pub fn of_all(&self, profile: &Profile, all: &ClassProfile) -> Option<f64> {
        if !self.adds_up {
            return self.number(profile, all);
        }
        let numbers: Vec<f64> =
            profile.classes.iter().filter_map(|class| self.number(profile, class)).collect();
        let is_known = self.is_known(profile) && (profile.classes.is_empty() || !numbers.is_empty());
        is_known.then(|| numbers.iter().sum())
    }

    /// The number alone.
    pub fn number(&self, profile: &Profile, class: &ClassProfile) -> Option<f64> {
        self.of(profile, class)?.point
    }
}

impl PartialEq for Measure {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Measure {}

impl Profile {
    /// Of how many objects of a class its lifetimes are, where that is a choice.
    pub fn share_of(&self, class: &ClassProfile) -> Option<Share> {
        let known = self.run.tracking == Tracking::Balanced && class.live.is_some();
        let whole = || Share::whole(class.allocated.objects);
        known.then(|| self.shares.get(&class.name).copied().unwrap_or_else(whole))
    }

    /// How many samples live, dead and lifetimes of a class rest on, about; `None`: they are no estimates, or there is none.
    pub fn samples_of(&self, class: &ClassProfile) -> Option<u64> {
        class.live?;
        let mut tracked = class.not_seen_dead();
        tracked.add(class.dead());
        let samples = self.samples_behind(class, tracked)?;
        // As many as its chance is that of: of large objects nearly each is one.
        samples.is_finite().then(|| (samples.round() as u64).clamp(1, tracked.objects.max(1)))
    }
}

fn whole(number: u64) -> Option<Quantile> {
    exactly(number as f64)
}

fn exactly(number: f64) -> Option<Quantile> {
    Some(Quantile { point: Some(number), low: number, high: Some(number) })
}

fn ages(class: &ClassProfile) -> Option<&Lifetimes> {
    class.lifetimes.as_ref()
}

/// Nothing is known from below where ages at death are upper bounds.
fn bounded(profile: &Profile, quantile: Quantile) -> Quantile {
    if profile.run.jvm.lifetimes_are_upper_bounds() { quantile.from_above() } else { quantile }
}

fn age(profile: &Profile, known: Option<Survival>, q: f64) -> Option<Quantile> {
    known.map(|known| bounded(profile, known.quantile(q)))
}

fn in_seconds(profile: &Profile, class: &ClassProfile, q: f64) -> Option<Quantile> {
    age(profile, ages(class)?.in_time(), q).map(seconds)
}

fn seconds(of: Quantile) -> Quantile {
    let seconds = |ms: f64| ms / 1_000.0;
    Quantile { point: of.point.map(seconds), low: seconds(of.low), high: of.high.map(seconds) }
}

/// The greatest age at which one was seen alive: a lower bound.
fn oldest(ages: &Ages) -> Option<Quantile> {
    let dead = ages.deaths().map(|(after, _, _)| after);
    let oldest = dead.chain(ages.living().map(|(age, _)| age)).max()? as f64;
    Some(Quantile { point: Some(oldest), low: oldest, high: None })
}

fn live(profile: &Profile, class: &ClassProfile) -> Option<Tally> {
    class.live.filter(|_| profile.knows_live_of(class))
}

/// All objects allocated.
pub static OBJECTS: Measure = Measure {
    key: "objects",
    short: "objects",
    long: "objects",
    meaning: "all objects allocated",
    unit: Unit::Objects,
    value: Some(Value::Objects),
    metric: "mayfly_allocated_objects",
    read: |_, class| whole(class.allocated.objects),
    ..PLAIN
};
/// Their bytes.
pub static BYTES: Measure = Measure {
    key: "bytes",
    short: "executed",
    long: "executed bytes",
    meaning: "bytes of all objects allocated, with those that the JIT compiler optimised away",
    value: Some(Value::Bytes),
    metric: "mayfly_allocated_bytes",
    in_full: false,
    read: |_, class| whole(class.allocated.bytes),
    ..PLAIN
};
/// Objects that are live.
pub static LIVE_OBJECTS: Measure = Measure {
    key: "live_objects",
    short: "live obj",
    long: "live objects",
    meaning: "objects not seen dead",
    unit: Unit::Objects,
    needs: Needs::Deaths,
    sureness: Sureness::Followed,
    value: Some(Value::LiveObjects),
    metric: "mayfly_live_objects",
    grows: false,
    read: |profile, class| whole(live(profile, class)?.objects),
    ..PLAIN
};
/// Their bytes.
pub static LIVE_BYTES: Measure = Measure {
    key: "live_bytes",
    short: "live",
    long: "live bytes",
    meaning: "bytes of objects not seen dead",
    needs: Needs::Deaths,
    sureness: Sureness::Followed,
    value: Some(Value::Live),
    metric: "mayfly_live_bytes",
    in_full: false,
    in_view: Some(1),
    grows: false,
    read: |profile, class| whole(live(profile, class)?.bytes),
    ..PLAIN
};
/// Bytes times seconds.
pub static BYTE_SECONDS: Measure = Measure {
    key: "byte_seconds",
    short: "byte-s",
    long: "byte-seconds",
    meaning: "bytes times the seconds that they were held so far",
    unit: Unit::ByteSeconds,
    needs: Needs::Deaths,
    sureness: Sureness::Followed,
    value: Some(Value::ByteSeconds),
    metric: "mayfly_held_byte_seconds",
    in_full: false,
    in_view: Some(4),
    read: |profile, class| exactly(class.byte_seconds(&profile.run.buckets)?.all()),
    ..PLAIN
};
/// Bytes that died at their first collection.
pub static DIED_YOUNG_BYTES: Measure = Measure {
    key: "died_young_bytes",
    short: "young",
    long: "died young",
    meaning: "bytes of objects that died at their first collection",
    needs: Needs::Deaths,
    sureness: Sureness::Followed,
    value: Some(Value::DiedYoung),
    metric: "mayfly_died_young_bytes",
    in_full: false,
    read: |_, class| whole(class.died_young().bytes),
    ..PLAIN
};
/// Bytes that survived one.
pub static SURVIVED_BYTES: Measure = Measure {
    key: "survived_bytes",
    short: "survived",
    long: "survived",
    meaning: "bytes of objects that survived a collection",
    needs: Needs::Deaths,
    sureness: Sureness::Followed,
    value: Some(Value::Survived),
    metric: "mayfly_survived_bytes",
    in_full: false,
    read: |_, class| whole(class.survived().bytes),
    ..PLAIN
};
/// Bytes that took no memory.
pub static OPTIMISED_AWAY_BYTES: Measure = Measure {
    key: "optimised_away_bytes",
    short: "removed",
    long: "optimised away",
    meaning: "bytes of objects that the JIT compiler optimised away",
    needs: Needs::Samples,
    sureness: Sureness::Estimated,
    value: Some(Value::OptimisedAway),
    metric: "mayfly_optimised_away_bytes",
    in_full: false,
    read: |profile, class| whole(profile.removed_bytes(class)),
    ..PLAIN
};
/// Bytes that took memory.
pub static RANK_BYTES: Measure = Measure {
    key: "rank_bytes",
    short: "bytes",
    long: "allocated",
    meaning: "bytes that took memory: those allocated, without what was optimised away; rows are ranked by them",
    metric: "mayfly_rank_bytes",
    in_full: false,
    in_view: Some(5),
    read: |profile, class| whole(profile.allocated_bytes(class)),
    ..PLAIN
};
/// Objects seen dead.
pub static DEAD_OBJECTS: Measure = Measure {
    key: "dead_objects",
    short: "dead",
    long: "dead objects",
    meaning: "objects seen dead",
    unit: Unit::Objects,
    needs: Needs::Deaths,
    sureness: Sureness::Followed,
    metric: "mayfly_dead_objects",
    read: |_, class| whole(class.dead().objects),
    ..PLAIN
};
/// Their bytes.
pub static DEAD_BYTES: Measure = Measure {
    key: "dead_bytes",
    short: "dead",
    long: "dead bytes",
    meaning: "bytes of objects seen dead",
    needs: Needs::Deaths,
    sureness: Sureness::Followed,
    metric: "mayfly_dead_bytes",
    in_full: false,
    read: |_, class| whole(class.dead().bytes),
    ..PLAIN
};
/// Ages.
const AGE: Measure = Measure {
    unit: Unit::Seconds,
    needs: Needs::Deaths,
    sureness: Sureness::Estimated,
    adds_up: false,
    grows: false,
    ..PLAIN
};
/// The median lifetime.
pub static P50_S: Measure = Measure {
    key: "p50_s",
    short: "median",
    long: "p50 s",
    meaning: "lifetime that half of the objects do not exceed",
    metric: "mayfly_p50_seconds",
    in_view: Some(2),
    read: |profile, class| in_seconds(profile, class, 0.5),
    ..AGE
};
/// The ninth decile.
pub static P90_S: Measure = Measure {
    key: "p90_s",
    short: "p90",
    long: "p90 s",
    meaning: "lifetime that 90 % of the objects do not exceed",
    metric: "mayfly_p90_seconds",
    read: |profile, class| in_seconds(profile, class, 0.9),
    ..AGE
};
/// The longest but of a hundredth.
pub static P99_S: Measure = Measure {
    key: "p99_s",
    short: "p99",
    long: "p99 s",
    meaning: "lifetime that 99 % of the objects do not exceed",
    metric: "mayfly_p99_seconds",
    read: |profile, class| in_seconds(profile, class, 0.99),
    ..AGE
};
/// The greatest age seen.
pub static OLDEST_S: Measure = Measure {
    key: "oldest_s",
    short: "oldest",
    long: "oldest s",
    meaning: "greatest age at which one was seen alive: one at least lived so long",
    metric: "mayfly_oldest_seconds",
    in_full: false,
    read: |_, class| oldest(&ages(class)?.ms).map(seconds),
    ..AGE
};
/// The median in collections.
pub static P50_GCS: Measure = Measure {
    key: "p50_gcs",
    short: "GCs",
    long: "p50 GCs",
    meaning: "collections that half of the objects survive at most",
    unit: Unit::Collections,
    metric: "mayfly_p50_gcs",
    read: |profile, class| Some(bounded(profile, ages(class)?.gcs_survived(0.5)?)),
    ..AGE
};
/// All but a hundredth in collections.
pub static P99_GCS: Measure = Measure {
    key: "p99_gcs",
    short: "p99 GCs",
    long: "p99 GCs",
    meaning: "collections that 99 % of the objects survive at most",
    unit: Unit::Collections,
    metric: "mayfly_p99_gcs",
    in_full: false,
    read: |profile, class| Some(bounded(profile, ages(class)?.gcs_survived(0.99)?)),
    ..AGE
};
/// The greatest age in collections.
pub static OLDEST_GCS: Measure = Measure {
    key: "oldest_gcs",
    short: "max GCs",
    long: "oldest GCs",
    meaning: "most collections that one was seen to survive",
    unit: Unit::Collections,
    metric: "mayfly_oldest_gcs",
    in_full: false,
    read: |_, class| oldest(&ages(class)?.gcs),
    ..AGE
};
/// The median in bytes.
pub static P50_BYTES: Measure = Measure {
    key: "p50_bytes",
    short: "p50 B",
    long: "p50 bytes",
    meaning: "bytes that the program allocates while half of the objects live",
    unit: Unit::Bytes,
    metric: "mayfly_p50_bytes",
    read: |profile, class| age(profile, ages(class)?.in_bytes(), 0.5),
    ..AGE
};
/// All but a hundredth in bytes.
pub static P99_BYTES: Measure = Measure {
    key: "p99_bytes",
    short: "p99 B",
    long: "p99 bytes",
    meaning: "bytes that the program allocates while 99 % of the objects live at most",
    unit: Unit::Bytes,
    metric: "mayfly_p99_bytes",
    in_full: false,
    read: |profile, class| age(profile, ages(class)?.in_bytes(), 0.99),
    ..AGE
};
/// The greatest age in bytes.
pub static OLDEST_BYTES: Measure = Measure {
    key: "oldest_bytes",
    short: "max B",
    long: "oldest bytes",
    meaning: "most bytes that the program allocated while one was seen alive",
    unit: Unit::Bytes,
    metric: "mayfly_oldest_bytes",
    in_full: false,
    read: |_, class| oldest(&ages(class)?.bytes),
    ..AGE
};
/// The share of the dead that saw one collection.
pub static DIED_BEFORE_FIRST_GC_SHARE: Measure = Measure {
    key: "died_before_first_gc_share",
    short: "1st GC",
    long: "1st GC",
    meaning: "share of the dead that died at their first collection",
    unit: Unit::Share,
    needs: Needs::Deaths,
    sureness: Sureness::Followed,
    metric: "mayfly_died_before_first_gc_share",
    in_view: Some(3),
    adds_up: false,
    grows: false,
    read: |_, class| exactly(ages(class)?.died_before_first_gc_share()?),
    ..PLAIN
};
/// Objects followed one by one.
pub static FOLLOWED: Measure = Measure {
    key: "followed",
    short: "followed",
    long: "followed",
    meaning: "objects followed one by one, where that is a choice by class",
    unit: Unit::Objects,
    needs: Needs::Deaths,
    metric: "mayfly_followed_objects",
    in_full: false,
    grows: false,
    read: |profile, class| whole(profile.share_of(class)?.followed),
    ..PLAIN
};
/// Samples behind what is known of deaths.
pub static SAMPLES: Measure = Measure {
    key: "samples",
    short: "samples",
    long: "samples",
    meaning: "samples that live, dead and lifetimes rest on, about; none where they are no estimates",
    unit: Unit::Objects,
    needs: Needs::Deaths,
    sureness: Sureness::Estimated,
    metric: "mayfly_samples",
    in_full: false,
    grows: false,
    read: |profile, class| whole(profile.samples_of(class)?),
    ..PLAIN
};
/// The largest object.
pub static LARGEST: Measure = Measure {
    key: "largest",
    short: "largest",
    long: "largest",
    meaning: "shallow size of the largest object",
    metric: "mayfly_largest_bytes",
    in_full: false,
    adds_up: false,
    grows: false,
    read: |_, class| whole(class.allocated.largest),
    ..PLAIN
};

/// The mean object.
pub static MEAN_BYTES: Measure = Measure {
    key: "mean_bytes",
    short: "mean",
    long: "mean size",
    meaning: "mean shallow size of the objects allocated: of arrays, how large they are",
    metric: "mayfly_mean_bytes",
    in_full: false,
    adds_up: false,
    grows: false,
    read: |_, class| {
        let Tally { objects, bytes, .. } = class.allocated;
        if objects > 0 { exactly(bytes as f64 / objects as f64) } else { None }
    },
    ..PLAIN
};

/// What is live of what was followed.
pub static LIVE_SHARE: Measure = Measure {
    key: "live_share",
    short: "% live",
    long: "live share",
    meaning: "share of the bytes whose deaths were looked for that is live: near 1, nearly all of it is kept",
    unit: Unit::Share,
    needs: Needs::Deaths,
    sureness: Sureness::Followed,
    metric: "mayfly_live_share",
    in_full: false,
    adds_up: false,
    grows: false,
    read: |profile, class| {
        let live = live(profile, class)?.bytes;
        let judged = live.saturating_add(class.dead().bytes);
        if judged > 0 { exactly(live as f64 / judged as f64) } else { None }
    },
    ..PLAIN
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::facts::gc::Gc;

    use super::*;

    #[test]
    fn no_two_measures_share_a_name_and_headings_fit_their_columns() {
        let all = |of: fn(&Measure) -> &'static str| {
            MEASURES.iter().map(|measure| of(measure)).collect::<BTreeSet<_>>().len()
        };
        assert_eq!([all(|of| of.key), all(|of| of.long), all(|of| of.metric)], [MEASURES.len(); 3]);
        for measure in MEASURES {
            assert!(measure.short.len() <= 8 && !measure.meaning.is_empty(), "{}", measure.key);
            // As OpenMetrics has it, a name ends with its unit.
            let ends = match measure.unit {
                Unit::Bytes => "_bytes",
                Unit::Seconds => "_seconds",
                _ => "",
            };
            assert!(measure.metric.ends_with(ends), "{}", measure.metric);
            assert_eq!(Measure::of_key(measure.key).map(|found| found.key), Some(measure.key));
        }
    }

    #[test]
    fn each_number_of_cells_is_a_measure() {
        for value in Value::ALL {
            let of_value = MEASURES.iter().filter(|measure| measure.value == Some(value));
            assert_eq!(of_value.count(), 1, "{value:?}");
        }
    }

    #[test]
    fn what_is_live_is_a_share_of_what_was_judged() {
        let share = |live, dead| {
            let lived = [Tally::of(dead, 16)].to_vec();
            let class =
                ClassProfile { live: Some(Tally::of(live, 16)), collected: lived, ..ClassProfile::default() };
            let mut profile = Profile { classes: vec![class.clone()], ..Profile::default() };
            profile.run.lifetimes = true;
            LIVE_SHARE.number(&profile, &class)
        };
        assert_eq!(
            [share(1, 3), share(2, 0), share(0, 5), share(0, 0)],
            [Some(0.25), Some(1.0), Some(0.0), None]
        );
    }

    /// A service under generational ZGC had "survived" 2,257 of 2,290 MiB, most of which died in milliseconds.
    #[test]
    fn what_survived_is_not_known_where_the_dead_are_seen_late() {
        let class = ClassProfile { allocated: Tally::of(2, 16), ..ClassProfile::default() };
        for (gc, is_known) in [(Gc::G1, true), (Gc::Zgc, true), (Gc::GenerationalZgc, false)] {
            let mut profile = Profile { classes: vec![class.clone()], ..Profile::default() };
            (profile.run.lifetimes, profile.run.jvm.gc) = (true, gc);
            assert_eq!(SURVIVED_BYTES.number(&profile, &class).is_some(), is_known, "{gc:?}");
            assert!(DIED_YOUNG_BYTES.number(&profile, &class).is_some(), "{gc:?}");
        }
    }

    #[test]
    fn what_was_not_followed_is_not_known() {
        let class = ClassProfile { allocated: Tally::of(2, 16), ..ClassProfile::default() };
        let profile = Profile { classes: vec![class.clone()], ..Profile::default() };
        let numbers = |measure: &Measure| measure.number(&profile, &class);
        assert_eq!([&OBJECTS, &BYTES, &MEAN_BYTES].map(numbers), [2.0, 32.0, 16.0].map(Some));
        for measure in MEASURES.iter().filter(|measure| measure.needs != Needs::Counts) {
            assert_eq!(numbers(measure), None, "{}", measure.key);
        }
    }
}
