//! What a program says of its objects, what is reported of them, and whether the two agree.
//!
//! The program's clock differs a little from the agent's: it notes a birth before the object is made, and looks at the time a
//! moment before it lets go.

use std::fs;
use std::path::Path;

use mayfly_profile::{Lifetimes, Profile};
use mayfly_recording::read_profile;
use mayfly_tests::JsonReport;

/// By how much a band may miss.
const CLOCK_S: f64 = 0.006;
/// Shares whose quantiles are compared.
const SHARES: [f64; 2] = [0.5, 0.9];

/// What is true of a class, in seconds.
#[derive(Clone, Debug)]
pub(crate) struct Law {
    pub(crate) class: String,
    /// By [`SHARES`].
    quantiles: [f64; 2],
    /// Share still alive at the end.
    living: f64,
}

/// What is reported of a class, in seconds.
#[derive(Clone, Debug)]
pub(crate) struct Reported {
    class: String,
    quantiles: [Quantile; 2],
}

#[derive(Clone, Copy, Debug)]
struct Quantile {
    point: Option<f64>,
    low: f64,
    high: Option<f64>,
}

impl Law {
    /// Those of the lines `LAW class n p50_ns p90_ns live`.
    pub(crate) fn all(stdout: &str) -> Result<Vec<Self>, String> {
        let laws: Vec<_> = stdout.lines().filter_map(|line| Self::of(line.strip_prefix("LAW ")?)).collect();
        if laws.len() == 5 { Ok(laws) } else { Err(format!("{} laws of 5 were printed", laws.len())) }
    }

    /// Whether this is the constant law and did not hold: the machine stalled. Then a pile of objects died right after a
    /// collection that was part of the stall, and nobody could tell that from lifetimes that end so.
    pub(crate) fn stalled(&self) -> bool {
        self.class.ends_with("$Constant") && self.quantiles[1] > 0.74
    }

    fn of(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let class = words.next()?.to_owned();
        let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        let [count, p50, p90, live] = numbers.try_into().ok()?;
        Some(Self { class, quantiles: [p50 / 1e9, p90 / 1e9], living: live / count })
    }
}

/// What the report says of the classes of these laws.
pub(crate) fn reported(json: &JsonReport, laws: &[Law]) -> Result<Vec<Reported>, String> {
    let of = |law: &Law| {
        let lifetime = &json.class(&law.class)?["lifetime"];
        let quantile = |key: &str| {
            let band = &lifetime[format!("{key}_band")];
            Some(Quantile { point: lifetime[key].as_f64(), low: band[0].as_f64()?, high: band[1].as_f64() })
        };
        Some(Reported { class: law.class.clone(), quantiles: [quantile("p50_s")?, quantile("p90_s")?] })
    };
    laws.iter().map(|law| of(law).ok_or_else(|| format!("{} has no lifetimes", law.class))).collect()
}

/// Deliberately wrong: deaths happen when they are noticed, and the living do not count.
pub(crate) fn naive(recording: &Path, laws: &[Law]) -> Result<Vec<Reported>, String> {
    let bytes = fs::read(recording).map_err(|error| error.to_string())?;
    let (profile, _) = read_profile(&bytes).map_err(|error| error.to_string())?;
    let of = |law: &Law| {
        let known =
            lifetimes(&profile, &law.class).ok_or_else(|| format!("{} has no lifetimes", law.class))?;
        Ok(Reported { class: law.class.clone(), quantiles: SHARES.map(|share| noticed(known, share)) })
    };
    laws.iter().map(of).collect()
}

fn lifetimes<'a>(profile: &'a Profile, class: &str) -> Option<&'a Lifetimes> {
    profile.classes.iter().find(|row| row.name == class)?.lifetimes.as_ref()
}

/// The binomial band of a quantile of the ages at which deaths were noticed.
fn noticed(known: &Lifetimes, share: f64) -> Quantile {
    let mut deaths: Vec<_> = known.ms.deaths().map(|(_, by, weight)| (by, weight)).collect();
    deaths.sort_unstable();
    let dead = known.ms.dead() as f64;
    let at = |share: f64| {
        let mut sum = 0;
        let reached = deaths.iter().find(|&&(_, weight)| {
            sum += weight;
            sum as f64 >= share * dead
        });
        reached.map(|&(by, _)| by as f64 / 1e3)
    };
    let half = 1.96 * (share * (1.0 - share) / (dead * known.cohorts.effective_share())).sqrt();
    Quantile {
        point: at(share),
        low: at((share - half).max(0.0)).unwrap_or(0.0) / 1.0625,
        high: at((share + half).min(1.0)).map(|age| age * 1.0625),
    }
}

/// Where the truth lies outside of a band by more than the factor `miss`, or a band of a quantile that was reached has no
/// upper end or more than `widest` times its lower one.
pub(crate) fn faults(laws: &[Law], reported: &[Reported], widest: f64, miss: f64) -> Vec<String> {
    let mut faults = Vec::new();
    for law in laws {
        let Some(found) = reported.iter().find(|found| found.class == law.class) else { continue };
        for (index, share) in SHARES.into_iter().enumerate() {
            let (truth, band) = (law.quantiles[index], found.quantiles[index]);
            let holds = band.low / miss - CLOCK_S <= truth
                && band.high.is_none_or(|high| truth <= high * miss + CLOCK_S);
            // What nearly as many outlive as are alive at the end need not be known.
            let known = share + 0.05 < 1.0 - law.living;
            let ratio = band.high.map_or(f64::INFINITY, |high| high / (band.low + 0.010));
            if !holds || known && (ratio > widest || band.point.is_none()) {
                faults.push(format!("{} at {share}: {truth:.3} s, reported {band:?}", law.class));
            }
        }
    }
    faults
}
