//! Classes and sites of several runs side by side: which rows are the same, and what each run says of them.
//!
//! Lines of source and numbers of generated classes are left out of the names: they change where nothing else does.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mayfly_profile::{Frame, Lifetimes, Places, Profile, SiteProfile, Tally, Variances};

use crate::runs::Runs;

/// What a row is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowName {
    /// All of the program.
    Total,
    /// Objects of all classes, allocated by one method of the program's own: the first frame outside of the JDK, or the innermost one
    /// where there is none. As in reports.
    Method(String),
    /// Objects of all classes, allocated while a method of the program's own was on the stack.
    Through(String),
    /// One class.
    Class(String),
    /// Objects of one class, allocated through one stack.
    Site {
        /// Of the objects.
        class: String,
        /// `class.method`, innermost first: the program's own, or the innermost one where there is none.
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
    pub(crate) lifetimes: Option<&'a Lifetimes>,
    sites: Vec<&'a SiteProfile>,
}

/// The rows of one run.
pub(crate) struct RunRows<'a> {
    /// Numbers are divided by this.
    pub(crate) operations: f64,
    rows: HashMap<RowName, Counted<'a>>,
    variances: Variances<'a>,
    /// Bytes of each class that the JIT removed.
    removed: HashMap<&'a str, u64>,
    profile: &'a Profile,
}

/// What rows of sites are of, over all runs: what a run does not have of it may have escaped its samples.
pub(crate) type RowClasses<'a> = HashMap<RowName, RowClass<'a>>;

/// Of which classes a row is, and how many times as much as elsewhere one sample stands for there, in the run of which that is most.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowClass<'a> {
    classes: BTreeSet<&'a str>,
    times_apart: f64,
}

impl<'a> RunRows<'a> {
    pub(crate) fn of(profile: &'a Profile, operations: f64, stacks: bool) -> Self {
        let removed = profile.classes.iter().map(|class| (class.name.as_str(), profile.removed_bytes(class)));
        let removed = removed.filter(|(_, bytes)| *bytes > 0).collect();
        let variances = Variances::of(profile);
        let mut run = Self { operations, rows: HashMap::new(), variances, removed, profile };
        for class in &profile.classes {
            let live = class.live.unwrap_or_default();
            let variance = run.variances.of_class(class);
            let live_variance = run.variances.of_live(class).bytes;
            for name in [RowName::Total, RowName::Class(stable(&class.name))] {
                let is_total = name == RowName::Total;
                let row = run.rows.entry(name).or_default();
                row.allocated.add(class.allocated);
                row.live.add(live);
                row.variance += variance;
                // What may have been missed of each class is not missed of all together.
                let is_missed = is_total && live.is_empty();
                row.live_variance += if is_missed { 0.0 } else { live_variance };
            }
            // Of several generated classes that share a name only counts are compared.
            if let Some(row) = run.rows.get_mut(&RowName::Class(class.name.clone())) {
                row.lifetimes = class.lifetimes.as_ref();
            }
        }
        if stacks {
            run.take_sites(profile);
        }
        run
    }

    fn take_sites(&mut self, profile: &'a Profile) {
        for site in &profile.sites {
            let live = site.live.unwrap_or_default();
            for name in names_of(site) {
                let row = self.rows.entry(name).or_default();
                row.allocated.add(site.allocated);
                row.live.add(live);
                row.sites.push(site);
            }
        }
        // By how much of themselves sites of a class may differ from run to run, as the JIT removed objects of it: how many differs.
        let shares = profile.classes.iter().filter_map(|class| {
            let removed = *self.removed.get(class.name.as_str())?;
            Some((class.name.as_str(), removed as f64 / (class.allocated.bytes - removed).max(1) as f64))
        });
        let shares: HashMap<&str, f64> = shares.collect();
        for row in self.rows.values_mut().filter(|row| !row.sites.is_empty()) {
            let of_compiler = |site: &&SiteProfile| {
                let share = shares.get(&*site.class).copied().unwrap_or(0.0);
                (share * site.allocated.bytes as f64).powi(2)
            };
            row.variance = self.variances.of_sites(row.sites.iter().copied()).unwrap_or(0.0)
                + row.sites.iter().map(of_compiler).sum::<f64>();
            row.live_variance = self.variances.of_live_sites(row.sites.iter().copied()).bytes;
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &RowName> {
        self.rows.keys()
    }

    /// Adds the classes that rows of sites are of.
    pub(crate) fn add_classes(&self, to: &mut RowClasses<'a>) {
        for (name, row) in self.rows.iter().filter(|(_, row)| !row.sites.is_empty()) {
            let of_row = to.entry(name.clone()).or_default();
            of_row.classes.extend(row.sites.iter().map(|site| site.class.as_str()));
            let times = self.variances.times_apart(&row.sites);
            of_row.times_apart = of_row.times_apart.max(times);
        }
    }

    pub(crate) fn get(&self, name: &RowName) -> Counted<'a> {
        self.rows.get(name).cloned().unwrap_or_default()
    }

    fn sites(&self, name: &RowName) -> impl Iterator<Item = &'a SiteProfile> {
        self.rows.get(name).into_iter().flat_map(|row| row.sites.iter().copied())
    }

    /// Where methods are, with the bytes that were allocated there, or through there.
    pub(crate) fn add_places(&self, to: &mut BTreeMap<String, Places<String>>) {
        for site in &self.profile.sites {
            let innermost = site.stack.first().filter(|_| site.stack.own_frame().is_none());
            for frame in site.stack.own_frames().chain(innermost) {
                let Some(place) = place_of(frame) else { continue };
                let (class, method) = frame.in_source();
                let of_method = to.entry(frame_name(class, method)).or_default();
                of_method.add(place, site.allocated.bytes as f64 / self.operations);
            }
        }
    }

    /// What nobody saw of a row, of objects of these classes: its variance, allocated and live.
    fn missing(&self, name: &RowName, counted: &Counted<'_>, classes: &RowClasses<'_>) -> (f64, f64) {
        let of_sites = || {
            let of_row = classes.get(name);
            let classes = of_row.into_iter().flat_map(|of_row| &of_row.classes).copied();
            let times = of_row.map_or(1.0, |of_row| of_row.times_apart.max(1.0));
            self.variances.unseen_of(&counted.sites, classes) * times.powi(2)
        };
        if !counted.allocated.is_empty() && counted.sites.is_empty() {
            return (0.0, 0.0);
        }
        match name {
            RowName::Total => (0.0, 0.0),
            RowName::Class(_) => (self.variances.of_missing_class(), self.variances.of_missing_class()),
            RowName::Method(_) | RowName::Through(_) | RowName::Site { .. } => (of_sites(), of_sites()),
        }
    }
}

/// By how many bytes the JIT may have made a row less, and more, from one side to another: as far as it removed more, or less, of the classes of which
/// the row is. Of the objects that are executed at a site it removes none or all, as the next run compiles it.
pub(crate) fn by_compiler(sides: &[Vec<RunRows<'_>>; 2], name: &RowName) -> [f64; 2] {
    let mut classes: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    let per = [0, 1].map(|side: usize| sides[side].len().max(1) as f64);
    for (side, runs) in sides.iter().enumerate() {
        for run in runs {
            for site in run.sites(name) {
                let there = &mut classes.entry(&site.class).or_default()[side];
                *there += site.allocated.bytes as f64 / run.operations / per[side];
            }
        }
    }
    let removed = |side: usize, class: &str| {
        let of =
            |run: &RunRows<'_>| run.removed.get(class).map_or(0.0, |&bytes| bytes as f64 / run.operations);
        sides[side].iter().map(of).sum::<f64>() / per[side]
    };
    let (mut less, mut more) = (0.0, 0.0);
    for (class, there) in classes {
        let change = removed(1, class) - removed(0, class);
        less += change.clamp(0.0, there[0]);
        more += (-change).clamp(0.0, there[1]);
    }
    [less, more]
}

/// `Shop.java:71`; `None`: it is not known.
fn place_of(frame: &Frame) -> Option<String> {
    let file = frame.file.as_deref()?;
    Some(frame.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
}

/// Bytes allocated of a row, per operation, with the variance of sampling.
pub(crate) fn allocated(runs: &[RunRows<'_>], name: &RowName, classes: &RowClasses<'_>) -> Runs {
    gathered(
        runs,
        name,
        |run| run.operations,
        |run, counted| (counted.allocated, counted.variance + run.missing(name, counted, classes).0),
    )
}

/// Bytes of a row that are live: of whole runs, as twice the work leaves no more behind than once.
pub(crate) fn live(runs: &[RunRows<'_>], name: &RowName, classes: &RowClasses<'_>) -> Runs {
    gathered(
        runs,
        name,
        |_| 1.0,
        |run, counted| (counted.live, counted.live_variance + run.missing(name, counted, classes).1),
    )
}

fn mean_size(tally: Tally) -> f64 {
    tally.bytes as f64 / tally.objects.max(1) as f64
}

fn gathered<'a>(
    runs: &[RunRows<'a>],
    name: &RowName,
    per: impl Fn(&RunRows<'a>) -> f64,
    of: impl Fn(&RunRows<'a>, &Counted<'a>) -> (Tally, f64),
) -> Runs {
    let mut gathered = Runs::default();
    let mut variances = 0.0;
    for run in runs {
        let (tally, variance) = of(run, &run.get(name));
        let size = mean_size(tally);
        let per = per(run);
        gathered.values.push(tally.bytes as f64 / per);
        // No count is surer than half an object.
        variances += (variance + size * size / 4.0) / (per * per);
    }
    gathered.sampling = variances / (runs.len() as f64).max(1.0);
    gathered
}

/// The rows of a site. The JDK's frames are folded into the program's: which of them are seen changes with what the JIT compiler
/// made of them. A site without a stack has one of its class alone.
fn names_of(site: &SiteProfile) -> Vec<RowName> {
    let name = |at: &Frame| {
        let (class, method) = at.in_source();
        frame_name(class, method)
    };
    let mut stack: Vec<String> = site.stack.own_frames().map(name).collect();
    // A method and its lambda are one.
    stack.dedup();
    if stack.is_empty() {
        stack.extend(site.stack.first().map(name));
    }
    let through: BTreeSet<String> = stack.iter().cloned().collect();
    let method = stack.first().cloned().map(RowName::Method);
    let through = through.into_iter().map(RowName::Through);
    let names: Vec<RowName> = method.into_iter().chain(through).collect();
    names.into_iter().chain([RowName::Site { class: stable(&site.class), stack }]).collect()
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
