//! A budget that older runs of a program make: what another run of the same program does not exceed.
//!
//! Of each row large enough the bound is the upper end of a prediction interval (Student's t, divided by the number of rows),
//! and no less than the mean with a tolerance. From fewer than three runs nobody knows how much runs differ: then what is
//! beyond the tolerance is unknown, not exceeded.

use std::collections::BTreeSet;

use mayfly_profile::Profile;
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::budget::{Budget, Initialisation, Limit, Quantity, Subject};
use crate::diff::NotComparable;
use crate::grounds::distrust;
use crate::rows::{RowName, RunRows, allocated, is_numbered, live};
use crate::significance::{REPLICATES, Runs};

/// Classes with less than this share of all bytes, allocated and live, are not limited by themselves.
const LEAST_SHARE: f64 = 0.005;
/// The chance that a run of the same program exceeds any limit, from three runs on.
const LEVEL: f64 = 0.01;

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
    let mut limited = vec![(RowName::Total, Quantity::Bytes, allocated(&rows, &RowName::Total))];
    if followed {
        limited.push((RowName::Total, Quantity::LiveBytes, live(&rows, &RowName::Total)));
    }
    let names: BTreeSet<&RowName> = rows.iter().flat_map(RunRows::names).collect();
    let wholes: Vec<f64> = limited.iter().map(|(_, _, runs)| runs.mean()).collect();
    for name in names.into_iter().filter(|name| **name != RowName::Total) {
        let of = [(Quantity::Bytes, allocated(&rows, name)), (Quantity::LiveBytes, live(&rows, name))];
        let large =
            of.into_iter().zip(&wholes).filter(|((_, runs), whole)| runs.mean() >= LEAST_SHARE * **whole);
        limited.extend(large.map(|((quantity, runs), _)| (name.clone(), quantity, runs)));
    }
    let rows = limited.len() as f64;
    let limits = limited
        .into_iter()
        .filter_map(|(name, quantity, runs)| limit(&name, quantity, &runs, tolerance, rows));
    Ok(Budget { trust, operations: None, initialisation: Initialisation::Included, limits: limits.collect() })
}

fn limit(name: &RowName, quantity: Quantity, runs: &Runs, tolerance: f64, rows: f64) -> Option<Limit> {
    let subject = match name {
        RowName::Total => Subject::Total,
        // A name that the JVM numbers is another one in the next run.
        RowName::Class(begin) if is_numbered(begin) => Subject::Class(format!("{begin}*")),
        RowName::Class(class) => Subject::Class(class.clone()),
        RowName::Method { .. } | RowName::Site { .. } => return None,
    };
    let bound = (runs.mean() * (1.0 + tolerance)).max(runs.predicted_below(LEVEL / rows));
    let doubt = (runs.values.len() < REPLICATES).then(|| {
        format!("{} of the baseline do not tell how much runs differ: take {REPLICATES} or more", count(runs))
    });
    Some(Limit { subject, quantity, bound: bound.ceil(), line: 1, doubt })
}

fn count(runs: &Runs) -> String {
    match runs.values.len() {
        1 => "one recording".to_owned(),
        several => format!("{several} recordings"),
    }
}

impl Runs {
    /// What another run exceeds with this chance only; minus infinity where the spread is not known.
    fn predicted_below(&self, chance: f64) -> f64 {
        let count = self.values.len() as f64;
        if self.values.len() < REPLICATES {
            return f64::NEG_INFINITY;
        }
        let quantile = StudentsT::new(0.0, 1.0, count - 1.0).map_or(0.0, |law| law.inverse_cdf(1.0 - chance));
        self.mean() + quantile * (self.variance() * (1.0 + 1.0 / count)).sqrt()
    }
}
