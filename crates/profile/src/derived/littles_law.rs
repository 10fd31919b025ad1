//! Little's law: what is held on average is what comes per second times how long it stays. So byte-seconds over time must be
//! no more than what collections left in use, which the JVM says: two ways of counting that share no error.
//!
//! Not here: either side (`byte_seconds`, `history`).

use crate::facts::part::Part;
use crate::stream::history::mean_live;
use crate::stream::profile::Profile;

/// Bytes held on average, counted both ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LittlesLaw {
    /// By lifetimes, each taken as its interval's middle.
    pub held: f64,
    /// If all died as early, or as late, as is possible.
    pub bounds: (f64, f64),
    /// What collections left in use, on average over time.
    pub live: f64,
    /// If there was, all the time between two collections, the less, or the more, of what the one and the other left.
    pub live_bounds: (f64, f64),
}

impl LittlesLaw {
    /// Whether both may be true. More may be in use than is held by what was followed: what was there before, what is not followed.
    pub fn holds(&self) -> bool {
        self.bounds.0 <= self.live_bounds.1
    }
}

/// Of fewer steps nothing is said: what was live is known at the end of each, and the last one ends with all that the JVM's exit let go.
const FEWEST_STEPS: usize = 10;

impl Profile {
    /// Both sides of the law; `None` of a part, without lifetimes or if they are upper bounds, in fewer than ten steps, or before the first one with a
    /// collection.
    pub fn littles_law(&self) -> Option<LittlesLaw> {
        let ms: u64 = self.history.iter().map(|point| point.span_ms).sum();
        let collected = self.history.iter().any(|point| point.live.is_some());
        let told = collected && self.history.len() >= FEWEST_STEPS;
        let are_known = self.run.lifetimes && !self.run.jvm.lifetimes_are_upper_bounds();
        if !are_known || self.part != Part::default() || !told {
            return None;
        }
        let live = mean_live(&self.history, u64::midpoint)?;
        let live_bounds = (mean_live(&self.history, u64::min)?, mean_live(&self.history, u64::max)?);
        let lives = || self.classes.iter().flat_map(|class| class.lives(&self.run.buckets));
        let unseen_ms = self.trust.following.most_ms_between;
        let sum = |age: &dyn Fn(u64, Option<u64>) -> f64| {
            lives().map(|life| life.tally.bytes as f64 * age(life.after, life.by)).sum::<f64>() / ms as f64
        };
        // Of the living the age is that at the last collection that told of them, rounded down by up to a sixteenth.
        let oldest = |after: u64| (after as f64 * 17.0 / 16.0 + unseen_ms as f64).min(ms as f64);
        Some(LittlesLaw {
            held: sum(&|after, by| (after as f64 + by.unwrap_or(after) as f64) / 2.0),
            bounds: (
                sum(&|after, _| after as f64),
                sum(&|after, by| by.map_or_else(|| oldest(after), |by| by as f64)),
            ),
            live,
            live_bounds,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::collection::{Collection, GenerationUse};
    use crate::facts::following::Following;
    use crate::facts::gc::Gc;
    use crate::facts::ids::ClassId;
    use crate::facts::run::{JvmInfo, RunInfo};
    use crate::facts::tally::Tally;
    use crate::facts::trust::Trust;
    use crate::lifetime::lifetimes::Lifetimes;
    use crate::stream::builder::ProfileBuilder;
    use crate::stream::update::{ClassCounts, LifetimeCounts, Progress, Section, Update};

    use super::*;

    /// Each 100 ms an object of 1,000 bytes is born that lives for so many ms; each `gc_ms` all is collected; a step a second.
    fn run(lives_ms: u64, gc_ms: u64, seconds: u64) -> Profile {
        let mut builder = ProfileBuilder::new();
        let apply = |builder: &mut ProfileBuilder, update| builder.apply(update).expect("fits");
        let jvm = JvmInfo { gc: Gc::Serial, ..JvmInfo::default() };
        apply(&mut builder, Update::Start(Box::new(RunInfo { jvm, lifetimes: true, ..RunInfo::default() })));
        apply(&mut builder, Update::Class { id: ClassId(0), name: "a.A".into() });
        for second in 1..=seconds {
            let now = second * 1_000;
            let last_gc = now / gc_ms * gc_ms;
            let (mut lifetimes, mut dead) = (Lifetimes::default(), 0);
            let born = now / 100;
            for birth in (0..now).step_by(100) {
                let gone = (birth + lives_ms).next_multiple_of(gc_ms);
                if gone <= last_gc {
                    lifetimes.ms.record_deaths((gone - gc_ms).saturating_sub(birth), gone - birth, 1);
                    dead += 1;
                } else {
                    lifetimes.ms.record_living(last_gc.saturating_sub(birth), 1);
                }
            }
            let live = Tally::of(born - dead, 1_000);
            let left = (0..now)
                .step_by(100)
                .filter(|birth| *birth <= last_gc && (birth + lives_ms).next_multiple_of(gc_ms) > last_gc);
            let after = 1_000 * left.count() as u64;
            let old = Some(GenerationUse { before: None, after, capacity: None });
            let ended =
                Collection { number: (now / gc_ms) as u32, at_ms: last_gc, old, ..Collection::default() };
            let tracked = LifetimeCounts { live, collected: vec![Tally::of(dead, 1_000)], lifetimes };
            let following = Following { most_ms_between: gc_ms, ..Following::default() };
            apply(
                &mut builder,
                Update::from(Progress {
                    duration_ms: now,
                    gcs: (now / gc_ms) as u32,
                    trust: Trust { following, ..Trust::default() },
                    classes: vec![ClassCounts {
                        id: ClassId(0),
                        allocated: Tally::of(born, 1_000),
                        lifetimes: Some(tracked),
                    }],
                    ..Progress::default()
                }),
            );
            if last_gc > 0 {
                apply(&mut builder, Update::from(Section::Collections(vec![ended])));
            }
        }
        builder.profile_with_history()
    }

    #[test]
    fn it_holds_whatever_lives_and_however_often_is_collected() {
        for (lives_ms, gc_ms) in
            [(50, 1_000), (2_500, 1_000), (10_000, 500), (10_000, 7_000), (500_000, 1_000)]
        {
            let law = run(lives_ms, gc_ms, 100).littles_law().expect("steps with collections");
            assert!(law.holds(), "{lives_ms} {gc_ms}: {law:?}");
            assert!(law.bounds.0 <= law.held && law.held <= law.bounds.1, "{law:?}");
        }
        // Ten objects of 1,000 bytes come per second and stay for ten seconds, less at the begin.
        let law = run(10_000, 500, 100).littles_law().expect("steps with collections");
        assert!(
            (90_000.0..110_000.0).contains(&law.held) && (90_000.0..110_000.0).contains(&law.live),
            "{law:?}"
        );
    }

    #[test]
    fn what_came_and_went_between_two_collections_far_apart_leaves_it_in_doubt_and_no_more() {
        let whole = run(500_000, 1_000, 20);
        // As if nothing had collected in most of the time, and all was let go at the end.
        let mut profile = whole.clone();
        let before = profile.history[1].live;
        profile.history[2..18].iter_mut().for_each(|point| (point.gcs, point.live) = (0, before));
        profile.history[19].live = Some(0);
        let law = profile.littles_law().expect("steps");
        assert!(law.live < law.bounds.0 && law.holds(), "{law:?}");
        profile.history.iter_mut().for_each(|point| point.live = point.live.map(|live| live / 5));
        assert!(!profile.littles_law().expect("steps").holds());
    }

    #[test]
    fn it_fails_where_deaths_are_lost() {
        let mut profile = run(2_500, 1_000, 100);
        profile.history.iter_mut().for_each(|point| point.live = point.live.map(|live| live / 5));
        assert!(!profile.littles_law().expect("steps").holds());
        profile.history.iter_mut().for_each(|point| point.live = point.live.map(|live| live * 25));
        assert!(profile.littles_law().expect("steps").holds(), "more is in use than is followed");
    }

    #[test]
    fn of_a_part_of_few_steps_or_without_collections_nothing_is_said() {
        let profile = run(2_500, 1_000, 10);
        assert!(profile.littles_law().is_some());
        assert_eq!(run(2_500, 1_000, 9).littles_law(), None);
        let part = Part { during_ms: Some((0, 5_000)), ..Part::default() };
        assert_eq!(Profile { part, ..profile.clone() }.littles_law(), None);
        assert_eq!(Profile { history: Vec::new(), ..profile.clone() }.littles_law(), None);
        assert_eq!(run(2_500, 1_000_000, 10).littles_law(), None);
        let counted = RunInfo { lifetimes: false, ..profile.run.clone() };
        assert_eq!(Profile { run: counted, ..profile }.littles_law(), None);
    }
}
