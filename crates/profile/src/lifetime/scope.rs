//! Scopes: stretches of a thread's work with a name, what was allocated in them, and what survived them.
//!
//! An object belongs to the innermost scope that its thread was in. Not here: how it is known what became of it
//! (`mayfly-tracking`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::facts::filter::ClassFilter;
use crate::facts::ids::ClassId;
use crate::facts::tally::Tally;
use crate::lifetime::ages::Ages;
use crate::lifetime::cohorts::Cohorts;
use crate::lifetime::survival::Survival;

/// What is less than this part of a number leaves it as it is.
const LITTLE_OF_PART: f64 = 0.1;

/// What became of tracked objects made in a scope, as of the end of the entry in which each was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// All of them.
    pub tracked: Tally,
    /// Found dead by a collection before their entry ended.
    pub inside: Tally,
    /// Dead, and no collection looked between the end of their entry and their death: died inside or after it.
    pub between: Tally,
    /// Found alive by a collection after their entry had ended.
    pub survived: Tally,
    /// Of these, not yet seen dead.
    pub survived_live: Tally,
    /// There was no room to look after them.
    pub unknown: Tally,
}

impl Outcome {
    /// In an entry that goes on, or not looked at since it ended.
    pub fn undecided(&self) -> Tally {
        let known = [self.inside, self.between, self.survived, self.unknown];
        known.into_iter().fold(self.tracked, Tally::without)
    }

    /// Whether so much was not looked after that more may be in each part.
    pub fn is_at_least(&self) -> bool {
        self.unknown.objects as f64 > LITTLE_OF_PART * self.tracked.objects as f64
    }

    /// Adds another one.
    pub fn add(&mut self, other: Self) {
        for (into, from) in self.tallies().into_iter().zip(Self::each(other)) {
            into.add(from);
        }
    }

    fn without(mut self, other: Self) -> Self {
        for (into, from) in self.tallies().into_iter().zip(Self::each(other)) {
            *into = into.without(from);
        }
        self
    }

    pub(crate) fn tallies(&mut self) -> [&mut Tally; 6] {
        let Self { tracked, inside, between, survived, survived_live, unknown } = self;
        [tracked, inside, between, survived, survived_live, unknown]
    }

    fn each(mut self) -> [Tally; 6] {
        self.tallies().map(|tally| *tally)
    }
}

/// Cumulative counts of one scope.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScopeCounts {
    /// Names of the scopes that it was entered in, outermost first; the last is its own.
    pub path: Vec<String>,
    /// How often it was entered.
    pub entries: u64,
    /// How many of these entries were left.
    pub ended: u64,
    /// What was allocated of each class, not in scopes inside of it.
    pub allocated: Vec<(ClassId, Tally)>,
    /// What became of it; `None` when deaths are not followed.
    pub outcomes: Option<ScopeOutcomeCounts>,
}

/// What became of what was allocated in a scope.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScopeOutcomeCounts {
    /// By class.
    pub classes: Vec<(ClassId, Outcome)>,
    /// For how many milliseconds those that survived outlived their entry.
    pub outlived: Ages,
}

/// How sure the numbers of a scope's tracked objects are, and what the first entry of each thread left: what is made once, and stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScopeDetail {
    /// Of the scope, as in [`ScopeCounts`].
    pub path: Vec<String>,
    /// Threads that entered it.
    pub threads: u64,
    /// By class.
    pub classes: Vec<(ClassId, ScopeClassDetail)>,
}

/// The same of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScopeClassDetail {
    /// Variance of the number of objects that those tracked stand for: 0 where each stands for itself; `None` where they were not chosen in the
    /// scope, but by the JVM's sampler anywhere.
    pub variance: Option<f64>,
    /// Of those that survived, those made in the first entry of a thread.
    pub first_survived: Tally,
}

/// One scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScopeProfile {
    /// Names of the scopes that it was entered in, outermost first; the last is its own.
    pub path: Vec<String>,
    /// How often it was entered.
    pub entries: u64,
    /// How many of these entries were left.
    pub ended: u64,
    /// Threads that entered it; `None`: not recorded.
    pub threads: Option<u64>,
    /// By class name, not in scopes inside of it; most bytes allocated first.
    pub classes: Vec<ScopeClass>,
    /// For how many milliseconds those that survived outlived their entry; `None` when deaths are not followed.
    pub outlived: Option<Ages>,
}

/// What survived the entries of a scope but the first of each thread: what is made once, and stays, is made in first ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaterEntries<'a> {
    /// How many there were.
    pub entries: u64,
    /// What survived them.
    pub survived: Tally,
    /// What survived the first ones, which were as many as threads.
    pub first_survived: Tally,
    /// A single object that is a good part of what survived, as the table of a map that grew: its class and bytes. It is not in `survived`.
    pub lone: Option<(&'a str, u64)>,
}

impl LaterEntries<'_> {
    /// Bytes that an entry leaves, on average.
    pub fn bytes_per_entry(&self) -> u64 {
        self.survived.bytes / self.entries.max(1)
    }
}

/// What was allocated of a class in a scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScopeClass {
    /// As `Class.getName()` gives it.
    pub name: String,
    /// All of it.
    pub allocated: Tally,
    /// What became of it; `None` when deaths are not followed.
    pub outcome: Option<Outcome>,
    /// How sure that is, and what of it first entries left; `None`: not recorded.
    pub detail: Option<ScopeClassDetail>,
}

impl ScopeClass {
    /// What survived entries that were not the first of their thread.
    pub fn survived_later(&self) -> Tally {
        let first = self.detail.map_or(Tally::default(), |detail| detail.first_survived);
        self.outcome.unwrap_or_default().survived.without(first)
    }

    /// Its largest object, if that survived a later entry, and stands for itself alone.
    fn largest_later(&self) -> Option<u64> {
        let (detail, largest) = (self.detail?, self.outcome?.survived.largest);
        (detail.variance == Some(0.0) && largest > detail.first_survived.largest).then_some(largest)
    }
}

impl ScopeClassDetail {
    /// Adds those of other objects.
    pub(crate) fn add(&mut self, other: Self) {
        self.variance = self.variance.zip(other.variance).map(|(of_one, of_other)| of_one + of_other);
        self.first_survived.add(other.first_survived);
    }

    fn without(self, other: Self) -> Self {
        Self {
            variance: self.variance.map(|all| (all - other.variance.unwrap_or(0.0)).max(0.0)),
            first_survived: self.first_survived.without(other.first_survived),
        }
    }
}

impl ScopeProfile {
    /// The counts of a scope, with the names of its classes; those without one are left out.
    pub(crate) fn named<'a>(counts: &ScopeCounts, name: impl Fn(ClassId) -> Option<&'a String>) -> Self {
        let mut classes: BTreeMap<&str, ScopeClass> = BTreeMap::new();
        let followed = counts.outcomes.is_some();
        let mut of = |id: ClassId, change: &dyn Fn(&mut ScopeClass)| {
            let Some(name) = name(id) else { return };
            let outcome = followed.then(Outcome::default);
            let new = || ScopeClass { name: name.clone(), outcome, ..ScopeClass::default() };
            change(classes.entry(name).or_insert_with(new));
        };
        for &(id, tally) in &counts.allocated {
            of(id, &|class| class.allocated.add(tally));
        }
        for &(id, outcome) in counts.outcomes.iter().flat_map(|outcomes| &outcomes.classes) {
            of(id, &|class| class.outcome.get_or_insert_default().add(outcome));
        }
        let classes = classes.into_values().collect();
        let outlived = counts.outcomes.as_ref().map(|outcomes| outcomes.outlived.clone());
        let (path, entries, ended) = (counts.path.clone(), counts.entries, counts.ended);
        Self { path, entries, ended, threads: None, classes, outlived }.ranked()
    }

    /// The same as counts, with ids for the names.
    pub(crate) fn counts<'a>(&'a self, mut id: impl FnMut(&'a str) -> ClassId) -> ScopeCounts {
        let ids: Vec<_> = self.classes.iter().map(|class| id(&class.name)).collect();
        let known = || self.classes.iter().zip(&ids);
        let outcomes = self.outlived.as_ref().map(|outlived| ScopeOutcomeCounts {
            classes: known().filter_map(|(class, &id)| Some((id, class.outcome?))).collect(),
            outlived: outlived.clone(),
        });
        ScopeCounts {
            path: self.path.clone(),
            entries: self.entries,
            ended: self.ended,
            allocated: known().map(|(class, &id)| (id, class.allocated)).collect(),
            outcomes,
        }
    }

    /// What was allocated in it, not in scopes inside of it.
    pub fn allocated(&self) -> Tally {
        self.classes.iter().fold(Tally::default(), |mut sum, class| {
            sum.add(class.allocated);
            sum
        })
    }

    /// The same with what was allocated in scopes inside of it, which are among `all`, as it is itself.
    pub fn allocated_with_inner(&self, all: &[Self]) -> Tally {
        all.iter().filter(|other| self.contains(other)).fold(Tally::default(), |mut sum, inner| {
            sum.add(inner.allocated());
            sum
        })
    }

    /// What became of it; `None` when deaths are not followed, or too few of each class.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outlived.as_ref()?;
        let mut known = self.classes.iter().filter_map(|class| class.outcome).peekable();
        (self.classes.is_empty() || known.peek().is_some()).then(|| {
            known.fold(Outcome::default(), |mut sum, outcome| {
                sum.add(outcome);
                sum
            })
        })
    }

    /// What entries leave that are not the first of their thread; `None`: not recorded, or most were first ones.
    pub fn later(&self) -> Option<LaterEntries<'_>> {
        let threads = self.threads?;
        let entries = self.entries.checked_sub(threads).filter(|later| *later > threads)?;
        let mut first_survived = Tally::default();
        let details = self.classes.iter().filter_map(|class| class.detail);
        details.for_each(|detail| first_survived.add(detail.first_survived));
        let mut survived = self.outcome()?.survived.without(first_survived);
        let is_much = |bytes: u64| {
            bytes as f64 > LITTLE_OF_PART * survived.bytes as f64 && bytes * entries > 2 * survived.bytes
        };
        let largest =
            self.classes.iter().filter_map(|class| Some((class.name.as_str(), class.largest_later()?)));
        let lone = largest.max_by_key(|&(_, bytes)| bytes).filter(|&(_, bytes)| is_much(bytes));
        if let Some((_, bytes)) = lone {
            survived = survived.without(Tally::of(1, bytes));
        }
        Some(LaterEntries { entries, survived, first_survived, lone })
    }

    /// Classes of which too few objects were followed to say what became of them, most bytes allocated first; none when deaths are not
    /// followed at all.
    pub fn unknown(&self) -> Vec<&str> {
        self.classes_unknown().map(|class| class.name.as_str()).collect()
    }

    fn classes_unknown(&self) -> impl Iterator<Item = &ScopeClass> {
        self.classes.iter().filter(|class| class.outcome.is_none() && self.outlived.is_some())
    }

    /// Whether a part of [`Self::outcome`] may be much larger: as much may be of classes of which nothing is known, or was not looked after.
    pub fn is_at_least(&self, part: Tally) -> bool {
        const LITTLE_OF_ALL: f64 = 0.01;
        let of_classes = self.classes_unknown().map(|class| class.allocated.bytes);
        let not_looked_after = self.outcome().unwrap_or_default().unknown.bytes;
        let bytes = of_classes.fold(not_looked_after, u64::saturating_add) as f64;
        bytes > LITTLE_OF_PART * part.bytes as f64 && bytes > LITTLE_OF_ALL * self.allocated().bytes as f64
    }

    /// How long the survivors lived after the end of their entry, in milliseconds; `None` if there are none.
    pub fn outliving(&self) -> Option<Survival> {
        let mut cohorts = Cohorts::default();
        let ages = self.outlived.as_ref().filter(|ages| !ages.is_empty())?;
        cohorts.record(ages.dead() + ages.living().map(|(_, objects)| objects).sum::<u64>());
        Survival::of(ages, cohorts)
    }

    /// Whether it was entered in this one, or in one that was, or is it.
    pub fn contains(&self, other: &Self) -> bool {
        other.path.starts_with(&self.path)
    }

    /// What is left of it with these classes. For how long they outlived it is known of all classes together only.
    pub(crate) fn filtered(mut self, filter: &ClassFilter) -> Self {
        let followed = |class: &ScopeClass| class.outcome.is_some_and(|outcome| !outcome.tracked.is_empty());
        let hides_some = self.classes.iter().any(|class| !filter.admits(&class.name) && followed(class));
        self.classes.retain(|class| filter.admits(&class.name));
        self.outlived = self.outlived.map(|all| if hides_some { Ages::default() } else { all });
        self
    }

    /// What was counted since `earlier`.
    pub(crate) fn since(mut self, earlier: &Self) -> Self {
        self.entries = self.entries.saturating_sub(earlier.entries);
        self.ended = self.ended.saturating_sub(earlier.ended);
        self.threads = self.threads.map(|threads| threads.saturating_sub(earlier.threads.unwrap_or(0)));
        for class in &mut self.classes {
            let Some(before) = earlier.classes.iter().find(|before| before.name == class.name) else {
                continue;
            };
            class.allocated = class.allocated.without(before.allocated);
            class.outcome = class.outcome.map(|outcome| outcome.without(before.outcome.unwrap_or_default()));
            class.detail = class.detail.map(|detail| detail.without(before.detail.unwrap_or_default()));
        }
        self.classes.retain(|class| !class.allocated.is_empty());
        if let (Some(now), Some(before)) = (self.outlived.take(), &earlier.outlived) {
            self.outlived = Some(now.since(before));
        }
        self.ranked()
    }

    /// Adds the same scope of another run; what one of them did not follow is not known of both.
    pub(crate) fn join(&mut self, other: Self) {
        self.entries += other.entries;
        self.ended += other.ended;
        self.threads = self.threads.zip(other.threads).map(|(threads, more)| threads + more);
        self.outlived = self.outlived.take().zip(other.outlived).map(|(mut ages, more)| {
            ages.merge(&more);
            ages
        });
        let followed = self.outlived.is_some();
        for class in other.classes {
            match self.classes.iter_mut().find(|known| known.name == class.name) {
                Some(known) => {
                    known.allocated.add(class.allocated);
                    if let (Some(outcome), Some(more)) = (&mut known.outcome, class.outcome) {
                        outcome.add(more);
                    }
                    known.detail = known.detail.zip(class.detail).map(|(mut detail, more)| {
                        detail.add(more);
                        detail
                    });
                }
                None => self.classes.push(class),
            }
        }
        self.classes.iter_mut().for_each(|class| class.outcome = class.outcome.filter(|_| followed));
        self.classes.sort_by(order);
    }

    fn ranked(mut self) -> Self {
        self.classes.sort_by(order);
        self
    }
}

fn order(a: &ScopeClass, b: &ScopeClass) -> std::cmp::Ordering {
    b.allocated.bytes.cmp(&a.allocated.bytes).then_with(|| a.name.cmp(&b.name))
}

/// Scopes as one list, in the order of their names.
pub(crate) fn joined(into: Vec<ScopeProfile>, other: Vec<ScopeProfile>) -> Vec<ScopeProfile> {
    let mut by_path: BTreeMap<_, _> = into.into_iter().map(|scope| (scope.path.clone(), scope)).collect();
    for scope in other {
        match by_path.get_mut(&scope.path) {
            Some(known) => known.join(scope),
            None => {
                by_path.insert(scope.path.clone(), scope);
            }
        }
    }
    by_path.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(objects: u64, survived: u64) -> ScopeCounts {
        let outcome = Outcome {
            tracked: Tally::of(objects, 16),
            inside: Tally::of(1, 16),
            survived: Tally::of(survived, 16),
            ..Outcome::default()
        };
        let mut outlived = Ages::default();
        outlived.record_deaths(10, 20, survived);
        ScopeCounts {
            path: vec!["request".into()],
            entries: objects,
            ended: objects - 1,
            allocated: vec![(ClassId(0), Tally::of(objects, 16)), (ClassId(1), Tally::of(1, 800))],
            outcomes: Some(ScopeOutcomeCounts { classes: vec![(ClassId(0), outcome)], outlived }),
        }
    }

    fn profile(objects: u64, survived: u64) -> ScopeProfile {
        let names = ["a.A".to_owned(), "[B".to_owned()];
        ScopeProfile::named(&counts(objects, survived), |id| names.get(id.row()))
    }

    #[test]
    fn what_is_made_once_is_not_what_each_entry_leaves() {
        let class = |name: &str, survived: Tally, first_survived| ScopeClass {
            name: name.into(),
            allocated: survived,
            outcome: Some(Outcome { tracked: survived, survived, ..Outcome::default() }),
            detail: Some(ScopeClassDetail { variance: Some(0.0), first_survived }),
        };
        let mut table = Tally::of(9, 64);
        table.add(Tally::of(1, 500_000));
        let mut scope = ScopeProfile {
            entries: 1_010,
            threads: Some(10),
            classes: vec![
                class("a.Booking", Tally::of(1_010, 40), Tally::of(10, 40)),
                class("a.Setting", Tally::of(700, 100), Tally::of(700, 100)),
                class("[La.Node;", table, Tally::default()),
            ],
            outlived: Some(Ages::default()),
            ..ScopeProfile::default()
        };
        let later = scope.later().expect("recorded");
        assert_eq!((later.entries, later.lone), (1_000, Some(("[La.Node;", 500_000))));
        assert_eq!((later.survived.objects, later.survived.bytes), (1_009, 40_000 + 9 * 64));
        assert_eq!((later.first_survived.objects, later.bytes_per_entry()), (710, 40));
        scope.threads = Some(900);
        assert_eq!(scope.later(), None, "each has a thread of its own");
    }

    /// 834 gauges "survived" of 1,601: a table was full, and of the others it was not known.
    #[test]
    fn what_was_not_looked_after_makes_a_number_at_least() {
        let with_unknown = |unknown: u64| {
            let mut scope = profile(1_000, 400);
            let outcome = scope.classes.iter_mut().find_map(|class| class.outcome.as_mut()).expect("one");
            outcome.unknown = Tally::of(unknown, 16);
            let survived = outcome.survived;
            (outcome.is_at_least(), scope.is_at_least(survived))
        };
        let classes_known = |unknown: u64| {
            let mut scope = profile(1_000, 400);
            scope.classes.retain(|class| class.outcome.is_some());
            let outcome = scope.classes[0].outcome.as_mut().expect("known");
            outcome.unknown = Tally::of(unknown, 16);
            let survived = outcome.survived;
            scope.is_at_least(survived)
        };
        assert_eq!([0, 50, 500].map(|unknown| with_unknown(unknown).0), [false, false, true]);
        assert_eq!([0, 30, 500].map(classes_known), [false, false, true]);
        assert!(with_unknown(500).1);
    }

    #[test]
    fn counts_are_named_and_numbered_again() {
        let profile = profile(10, 4);
        let names: Vec<_> = profile.classes.iter().map(|class| class.name.as_str()).collect();
        assert_eq!(
            (names, profile.allocated()),
            (vec!["[B", "a.A"], Tally { objects: 11, bytes: 960, largest: 800 })
        );
        let outcome = profile.outcome().expect("followed");
        assert_eq!((outcome.undecided().objects, outcome.survived.bytes), (5, 64));
        let again = profile.counts(|name| ClassId(u32::from(name == "[B")));
        let names = ["a.A".to_owned(), "[B".to_owned()];
        assert_eq!(ScopeProfile::named(&again, |id| names.get(id.row())), profile);
    }

    #[test]
    fn a_window_and_a_merge_keep_the_sums() {
        let (early, late) = (profile(10, 4), profile(25, 9));
        let window = late.clone().since(&early);
        assert_eq!((window.entries, window.allocated().objects), (15, 15));
        let mut both = joined(vec![window], vec![early]);
        let both = both.pop().expect("one scope");
        assert_eq!((both.entries, both.outcome().expect("followed").survived.objects), (25, 9));
        let untracked = ScopeProfile { outlived: None, ..profile(3, 1) };
        let merged = joined(vec![late], vec![untracked]);
        assert_eq!((merged[0].outcome(), merged[0].entries), (None, 28));
    }
}
