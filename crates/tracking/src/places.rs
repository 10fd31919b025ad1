//! Places: the single bytecodes that allocate. Their facts, where in a slab each is counted, and the samples of stacks
//! taken at each.
//!
//! A place gets its facts and number when its class is rewritten, its words in a slab when it is first executed. Java
//! reads the table that leads from one to the other. Not here: when a stack is to be taken (`sampling`), rows (`rows`).

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashTable;
use mayfly_profile::{ClassId, Frame, SiteId, Tally};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::cpu_budget::CpuBudget;
use crate::mapped::Mapped;
use crate::sampling::{Draw, Due, Samples};
use crate::slab_layout::{
    ARRAY_PLACE_WORDS, CLASS_WORDS, ELSEWHERE_WORDS, OBJECT_PLACE_WORDS, PLACE_BYTES, PLACE_LARGEST,
    PLACE_WORDS, byte_offset, word_at,
};

/// Numbers there are for places.
const PLACES: usize = 1 << 22;
/// The last of them are for objects of which no place told: by the first cell of their class.
pub(crate) const UNPLACED: usize = PLACES - CLASS_WORDS;
/// Room for the lists of places where classes differ: three entries per pair of place and class.
const PAIRS: usize = 1 << 22;
/// Number of the places that no longer fit.
pub(crate) const ELSEWHERE: u32 = u32::MAX;
/// What is known of a place from its class file. Texts are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceFacts {
    /// Class of the bytecode, as `Class.getName()` spells it.
    pub class: Arc<str>,
    /// Its method.
    pub method: Arc<str>,
    /// Source file.
    pub file: Option<Arc<str>>,
    /// Source line.
    pub line: Option<u16>,
    /// Class of what it makes, if the bytecode tells.
    pub made: Option<Arc<str>>,
}

/// [`PlaceFacts`] with texts as numbers: there may be a million of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PackedFacts {
    class: u32,
    method: u32,
    file: u32,
    made: u32,
    line: u16,
    /// Which of its class's places it is: those of one line are told apart. Of 65,536 places some share a number.
    nth: u16,
}

/// Bytes of all texts together. Places whose texts no longer fit are not numbered.
const MOST_TEXT_BYTES: usize = 64 << 20;

/// Number of no text.
const NONE: u32 = u32::MAX;

#[derive(Debug, Default)]
struct Facts {
    places: Vec<PackedFacts>,
    /// Numbers of places, by their facts.
    known: HashTable<u32>,
    texts: Vec<Arc<str>>,
    numbers: FxHashMap<Arc<str>, u32>,
    text_bytes: usize,
}

/// What is counted at one place: objects of one class.
#[derive(Debug)]
pub(crate) struct PlaceCounter {
    /// The place's number.
    pub(crate) place: u32,
    /// Class of what is made there.
    pub(crate) class: ClassId,
    word: u32,
    kind: Kind,
    /// Whether its stacks are wanted.
    pub(crate) sampled: bool,
    samples: Mutex<Samples>,
}

/// How a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Objects of one class.
    Objects,
    /// Arrays of one class, which that class's own cells do not count.
    Arrays,
    /// Objects that their class counts too.
    OtherObjects,
    /// Arrays that their class counts too.
    OtherArrays,
}

impl Kind {
    fn is_array(self) -> bool {
        matches!(self, Kind::Arrays | Kind::OtherArrays)
    }

    fn words(self) -> usize {
        if self.is_array() { ARRAY_PLACE_WORDS } else { OBJECT_PLACE_WORDS }
    }
}

/// All places.
#[derive(Debug)]
pub struct PlaceTable {
    /// What Java reads: by a place's number where it is counted, then the lists of pairs.
    table: Mapped<AtomicU32>,
    facts: Mutex<Facts>,
    counters: boxcar::Vec<PlaceCounter>,
    /// Counter + 1 by its first word.
    counter_at: Mapped<AtomicU32>,
    next: Mutex<Next>,
    /// First word of those kept for places that no longer fit.
    room: usize,
    words_in_use: AtomicU64,
    /// Objects of places that no longer fit when totals were last made.
    counted_elsewhere: AtomicU64,
    /// Bytes that samples of all places stand for.
    booked_bytes: AtomicU64,
}

#[derive(Debug)]
struct Next {
    word: u32,
    pair: u32,
    /// Of the words kept for places that no longer fit.
    elsewhere: u32,
    /// Where these are counted: arrays by class, all else together.
    offsets: FxHashMap<Option<ClassId>, u32>,
}

impl Default for PlaceTable {
    fn default() -> Self {
        Self::new()
    }
}

impl PlaceTable {
    /// No places yet. Takes address space, and memory as places are executed.
    ///
    /// # Panics
    /// If the system has no address space for it.
    pub fn new() -> Self {
        Self::with_room(PLACE_WORDS - ELSEWHERE_WORDS)
    }

    /// With so many words for places.
    pub(crate) fn with_room(room: usize) -> Self {
        let next =
            Next { word: 0, pair: PLACES as u32, elsewhere: room as u32, offsets: FxHashMap::default() };
        Self {
            table: Mapped::new(PLACES + PAIRS).expect("address space for places"),
            facts: Mutex::default(),
            counters: boxcar::Vec::new(),
            counter_at: Mapped::new(PLACE_WORDS).expect("address space for counters of places"),
            next: Mutex::new(next),
            room,
            words_in_use: AtomicU64::new(0),
            counted_elsewhere: AtomicU64::new(0),
            booked_bytes: AtomicU64::new(0),
        }
    }

    /// As a new one, in the same place: who still has its address reads nothing else.
    pub fn renewed(self) -> Self {
        self.table.clear();
        self.counter_at.clear();
        let Self { table, counter_at, room, .. } = self;
        Self { table, counter_at, ..Self::with_room(room) }
    }

    /// Address of the table that Java reads.
    pub fn address(&self) -> u64 {
        self.table.address()
    }

    /// Numbers the places of a class that is being rewritten; other threads wait meanwhile.
    pub fn numbering(&self) -> Numbering<'_> {
        Numbering { facts: lock(&self.facts), nth: 0 }
    }

    /// The facts of a place.
    pub fn facts(&self, place: u32) -> Option<PlaceFacts> {
        let facts = lock(&self.facts);
        let packed = facts.places.get(place as usize)?;
        let text = |number: u32| facts.texts.get(number as usize).cloned();
        Some(PlaceFacts {
            class: text(packed.class)?,
            method: text(packed.method)?,
            file: text(packed.file),
            line: (packed.line != 0).then_some(packed.line),
            made: text(packed.made),
        })
    }

    /// Where in a slab a place is counted, as a byte offset; made up at first. `None` if there is no room any more.
    pub fn enter(&self, place: u32, class: ClassId, kind: Kind, sampled: bool) -> Option<u32> {
        let slot = self.table.words()[..PLACES].get(place as usize)?;
        let mut next = lock(&self.next);
        match slot.load(Relaxed) {
            0 => {
                let offset = self.add_counter(&mut next, place, class, kind, sampled)?;
                slot.store(offset, Relaxed);
                Some(offset)
            }
            offset => Some(offset),
        }
    }

    /// As [`Self::enter`], at a place where classes differ: for the class with this cell.
    pub fn enter_pair(
        &self,
        place: u32,
        cell: u32,
        class: ClassId,
        kind: Kind,
        sampled: bool,
    ) -> Option<u32> {
        let slot = self.table.words()[..PLACES].get(place as usize)?;
        let mut next = lock(&self.next);
        let first = slot.load(Relaxed);
        let mut entry = first as usize;
        while let Some([known, offset, following, ..]) =
            self.table.words().get(entry..).filter(|_| entry != 0)
        {
            if known.load(Relaxed) == cell {
                return Some(offset.load(Relaxed));
            }
            entry = following.load(Relaxed) as usize;
        }
        let pair = self.table.words().get(next.pair as usize..next.pair as usize + 3)?;
        let offset = self.add_counter(&mut next, place, class, kind, sampled)?;
        for (slot, value) in pair.iter().zip([cell, offset, first]) {
            slot.store(value, Relaxed);
        }
        // Java may be reading the list: the entry must be whole before it is found.
        slot.store(next.pair, std::sync::atomic::Ordering::Release);
        next.pair += 3;
        Some(offset)
    }

    fn add_counter(
        &self,
        next: &mut Next,
        place: u32,
        class: ClassId,
        kind: Kind,
        sampled: bool,
    ) -> Option<u32> {
        let word = next.word;
        if word as usize + kind.words() > self.room {
            return self.elsewhere(next, class, kind);
        }
        next.word += kind.words() as u32;
        self.words_in_use.fetch_max(u64::from(next.word), Relaxed);
        Some(self.add_counter_at(word, PlaceCounter::new(place, class, word, kind, sampled)))
    }

    fn add_counter_at(&self, word: u32, counter: PlaceCounter) -> u32 {
        let counter = self.counters.push(counter);
        self.counter_at.words()[word as usize].store(counter as u32 + 1, Relaxed);
        byte_offset(CLASS_WORDS as u32 + word)
    }

    /// Where a place is counted that no longer fits: without stacks, and so that it does not ask again.
    fn elsewhere(&self, next: &mut Next, class: ClassId, kind: Kind) -> Option<u32> {
        let key = (kind == Kind::Arrays).then_some(class);
        if let Some(&offset) = next.offsets.get(&key) {
            return Some(offset);
        }
        // The last words are for all that is no array.
        let end = self.room + ELSEWHERE_WORDS - if key.is_some() { ARRAY_PLACE_WORDS } else { 0 };
        let word = next.elsewhere;
        if word as usize + ARRAY_PLACE_WORDS > end {
            return None;
        }
        next.elsewhere += ARRAY_PLACE_WORDS as u32;
        self.words_in_use.fetch_max(u64::from(next.elsewhere), Relaxed);
        let kind = if key.is_some() { Kind::Arrays } else { Kind::OtherArrays };
        let offset = self.add_counter_at(word, PlaceCounter::new(ELSEWHERE, class, word, kind, false));
        next.offsets.insert(key, offset);
        Some(offset)
    }

    /// Objects made at places that no longer fit, as of when totals were last made.
    pub fn counted_elsewhere(&self) -> u64 {
        self.counted_elsewhere.load(Relaxed)
    }

    /// Takes note of how many these are, given the words of places of all slabs together.
    pub(crate) fn note_elsewhere(&self, words: &[u64]) {
        let offsets = lock(&self.next).offsets.values().copied().collect::<Vec<_>>();
        let counters = offsets.into_iter().filter_map(|offset| self.counter(offset));
        self.counted_elsewhere.store(counters.map(|counter| counter.read(words, 0).objects).sum(), Relaxed);
    }

    /// The counter at a byte offset of slabs.
    pub(crate) fn counter(&self, offset: u32) -> Option<&PlaceCounter> {
        let word = word_at(offset).checked_sub(CLASS_WORDS)?;
        let counter = self.counter_at.words().get(word)?.load(Relaxed).checked_sub(1)?;
        self.counters.get(counter as usize)
    }

    /// What to do about the allocation at which Java asked, by where it was counted, and how it said it samples there.
    pub fn due(&self, offset: u32, state: u32, budget: &CpuBudget, draw: Draw<'_>) -> Due {
        let counter = self.counter(offset).filter(|counter| counter.sampled);
        let all = self.booked_bytes.load(Relaxed);
        counter.map_or(Due::NEVER, |counter| Due::at(state, (budget, all), &mut counter.samples(), draw))
    }

    /// The place and the class counted at `offset`.
    pub fn at(&self, offset: u32) -> Option<(u32, ClassId)> {
        self.counter(offset).map(|counter| (counter.place, counter.class))
    }

    /// Books a stack taken there of an object of `size` bytes, if the samples of its place tell of sizes, that stands for two to the power
    /// `log2`, each of `each` bytes; 0: the place is to have no more stacks for its bytes.
    pub fn book(&self, offset: u32, site: SiteId, log2: u32, (size, each): (u64, u64)) {
        if let Some(counter) = self.counter(offset) {
            let bytes = each << log2;
            self.booked_bytes.fetch_add(bytes, Relaxed);
            let mut samples = counter.samples();
            samples.note_bytes(bytes);
            samples.book(site, log2, size);
        }
    }

    pub(crate) fn counters(&self) -> impl Iterator<Item = &PlaceCounter> {
        (0..self.counters.count()).map_while(|at| self.counters.get(at))
    }

    /// Words of places in use.
    pub(crate) fn words_in_use(&self) -> usize {
        self.words_in_use.load(Relaxed) as usize
    }

    /// Memory mapped beside what is allocated, in bytes, at most.
    pub fn mapped_bytes(&self) -> u64 {
        let pairs = lock(&self.next).pair as usize - PLACES;
        let places = lock(&self.facts).places.len();
        ((places + pairs + self.words_in_use()) * size_of::<u32>()) as u64
    }
}

impl PlaceFacts {
    /// The frame of the bytecode, with its line if lines are wanted.
    pub fn frame(&self, lines: bool) -> Frame {
        let line = self.line.filter(|_| lines).map(u32::from);
        Frame {
            class: Arc::clone(&self.class),
            method: Arc::clone(&self.method),
            file: self.file.clone(),
            line,
        }
    }
}

impl PlaceCounter {
    fn new(place: u32, class: ClassId, word: u32, kind: Kind, sampled: bool) -> Self {
        Self { place, class, word, kind, sampled, samples: Mutex::default() }
    }

    /// Whether it is of one bytecode, not of all that no longer fit, nor of those of which none told.
    pub(crate) fn is_of_a_place(&self) -> bool {
        self.place != ELSEWHERE && !is_unplaced(self.place)
    }

    /// Whether it is of a class's objects of which no place told, as far as the hooks know: of some of them one did.
    pub(crate) fn is_unplaced(&self) -> bool {
        is_unplaced(self.place)
    }

    pub(crate) fn samples(&self) -> MutexGuard<'_, Samples> {
        lock(&self.samples)
    }

    /// What was counted, given the words of places of all slabs together.
    pub(crate) fn read(&self, words: &[u64], object_size: u64) -> Tally {
        let word = |at: usize| words.get(self.word as usize + at).copied().unwrap_or(0);
        match self.kind.is_array() {
            false => Tally::of(word(0), object_size),
            true => Tally { objects: word(0), bytes: word(PLACE_BYTES), largest: word(PLACE_LARGEST) },
        }
    }

    /// Whether its class's cells leave these objects to it.
    pub(crate) fn counts_for_class(&self) -> bool {
        self.kind == Kind::Arrays
    }

    /// Whether a word of a slab is a maximum, not a sum.
    pub(crate) fn is_maximum(&self, word: usize) -> bool {
        self.kind.is_array() && word == self.word as usize + PLACE_LARGEST
    }
}

impl PlaceTable {
    /// Whether a word of a slab (counted from the first of places) is a maximum, not a sum.
    pub(crate) fn is_maximum(&self, word: usize) -> bool {
        let first = word.checked_sub(PLACE_LARGEST).and_then(|first| self.counter_at.words().get(first));
        let counter = first.and_then(|counter| counter.load(Relaxed).checked_sub(1));
        counter.and_then(|counter| self.counters.get(counter as usize)).is_some_and(|c| c.is_maximum(word))
    }
}

/// Numbers places, one class at a time.
pub struct Numbering<'a> {
    facts: MutexGuard<'a, Facts>,
    nth: u16,
}

impl Numbering<'_> {
    /// The number of the class's next place; `None` if there are none left. A class loaded again, by whatever loader, has
    /// the numbers that it had before.
    pub fn add(
        &mut self,
        [class, method]: [&str; 2],
        file: Option<&str>,
        line: Option<u16>,
        made: Option<&str>,
    ) -> Option<u32> {
        let texts = [Some(class), Some(method), file, made];
        let nth = self.nth;
        self.nth = nth.wrapping_add(1);
        let [class, method, file, made] = self.facts.texts(texts)?;
        self.facts.number(PackedFacts { class, method, file, made, line: line.unwrap_or(0), nth })
    }
}

impl Facts {
    /// The place with these facts; `None` if it is new and there are no numbers left.
    fn number(&mut self, facts: PackedFacts) -> Option<u32> {
        let places = &self.places;
        let hash = |facts: &PackedFacts| FxBuildHasher.hash_one(facts);
        if let Some(&known) = self.known.find(hash(&facts), |&known| places[known as usize] == facts) {
            return Some(known);
        }
        let number = (places.len() < UNPLACED).then_some(places.len() as u32)?;
        self.known.insert_unique(hash(&facts), number, |&known| hash(&places[known as usize]));
        self.places.push(facts);
        Some(number)
    }

    /// The numbers of texts; `None` if one is new and there is no room for it.
    fn texts<const N: usize>(&mut self, texts: [Option<&str>; N]) -> Option<[u32; N]> {
        let mut numbers = [NONE; N];
        for (number, text) in numbers.iter_mut().zip(texts) {
            if let Some(text) = text {
                *number = self.text(text)?;
            }
        }
        Some(numbers)
    }

    fn text(&mut self, text: &str) -> Option<u32> {
        if let Some(&number) = self.numbers.get(text) {
            return Some(number);
        }
        if self.text_bytes + text.len() > MOST_TEXT_BYTES {
            return None;
        }
        let (number, text) = (self.texts.len() as u32, Arc::<str>::from(text));
        self.text_bytes += text.len();
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        Some(number)
    }
}

/// Whether it is the number of what no place told of, for objects of one class.
pub fn is_unplaced(place: u32) -> bool {
    place != ELSEWHERE && place as usize >= UNPLACED
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::budget_of_stacks;

    #[test]
    fn facts_come_back_and_texts_are_shared() {
        let table = PlaceTable::new();
        let mut numbering = table.numbering();
        assert_eq!(numbering.add(["a.B", "run"], Some("B.java"), Some(7), Some("a.C")), Some(0));
        assert_eq!(numbering.add(["a.B", "run"], None, None, None), Some(1));
        drop(numbering);
        let (first, second) = (table.facts(0).unwrap(), table.facts(1).unwrap());
        assert_eq!((first.line, first.made.as_deref(), second.made), (Some(7), Some("a.C"), None));
        assert!(Arc::ptr_eq(&first.class, &second.class));
        assert_eq!(table.facts(2), None);
    }

    #[test]
    fn a_class_loaded_again_has_the_places_that_it_had() {
        let table = PlaceTable::new();
        let load = |made: [&str; 3]| {
            let mut numbering = table.numbering();
            made.map(|made| numbering.add(["a.B", "run"], Some("B.java"), Some(7), Some(made)).unwrap())
        };
        let first = load(["a.C", "a.C", "a.D"]);
        assert_eq!(first, [0, 1, 2], "two of one line and class are two");
        assert_eq!(load(["a.C", "a.C", "a.D"]), first);
        assert_eq!(load(["a.C", "a.E", "a.D"]), [0, 3, 2], "another version of the class");
    }

    #[test]
    fn a_place_keeps_its_words() {
        let table = PlaceTable::new();
        let first = table.enter(3, ClassId(9), Kind::Objects, true).unwrap();
        assert_eq!(table.enter(3, ClassId(9), Kind::Objects, true), Some(first));
        let second = table.enter(5, ClassId(9), Kind::Arrays, true).unwrap();
        assert_eq!(second - first, byte_offset(OBJECT_PLACE_WORDS as u32));
        let counter = table.counter(second).unwrap();
        assert_eq!((counter.place, counter.class), (5, ClassId(9)));
        assert!(table.counter(second + 8).is_none());
        let largest = word_at(second) - CLASS_WORDS + PLACE_LARGEST;
        assert!(table.is_maximum(largest));
        assert!(!(0..largest).any(|word| table.is_maximum(word)));
    }

    #[test]
    fn classes_at_one_place_have_words_of_their_own() {
        let table = PlaceTable::new();
        let offset = |cell| table.enter_pair(2, cell, ClassId(cell), Kind::OtherArrays, true).unwrap();
        let (one, other) = (offset(8), offset(16));
        assert_ne!(one, other);
        assert_eq!((offset(8), offset(16)), (one, other));
        assert_eq!(table.counters().count(), 2);
    }

    #[test]
    fn places_that_no_longer_fit_share_words_and_keep_no_stacks() {
        let table = PlaceTable::with_room(OBJECT_PLACE_WORDS + 1);
        let own = table.enter(0, ClassId(9), Kind::Objects, true).unwrap();
        let enter = |place, class, kind| table.enter(place, class, kind, true).unwrap();
        let shared = enter(1, ClassId(9), Kind::Objects);
        assert_ne!(own, shared);
        assert_eq!(table.table.words()[1].load(Relaxed), shared, "Java finds it, and does not ask again");
        assert_eq!(enter(2, ClassId(10), Kind::Objects), shared);
        assert_eq!(table.enter_pair(3, 8, ClassId(11), Kind::OtherObjects, true), Some(shared));
        let arrays = enter(4, ClassId(20), Kind::Arrays);
        assert_eq!(enter(5, ClassId(20), Kind::Arrays), arrays);
        assert_ne!(enter(6, ClassId(21), Kind::Arrays), arrays);
        assert_eq!(table.counter(arrays).map(|counter| counter.class), Some(ClassId(20)));
        let due = table.due(shared, 0, &budget_of_stacks(), &mut |_| 1);
        assert_eq!((due, table.counter(shared).unwrap().is_of_a_place()), (Due::NEVER, false));
    }
}
