//! Classes and sites of several runs side by side: which rows are the same, and what each run says of them.
//!
//! Lines of source and numbers of generated classes are left out of the names: they change where nothing else does.

use std::collections::HashMap;

use mayfly_profile::{EngineKind, Lifetimes, Profile, SiteProfile, Tally};

use crate::counted::Picked;
use crate::significance::Runs;

/// What a row is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowName {
    /// All of the program.
    Total,
    /// One class.
    Class(String),
    /// Objects of one class, allocated by one method: an exact count counts its allocating bytecodes, whatever stacks lead there.
    Method {
        /// Of the objects.
        class: String,
        /// `class.method`.
        method: String,
    },
    /// Objects of one class, allocated through one stack.
    Site {
        /// Of the objects.
        class: String,
        /// `class.method`, innermost first.
        stack: Vec<String>,
    },
}

/// What one run says of a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted<'a> {
    pub(crate) allocated: Tally,
    /// Of the bytes, by sampling.
    variance: f64,
    pub(crate) live: Tally,
    /// Of its bytes, by following a part of the objects.
    live_variance: f64,
    /// How the objects were picked; of several classes, those of which an object stands for most.
    picked: Picked,
    pub(crate) lifetimes: Option<&'a Lifetimes>,
}

impl Counted<'_> {
    /// So many of its objects live, picked so.
    fn pick(&mut self, picked: Picked, live: Tally) {
        self.picked = self.picked.worse(picked);
        if !live.is_empty() {
            self.live_variance += picked.variance(live, 0.0);
        }
    }
}

/// The rows of one run.
pub(crate) struct RunRows<'a> {
    /// Numbers are divided by this.
    operations: f64,
    rows: HashMap<RowName, Counted<'a>>,
}

impl<'a> RunRows<'a> {
    pub(crate) fn of(profile: &'a Profile, operations: f64, stacks: bool) -> Self {
        let mut rows: HashMap<RowName, Counted<'a>> = HashMap::new();
        for class in &profile.classes {
            let live = class.live.unwrap_or_default();
            for name in [RowName::Total, RowName::Class(stable(&class.name))] {
                let row = rows.entry(name).or_default();
                row.allocated.add(class.allocated);
                row.live.add(live);
                row.pick(Picked::tracked_of(profile, class), live);
            }
            // Of several generated classes that share a name only counts are compared.
            if let Some(row) = rows.get_mut(&RowName::Class(class.name.clone())) {
                row.lifetimes = class.lifetimes.as_ref();
            }
        }
        let of_sites = Picked::tracked(profile);
        for site in profile.sites.iter().filter(|_| stacks) {
            let of_stack = (site.error * site.allocated.bytes as f64).powi(2);
            // Stacks share out what was counted at their bytecode: their errors cancel in its method.
            let of_method = if profile.run.engine == EngineKind::Exact { 0.0 } else { of_stack };
            let live = site.live.unwrap_or_default();
            let (by_stack, by_method) = names_of(site);
            let of_both = [Some((by_stack, of_stack)), by_method.map(|name| (name, of_method))];
            for (name, variance) in of_both.into_iter().flatten() {
                let row = rows.entry(name).or_default();
                row.allocated.add(site.allocated);
                row.live.add(live);
                row.pick(of_sites, live);
                row.variance += variance;
            }
        }
        Self { operations, rows }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &RowName> {
        self.rows.keys()
    }

    pub(crate) fn get(&self, name: &RowName) -> Counted<'a> {
        self.rows.get(name).cloned().unwrap_or_default()
    }
}

/// Bytes allocated of a row, per operation, with the variance of sampling.
pub(crate) fn allocated(runs: &[RunRows<'_>], name: &RowName) -> Runs {
    gathered(runs, name, |counted| (counted.allocated, counted.variance))
}

/// Bytes of a row that are live, per operation.
pub(crate) fn live(runs: &[RunRows<'_>], name: &RowName) -> Runs {
    gathered(runs, name, |counted| {
        let missed = || counted.picked.variance(Tally::default(), mean_size(counted.allocated));
        let variance = if counted.live.is_empty() { missed() } else { counted.live_variance };
        (counted.live, variance)
    })
}

fn mean_size(tally: Tally) -> f64 {
    tally.bytes as f64 / tally.objects.max(1) as f64
}

fn gathered(runs: &[RunRows<'_>], name: &RowName, of: impl Fn(&Counted<'_>) -> (Tally, f64)) -> Runs {
    let mut gathered = Runs::default();
    let mut variances = 0.0;
    for run in runs {
        let (tally, variance) = of(&run.get(name));
        let size = mean_size(tally);
        gathered.values.push(tally.bytes as f64 / run.operations);
        // No count is surer than half an object.
        variances += (variance + size * size / 4.0) / (run.operations * run.operations);
    }
    gathered.sampling = variances / (runs.len() as f64).max(1.0);
    gathered
}

/// The rows of a site, and of the method that allocates there; a site without a stack has none.
fn names_of(site: &SiteProfile) -> (RowName, Option<RowName>) {
    let class = stable(&site.class);
    let stack: Vec<_> = site.stack.iter().map(|at| frame_name(&at.class, &at.method)).collect();
    let method = stack.first().map(|method| RowName::Method { class: class.clone(), method: method.clone() });
    (RowName::Site { class, stack }, method)
}

/// A frame of a site's name: `class.method`.
pub(crate) fn frame_name(class: &str, method: &str) -> String {
    format!("{}.{}", stable(class), stable(method))
}

/// What the JVM puts a number behind.
const NUMBERED: [&str; 5] =
    ["$$Lambda", "GeneratedMethodAccessor", "GeneratedConstructorAccessor", "$Proxy", "lambda$"];

/// Whether a class or method has a number of the JVM's, or had one before it was made stable.
pub(crate) fn is_numbered(name: &str) -> bool {
    NUMBERED.iter().any(|mark| name.contains(mark))
}

/// A name without what the JVM numbers: `a.B$$Lambda$14/0x0000000800c03000` is `a.B$$Lambda`.
pub(crate) fn stable(name: &str) -> String {
    let name = name.split_once("/0x").map_or(name, |(before, _)| before);
    let cut = if is_numbered(name) {
        name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '$')
    } else {
        name
    };
    cut.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_jvm_numbers_is_left_out_of_names() {
        for (name, wanted) in [
            ("a.B$$Lambda$14/0x0000000800c03000", "a.B$$Lambda"),
            ("a.B$$Lambda/0x00007f", "a.B$$Lambda"),
            (
                "jdk.internal.reflect.GeneratedMethodAccessor17",
                "jdk.internal.reflect.GeneratedMethodAccessor",
            ),
            ("lambda$main$3", "lambda$main"),
            ("a.B$1", "a.B$1"),
            ("a.Version2", "a.Version2"),
        ] {
            assert_eq!(stable(name), wanted);
        }
    }
}
