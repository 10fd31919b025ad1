//! The histogram of lifetimes, the same in every output: who died before a first collection, then ages on a scale by factors.
//!
//! No lifetime is known but an interval, so no row shows it as a point: a row says up to which age its objects were alive for sure;
//! each died by the collection after that. Not here: bars (`mayfly-report`, `mayfly-live`).

use crate::derived::band::Life;
use crate::facts::buckets::BucketBounds;
use crate::facts::tally::Tally;
use crate::stream::profile::{ClassProfile, LiveAsOf, Profile, SiteProfile};

/// Which objects a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifeRange {
    /// Dead by the first collection after their birth; they lived for so many milliseconds at most.
    BeforeFirstGc {
        /// The longest that any of them can have lived.
        at_most_ms: u64,
    },
    /// Dead, of a collector that does not tell up to which age they were alive; they lived for so many milliseconds at most.
    Gone {
        /// The longest that any of them can have lived.
        at_most_ms: u64,
    },
    /// Dead, and alive for sure at an age from the first to below the second, in milliseconds.
    Alive {
        /// In milliseconds.
        from_ms: u64,
        /// In milliseconds; `None`: any age.
        to_ms: Option<u64>,
    },
    /// Live.
    Live,
    /// Born since the last collection.
    NotJudged,
}

/// A row of the histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifeRow {
    /// Which objects.
    pub range: LifeRange,
    /// How many.
    pub tally: Tally,
}

/// What rows are made of.
#[derive(Default)]
struct Lives {
    /// The living among them are not looked at.
    dead: Vec<Life>,
    live: Tally,
    unjudged: Tally,
}

impl Lives {
    fn add_class(&mut self, class: &ClassProfile, buckets: &BucketBounds) {
        self.dead.extend(class.lives(buckets));
        self.live.add(class.live.unwrap_or_default());
        self.unjudged.add(class.unjudged);
    }
}

/// Rows of ages at most, where they are chosen from the data.
const MOST: usize = 6;

/// Round ages, in milliseconds.
const ROUND: [u64; 28] = [
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    30_000,
    60_000,
    120_000,
    300_000,
    600_000,
    1_200_000,
    1_800_000,
    3_600_000,
    7_200_000,
    18_000_000,
    36_000_000,
    86_400_000,
    172_800_000,
    864_000_000,
    8_640_000_000,
];

impl Profile {
    /// The histogram of all classes.
    pub fn life_rows(&self) -> Vec<LifeRow> {
        let mut lives = Lives::default();
        self.classes.iter().for_each(|class| lives.add_class(class, &self.run.buckets));
        self.rows(lives)
    }

    /// The histogram of one class.
    pub fn life_rows_of_class(&self, class: &ClassProfile) -> Vec<LifeRow> {
        let mut lives = Lives::default();
        lives.add_class(class, &self.run.buckets);
        self.rows(lives)
    }

    /// The histogram of one site.
    pub fn life_rows_of_site(&self, site: &SiteProfile) -> Vec<LifeRow> {
        let dead = site.lives(&self.run.buckets);
        self.rows(Lives { dead, live: site.live.unwrap_or_default(), unjudged: site.unjudged })
    }

    fn rows(&self, lives: Lives) -> Vec<LifeRow> {
        let tells = self.run.jvm.gc.tells_the_old_dead();
        let (mut young, mut at_most_ms, mut old) = (Tally::default(), 0, Vec::new());
        for life in lives.dead.iter().filter(|life| !life.tally.is_empty()) {
            match life.by {
                Some(by) if life.after == 0 || !tells => {
                    young.add(life.tally);
                    at_most_ms = by.max(at_most_ms);
                }
                Some(_) => old.push((life.after, life.tally)),
                None => {}
            }
        }
        let range = match tells {
            true => LifeRange::BeforeFirstGc { at_most_ms },
            false => LifeRange::Gone { at_most_ms },
        };
        let row = |range, tally| LifeRow { range, tally };
        let mut rows = vec![row(range, young)];
        rows.extend(by_age(&old, &self.bounds_ms(&old)));
        if self.live_as_of != LiveAsOf::NoCollection {
            rows.push(row(LifeRange::Live, lives.live));
        }
        rows.extend((!lives.unjudged.is_empty()).then(|| row(LifeRange::NotJudged, lives.unjudged)));
        rows
    }

    /// Where rows begin: as the user wants it, or by the data.
    fn bounds_ms(&self, old: &[(u64, Tally)]) -> Vec<u64> {
        if self.run.buckets != BucketBounds::default() {
            return self.run.buckets.ranges().map(|(from, _)| from * 1_000).collect();
        }
        let ages = || old.iter().map(|&(age, _)| age);
        let (Some(least), Some(most)) = (ages().min(), ages().max()) else { return Vec::new() };
        let first = ROUND.partition_point(|&bound| bound <= least).saturating_sub(1);
        let last = ROUND.partition_point(|&bound| bound <= most).max(first + 1);
        let each = (last - first).div_ceil(MOST);
        ROUND[first..last].iter().step_by(each).copied().collect()
    }
}

/// Rows that begin at these ages; the last one ends where its scale goes on, if that is known.
fn by_age(old: &[(u64, Tally)], bounds_ms: &[u64]) -> Vec<LifeRow> {
    let mut rows: Vec<_> = bounds_ms
        .iter()
        .enumerate()
        .map(|(at, &from_ms)| LifeRow {
            range: LifeRange::Alive { from_ms, to_ms: bounds_ms.get(at + 1).copied() },
            tally: Tally::default(),
        })
        .collect();
    for &(age, tally) in old {
        let at = bounds_ms.partition_point(|&bound| bound <= age).saturating_sub(1);
        if let Some(row) = rows.get_mut(at) {
            row.tally.add(tally);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::run::RunInfo;
    use crate::lifetime::lifetimes::Lifetimes;

    /// 900 objects that died before their first collection, of one each 400 ms, and some that grew old.
    fn profile(old: &[(u64, u64)]) -> Profile {
        let mut lifetimes = Lifetimes::default();
        for by in [100, 250, 400] {
            lifetimes.ms.record_deaths(0, by, 300);
        }
        for &(age, objects) in old {
            lifetimes.ms.record_deaths(age, age + 400, objects);
        }
        let dead = 900 + old.iter().map(|&(_, objects)| objects).sum::<u64>();
        let class = ClassProfile {
            name: "a.A".into(),
            live: Some(Tally::of(7, 16)),
            unjudged: Tally::of(3, 16),
            collected: vec![Tally::of(dead, 16)],
            lifetimes: Some(lifetimes),
            ..ClassProfile::default()
        };
        Profile { classes: vec![class], live_as_of: LiveAsOf::Ms(1), ..Profile::default() }
    }

    #[test]
    fn half_the_collectors_period_is_not_taken_for_a_lifetime() {
        let rows = profile(&[]).life_rows();
        // Ages are rounded up by at most a sixteenth.
        let LifeRange::BeforeFirstGc { at_most_ms } = rows[0].range else { panic!("{rows:?}") };
        assert!((400..=425).contains(&at_most_ms), "{rows:?}");
        let said: Vec<_> = rows.iter().map(|row| row.tally.objects).collect();
        assert_eq!(said, [900, 7, 3], "{rows:?}");
    }

    #[test]
    fn ages_are_told_apart_on_a_scale_that_fits_them() {
        for old in [vec![(40, 5), (900, 6)], vec![(3_000, 1), (4_000, 1)], vec![(1, 1), (40_000_000, 2)]] {
            let rows = profile(&old).life_rows();
            let ages: Vec<_> = rows
                .iter()
                .filter_map(|row| match row.range {
                    LifeRange::Alive { from_ms, to_ms } => Some((from_ms, to_ms, row.tally.objects)),
                    _ => None,
                })
                .collect();
            assert!(ages.len() <= MOST && ages[0].0 <= old[0].0, "{ages:?}");
            assert!(ages.windows(2).all(|pair| pair[0].1 == Some(pair[1].0)), "{ages:?}");
            assert_eq!(ages.iter().map(|row| row.2).sum::<u64>(), old.iter().map(|row| row.1).sum::<u64>());
            assert!(ages[0].2 > 0 && ages[ages.len() - 1].2 > 0, "{ages:?}");
        }
    }

    #[test]
    fn bounds_that_the_user_chose_are_kept() {
        let buckets = BucketBounds::new(vec![1, 7]).expect("ascending");
        let whole = profile(&[(900, 5), (8_000, 6)]);
        let rows = Profile { run: RunInfo { buckets, ..RunInfo::default() }, ..whole }.life_rows();
        let said: Vec<_> = rows.iter().map(|row| row.tally.objects).collect();
        assert_eq!(said, [900, 5, 0, 6, 7, 3], "{rows:?}");
    }
}
