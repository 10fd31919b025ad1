//! The estimator against an oracle that shares nothing with it (self-consistency written out over all elementary intervals),
//! against textbooks, and for robustness.

use proptest::prelude::*;

use super::*;

const NEVER: u64 = u64::MAX;

fn observations(rows: &[(u64, u64, f64)]) -> Observations {
    let rows = rows.iter().map(|&(after, by, weight)| (after, (by < NEVER).then_some(by), weight));
    Observations::new(rows.collect(), |age| {
        let age = age as f64;
        cells::End { above: age, middle: age, most: age }
    })
}

fn survival(rows: &[(u64, u64, f64)]) -> Survival {
    Survival::from_observations(observations(rows), 1.0).expect("observations")
}

fn unweighted(rows: &[(u64, u64)]) -> Survival {
    survival(&rows.iter().map(|&(after, by)| (after, by, 1.0)).collect::<Vec<_>>())
}

/// Turnbull's self-consistency over every interval between neighbouring ends: log-likelihood and masses by upper end.
/// With a pin, shares below and above the end are scaled to what it says.
fn oracle(rows: &[(u64, u64, f64)], pin: Option<(u64, f64)>) -> (f64, Vec<(u64, f64)>) {
    let mut ends: Vec<u64> = rows.iter().flat_map(|row| [row.0, row.1]).chain([0, NEVER]).collect();
    ends.sort_unstable();
    ends.dedup();
    let parts: Vec<(u64, u64)> = ends.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let is_below = |part: &(u64, u64)| pin.is_none_or(|(end, _)| part.1 <= end);
    let side = |below: bool| pin.map_or(1.0, |(_, share)| if below { share } else { 1.0 - share });
    let mut masses: Vec<f64> = vec![0.0; parts.len()];
    for below in [true, false] {
        let count = parts.iter().filter(|part| is_below(part) == below).count();
        let share = side(below) / count as f64;
        parts.iter().zip(&mut masses).filter(|(p, _)| is_below(p) == below).for_each(|(_, m)| *m = share);
    }
    let within = |row: &(u64, u64, f64), part: &(u64, u64)| row.0 <= part.0 && part.1 <= row.1;
    let likelihood = |row: &(u64, u64, f64), masses: &[f64]| -> f64 {
        parts.iter().zip(masses).filter(|(part, _)| within(row, part)).map(|(_, mass)| mass).sum()
    };
    for _ in 0..2000 {
        let mut next = vec![0.0; parts.len()];
        for row in rows {
            let sum = likelihood(row, &masses);
            for (part, (mass, next)) in parts.iter().zip(masses.iter().zip(&mut next)) {
                *next += if within(row, part) { row.2 * mass / sum } else { 0.0 };
            }
        }
        for below in [true, false] {
            let of_side = || parts.iter().zip(&next).filter(|(part, _)| is_below(part) == below);
            let sum: f64 = of_side().map(|(_, mass)| mass).sum();
            for (part, (mass, next)) in parts.iter().zip(masses.iter_mut().zip(&next)) {
                if is_below(part) == below && sum > 0.0 {
                    *mass = next / sum * side(below);
                }
            }
        }
    }
    let log_likelihood = rows.iter().map(|row| row.2 * likelihood(row, &masses).ln()).sum();
    (log_likelihood, parts.iter().map(|part| part.1).zip(masses).collect())
}

fn rows(most: usize) -> impl Strategy<Value = Vec<(u64, u64, f64)>> {
    let row = (0u64..30, 1u64..12, 0..4, 1..50)
        .prop_map(|(after, width, kind, weight)| match kind {
            0 => (after, NEVER, f64::from(weight) / 10.0),
            1 => (0, after + width, f64::from(weight) / 10.0),
            _ => (after, after + width, f64::from(weight) / 10.0),
        })
        .prop_filter("says something", |row| *row != (0, NEVER, row.2));
    prop::collection::vec(row, 1..most)
}

fn gone_at(survival: &Survival, age: u64) -> f64 {
    let end = survival.observations.ends.partition_point(|end| end.middle <= age as f64);
    end.checked_sub(1).map_or(0.0, |end| survival.gone[end])
}

fn assert_near(found: f64, expected: f64, within: f64, what: &str) {
    assert!((found - expected).abs() <= within, "{what}: {found}, not {expected}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nothing_is_likelier_than_the_estimate(rows in rows(30)) {
        let survival = survival(&rows);
        let (likeliest, _) = oracle(&rows, None);
        prop_assert!(survival.best.gap <= GAP);
        prop_assert!((survival.best.log_likelihood - likeliest).abs() <= 2.0 * GAP,
            "{} and {likeliest}", survival.best.log_likelihood);
    }

    #[test]
    fn an_age_is_ruled_out_where_the_oracle_rules_it_out(rows in rows(25), q in 0.1f64..0.9) {
        let survival = survival(&rows);
        let (likeliest, _) = oracle(&rows, None);
        let ruled_out = DEVIATIONS * DEVIATIONS / 2.0;
        for end in (0..survival.observations.ends.len()).step_by(3) {
            let age = survival.observations.ends[end].middle as u64;
            if age == 0 {
                continue;
            }
            let (pinned, _) = oracle(&rows, Some((age, q)));
            let short_of_limit = ruled_out - (likeliest - pinned);
            if short_of_limit.abs() > 4.0 * GAP {
                prop_assert_eq!(survival.rules_out(end, q, ruled_out), short_of_limit < 0.0, "{} {} {}", end, likeliest, pinned);
            }
        }
    }

    #[test]
    fn quantiles_ascend_and_lie_in_their_bands(rows in rows(60)) {
        let survival = survival(&rows);
        let quantiles: Vec<_> = (1..20).map(|i| survival.quantile(f64::from(i) / 20.0)).collect();
        for quantile in &quantiles {
            prop_assert!(quantile.point.is_none_or(|point| quantile.low <= point));
            prop_assert!(quantile.high.is_none_or(|high| quantile.point.is_some_and(|point| point <= high)));
        }
        for pair in quantiles.windows(2) {
            prop_assert!(pair[1].point.is_none_or(|next| pair[0].point.is_some_and(|point| point <= next)));
        }
    }

    #[test]
    fn any_ages_have_an_estimate_or_none(
        deaths in prop::collection::vec((any::<u64>(), any::<u64>(), 0u32..64, any::<u64>()), 0..40),
        living in prop::collection::vec((any::<u64>(), 0u32..64, any::<u64>()), 0..20),
        cohorts in prop::collection::vec(any::<u64>(), 0..3), q in 0.0f64..=1.0,
    ) {
        let mut lifetimes = crate::lifetime::lifetimes::Lifetimes::default();
        deaths.iter().for_each(|d| lifetimes.ms.record_deaths(d.0 >> d.2, d.1 >> d.2, d.3));
        living.iter().for_each(|l| lifetimes.ms.record_living(l.0 >> l.1, l.2));
        cohorts.iter().for_each(|&weight| lifetimes.record_cohort(weight));
        if let Some(survival) = Survival::of(&lifetimes.ms, lifetimes.cohorts) {
            let quantile = survival.quantile(q);
            prop_assert!(quantile.low.is_finite());
            prop_assert!(quantile.point.is_none_or(|point| point.is_finite() && quantile.low <= point));
        }
    }
}

#[test]
fn nothing_known_gives_no_estimate() {
    let mut ages = Ages::default();
    assert!(Survival::of(&ages, Cohorts::default()).is_none());
    ages.record_living(0, 1000);
    assert!(Survival::of(&ages, Cohorts::default()).is_none());
}

/// Remission of leukaemia under 6-mercaptopurine, in weeks (Freireich et al., Blood 21, 1963), with the product-limit
/// estimate that every textbook prints.
#[test]
fn known_ages_give_kaplan_and_meiers_estimate() {
    let deaths = [6, 6, 6, 7, 10, 13, 16, 22, 23].map(|week| (week - 1, week));
    let living = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35].map(|week| (week, NEVER));
    let survival = unweighted(&[deaths.as_slice(), &living].concat());
    let published = [(6, 0.857), (7, 0.807), (10, 0.753), (13, 0.690), (16, 0.627), (22, 0.538), (23, 0.448)];
    for (week, alive) in published {
        assert_near(1.0 - gone_at(&survival, week), alive, 0.002, &format!("week {week}"));
    }
    let median = survival.quantile(0.5);
    assert!(median.point.is_some_and(|week| week > 22.0 && week <= 23.0), "{median:?}");
    assert!((9.0..16.0).contains(&median.low), "{median:?}");
    assert_eq!(median.high, None, "too few were followed for longer");
    assert_eq!(survival.quantile(0.9).point, None);
}

/// Of ten objects each looked at once at ages 1, 2 and 3, four, two and nine were gone: the estimate is the isotonic
/// regression of the shares (Ayer et al., Ann. Math. Statist. 26, 1955), by hand.
#[test]
fn one_look_at_each_gives_the_isotonic_regression() {
    let looks = [(1, 4.0), (2, 2.0), (3, 9.0)];
    let rows = looks.map(|(age, gone)| [(0, age, gone), (age, NEVER, 10.0 - gone)]).concat();
    let survival = survival(&rows);
    for (age, gone) in [(1, 0.3), (2, 0.3), (3, 0.9)] {
        assert_near(gone_at(&survival, age), gone, 1e-3, &format!("age {age}"));
    }
}

#[test]
fn weights_count_like_repetition() {
    let rows = [(0, 3, 1.0), (2, 5, 1.0), (4, 6, 1.0), (3, NEVER, 1.0)];
    let repeated = survival(&rows.repeat(25));
    let weighted = survival(&rows.map(|(after, by, _)| (after, by, 25.0)));
    for age in 0..7 {
        assert_near(gone_at(&repeated, age), gone_at(&weighted, age), 1e-3, "share gone");
    }
    assert_eq!(repeated.quantile(0.5).high, weighted.quantile(0.5).high);
}

#[test]
fn objects_that_die_together_widen_the_band() {
    let rows: Vec<_> = (0..100).map(|age| (age, age + 1, 10.0)).collect();
    let apart = Survival::from_observations(observations(&rows), 1.0).expect("rows").quantile(0.5);
    let together = Survival::from_observations(observations(&rows), 0.01).expect("rows").quantile(0.5);
    // 1.96·√(¼/1000) = 3.1 % of 100 apart; 1.96·√(¼/10) = 31 % together.
    assert!((46.0..48.0).contains(&apart.low) && apart.high.is_some_and(|high| (52.0..55.0).contains(&high)));
    assert!((18.0..26.0).contains(&together.low), "{together:?}");
    assert!(together.high.is_some_and(|high| (75.0..83.0).contains(&high)), "{together:?}");
}

#[test]
fn a_band_of_a_higher_level_is_wider() {
    let rows: Vec<_> = (0..100).map(|age| (age, age + 1, 10.0)).collect();
    let band = survival(&rows).quantile_within(0.5, 4.42);
    // 4.42·√(¼/1000) = 7.0 % of 100.
    assert!((42.0..44.0).contains(&band.low), "{band:?}");
    assert!(band.high.is_some_and(|high| (56.0..59.0).contains(&high)), "{band:?}");
}

#[test]
fn the_living_alone_bound_the_median_from_below() {
    let rows: Vec<_> = (0..50).map(|_| (20, NEVER, 1.0)).collect();
    assert_eq!(survival(&rows).quantile(0.5), Quantile { point: None, low: 20.0, high: None });
}

#[test]
fn searches_find_the_border_wherever_it_is() {
    for limit in 0..20 {
        for border in 0..=limit {
            assert_eq!(first(0, limit, |at| at >= border), (border < limit).then_some(border));
            assert_eq!(last(limit, |at| at < border), border.checked_sub(1));
        }
    }
}

fn scored(deaths: &[(u64, u64, u64)]) -> (Ages, Survival) {
    let mut ages = Ages::default();
    deaths.iter().for_each(|&(after, by, number)| ages.record_deaths(after, by, number));
    let survival = Survival::of(&ages, Cohorts::default()).expect("something is known");
    (ages, survival)
}

#[test]
fn all_together_score_nothing_and_those_that_die_first_more() {
    let early = [(0, 1, 30), (1, 2, 20), (0, 2, 10)];
    let late = [(1, 2, 10), (2, 3, 30), (1, 3, 20)];
    let ((mut ages, first), (more, second)) = (scored(&early), scored(&late));
    ages.merge(&more);
    let all = Survival::of(&ages, Cohorts::default()).expect("something is known");
    let [first, second] = [&first, &second].map(|group| all.scores_of(group));
    assert!(first.mean > 0.2 && second.mean < -0.2, "{first:?} {second:?}");
    assert!((first.mean * 60.0 + second.mean * 60.0).abs() < 0.5, "{first:?} {second:?}");
    assert!((first.independent - 60.0).abs() < 1e-9);
}
