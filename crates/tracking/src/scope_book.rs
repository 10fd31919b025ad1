//! What became of the objects made in scopes: who died while their entry went on, who outlived it, and for how long.
//!
//! Objects are looked at by collections only. Of one made in an entry that ended at some time it is known that it
//!
//! - died inside, if a collection found it dead that began before that time;
//! - survived, if a collection found it alive that began after that time;
//! - died between two collections of which one began before that time and one after, else: inside or shortly after, nobody knows.
//!
//! Until one of these is known, it is undecided. Not here: how often scopes are entered and what is counted in them (`slabs`).

use mayfly_profile::{Ages, ClassId, Outcome, ScopeClassDetail, Tally, surplus};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::Budget;
use crate::scopes::{EntryId, NodeId};
use crate::tracked::Tracked;

/// Objects that are looked after at once; of more, as of those without room, it is not known what became of them. A table of 2^20
/// slots is full by as many, of which it fills seven in eight: 60 MB.
const MOST_OBJECTS: usize = 7 << 17;
/// Room of an object that is looked after, in tracked objects: some hundred bytes with what a table keeps free.
const OBJECTS_PER_ROW: usize = 4;
/// A table keeps room for so many times the objects that it has, and for a few.
const MOST_SPARE: usize = 4;
const FEW: usize = 1024;
/// Entries whose end is remembered although no object waits for it: those that were handed over, which may go on elsewhere.
const MOST_ENTRIES: usize = 1 << 16;
/// Sweeps for which an end is remembered at least: objects of the entry may still be on their way.
const SWEEPS_KEPT: u8 = 2;

/// An entry begins to go on in another thread too, or ends in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryEvent {
    /// Which.
    pub entry: EntryId,
    /// When, on the time clock, in milliseconds.
    pub ms: u64,
    /// Whether it is an end.
    pub ends: bool,
}

/// What became of the tracked objects of a scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScopeOutcomes {
    /// By class.
    pub classes: Vec<(ClassId, Outcome)>,
    /// How sure that is, and what first entries left, by class.
    pub details: Vec<(ClassId, ScopeClassDetail)>,
    /// For how many milliseconds the survivors outlived their entry.
    pub outlived: Ages,
}

/// The book.
#[derive(Debug, Default)]
pub(crate) struct ScopeBook {
    /// By reference.
    undecided: FxHashMap<u64, Undecided>,
    /// By reference: those not seen dead yet.
    survivors: FxHashMap<u64, Survivor>,
    entries: FxHashMap<EntryId, Entry>,
    /// By node.
    outcomes: Vec<NodeOutcomes>,
}

#[derive(Clone, Copy, Debug)]
struct Undecided {
    entry: EntryId,
    class: ClassId,
    tally: Tally,
    birth_ms: u64,
}

#[derive(Clone, Copy, Debug)]
struct Survivor {
    node: NodeId,
    class: ClassId,
    tally: Tally,
    ended_ms: u64,
    /// When it was last known alive.
    alive_ms: u64,
}

/// An entry of which something was told.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Threads in which it goes on.
    threads: i64,
    /// When it ended in the last one of those that ended.
    ended_ms: u64,
    handed_over: bool,
    sweeps: u8,
}

impl Entry {
    fn ended_ms(&self) -> Option<u64> {
        (self.threads <= 0).then_some(self.ended_ms)
    }
}

#[derive(Clone, Debug, Default)]
struct NodeOutcomes {
    classes: FxHashMap<ClassId, ClassOutcome>,
    outlived: Ages,
}

#[derive(Clone, Copy, Debug, Default)]
struct ClassOutcome {
    outcome: Outcome,
    /// Sum of what tracked objects add to it ([`surplus`]).
    variance: f64,
    first_survived: Tally,
}

impl ClassOutcome {
    fn detail(&self) -> ScopeClassDetail {
        ScopeClassDetail { variance: Some(self.variance), first_survived: self.first_survived }
    }
}

impl ScopeBook {
    /// Whether any object was made in a scope.
    pub(crate) fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// A tracked object was made in an entry; it stands for so many.
    pub(crate) fn born(
        &mut self,
        object: &Tracked,
        entry: EntryId,
        (class, tally): (ClassId, Tally),
        budget: &Budget,
    ) {
        let full = self.rows() >= MOST_OBJECTS;
        let ClassOutcome { outcome, variance, .. } = self.class(entry.node(), class);
        *variance += surplus(tally.objects);
        outcome.tracked.add(tally);
        if object.reference() == 0 || full || !budget.reserve(OBJECTS_PER_ROW) {
            outcome.unknown.add(tally);
            return;
        }
        let undecided = Undecided { entry, class, tally, birth_ms: object.birth_ms() };
        if self.undecided.insert(object.reference(), undecided).is_some() {
            budget.release(OBJECTS_PER_ROW);
        }
    }

    /// It never was: its caller tells of the same object again.
    pub(crate) fn take_back(&mut self, object: &Tracked, budget: &Budget) {
        if let Some(Undecided { entry, class, tally, .. }) = self.undecided.remove(&object.reference()) {
            budget.release(OBJECTS_PER_ROW);
            let of_class = self.class(entry.node(), class);
            of_class.outcome.tracked = of_class.outcome.tracked.without(tally);
            of_class.variance = (of_class.variance - surplus(tally.objects)).max(0.0);
        }
    }

    /// Takes note of what threads told, in its order.
    pub(crate) fn note(&mut self, events: Vec<EntryEvent>) {
        for EntryEvent { entry, ms, ends } in events {
            let new = Entry { threads: 1, ended_ms: 0, handed_over: false, sweeps: 0 };
            let known = self.entries.entry(entry).or_insert(new);
            known.sweeps = 0;
            if ends {
                known.threads -= 1;
                known.ended_ms = known.ended_ms.max(ms);
            } else {
                known.threads += 1;
                known.handed_over = true;
            }
        }
    }

    /// An object was found dead: known alive at `alive_ms`, or at its birth only, and gone at `found_ms`.
    pub(crate) fn died(&mut self, object: &Tracked, (alive_ms, found_ms): (u64, u64), budget: &Budget) {
        let reference = object.reference();
        let before = self.rows();
        self.record_deaths(reference, alive_ms, found_ms);
        budget.release((before - self.rows()) * OBJECTS_PER_ROW);
    }

    fn record_deaths(&mut self, reference: u64, alive_ms: u64, found_ms: u64) {
        if let Some(Survivor { node, class, tally, ended_ms, alive_ms: known, .. }) =
            self.survivors.remove(&reference)
        {
            let outlived = (alive_ms.max(known).saturating_sub(ended_ms), found_ms.saturating_sub(ended_ms));
            self.outcomes(node).outlived.record_deaths(outlived.0, outlived.1, tally.objects);
            let outcome = self.outcome(node, class);
            outcome.survived_live = outcome.survived_live.without(tally);
        } else if let Some(Undecided { entry, class, tally, birth_ms }) = self.undecided.remove(&reference) {
            let ended = self.entries.get(&entry).and_then(Entry::ended_ms);
            let node = entry.node();
            match ended {
                Some(ended) if alive_ms >= ended && alive_ms > birth_ms => {
                    self.outcomes(node).outlived.record_deaths(
                        alive_ms - ended,
                        found_ms - ended,
                        tally.objects,
                    );
                    self.survived(entry, class, tally);
                }
                Some(ended) if found_ms >= ended => self.outcome(node, class).between.add(tally),
                _ => self.outcome(node, class).inside.add(tally),
            }
        }
    }

    /// Objects were looked at, and those that are dead told of: `last_alive` says when one born at some time was last known alive.
    pub(crate) fn swept(&mut self, last_alive: impl Fn(u64) -> Option<u64>) {
        let mut decided = Vec::new();
        let mut awaited = FxHashSet::default();
        for (&reference, object) in &self.undecided {
            let ended = self.entries.get(&object.entry).and_then(Entry::ended_ms);
            match (ended, last_alive(object.birth_ms)) {
                (Some(ended_ms), Some(alive_ms)) if alive_ms >= ended_ms => {
                    decided.push((reference, ended_ms, alive_ms));
                }
                _ => {
                    awaited.insert(object.entry);
                }
            }
        }
        for (reference, ended_ms, alive_ms) in decided {
            let Some(Undecided { entry, class, tally, .. }) = self.undecided.remove(&reference) else {
                continue;
            };
            let node = entry.node();
            self.survived(entry, class, tally).survived_live.add(tally);
            self.survivors.insert(reference, Survivor { node, class, tally, ended_ms, alive_ms });
        }
        let many = self.entries.len() > MOST_ENTRIES;
        self.entries.retain(|entry, known| {
            known.sweeps = known.sweeps.saturating_add(1);
            let kept = known.ended_ms().is_none() || known.handed_over && !many;
            kept || known.sweeps <= SWEEPS_KEPT || awaited.contains(entry)
        });
        give_back(&mut self.undecided);
        give_back(&mut self.survivors);
    }

    /// What is known so far, by node. `alive_ms`: when all that are not known dead were alive, if they were born before.
    pub(crate) fn outcomes_at(&self, alive_ms: u64) -> Vec<ScopeOutcomes> {
        let mut told: Vec<ScopeOutcomes> = self.outcomes.iter().map(|outcomes| outcomes.counts()).collect();
        for survivor in self.survivors.values() {
            if let Some(scope) = told.get_mut(survivor.node.row()) {
                let alive = alive_ms.max(survivor.alive_ms);
                scope.outlived.record_living(alive - survivor.ended_ms, survivor.tally.objects);
            }
        }
        told
    }

    /// Forgets all objects.
    pub(crate) fn reset(&mut self, budget: &Budget) {
        budget.release(self.rows() * OBJECTS_PER_ROW);
        *self = Self { entries: std::mem::take(&mut self.entries), ..Self::default() };
    }

    /// Objects that are looked after.
    fn rows(&self) -> usize {
        self.undecided.len() + self.survivors.len()
    }

    fn outcomes(&mut self, node: NodeId) -> &mut NodeOutcomes {
        if self.outcomes.len() <= node.row() {
            self.outcomes.resize_with(node.row() + 1, NodeOutcomes::default);
        }
        &mut self.outcomes[node.row()]
    }

    fn class(&mut self, node: NodeId, class: ClassId) -> &mut ClassOutcome {
        self.outcomes(node).classes.entry(class).or_default()
    }

    /// Some of that class survived their entry.
    fn survived(&mut self, entry: EntryId, class: ClassId, tally: Tally) -> &mut Outcome {
        let ClassOutcome { outcome, first_survived, .. } = self.class(entry.node(), class);
        outcome.survived.add(tally);
        if entry.number() == 1 {
            first_survived.add(tally);
        }
        outcome
    }

    fn outcome(&mut self, node: NodeId, class: ClassId) -> &mut Outcome {
        &mut self.class(node, class).outcome
    }
}

/// A table that was much larger gives its room back.
fn give_back<V>(table: &mut FxHashMap<u64, V>) {
    if table.capacity() > MOST_SPARE * table.len() + FEW {
        table.shrink_to(2 * table.len());
    }
}

impl NodeOutcomes {
    fn counts(&self) -> ScopeOutcomes {
        let mut of_classes: Vec<_> =
            self.classes.iter().map(|(&class, &of_class)| (class, of_class)).collect();
        of_classes.sort_unstable_by_key(|&(class, _)| class);
        ScopeOutcomes {
            classes: of_classes.iter().map(|&(class, of_class)| (class, of_class.outcome)).collect(),
            details: of_classes.iter().map(|&(class, of_class)| (class, of_class.detail())).collect(),
            outlived: self.outlived.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::SiteId;

    use super::*;
    use crate::budget::BYTES_PER_OBJECT;

    const CLASS: ClassId = ClassId(3);
    const ENTRY: EntryId = EntryId(2);

    fn object(reference: u64, birth_ms: u64) -> Tracked {
        Tracked::new(reference, SiteId(0), 2, birth_ms)
    }

    /// Room for a hundred thousand objects.
    fn room() -> Budget {
        Budget::new(100_000 * BYTES_PER_OBJECT)
    }

    /// In a room of their own.
    fn book(births: &[u64]) -> (ScopeBook, Budget) {
        let (mut book, room) = (ScopeBook::default(), room());
        for (at, &birth_ms) in births.iter().enumerate() {
            book.born(&object(at as u64 + 1, birth_ms), ENTRY, (CLASS, Tally::of(1, 16)), &room);
        }
        (book, room)
    }

    fn event(ms: u64, ends: bool) -> EntryEvent {
        EntryEvent { entry: ENTRY, ms, ends }
    }

    /// Inside, between, survived, live of those.
    fn outcome(book: &ScopeBook) -> [u64; 4] {
        let Outcome { inside, between, survived, survived_live, tracked, unknown } =
            book.outcomes_at(0)[0].classes[0].1;
        assert_eq!(tracked.objects, 4, "{unknown:?}");
        [inside, between, survived, survived_live].map(|tally| tally.objects)
    }

    #[test]
    fn what_a_collection_saw_says_who_survived() {
        // Born at 10; the entry ends at 50; collections at 30 and 70, and one at 90.
        let (mut book, room) = book(&[10; 4]);
        assert_eq!(outcome(&book), [0, 0, 0, 0]);
        book.died(&object(1, 10), (10, 30), &room);
        book.swept(|_| Some(30));
        assert_eq!(outcome(&book), [1, 0, 0, 0], "the entry goes on");
        book.note(vec![event(50, true)]);
        book.died(&object(2, 10), (30, 70), &room);
        book.swept(|_| Some(70));
        assert_eq!(outcome(&book), [1, 1, 2, 2]);
        book.died(&object(3, 10), (70, 90), &room);
        assert_eq!(outcome(&book), [1, 1, 2, 1]);
        let told = book.outcomes_at(90);
        assert_eq!(told[0].outlived.dead(), 1);
        assert_eq!(
            told[0].outlived.living().map(|(age, objects)| (age <= 40 && age > 35, objects)).last(),
            Some((true, 1))
        );
    }

    #[test]
    fn a_collection_that_began_before_the_end_proves_nothing_of_after() {
        let (mut book, room) = book(&[10; 4]);
        book.note(vec![event(31, true)]);
        book.swept(|_| Some(30));
        assert_eq!(outcome(&book), [0; 4]);
        book.died(&object(1, 10), (10, 30), &room);
        // One that begins in the millisecond of the end begins after it: the clock is read so.
        book.died(&object(2, 10), (10, 31), &room);
        assert_eq!(outcome(&book), [1, 1, 0, 0]);
    }

    #[test]
    fn who_died_after_two_collections_between_sweeps_survived_the_first() {
        let (mut book, room) = book(&[10; 4]);
        book.note(vec![event(20, true)]);
        book.died(&object(1, 10), (30, 70), &room);
        assert_eq!(outcome(&book), [0, 0, 1, 0]);
        assert_eq!(book.outcomes_at(0)[0].outlived.dead(), 1);
    }

    #[test]
    fn an_entry_that_was_handed_over_ends_with_its_last_thread() {
        let (mut book, room) = book(&[10; 4]);
        book.note(vec![event(20, false), event(30, true)]);
        book.swept(|_| Some(40));
        assert_eq!(outcome(&book), [0; 4], "goes on in the other one");
        book.note(vec![event(50, true)]);
        book.swept(|_| Some(60));
        assert_eq!(outcome(&book), [0, 0, 4, 4]);
        // A task that begins later.
        (0..9).for_each(|_| book.swept(|_| Some(60)));
        book.note(vec![event(70, false)]);
        book.born(&object(9, 71), ENTRY, (ClassId(4), Tally::of(1, 16)), &room);
        book.swept(|_| Some(80));
        book.note(vec![event(90, true)]);
        book.swept(|_| Some(100));
        assert_eq!(book.outcomes_at(0)[0].classes[1].1.survived.objects, 1);
    }

    #[test]
    fn ends_are_forgotten_when_nobody_waits_for_them() {
        let (mut book, _room) = book(&[10; 4]);
        book.note(vec![event(20, true), EntryEvent { entry: EntryId(4), ms: 20, ends: true }]);
        (0..3).for_each(|_| book.swept(|_| Some(15)));
        assert_eq!(book.entries.len(), 1, "four objects wait for one of them");
        book.swept(|_| Some(30));
        book.swept(|_| Some(30));
        assert_eq!((book.entries.len(), book.undecided.len(), book.survivors.len()), (0, 0, 4));
    }

    #[test]
    fn what_is_taken_back_was_never_there() {
        let (mut book, room) = book(&[10; 5]);
        book.take_back(&object(5, 10), &room);
        assert_eq!(outcome(&book), [0; 4]);
    }

    #[test]
    fn what_has_no_room_is_not_known_and_room_is_given_back() {
        let room = Budget::new(10 * BYTES_PER_OBJECT);
        let mut book = ScopeBook::default();
        for reference in 1..=4 {
            book.born(&object(reference, 10), ENTRY, (CLASS, Tally::of(1, 16)), &room);
        }
        assert_eq!(book.outcomes_at(0)[0].classes[0].1.unknown.objects, 2, "each takes as much as four");
        book.note(vec![event(20, true)]);
        book.died(&object(1, 10), (10, 15), &room);
        book.swept(|_| Some(30));
        book.born(&object(5, 40), ENTRY, (CLASS, Tally::of(1, 16)), &room);
        assert_eq!((book.rows(), room.bytes()), (2, 8 * BYTES_PER_OBJECT));
        book.died(&object(3, 10), (10, 15), &room);
        assert_eq!(room.bytes(), 8 * BYTES_PER_OBJECT, "of that one nothing was kept");
        book.reset(&room);
        assert_eq!(room.bytes(), 0);
    }

    #[test]
    fn objects_that_stand_for_others_make_their_number_unsure() {
        let (mut book, room) = (ScopeBook::default(), room());
        for (reference, objects) in [(1, 1), (2, 8), (3, 64)] {
            book.born(&object(reference, 10), ENTRY, (CLASS, Tally::of(objects, 16)), &room);
        }
        let variance = |book: &ScopeBook| book.outcomes_at(0)[0].details[0].1.variance;
        assert_eq!(variance(&book), Some(8.0 * 7.0 + 64.0 * 63.0));
        book.take_back(&object(3, 10), &room);
        assert_eq!(variance(&book), Some(56.0));
    }

    #[test]
    fn what_the_first_entry_of_a_thread_leaves_is_apart() {
        let (mut book, room) = (ScopeBook::default(), room());
        for (reference, entry, objects) in [(1, 2, 4), (2, 4, 1), (3, 2, 2)] {
            book.born(&object(reference, 10), EntryId(entry), (CLASS, Tally::of(objects, 16)), &room);
        }
        book.note([2, 4].map(|entry| EntryEvent { entry: EntryId(entry), ms: 20, ends: true }).to_vec());
        book.died(&object(3, 10), (30, 40), &room);
        book.swept(|_| Some(30));
        let told = &book.outcomes_at(0)[0];
        assert_eq!((told.classes[0].1.survived.objects, told.details[0].1.first_survived.objects), (7, 6));
    }

    #[test]
    fn no_table_doubles_for_the_last_few_objects() {
        let room = Budget::new((MOST_OBJECTS * OBJECTS_PER_ROW) as u64 * BYTES_PER_OBJECT);
        let mut book = ScopeBook::default();
        for reference in 1..=MOST_OBJECTS as u64 + 1 {
            book.born(&object(reference, 10), ENTRY, (CLASS, Tally::of(1, 16)), &room);
        }
        assert_eq!(book.outcomes_at(0)[0].classes[0].1.unknown.objects, 1);
        assert_eq!((book.undecided.len(), book.undecided.capacity()), (MOST_OBJECTS, MOST_OBJECTS));
    }

    #[test]
    fn a_table_that_was_large_is_small_again() {
        let (mut book, room) = book(&[10; 20_000]);
        book.note(vec![event(20, true)]);
        for reference in 1..=20_000 {
            book.died(&object(reference, 10), (10, 15), &room);
        }
        book.swept(|_| Some(30));
        assert!(book.undecided.capacity() <= FEW, "{}", book.undecided.capacity());
        assert_eq!(room.bytes(), 0);
    }
}
