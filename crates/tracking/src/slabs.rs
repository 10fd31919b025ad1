//! Counters in native memory, one slab per carrier thread, written by Java and read here.
//!
//! Only its own thread writes a slab, with plain stores; we read with relaxed loads, so a total may lag by the
//! instructions in flight but never tears. A thread that ends has its slab added to the retired totals and reused.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_profile::Tally;

use crate::classes::{ClassEntry, ClassTable, Shape};
use crate::mapped::Mapped;
use crate::places::PlaceTable;
use crate::scopes::{EntryId, NodeId, Scopes};
use crate::slab_layout::{
    CELL_BELOW, CELL_BYTES, CELL_LARGEST, CLASS_WORDS, MOST_SCOPE_NAMES, NOTE_ENDS, NOTE_ENTRIES, NOTE_INNER,
    NOTE_MOVING, NOTE_OUTER, PLACE_WORDS, word_at,
};

/// Spare slabs kept for the next threads, as address space alone; more are unmapped.
const SPARES: usize = 16;
/// Words looked at together: a page of memory, which is as a rule untouched.
const BLOCK: usize = 512;

type Slab = Mapped<AtomicU64>;

/// Everything counted of one class since the agent started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassTotal {
    /// Objects at or above the size limit.
    pub counted: Tally,
    /// Arrays below the size limit: accounted for, but not reported.
    pub below: Tally,
}

impl ClassTotal {
    /// Bytes of all of them.
    pub fn bytes(&self) -> u64 {
        self.counted.bytes + self.below.bytes
    }
}

/// The slabs of all threads.
#[derive(Debug)]
pub struct Slabs {
    /// Words of each.
    len: usize,
    /// For threads that come when the system has no address space left: they share it, and lose some counts to each other.
    last_resort: Slab,
    /// For threads that have no slab of their own yet.
    arriving: Slab,
    /// For threads that are not the program's.
    unread: Slab,
    /// How many threads came to share it.
    sharing: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    live: Vec<Open>,
    spare: Vec<Slab>,
    /// Words of ended threads, added up.
    retired: Words,
    /// The same of scopes alone, by node.
    retired_scopes: Vec<ScopeWords>,
    /// Slabs of scopes so far.
    scopes_opened: u64,
}

/// What was counted in a scope: part of all words.
#[derive(Clone, Debug, Default)]
struct ScopeWords {
    words: Words,
    entries: u64,
    ended: u64,
    threads: u64,
}

/// Everything counted in one scope since the agent started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScopeTotal {
    /// How often it was entered.
    pub entries: u64,
    /// How many of these entries were left.
    pub ended: u64,
    /// Threads that entered it; of virtual ones, those that carried them.
    pub threads: u64,
    /// By class id, as [`Words::classes`] has them.
    pub classes: Vec<ClassTotal>,
}

impl ScopeTotal {
    /// Leaves what was counted since `before`; of nothing there is no largest.
    pub fn subtract(&mut self, before: &Self) {
        self.entries = self.entries.saturating_sub(before.entries);
        self.ended = self.ended.saturating_sub(before.ended);
        self.threads = self.threads.saturating_sub(before.threads);
        for (total, before) in self.classes.iter_mut().zip(&before.classes) {
            for (tally, before) in [(&mut total.counted, before.counted), (&mut total.below, before.below)] {
                let since = tally.without(before);
                *tally = if since.is_empty() { Tally::default() } else { since };
            }
        }
    }
}

/// A slab of a thread that runs.
#[derive(Debug)]
struct Open {
    slab: Slab,
    /// The one that the thread has outside of scopes, which may be this one.
    outermost: u64,
    /// The scope in which it counts, if any.
    scope: Option<NodeId>,
    /// Blocks that held anything when last looked at.
    blocks: usize,
}

/// The words of all slabs, dead and alive, added up.
#[derive(Clone, Debug, Default)]
pub struct Words {
    classes: Vec<u64>,
    /// From the first word of places on.
    places: Vec<u64>,
}

impl Default for Slabs {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Slabs {
    /// None yet. With `places`, slabs have room for the counters of places.
    ///
    /// # Panics
    /// If the system has no address space for a single one.
    pub fn new(places: bool) -> Self {
        let len = CLASS_WORDS + if places { PLACE_WORDS } else { 0 };
        let slab = || Slab::new(len).expect("address space for counters");
        Self {
            len,
            last_resort: slab(),
            arriving: slab(),
            unread: slab(),
            sharing: AtomicU64::new(0),
            state: Mutex::default(),
        }
    }

    /// A zeroed slab for a thread; the address is what Java writes to.
    pub fn open(&self) -> u64 {
        self.open_from(|words| Slab::new(words).ok())
    }

    /// The slab of threads that have none of their own yet: those that count in it at once lose some counts to each other.
    pub fn of_arriving(&self) -> u64 {
        self.arriving.address()
    }

    /// A thread has arrived: what it counted before is kept, or forgotten if it is not the program's. `cell`: of the class that such
    /// a thread has made an object of by then.
    pub fn arrived(&self, cell: u32, is_program: bool, classes: &ClassTable, places: &PlaceTable) {
        let made = self.arriving.words().get(word_at(cell)).map_or(0, |word| word.load(Relaxed));
        if made == 0 {
            return;
        }
        let mut state = self.state();
        if is_program {
            InUse::of(classes, places).add(&mut state.retired, &self.arriving);
        }
        self.arriving.clear();
    }

    /// The slab of threads whose allocations are not counted: nobody reads it.
    pub fn unread(&self) -> u64 {
        self.unread.address()
    }

    fn open_from(&self, system: impl FnOnce(usize) -> Option<Slab>) -> u64 {
        let mut state = self.state();
        let Some(slab) = state.spare.pop().or_else(|| system(self.len)) else {
            self.sharing.fetch_add(1, Relaxed);
            return self.last_resort.address();
        };
        let address = slab.address();
        state.live.push(Open { slab, outermost: address, scope: None, blocks: 0 });
        address
    }

    /// The slab in which the thread that has the slab `outer` counts while it is in the scope of that name inside of it; 0 if there
    /// is none for it: the thread goes on where it is. Called by that thread.
    pub fn open_inner(&self, outer: u64, name: u32, scopes: &Scopes) -> u64 {
        let mut state = self.state();
        let at = NOTE_INNER + name as usize;
        let Some(open) = state.live.iter().find(|open| open.slab.address() == outer) else { return 0 };
        let (scope, outermost) = (open.scope, open.outermost);
        let known = open.slab.words()[at].load(Relaxed);
        if known != 0 || name as usize >= MOST_SCOPE_NAMES {
            return known;
        }
        let Some(node) = scopes.inside(scope, name) else { return 0 };
        let Some(slab) = state.spare.pop().or_else(|| Slab::new(self.len).ok()) else { return 0 };
        let address = slab.address();
        state.scopes_opened += 1;
        slab.words()[NOTE_ENTRIES].store(EntryId::before_first(node, state.scopes_opened), Relaxed);
        slab.words()[NOTE_OUTER].store(outer, Relaxed);
        state.live.push(Open { slab, outermost, scope: Some(node), blocks: 0 });
        if let Some(open) = state.live.iter().find(|open| open.slab.address() == outer) {
            open.slab.words()[at].store(address, Relaxed);
        }
        address
    }

    /// Adds an ended thread's counts to the retired ones and takes its slabs back. `address`: any of them.
    pub fn close(&self, address: u64, classes: &ClassTable, places: &PlaceTable) {
        let mut state = self.state();
        let Some(any) = state.live.iter().find(|open| open.slab.address() == address) else { return };
        let outermost = any.outermost;
        let in_use = InUse::of(classes, places);
        while let Some(at) = state.live.iter().position(|open| open.outermost == outermost) {
            let open = state.live.swap_remove(at);
            in_use.add(&mut state.retired, &open.slab);
            open.add_scope(in_use, &mut state.retired_scopes);
            if state.spare.len() < SPARES {
                open.slab.clear();
                state.spare.push(open.slab);
            }
        }
    }

    /// Takes all slabs back and forgets what was counted. They stay mapped: a thread that is about to count in one that it had writes
    /// nowhere else.
    pub fn forget(&self) {
        let mut state = self.state();
        let State { live, mut spare, .. } = std::mem::take(&mut *state);
        spare.extend(live.into_iter().map(|open| open.slab));
        spare.iter().chain([&self.last_resort, &self.arriving]).for_each(Slab::clear);
        state.spare = spare;
        self.sharing.store(0, Relaxed);
    }

    /// The thread that has this slab may be mounting a virtual thread, or unmounting it, until it has told that it is not.
    pub fn note_moving(&self, address: u64) {
        if let Some(open) = self.state().live.iter().find(|open| open.slab.address() == address) {
            open.slab.words()[NOTE_MOVING].store(1, Relaxed);
        }
    }

    /// Whether slabs have room for the counters of places.
    pub fn have_places(&self) -> bool {
        self.len > CLASS_WORDS
    }

    /// What was counted in each scope, by node: part of what [`Self::words`] has.
    pub fn scopes(&self, classes: &ClassTable, places: &PlaceTable) -> Vec<ScopeTotal> {
        let state = self.state();
        let mut scopes = state.retired_scopes.clone();
        let in_use = InUse::of(classes, places);
        state.live.iter().for_each(|open| open.add_scope(in_use, &mut scopes));
        drop(state);
        let total = |scope: ScopeWords| ScopeTotal {
            entries: scope.entries,
            ended: scope.ended,
            threads: scope.threads,
            classes: scope.words.totals(classes, places),
        };
        scopes.into_iter().map(total).collect()
    }

    /// The words of all threads, dead and alive.
    pub fn words(&self, classes: &ClassTable, places: &PlaceTable) -> Words {
        let mut state = self.state();
        let in_use = InUse::of(classes, places);
        let mut words = state.retired.clone();
        for open in &mut state.live {
            open.blocks = in_use.add(&mut words, &open.slab);
        }
        in_use.add(&mut words, &self.last_resort);
        in_use.add(&mut words, &self.arriving);
        words
    }

    /// Forgets how large the largest objects were. A thread that counts at this moment may still write what it read before;
    /// its next larger one is noted.
    pub fn forget_largest(&self, classes: &ClassTable, places: &PlaceTable) {
        let mut state = self.state();
        let in_use = InUse::of(classes, places);
        for slab in state.live.iter().map(|open| &open.slab).chain([&self.last_resort, &self.arriving]) {
            in_use.forget_largest(slab);
        }
        let Words { classes: of_classes, places: of_places } = &mut state.retired;
        let of_classes = of_classes.iter_mut().enumerate().filter(|(at, _)| classes.is_maximum(*at));
        let of_places = of_places.iter_mut().enumerate().filter(|(at, _)| places.is_maximum(*at));
        of_classes.chain(of_places).for_each(|(_, word)| *word = 0);
    }

    /// Has the next object of each class due, on all threads. One that counts at this moment may still write what it read before.
    pub fn forget_dues(&self, classes: &ClassTable, places: &PlaceTable) {
        let state = self.state();
        let in_use = InUse::of(classes, places);
        for slab in state.live.iter().map(|open| &open.slab).chain([&self.last_resort]) {
            let (words, _) = in_use.of_slab(slab);
            let dues = classes.dues().filter_map(|word| words.get(word));
            dues.filter(|due| due.load(Relaxed) != 0).for_each(|due| due.store(0, Relaxed));
        }
    }

    /// Number of threads, ended ones included, that had to share a slab: those that ran at once lost some counts to each other.
    pub fn sharing(&self) -> u64 {
        self.sharing.load(Relaxed)
    }

    /// Number of threads with a slab.
    #[cfg(test)]
    pub(crate) fn live(&self) -> usize {
        self.state().live.iter().filter(|open| open.scope.is_none()).count()
    }

    /// Memory of the slabs of running threads, in bytes: the pages that they had touched when words were last added up.
    pub fn bytes(&self) -> u64 {
        let blocks: usize = self.state().live.iter().map(|open| open.blocks).sum();
        (blocks * BLOCK * size_of::<u64>()) as u64
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Adds what was counted to its scope, if it counts in one.
    fn add_scope(&self, in_use: InUse<'_>, scopes: &mut Vec<ScopeWords>) {
        let Some(node) = self.scope else { return };
        if scopes.len() <= node.row() {
            scopes.resize_with(node.row() + 1, ScopeWords::default);
        }
        let scope = &mut scopes[node.row()];
        in_use.add(&mut scope.words, &self.slab);
        let entries = EntryId(self.slab.words()[NOTE_ENTRIES].load(Relaxed)).number();
        scope.entries += entries;
        scope.threads += u64::from(entries > 0);
        scope.ended += self.slab.words()[NOTE_ENDS].load(Relaxed);
    }
}

/// Which words of slabs can be anything but zero.
#[derive(Clone, Copy)]
struct InUse<'a> {
    classes: &'a ClassTable,
    places: &'a PlaceTable,
}

impl InUse<'_> {
    fn of<'a>(classes: &'a ClassTable, places: &'a PlaceTable) -> InUse<'a> {
        InUse { classes, places }
    }

    /// The words of classes and of places.
    fn of_slab(self, slab: &Slab) -> (&[AtomicU64], &[AtomicU64]) {
        let slab = slab.words();
        let places = CLASS_WORDS..CLASS_WORDS + self.places.words_in_use();
        (slab.get(..self.classes.words_in_use()).unwrap_or_default(), slab.get(places).unwrap_or_default())
    }

    fn forget_largest(self, slab: &Slab) {
        let (classes, places) = self.of_slab(slab);
        let classes = classes.iter().enumerate().filter(|(at, _)| self.classes.is_maximum(*at));
        let places = places.iter().enumerate().filter(|(at, _)| self.places.is_maximum(*at));
        // What is zero stays untouched, with its page.
        let any = classes.chain(places).map(|(_, word)| word).filter(|word| word.load(Relaxed) != 0);
        any.for_each(|word| word.store(0, Relaxed));
    }

    /// Adds a slab; how many blocks of it hold anything.
    fn add(self, words: &mut Words, slab: &Slab) -> usize {
        let (classes, places) = self.of_slab(slab);
        add_blocks(&mut words.classes, classes, |word| self.classes.is_maximum(word))
            + add_blocks(&mut words.places, places, |word| self.places.is_maximum(word))
    }
}

/// Adds word by word, or takes the larger one; how many blocks hold anything. Others are not looked at twice.
fn add_blocks(sums: &mut Vec<u64>, words: &[AtomicU64], is_maximum: impl Fn(usize) -> bool) -> usize {
    let mut blocks = 0;
    for (first, block) in words.chunks(BLOCK).enumerate().map(|(index, block)| (index * BLOCK, block)) {
        if block.iter().fold(0, |any, word| any | word.load(Relaxed)) == 0 {
            continue;
        }
        blocks += 1;
        if sums.len() < first + block.len() {
            sums.resize(first + block.len(), 0);
        }
        for (at, word) in (first..).zip(block) {
            let value = word.load(Relaxed);
            if value != 0 {
                let sum = &mut sums[at];
                *sum = if is_maximum(at) { (*sum).max(value) } else { sum.wrapping_add(value) };
            }
        }
    }
    blocks
}

impl Words {
    /// Totals by class id: of the classes' own cells, and of the arrays that places count for them.
    pub fn classes(&self, classes: &ClassTable, places: &PlaceTable) -> Vec<ClassTotal> {
        let totals = self.totals(classes, places);
        classes.note_others(|id| {
            totals.get(id.row()).map_or(0, |total| total.counted.objects + total.below.objects)
        });
        places.note_elsewhere(self.places());
        totals
    }

    fn totals(&self, classes: &ClassTable, places: &PlaceTable) -> Vec<ClassTotal> {
        let mut totals: Vec<_> = classes.entries().map(|class| self.class(class)).collect();
        for place in places.counters().filter(|place| place.counts_for_class()) {
            let class = place.class.row();
            // A class entered meanwhile has its turn next time, and so have its places.
            if let Some(total) = totals.get_mut(class) {
                total.counted.add(place.read(self.places(), 0));
            }
        }
        totals
    }

    /// Objects of classes that had no cell, where hooks don't ask whether they have one.
    pub fn without_cell(&self) -> u64 {
        self.classes.first().copied().unwrap_or(0)
    }

    pub(crate) fn places(&self) -> &[u64] {
        &self.places
    }

    fn class(&self, class: &ClassEntry) -> ClassTotal {
        let word = |offset: usize| self.classes.get(class.word as usize + offset).copied().unwrap_or(0);
        match class.shape {
            Shape::Object { size } => {
                ClassTotal { counted: Tally::of(word(0), u64::from(size)), below: Tally::default() }
            }
            Shape::Array => ClassTotal {
                counted: Tally { objects: word(0), bytes: word(CELL_BYTES), largest: word(CELL_LARGEST) },
                below: Tally { objects: word(CELL_BELOW), bytes: word(CELL_BELOW + CELL_BYTES), largest: 0 },
            },
            Shape::NameOnly => ClassTotal::default(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use mayfly_profile::ClassId;

    use super::*;
    use crate::places::Kind;

    /// What Java does: add to the word at a cell of the newest slab.
    pub(crate) fn bump(slabs: &Slabs, cell: u32, offset: usize, by: u64) {
        let state = slabs.state();
        state.live.last().unwrap().slab.words()[word_at(cell) + offset].fetch_add(by, Relaxed);
    }

    #[test]
    fn what_a_thread_counts_before_it_has_a_slab_is_kept_unless_it_is_ours() {
        let (slabs, places, classes) = (Slabs::default(), PlaceTable::new(), ClassTable::default());
        let cell = classes.register("java.lang.Thread", Shape::Object { size: 16 }, false).cell;
        let objects = || slabs.words(&classes, &places).classes(&classes, &places)[0].counted.objects;
        let arrives = |is_program| {
            slabs.arriving.words()[word_at(cell)].fetch_add(1, Relaxed);
            let counted = objects();
            slabs.arrived(cell, is_program, &classes, &places);
            (counted, objects())
        };
        assert_eq!([arrives(true), arrives(false), arrives(true)], [(1, 1), (2, 1), (2, 2)]);
        slabs.unread.words()[word_at(cell)].fetch_add(1, Relaxed);
        slabs.close(slabs.unread(), &classes, &places);
        assert_eq!(objects(), 2, "nobody reads it, not at its thread's end either");
    }

    #[test]
    fn objects_of_classes_without_a_cell_are_told() {
        let (slabs, places, classes) = (Slabs::default(), PlaceTable::new(), ClassTable::default());
        classes.register("a.B", Shape::Object { size: 16 }, false);
        slabs.open();
        bump(&slabs, 0, 0, 3);
        assert_eq!(slabs.words(&classes, &places).without_cell(), 3);
    }

    #[test]
    fn the_largest_of_before_a_reset_is_forgotten() {
        let classes = ClassTable::default();
        let places = PlaceTable::new();
        let array = classes.register("[B", Shape::Array, true);
        let slabs = Slabs::default();
        let (ended, _running) = (slabs.open(), slabs.open());
        let size =
            |slabs: &Slabs| slabs.words(&classes, &places).classes(&classes, &places)[array.id.row()].counted;
        bump(&slabs, array.cell, CELL_LARGEST, 4096);
        slabs.state().live[0].slab.words()[word_at(array.cell) + CELL_LARGEST].store(8192, Relaxed);
        slabs.close(ended, &classes, &places);
        assert_eq!(size(&slabs).largest, 8192);
        slabs.forget_largest(&classes, &places);
        assert_eq!(size(&slabs).largest, 0);
        bump(&slabs, array.cell, CELL_LARGEST, 16);
        assert_eq!(size(&slabs).largest, 16);
    }

    #[test]
    fn after_a_reset_the_next_object_of_each_class_is_due() {
        let (classes, places) = (ClassTable::with_dues(), PlaceTable::new());
        let object = classes.register("a.B", Shape::Object { size: 24 }, false);
        let array = classes.register("[I", Shape::Array, false);
        let slabs = Slabs::default();
        slabs.open();
        bump(&slabs, object.cell, 0, 7);
        bump(&slabs, object.cell, 1, 90);
        bump(&slabs, array.cell, 5, 91);
        slabs.forget_dues(&classes, &places);
        let word = |cell: u32, offset: usize| {
            slabs.state().live[0].slab.words()[word_at(cell) + offset].load(Relaxed)
        };
        assert_eq!([word(object.cell, 0), word(object.cell, 1), word(array.cell, 5)], [7, 0, 0]);
        assert_eq!(slabs.words(&classes, &places).classes(&classes, &places)[0].counted, Tally::of(7, 24));
    }

    #[test]
    fn threads_without_room_share_a_slab_and_are_counted() {
        let (classes, places) = (ClassTable::default(), PlaceTable::new());
        let object = classes.register("a.B", Shape::Object { size: 24 }, true);
        let slabs = Slabs::default();
        let own = slabs.open();
        let shared = [slabs.open_from(|_| None), slabs.open_from(|_| None)];
        assert_eq!(shared, [slabs.last_resort.address(); 2]);
        assert_eq!((slabs.sharing(), slabs.live()), (2, 1));
        bump(&slabs, object.cell, 0, 3);
        slabs.last_resort.words()[word_at(object.cell)].fetch_add(4, Relaxed);
        let counted = |slabs: &Slabs| {
            slabs.words(&classes, &places).classes(&classes, &places)[object.id.row()].counted
        };
        assert_eq!(counted(&slabs), Tally::of(7, 24));
        // The end of one of them leaves the others' counts where they are.
        slabs.close(shared[0], &classes, &places);
        slabs.close(own, &classes, &places);
        assert_eq!((counted(&slabs), slabs.sharing()), (Tally::of(7, 24), 2));
    }

    #[test]
    fn what_is_counted_in_a_scope_is_part_of_all_and_told_apart_by_nesting() {
        let (classes, places, scopes) = (ClassTable::default(), PlaceTable::new(), Scopes::default());
        let object = classes.register("a.B", Shape::Object { size: 24 }, true);
        let (request, query) = (scopes.name("request"), scopes.name("query"));
        let slabs = Slabs::default();
        let outermost = slabs.open();
        bump(&slabs, object.cell, 0, 3);
        let outer = slabs.open_inner(outermost, request, &scopes);
        assert_eq!(slabs.open_inner(outermost, request, &scopes), outer, "a thread's slab of a scope stays");
        bump(&slabs, object.cell, 0, 5);
        let inner = slabs.open_inner(outer, query, &scopes);
        assert!(outer != 0 && inner != 0);
        bump(&slabs, object.cell, 0, 7);
        slabs.state().live[2].slab.words()[NOTE_ENTRIES].fetch_add(2 * 4, Relaxed);
        slabs.state().live[2].slab.words()[NOTE_ENDS].fetch_add(3, Relaxed);
        let objects = |total: &ScopeTotal| total.classes[object.id.row()].counted.objects;
        for ended in [false, true] {
            let all = slabs.words(&classes, &places).classes(&classes, &places);
            assert_eq!(all[object.id.row()].counted, Tally::of(15, 24));
            let totals = slabs.scopes(&classes, &places);
            assert_eq!(totals.iter().map(objects).collect::<Vec<_>>(), [5, 7]);
            assert_eq!((totals[0].entries, totals[1].entries, totals[1].ended), (0, 4, 3));
            assert_eq!((totals[0].threads, totals[1].threads), (0, 1));
            assert_eq!(slabs.live(), usize::from(!ended));
            // By any of the thread's slabs: it may end inside of a scope.
            slabs.close(inner, &classes, &places);
        }
        let again = slabs.open();
        let reused = slabs.open_inner(again, query, &scopes);
        assert_ne!(reused, 0);
        assert_eq!(
            scopes.path(NodeId(2)).as_deref(),
            Some(&["query".to_owned()][..]),
            "a nesting of its own"
        );
    }

    /// Threads come, count and go while another adds up: nothing is lost or counted twice, and no total goes back. Miri looks for
    /// data races in it (`just miri`).
    #[test]
    fn slabs_are_given_out_again_while_they_are_added_up_at_once() {
        const THREADS: u64 = 3;
        let rounds = if cfg!(miri) { 4 } else { 2_000 };
        let (classes, places, slabs) = (ClassTable::default(), PlaceTable::new(), Slabs::default());
        let object = classes.register("a.B", Shape::Object { size: 24 }, true);
        let objects =
            || slabs.words(&classes, &places).classes(&classes, &places)[object.id.row()].counted.objects;
        let count_in = |address: u64| {
            let state = slabs.state();
            let mut open = state.live.iter().filter(|open| open.slab.address() == address);
            let slab = &open.next().expect("a slab of its own").slab;
            assert!(open.next().is_none(), "two threads share a slab");
            slab.words()[word_at(object.cell)].fetch_add(1, Relaxed);
        };
        std::thread::scope(|scope| {
            let count = || {
                for _ in 0..rounds {
                    let address = slabs.open();
                    count_in(address);
                    count_in(address);
                    slabs.close(address, &classes, &places);
                }
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(count)).collect();
            let mut before = 0;
            while !threads.iter().all(|thread| thread.is_finished()) {
                let now = objects();
                assert!(now >= before, "{now} after {before}");
                before = now;
            }
        });
        assert_eq!((objects(), slabs.live()), (THREADS * rounds * 2, 0));
    }

    #[test]
    fn totals_span_live_and_ended_threads() {
        let classes = ClassTable::default();
        let slabs = Slabs::default();
        let places = PlaceTable::new();
        let object = classes.register("a.B", Shape::Object { size: 24 }, true);
        let array = classes.register("[I", Shape::Array, true);
        let first = slabs.open();
        bump(&slabs, object.cell, 0, 3);
        bump(&slabs, array.cell, 0, 1);
        bump(&slabs, array.cell, 1, 48);
        bump(&slabs, array.cell, 2, 48);
        slabs.close(first, &classes, &places);
        slabs.open();
        bump(&slabs, object.cell, 0, 2);
        bump(&slabs, array.cell, 3, 4);
        bump(&slabs, array.cell, 4, 64);
        let totals = slabs.words(&classes, &places).classes(&classes, &places);
        assert_eq!(totals[object.id.row()].counted, Tally::of(5, 24));
        assert_eq!(totals[array.id.row()].counted, Tally::of(1, 48));
        assert_eq!(totals[array.id.row()].below, Tally { objects: 4, bytes: 64, largest: 0 });
    }

    #[test]
    fn what_has_no_room_of_its_own_is_counted_together() {
        let classes = ClassTable::default();
        let slabs = Slabs::new(true);
        let places = PlaceTable::with_room(5);
        let array = classes.register("[I", Shape::Array, true);
        let here = places.enter(0, array.id, Kind::Arrays, true).unwrap();
        let elsewhere = places.enter(1, array.id, Kind::Arrays, true).unwrap();
        let object = places.enter(2, ClassId(7), Kind::Objects, true).unwrap();
        slabs.open();
        for (offset, objects) in [(here, 1), (elsewhere, 2), (object, 40)] {
            bump(&slabs, offset, 0, objects);
        }
        bump(&slabs, here, 3, 16);
        bump(&slabs, elsewhere, 3, 64);
        let totals = slabs.words(&classes, &places).classes(&classes, &places);
        assert_eq!(totals[array.id.row()].counted, Tally { objects: 3, bytes: 80, largest: 0 });
        assert_eq!((places.counted_elsewhere(), classes.in_other_classes()), (42, 0));
        for i in 0..300_000 {
            classes.register(&i.to_string(), Shape::Object { size: 16 }, false);
        }
        bump(&slabs, classes.register("a.B", Shape::Object { size: 16 }, false).cell, 0, 9);
        slabs.words(&classes, &places).classes(&classes, &places);
        assert_eq!(classes.in_other_classes(), 9);
    }

    #[test]
    fn a_reused_slab_starts_from_zero() {
        let classes = ClassTable::default();
        let slabs = Slabs::default();
        let places = PlaceTable::new();
        let class = classes.register("a.B", Shape::Object { size: 24 }, true);
        let first = slabs.open();
        bump(&slabs, class.cell, 0, 7);
        slabs.close(first, &classes, &places);
        assert_eq!(slabs.open(), first);
        assert_eq!(
            slabs.words(&classes, &places).classes(&classes, &places)[class.id.row()].counted.objects,
            7
        );
        assert_eq!(slabs.live(), 1);
    }
}
