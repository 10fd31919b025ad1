//! A budget that older runs of a program make: what another run of the same program does not exceed.
//!
//! Of each row large enough the bound is the upper end of a prediction interval (Student's t, divided by the number of rows; rows tell
//! of each other's spread), and no less than the mean with a tolerance. From fewer than three runs nobody knows how much runs differ:
//! then what is beyond the tolerance is unknown, not exceeded. Where runs differ so much that a limit would let pass a multiple of what
//! they did, nothing is kept for sure.

use std::collections::BTreeSet;

use mayfly_profile::Profile;
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::budget::{Budget, Initialisation, Limit, Quantity, Subject, Vague};
use crate::diff::NotComparable;
use crate::grounds::distrust;
use crate::rows::{RowClasses, RowName, RunRows, allocated, is_numbered, live};
use crate::runs::{REPLICATES, Runs};
use crate::spread::Expected;

/// Classes with less than this share of all bytes, allocated and live, are not limited by themselves.
const LEAST_SHARE: f64 = 0.005;
/// The chance that a run of the same program exceeds any limit, from three runs on.
const LEVEL: f64 = 0.01;
/// A limit that is more than so many times the mean says nothing.
const MOST_ROOM: f64 = 2.0;
/// More runs are not asked for.
const MOST_RUNS: usize = 100;

/// The budget of the runs of a program, each of which has to know at least a share `trust` of its JVM's bytes. What is
/// `tolerance` above the mean (0.05: 5 %) is allowed, however alike the runs are.
///
/// # Errors
/// A run that can't be trusted, or none.
pub fn baseline(runs: &[&Profile], tolerance: f64, trust: f64) -> Result<Budget, NotComparable> {
    for (run, profile) in runs.iter().enumerate() {
        if let Some(reason) = distrust(profile, trust) {
            return Err(NotComparable { run, reason });
        }
    }
    if runs.is_empty() {
        return Err(NotComparable { run: 0, reason: "there is no recording".to_owned() });
    }
    let followed = runs.iter().all(|profile| profile.run.lifetimes);
    let rows: Vec<_> = runs.iter().map(|profile| RunRows::of(profile, 1.0, false)).collect();
    let classes = RowClasses::new();
    let of = |name: &RowName| {
        let made = (Quantity::Bytes, allocated(&rows, name, &classes));
        let held = followed.then(|| (Quantity::LiveBytes, live(&rows, name, &classes)));
        std::iter::once(made).chain(held).collect::<Vec<_>>()
    };
    let wholes = of(&RowName::Total);
    let names: BTreeSet<&RowName> = rows.iter().flat_map(RunRows::names).collect();
    let mut limited: Vec<Limited> = Vec::new();
    for name in names {
        let large = of(name).into_iter().zip(&wholes).filter(|((_, runs), (_, whole))| {
            *name == RowName::Total || runs.mean() >= LEAST_SHARE * whole.mean()
        });
        limited.extend(large.map(|((quantity, runs), _)| Limited { name: name.clone(), quantity, runs }));
    }
    let expected = [Quantity::Bytes, Quantity::LiveBytes].map(|quantity| {
        let runs = limited.iter().filter(|limited| limited.quantity == quantity);
        Expected::of(&runs.map(|limited| &limited.runs).collect::<Vec<_>>())
    });
    let chance = LEVEL / limited.len() as f64;
    let limits = limited.iter().filter_map(|limited| {
        let expected = expected[usize::from(limited.quantity == Quantity::LiveBytes)];
        limited.limit(tolerance, Prediction { chance, expected })
    });
    Ok(Budget { trust, operations: None, initialisation: Initialisation::Included, limits: limits.collect() })
}

/// A number of a row in the old runs.
struct Limited {
    name: RowName,
    quantity: Quantity,
    runs: Runs,
}

/// With what chance another run exceeds a bound, and what is expected of the spread.
#[derive(Clone, Copy)]
struct Prediction {
    chance: f64,
    expected: Expected,
}

impl Limited {
    fn limit(&self, tolerance: f64, prediction: Prediction) -> Option<Limit> {
        let subject = match &self.name {
            RowName::Total => Subject::Total,
            // A name that the JVM numbers is another one in the next run.
            RowName::Class(begin) if is_numbered(begin) => Subject::Class(format!("{begin}*")),
            RowName::Class(class) => Subject::Class(class.clone()),
            RowName::Method(_) | RowName::Through(_) | RowName::Site { .. } => return None,
        };
        let runs = &self.runs;
        let tolerated = runs.mean() * (1.0 + tolerance);
        let bound = tolerated.max(prediction.bound(runs, runs.values.len()));
        let doubt = (!runs.is_replicated()).then(|| {
            format!(
                "how much runs differ {} of the baseline can't tell: take {REPLICATES} or more",
                count(runs)
            )
        });
        let vague = (bound > MOST_ROOM * runs.mean() && bound > tolerated).then(|| Vague {
            // Of all of the program, little may mean that it did little.
            above: if self.name == RowName::Total { 0.0 } else { tolerated },
            why: prediction.differ(runs),
        });
        let (_, most) = runs.range();
        let is_rough = self.quantity == Quantity::LiveBytes && runs.is_replicated();
        let as_before = is_rough.then_some(most * (1.0 + tolerance));
        let limit = Limit::without_doubt(subject, self.quantity, bound.ceil(), 1);
        Some(Limit { doubt, vague, as_before, ..limit })
    }
}

fn count(runs: &Runs) -> String {
    match runs.values.len() {
        1 => "one recording".to_owned(),
        several => format!("{several} recordings"),
    }
}

impl Prediction {
    /// What another run exceeds with this chance only, by so many runs; minus infinity where the spread is not known.
    fn bound(self, runs: &Runs, count: usize) -> f64 {
        if !runs.is_replicated() {
            return f64::NEG_INFINITY;
        }
        let (variance, freedom) = self.expected.moderated(runs);
        let freedom = freedom + count as f64 - runs.values.len() as f64;
        let quantile =
            StudentsT::new(0.0, 1.0, freedom).map_or(0.0, |law| law.inverse_cdf(1.0 - self.chance));
        runs.mean() + quantile * (variance * (1.0 + 1.0 / count as f64)).sqrt()
    }

    /// Why a limit says nothing, and what would.
    fn differ(self, runs: &Runs) -> String {
        let enough = |count: &usize| self.bound(runs, *count) <= MOST_ROOM * runs.mean();
        let cure = match (runs.values.len()..=MOST_RUNS).find(enough) {
            Some(count) => {
                format!("about {count} of them would tell, or runs that do the same amount of work")
            }
            None => "only runs that do the same amount of work would tell".to_owned(),
        };
        format!("the runs of the baseline differ too much, or are known too roughly, for a limit: {cure}")
    }
}
