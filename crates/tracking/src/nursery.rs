//! Tracked objects on their way from the allocating thread to the ledger.
//!
//! A thread adds to its own nursery under a lock that only the ledger ever contends for, and only to swap the list.

use std::mem;
use std::sync::atomic::AtomicU64 as Word;
use std::sync::{self, PoisonError};

use mayfly_profile::{ClassId, SiteId, TraceContext};

use crate::budget::Budget;
use crate::clock::Clock;
use crate::mapped::Mapped;
use crate::scope_book::EntryEvent;
use crate::scopes::EntryId;
use crate::slab_layout::MOST_CLASSES;
use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use crate::sync::{Arc, Mutex, MutexGuard};
use crate::tracked::{MOST_LOG2, Tracked};

/// Few where every order of steps is tried.
const FIRST_CAPACITY: usize = if cfg!(mayfly_loom) { 1 } else { 32 };
/// A list this long is handed over.
pub(crate) const CHUNK: usize = if cfg!(mayfly_loom) { 2 } else { 4096 };
/// 2^64 divided by the golden ratio: seeds far apart.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// Of the room, the part that a class may take before its objects are thinned; and the most objects that this is. The shorter room
/// gets, the fewer.
const SPARED_PART: u64 = 16;
const MOST_SPARED: u64 = 8192;
/// A thread moves the byte clock on in steps of this many bytes.
const CLOCK_STEP: u64 = 1 << 14;

/// What one thread has allocated since the ledger last looked.
#[derive(Debug)]
pub struct Nursery {
    shared: Arc<Shared>,
    young: Mutex<Young>,
    /// The state of a random sequence, written by its own thread only.
    random: AtomicU64,
}

/// Of how many objects an object is one, as powers of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StandsFor {
    /// Of its class.
    pub objects_log2: u32,
    /// Its stack stands for so many times more.
    pub stack_log2: u32,
    /// Of those of its class in its scope alone: others stand for the class and the site.
    pub in_scope_alone: bool,
}

/// An object to be followed from now on.
#[derive(Clone, Copy, Debug)]
pub struct Newborn {
    /// The weak reference as a number; zero if deaths are not followed.
    pub reference: u64,
    /// Class and stack.
    pub site: SiteId,
    /// Of how many it is one.
    pub stands_for: StandsFor,
    /// Shallow size in units of 8 bytes.
    pub size_8: u32,
    /// Bytes of allocation that it stands for.
    pub bytes: u64,
    /// The entry of a scope in which it was made, if any.
    pub entry: Option<EntryId>,
    /// The span in which it was made, if any.
    pub trace: Option<TraceContext>,
}

#[derive(Debug, Default)]
struct Young {
    batch: Batch,
    /// Bytes not yet told to the clock.
    clock_lag: u64,
}

/// Objects handed over together, with the room they hold.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) objects: Vec<Tracked>,
    /// Room to be released to the budget.
    pub(crate) reserved: usize,
    /// In which entry of a scope the objects were made.
    pub(crate) entries: Runs<EntryId>,
    /// The same for spans.
    pub(crate) traces: Runs<TraceContext>,
}

/// From which index on objects have which property; ascending. Empty: none of them has any.
type Runs<T> = Vec<(usize, Option<T>)>;

impl Batch {
    fn push(&mut self, object: Tracked, entry: Option<EntryId>, trace: Option<TraceContext>) {
        note(&mut self.entries, self.objects.len(), entry);
        note(&mut self.traces, self.objects.len(), trace);
        self.objects.push(object);
    }

    /// The objects that were made in scopes, with their entries.
    pub(crate) fn of_scopes(&self) -> impl Iterator<Item = (&Tracked, EntryId)> {
        self.of_runs(&self.entries)
    }

    /// The objects that were made in spans, with these.
    pub(crate) fn of_traces(&self) -> impl Iterator<Item = (&Tracked, TraceContext)> {
        self.of_runs(&self.traces)
    }

    fn of_runs<'a, T: Copy>(&'a self, runs: &'a Runs<T>) -> impl Iterator<Item = (&'a Tracked, T)> {
        let ends = runs.iter().skip(1).map(|&(from, _)| from).chain([self.objects.len()]);
        let known = runs.iter().zip(ends).filter_map(|(&(from, of), end)| Some((from, end, of?)));
        known.flat_map(|(from, end, of)| {
            // What was taken back may have been the last of a run.
            self.objects.get(from..end).unwrap_or_default().iter().map(move |object| (object, of))
        })
    }
}

/// The object of this index has this property.
fn note<T: Copy + PartialEq>(runs: &mut Runs<T>, index: usize, of: Option<T>) {
    if runs.last().and_then(|&(_, last)| last) != of {
        runs.push((index, of));
    }
}

/// All nurseries.
#[derive(Debug)]
pub struct Nurseries {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    budget: sync::Arc<Budget>,
    clock: sync::Arc<Clock>,
    nurseries: Mutex<Vec<Arc<Nursery>>>,
    full: Mutex<Vec<Batch>>,
    /// Objects that were handed over before their threads took them back.
    taken_back: Mutex<Vec<Tracked>>,
    /// What threads told of entries of scopes.
    events: Mutex<Vec<EntryEvent>>,
    dropped: AtomicU64,
    opened: AtomicU64,
    /// Objects of each class handed over while room was short.
    crowds: Mapped<Word>,
}

impl Nurseries {
    /// None yet; room comes from `budget`, stamps from `clock`.
    ///
    /// # Panics
    /// If the system has no address space for counters of classes.
    pub fn new(budget: sync::Arc<Budget>, clock: sync::Arc<Clock>) -> Self {
        let shared = Shared {
            budget,
            clock,
            nurseries: Mutex::default(),
            full: Mutex::default(),
            taken_back: Mutex::default(),
            events: Mutex::default(),
            dropped: AtomicU64::new(0),
            opened: AtomicU64::new(1),
            crowds: Mapped::new(MOST_CLASSES).expect("address space for classes"),
        };
        Self { shared: Arc::new(shared) }
    }

    /// A nursery for a thread. It is forgotten once the thread dropped it and it is empty.
    pub fn open(&self) -> Arc<Nursery> {
        let nursery = Arc::new(Nursery {
            shared: Arc::clone(&self.shared),
            young: Mutex::default(),
            random: AtomicU64::new(self.shared.opened.fetch_add(1, Relaxed).wrapping_mul(GOLDEN) | 1),
        });
        lock(&self.shared.nurseries).push(Arc::clone(&nursery));
        nursery
    }

    /// Objects given up for want of room.
    pub fn dropped(&self) -> u64 {
        self.shared.dropped.load(Relaxed)
    }

    /// What threads take back when it has been drained already.
    pub(crate) fn returns(&self) -> Returns {
        Returns(Arc::clone(&self.shared))
    }

    /// An entry of a scope in which objects may have been added ends on this thread, or goes on in it as in another one.
    pub fn note_entry(&self, entry: EntryId, ends: bool) {
        let mut events = lock(&self.shared.events);
        events.push(EntryEvent { entry, ms: self.shared.clock.now_ms(), ends });
    }

    /// What was told of entries; to be asked for after [`Self::drain`].
    pub(crate) fn events(&self) -> Vec<EntryEvent> {
        mem::take(&mut lock(&self.shared.events))
    }

    /// Takes everything that threads have added so far. The caller releases each batch's room.
    pub(crate) fn drain(&self) -> Vec<Batch> {
        let mut nurseries = lock(&self.shared.nurseries);
        // Ended threads first: one that ends meanwhile is emptied below and forgotten next time.
        let (ended, running): (Vec<_>, Vec<_>) =
            mem::take(&mut *nurseries).into_iter().partition(|nursery| Arc::strong_count(nursery) == 1);
        let mut batches: Vec<Batch> =
            ended.iter().chain(&running).filter_map(|nursery| nursery.take()).collect();
        *nurseries = running;
        batches.append(&mut lock(&self.shared.full));
        batches
    }
}

/// Objects that threads take back after they were drained.
#[derive(Debug)]
pub(crate) struct Returns(Arc<Shared>);

impl Returns {
    /// Those since the last time. Each was drained before.
    pub(crate) fn take(&self) -> Vec<Tracked> {
        mem::take(&mut lock(&self.0.taken_back))
    }
}

impl Nursery {
    /// Whether the next object of a class, which stands for `bytes` of allocation, is to be added: each one while there is room,
    /// otherwise one of a few, at random, which then stands for the others, two to this power. Those of rare classes are
    /// spared.
    pub fn choose(&self, class: ClassId, bytes: u64) -> Option<u32> {
        let log2 = match self.shared.budget.thinning() {
            0 => 0,
            thinning => thinning.min(self.shared.crowd_log2(class, thinning)),
        };
        if log2 > 0 && self.next_random() >> (64 - log2) != 0 {
            lock(&self.young).advance(&self.shared.clock, bytes);
            return None;
        }
        self.shared.budget.note_thinning(log2);
        Some(log2)
    }

    /// Adds an object that stands for itself, and for `bytes` of allocation. `false`: no room, it is counted as dropped.
    pub fn add(&self, reference: u64, site: SiteId, size_8: u32, bytes: u64) -> bool {
        let newborn = Newborn {
            reference,
            site,
            stands_for: StandsFor::default(),
            size_8,
            bytes,
            entry: None,
            trace: None,
        };
        self.follow(newborn).is_some()
    }

    /// Adds an object that was chosen; what was added. `None`: no room, it is counted as dropped.
    pub fn follow(&self, newborn: Newborn) -> Option<Tracked> {
        let Newborn { reference, site, stands_for, size_8, bytes, entry, trace } = newborn;
        let shared = &*self.shared;
        let birth_ms = shared.clock.now_ms();
        let mut young = lock(&self.young);
        young.advance(&shared.clock, bytes);
        let object = Tracked::new(reference, site, size_8, birth_ms).thinned(stands_for.objects_log2);
        let object = match stands_for.in_scope_alone {
            true => object.in_scope_alone(),
            false => object.stack_thinned(stands_for.stack_log2),
        };
        if !young.has_room_for(&object, shared) {
            shared.dropped.fetch_add(1, Relaxed);
            return None;
        }
        young.batch.push(object, entry, trace);
        Some(object)
    }

    /// Takes back the object added last. `true`: it is gone, and its reference the caller's to release. `false`: the ledger
    /// has it already, and will forget it.
    pub fn take_back(&self, object: Tracked) -> bool {
        let popped = lock(&self.young).batch.objects.pop_if(|last| *last == object);
        match popped {
            Some(object) => self.shared.budget.let_go(object.size()),
            None => lock(&self.shared.taken_back).push(object),
        }
        popped.is_some()
    }

    /// The generator xorshift64 (Marsaglia, 2003), and its upper bits mixed by a multiplication.
    fn next_random(&self) -> u64 {
        let mut x = self.random.load(Relaxed);
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.random.store(x, Relaxed);
        x.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn take(&self) -> Option<Batch> {
        let batch = mem::take(&mut lock(&self.young).batch);
        (batch.reserved > 0).then_some(batch)
    }
}

impl Shared {
    /// By how much objects of a class may be thinned, as a power of two: by more as it grows, by less while there is room.
    fn crowd_log2(&self, class: ClassId, thinning: u32) -> u32 {
        let Some(crowd) = self.crowds.words().get(class.row()) else { return MOST_LOG2 };
        let spared = (self.budget.objects() / SPARED_PART).min(MOST_SPARED) >> thinning;
        (crowd.fetch_add(1, Relaxed) / spared.max(1)).checked_ilog2().unwrap_or(0)
    }
}

impl Young {
    fn advance(&mut self, clock: &Clock, bytes: u64) {
        self.clock_lag += bytes;
        if self.clock_lag >= CLOCK_STEP {
            clock.advance(mem::take(&mut self.clock_lag));
        }
    }

    fn has_room_for(&mut self, object: &Tracked, shared: &Shared) -> bool {
        if self.batch.objects.len() == self.batch.reserved && !self.grow(shared) {
            return false;
        }
        shared.budget.hold(object.size())
    }

    /// Makes room for at least one more object.
    fn grow(&mut self, shared: &Shared) -> bool {
        if self.batch.reserved >= CHUNK {
            lock(&shared.full).push(mem::take(&mut self.batch));
        }
        let more = self.batch.reserved.max(FIRST_CAPACITY).min(CHUNK - self.batch.reserved);
        if !shared.budget.reserve(more) {
            return false;
        }
        self.batch.objects.reserve_exact(more);
        self.batch.reserved += more;
        true
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, not(mayfly_loom)))]
mod tests {
    use super::*;
    use crate::budget::BYTES_PER_OBJECT;

    const HOT: ClassId = ClassId(3);
    const RARE: ClassId = ClassId(5);

    fn newborn(reference: u64, site: u32) -> Newborn {
        let (site, stands_for) = (SiteId(site), StandsFor::default());
        Newborn { reference, site, stands_for, size_8: 3, bytes: 24, entry: None, trace: None }
    }

    fn nurseries(room: u64) -> (Nurseries, Arc<Budget>) {
        let budget = Arc::new(Budget::new(room * BYTES_PER_OBJECT));
        (Nurseries::new(Arc::clone(&budget), Arc::default()), budget)
    }

    #[test]
    fn everything_added_is_drained_once() {
        let (nurseries, budget) = nurseries(1 << 20);
        let nursery = nurseries.open();
        for i in 0..10_000 {
            assert!(nursery.add(i + 1, SiteId(0), 3, 24));
        }
        let batches = nurseries.drain();
        assert_eq!(batches.iter().map(|batch| batch.objects.len()).sum::<usize>(), 10_000);
        assert!(nurseries.drain().is_empty());
        for batch in &batches {
            budget.release(batch.reserved);
        }
        assert_eq!(budget.bytes(), 0);
    }

    #[test]
    fn objects_keep_the_entry_in_which_they_were_made() {
        let (nurseries, _) = nurseries(1 << 20);
        let nursery = nurseries.open();
        let entries = [None, Some(4), Some(4), Some(6), None, Some(6)].map(|entry| entry.map(EntryId));
        for (at, entry) in entries.into_iter().enumerate() {
            nursery.follow(Newborn { entry, ..newborn(at as u64 + 1, 0) });
            let taken_back = nursery.follow(Newborn { entry: Some(EntryId(8)), ..newborn(99, 0) });
            assert!(nursery.take_back(taken_back.expect("room")));
        }
        let batches = nurseries.drain();
        let made: Vec<_> =
            batches[0].of_scopes().map(|(object, entry)| (object.reference(), entry.0)).collect();
        assert_eq!(made, [(2, 4), (3, 4), (4, 6), (6, 6)]);
    }

    #[test]
    fn over_the_limit_objects_are_dropped_and_counted() {
        let (nurseries, _) = nurseries(64);
        let nursery = nurseries.open();
        let kept = (0..100).filter(|&i| nursery.add(i + 1, SiteId(0), 3, 24)).count();
        assert_eq!(kept, 64);
        assert_eq!(nurseries.dropped(), 36);
    }

    #[test]
    fn as_room_gets_short_fewer_are_chosen_and_stand_for_all() {
        let (nurseries, budget) = nurseries(1 << 20);
        let nursery = nurseries.open();
        let total: u32 = 20 << 20;
        let added = (0..total).filter(|_| made(&nursery, HOT).is_some()).count();
        assert_eq!(nurseries.dropped(), 0);
        assert!(added < 1 << 20 && budget.thinned_to_one_in() >= 16, "{added}");
        let batches = nurseries.drain();
        let stands_for: u64 =
            batches.iter().flat_map(|batch| &batch.objects).map(|object| 1 << object.thinning()).sum();
        let error = stands_for as f64 / f64::from(total) - 1.0;
        assert!(error.abs() < 0.02, "{error}");
        // The byte clock has seen all of them.
        assert!(nurseries.shared.clock.bytes() + CLOCK_STEP >= 24 * u64::from(total));
        batches.iter().for_each(|batch| budget.release(batch.reserved));
        assert!((0..1000).all(|_| nursery.choose(HOT, 24) == Some(0)), "there is room again");
    }

    /// Has an object of a class followed if it is chosen: for how many it stands.
    fn made(nursery: &Nursery, class: ClassId) -> Option<u64> {
        let objects_log2 = nursery.choose(class, 24)?;
        let stands_for = StandsFor { objects_log2, ..StandsFor::default() };
        let newborn = Newborn {
            stands_for,
            reference: 1,
            site: SiteId(class.0),
            size_8: 3,
            bytes: 24,
            entry: None,
            trace: None,
        };
        nursery.follow(newborn).map(|object| 1 << object.thinning())
    }

    #[test]
    fn rare_classes_are_followed_one_by_one_while_hot_ones_are_thinned() {
        let (nurseries, _) = nurseries(9 << 20);
        let nursery = nurseries.open();
        let mut rare = Vec::new();
        for at in 0..30_000_000u64 {
            made(&nursery, HOT);
            if at % 30_000 == 0 {
                rare.extend(made(&nursery, RARE));
            }
        }
        assert_eq!(rare, [1; 1000]);
        assert_eq!(nurseries.dropped(), 0);
    }

    #[test]
    fn the_nursery_of_an_ended_thread_is_forgotten_after_its_objects_are_taken() {
        let (nurseries, _) = nurseries(64);
        let nursery = nurseries.open();
        nursery.add(1, SiteId(0), 3, 24);
        drop(nursery);
        assert_eq!(nurseries.drain().len(), 1);
        assert!(lock(&nurseries.shared.nurseries).is_empty());
    }

    #[test]
    fn the_last_object_can_be_taken_back() {
        let (nurseries, _) = nurseries(64);
        let nursery = nurseries.open();
        nursery.add(1, SiteId(7), 3, 24);
        let last = nursery.follow(newborn(2, 8)).unwrap();
        assert!(nursery.take_back(last));
        assert_eq!(nurseries.drain()[0].objects.len(), 1);
        assert_eq!(nurseries.returns().take(), []);
    }

    #[test]
    fn an_object_taken_back_too_late_is_no_other_one() {
        let (nurseries, _) = nurseries(64);
        let nursery = nurseries.open();
        let first = nursery.follow(newborn(1, 7)).unwrap();
        assert_eq!(nurseries.drain().len(), 1);
        nursery.add(2, SiteId(7), 3, 24);
        assert!(!nursery.take_back(first));
        assert_eq!(nurseries.drain()[0].objects.len(), 1);
        assert_eq!(nurseries.returns().take(), [first]);
    }

    /// What loom tries in every order, on real threads: Miri looks for data races in it (`just miri`).
    #[test]
    fn what_threads_add_at_once_is_drained_once() {
        const THREADS: u64 = 3;
        let each = if cfg!(miri) { 70 } else { 20_000 };
        let (nurseries, budget) = nurseries(1 << 20);
        let mut batches = Vec::new();
        std::thread::scope(|scope| {
            let add = |first: u64| {
                let nursery = nurseries.open();
                for reference in first..first + each {
                    nursery.add(reference, SiteId(0), 3, 24);
                }
            };
            let threads: Vec<_> = (0..THREADS).map(|at| scope.spawn(move || add(at * each + 1))).collect();
            while !threads.iter().all(|thread| thread.is_finished()) {
                batches.extend(nurseries.drain());
            }
        });
        batches.extend(nurseries.drain());
        let objects = batches.iter().flat_map(|batch| &batch.objects);
        let mut references: Vec<_> = objects.map(Tracked::reference).collect();
        references.sort_unstable();
        assert_eq!(references, (1..=THREADS * each).collect::<Vec<_>>());
        assert!(lock(&nurseries.shared.nurseries).is_empty());
        batches.iter().for_each(|batch| budget.release(batch.reserved));
        assert_eq!(budget.bytes(), 0);
    }
}

/// Every order of the steps of two threads (`just loom`).
#[cfg(all(test, mayfly_loom))]
mod in_every_order {
    use loom::thread;

    use super::*;
    use crate::budget::BYTES_PER_OBJECT;

    fn newborn(reference: u64) -> Newborn {
        let stands_for = StandsFor::default();
        Newborn { reference, site: SiteId(0), stands_for, size_8: 3, bytes: 24, entry: None }
    }

    /// A thread follows objects, more than a list has room for, takes the last one back, and ends; meanwhile the ledger drains.
    #[test]
    fn what_a_thread_adds_is_drained_once_and_what_it_takes_back_is_gone_or_told() {
        loom::model(|| {
            let clock = sync::Arc::<Clock>::default();
            clock.set_ms(1);
            let budget = sync::Arc::new(Budget::new(1000 * BYTES_PER_OBJECT));
            let nurseries = Nurseries::new(sync::Arc::clone(&budget), clock);
            let nursery = nurseries.open();
            let thread = thread::spawn(move || {
                let last = (1..=3).filter_map(|reference| nursery.follow(newborn(reference))).last();
                nursery.take_back(last.expect("room"))
            });
            let mut batches = nurseries.drain();
            let mut taken_back = nurseries.returns().take();
            let references = |batches: &[Batch]| {
                let objects = batches.iter().flat_map(|batch| &batch.objects);
                let mut references: Vec<_> = objects.map(Tracked::reference).collect();
                references.sort_unstable();
                references
            };
            let drained = references(&batches);
            assert!(taken_back.iter().all(|object| drained.contains(&object.reference())), "told too early");
            let gone = thread.join().expect("no panic");
            batches.extend(nurseries.drain());
            taken_back.extend(nurseries.returns().take());
            let (added, told): (&[u64], &[u64]) = if gone { (&[1, 2], &[]) } else { (&[1, 2, 3], &[3]) };
            assert_eq!(references(&batches), added);
            assert_eq!(taken_back.iter().map(Tracked::reference).collect::<Vec<_>>(), told);
            // One that ends while it is drained is forgotten next time.
            assert!(nurseries.drain().is_empty());
            assert!(lock(&nurseries.shared.nurseries).is_empty());
            batches.iter().for_each(|batch| budget.release(batch.reserved));
            assert_eq!(budget.bytes(), 0);
        });
    }
}
