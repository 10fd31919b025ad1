//! The classes whose objects live longest, of those that hold memory to speak of.

use mayfly_profile::{ClassProfile, Lifetimes};

use super::Screen;
use crate::table::fitted;
use crate::text::printable;
use crate::units;

/// Rows.
const ROWS: usize = 3;
/// Only classes with at least this share of all byte-seconds: a single thread object of the JDK lives long, too.
const LEAST_SHARE: f64 = 0.01;
/// Fewer samples tell nothing of how long the objects of a class live: half may be dead though all that were drawn live.
const LEAST_SAMPLES: f64 = 10.0;

/// A class and how long its objects live.
pub(super) struct LongLived<'a> {
    pub(super) class: &'a ClassProfile,
    /// Objects.
    pub(super) live: u64,
    /// Objects.
    pub(super) collected: u64,
    /// Median lifetime, or what it is above.
    pub(super) median: String,
    /// Between what it lies (95 %), in brackets; empty where only a bound is known.
    pub(super) band: String,
}

impl Screen<'_> {
    /// The longest lived first.
    pub(super) fn long_lived(&self) -> Vec<LongLived<'_>> {
        let classes: Vec<_> =
            self.profile.classes.iter().map(|class| (self.byte_seconds(class), class)).collect();
        let all: f64 = classes.iter().map(|(byte_seconds, _)| byte_seconds).sum();
        let large = classes
            .into_iter()
            .filter(|(byte_seconds, _)| *byte_seconds > 0.0 && *byte_seconds >= all * LEAST_SHARE)
            .filter(|(_, class)| self.is_known(class));
        let mut lived: Vec<_> = large
            .filter_map(|(_, class)| {
                let median = median(class.lifetimes.as_ref()?)?;
                Some((median.sorted_by, long_lived(class, median)))
            })
            .collect();
        lived.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        lived.into_iter().map(|(_, row)| row).take(ROWS).collect()
    }

    /// As a table.
    pub(super) fn longest_lived(&self) -> Vec<String> {
        let rows = self.long_lived();
        if rows.is_empty() {
            return Vec::new();
        }
        let mut cells = vec![["median", "live", "collected", "class"].map(str::to_owned).to_vec()];
        cells.extend(rows.iter().map(|row| {
            let counts = [row.live, row.collected].map(units::count);
            [vec![row.median.clone()], counts.to_vec(), vec![printable(&row.class.name).into_owned()]]
                .concat()
        }));
        let mut lines = vec![
            String::new(),
            self.fit("Longest lived, of the classes with 1 % or more of the byte-seconds (in objects):"),
        ];
        lines.extend(fitted(&cells, "  ", self.columns).lines().map(str::to_owned));
        lines
    }

    /// Whether enough objects of it were followed.
    fn is_known(&self, class: &ClassProfile) -> bool {
        let mut all = class.live.unwrap_or_default();
        all.add(class.dead());
        let samples = self.profile.samples_behind(class, all);
        samples.is_none_or(|samples| samples >= LEAST_SAMPLES)
    }

    fn byte_seconds(&self, class: &ClassProfile) -> f64 {
        class.byte_seconds(&self.profile.run.buckets).unwrap_or_default().all()
    }
}

fn long_lived(class: &ClassProfile, median: Median) -> LongLived<'_> {
    LongLived {
        class,
        live: class.live.unwrap_or_default().objects,
        collected: class.dead().objects,
        median: median.text,
        band: median.band,
    }
}

/// A median lifetime.
struct Median {
    /// In milliseconds: it, or what it is above.
    sorted_by: f64,
    text: String,
    band: String,
}

/// The median lifetime, or what it is above.
fn median(lifetimes: &Lifetimes) -> Option<Median> {
    let median = lifetimes.in_time()?.quantile(0.5);
    if let Some(point) = median.point {
        let high = median.high.map_or("more".to_owned(), units::rough_duration);
        let band = format!(" ({} to {high})", units::rough_duration(median.low));
        return Some(Median { sorted_by: point, text: units::duration(point), band });
    }
    let text = format!("over {}", units::rough_duration(median.low));
    (median.low > 0.0).then(|| Median { sorted_by: median.low, text, band: String::new() })
}
