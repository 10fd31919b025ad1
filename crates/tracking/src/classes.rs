//! The classes seen, and where in a slab each one's cells are.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mayfly_profile::ClassId;
use rustc_hash::FxHashMap;

use crate::mapped::Mapped;
use crate::slab_layout::{
    ARRAY_CELLS, CELL_DUE, CELL_LARGEST, CELL_TRACKED, CLASS_WORDS, NOTE_WORDS, OBJECT_CELLS, OBJECT_DUE,
    OTHER_WORDS, byte_offset, word_at,
};

/// What the classes that no longer fit are called, all together.
pub(crate) const OTHER_CLASSES: &str = "(other classes)";

/// What decides how a class's objects are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// All objects have this shallow size, in bytes.
    Object {
        /// Bytes.
        size: u32,
    },
    /// Sizes differ: counted one by one.
    Array,
    /// No cells: a class that only sites name so far. Classes of one name are one to whoever reads the stream.
    NameOnly,
}

/// A class as the JVM side needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registered {
    /// Dense index; classes of one name and shape share it, whatever their loaders.
    pub id: ClassId,
    /// For the field added to `java.lang.Class`: byte offset into a slab, and 1 if its objects are to be tracked.
    pub cell: u32,
}

#[derive(Debug)]
pub(crate) struct ClassEntry {
    pub(crate) name: Box<str>,
    pub(crate) shape: Shape,
    pub(crate) word: u32,
    tracked: bool,
}

/// All classes ever registered. Reading is lock-free.
#[derive(Debug)]
pub struct ClassTable {
    /// First word of those kept for other classes; also bounds the number of names.
    room: usize,
    /// Words of a class of objects.
    object_words: u32,
    entries: boxcar::Vec<ClassEntry>,
    /// Class id + 1 per first word of a class's cells.
    class_at_word: Mapped<AtomicU32>,
    index: Mutex<Index>,
    /// Objects of other classes when totals were last made.
    in_others: AtomicU64,
}

#[derive(Debug)]
struct Index {
    by_name: FxHashMap<(Box<str>, Shape), ClassId>,
    next_word: u32,
    /// The next of those kept for other classes.
    next_other: u32,
    others: Vec<(Shape, ClassId)>,
}

impl Default for ClassTable {
    fn default() -> Self {
        Self::with_room(CLASS_WORDS - OTHER_WORDS)
    }
}

impl ClassTable {
    /// A table of a balanced session: beside the number of a class's objects is the one at which the next is due.
    pub fn with_dues() -> Self {
        Self { object_words: OBJECT_CELLS + OBJECT_DUE as u32, ..Self::default() }
    }

    /// A table with so many words for the cells of classes, for as many names, and some for all other classes together.
    ///
    /// # Panics
    /// If the system has no address space for it.
    fn with_room(room: usize) -> Self {
        let index = Index {
            by_name: FxHashMap::default(),
            next_word: NOTE_WORDS as u32,
            next_other: room as u32,
            others: Vec::new(),
        };
        Self {
            room,
            object_words: OBJECT_CELLS,
            entries: boxcar::Vec::new(),
            class_at_word: Mapped::new(CLASS_WORDS).expect("address space for classes"),
            index: Mutex::new(index),
            in_others: AtomicU64::new(0),
        }
    }

    /// Finds or enters a class. When the table is full (some 260,000 classes), it is one of the other classes.
    pub fn register(&self, name: &str, shape: Shape, tracked: bool) -> Registered {
        let mut index = self.index();
        if let Some(&id) = index.by_name.get(&(Box::from(name), shape)) {
            return self.registered(id, None);
        }
        let (word, words) = (index.next_word, self.words(shape));
        if (word + words) as usize > self.room || self.entries.count() >= 2 * self.room {
            return self.registered(self.other(&mut index, shape), Some(tracked));
        }
        index.next_word += words;
        let id = self.add(name, shape, word, tracked);
        index.by_name.insert((name.into(), shape), id);
        self.registered(id, None)
    }

    /// The entry of other classes for objects of this shape; when there is no room for another size, of the nearest one.
    fn other(&self, index: &mut Index, shape: Shape) -> ClassId {
        let size = |shape: Shape| if let Shape::Object { size } = shape { size } else { 0 };
        let known = index.others.iter().find(|(known, _)| *known == shape);
        // An array class's cells must always find room.
        let end = CLASS_WORDS.min(self.room + OTHER_WORDS) as u32
            - if shape == Shape::Array { 0 } else { ARRAY_CELLS };
        let alike =
            |known: Shape| matches!(known, Shape::Object { .. }) == matches!(shape, Shape::Object { .. });
        let nearest = || {
            let alike = index.others.iter().filter(|(known, _)| alike(*known));
            alike.min_by_key(|(known, _)| size(*known).abs_diff(size(shape)))
        };
        let full = index.next_other + self.words(shape) > end;
        if let Some(&(_, id)) = known.or_else(|| if full { nearest() } else { None }) {
            return id;
        }
        let id = self.add(OTHER_CLASSES, shape, index.next_other, false);
        index.next_other += self.words(shape);
        index.others.push((shape, id));
        id
    }

    fn add(&self, name: &str, shape: Shape, word: u32, tracked: bool) -> ClassId {
        let id = ClassId::of_row(self.entries.push(ClassEntry { name: name.into(), shape, word, tracked }));
        if self.words(shape) > 0 {
            self.class_at_word.words()[word as usize].store(id.0 + 1, Relaxed);
        }
        id
    }

    /// What the JVM side needs of an entry; `tracked` if that is not the entry's to say.
    fn registered(&self, id: ClassId, tracked: Option<bool>) -> Registered {
        let entry = &self.entries[id.row()];
        let flag = if tracked.unwrap_or(entry.tracked) { CELL_TRACKED } else { 0 };
        Registered { id, cell: byte_offset(entry.word) | flag }
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Objects of classes that no longer fit, as of when totals were last made.
    pub fn in_other_classes(&self) -> u64 {
        self.in_others.load(Relaxed)
    }

    /// Takes note of how many objects were counted of each entry.
    pub(crate) fn note_others(&self, objects: impl Fn(ClassId) -> u64) {
        let sum = self.index().others.iter().map(|&(_, id)| objects(id)).sum();
        self.in_others.store(sum, Relaxed);
    }

    /// The class whose cells start at that byte offset (flags ignored).
    pub fn at_cell(&self, cell: u32) -> Option<ClassId> {
        self.class_at_word.words().get(word_at(cell))?.load(Relaxed).checked_sub(1).map(ClassId)
    }

    /// Size of the class's objects in bytes; `None` for arrays.
    pub fn object_size(&self, id: ClassId) -> Option<u32> {
        match self.entries.get(id.row())?.shape {
            Shape::Object { size } => Some(size),
            Shape::Array | Shape::NameOnly => None,
        }
    }

    /// The id of a name, with or without cells.
    pub fn named(&self, name: &str) -> ClassId {
        self.register(name, Shape::NameOnly, false).id
    }

    /// Whether a word of a slab is a maximum, not a sum.
    pub(crate) fn is_maximum(&self, word: usize) -> bool {
        let class = word.checked_sub(CELL_LARGEST).and_then(|first| self.at_cell(byte_offset(first as u32)));
        class.and_then(|id| self.entries.get(id.row())).is_some_and(|entry| entry.shape == Shape::Array)
    }

    /// Words of the cells of a class of such a shape.
    fn words(&self, shape: Shape) -> u32 {
        match shape {
            Shape::Object { .. } => self.object_words,
            Shape::Array => ARRAY_CELLS,
            Shape::NameOnly => 0,
        }
    }

    /// The words that say when the next object of a class is due, in a balanced session.
    pub(crate) fn dues(&self) -> impl Iterator<Item = usize> {
        let due = |class: &ClassEntry| match class.shape {
            Shape::Object { .. } => {
                (self.object_words > OBJECT_CELLS).then_some(class.word as usize + OBJECT_DUE)
            }
            Shape::Array => Some(class.word as usize + CELL_DUE),
            Shape::NameOnly => None,
        };
        self.entries().filter_map(due)
    }

    /// First word behind the cells in use.
    pub(crate) fn words_in_use(&self) -> usize {
        let index = self.index();
        (if index.others.is_empty() { index.next_word } else { index.next_other }) as usize
    }

    /// Memory mapped beside what is allocated, in bytes.
    pub fn mapped_bytes(&self) -> u64 {
        (self.words_in_use() * size_of::<u32>()) as u64
    }

    /// The class's name.
    pub fn name(&self, id: ClassId) -> Option<&str> {
        self.entries.get(id.row()).map(|entry| &*entry.name)
    }

    /// How many classes there are; ids run from zero.
    pub fn len(&self) -> usize {
        self.entries.count()
    }

    /// Whether no class was registered yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &ClassEntry> {
        (0..self.len()).map_while(|id| self.entries.get(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_shape_is_one_class_whatever_the_loader() {
        let table = ClassTable::default();
        let first = table.register("a.B", Shape::Object { size: 24 }, true);
        assert_eq!(first, table.register("a.B", Shape::Object { size: 24 }, true));
        assert_ne!(first, table.register("a.B", Shape::Object { size: 32 }, true));
        assert_eq!(table.len(), 2);
    }

    #[test]
    fn cells_lead_back_to_their_class_and_do_not_overlap() {
        let table = ClassTable::default();
        let array = table.register("[B", Shape::Array, true);
        let object = table.register("a.B", Shape::Object { size: 16 }, false);
        assert_eq!(table.at_cell(array.cell), Some(array.id));
        assert_eq!(table.at_cell(object.cell), Some(object.id));
        assert_eq!(array.cell & 1, 1);
        assert_eq!(object.cell & 1, 0);
        assert!(object.cell - (array.cell & !7) >= ARRAY_CELLS * 8);
        assert_eq!(table.at_cell(0), None);
    }

    #[test]
    fn dues_lie_in_no_other_cell() {
        let table = ClassTable::with_dues();
        let shapes = [Shape::Object { size: 16 }, Shape::Array, Shape::Object { size: 24 }, Shape::NameOnly];
        let classes = shapes.map(|shape| table.register(&format!("{shape:?}"), shape, false));
        let [first, array, second, _] = classes.map(|class| word_at(class.cell));
        assert_eq!(table.dues().collect::<Vec<_>>(), [first + 1, array + 5, second + 1]);
        assert_eq!((array - first, second - array, table.words_in_use() - second), (2, 6, 2));
    }

    #[test]
    fn a_name_alone_takes_no_cells() {
        let table = ClassTable::default();
        let named = table.named("a.B");
        assert_eq!(table.named("a.B"), named);
        let class = table.register("a.B", Shape::Object { size: 24 }, true);
        assert_ne!(class.id, named);
        assert_eq!(table.at_cell(class.cell), Some(class.id));
        assert_eq!(table.object_size(named), None);
    }

    #[test]
    fn classes_that_no_longer_fit_share_cells_by_size() {
        let table = ClassTable::with_room(NOTE_WORDS + 7);
        let object = |name: &str, size, tracked| table.register(name, Shape::Object { size }, tracked);
        let array = table.register("[I", Shape::Array, true);
        let last = object("a.Last", 16, true);
        let [small, alike, large] = [("a.B", 16, true), ("a.C", 16, false), ("a.D", 24, false)]
            .map(|(name, size, tracked)| object(name, size, tracked));
        assert_eq!(object("a.Last", 16, true), last, "known ones stay");
        assert_eq!((small.id, small.cell & !7), (alike.id, alike.cell & !7));
        assert_eq!((small.cell & 1, alike.cell & 1), (1, 0), "each is tracked or not");
        assert_ne!(small.id, large.id);
        for (class, size) in
            [(small, Some(16)), (large, Some(24)), (table.register("[J", Shape::Array, true), None)]
        {
            assert_eq!(table.at_cell(class.cell), Some(class.id));
            assert_eq!((table.name(class.id), table.object_size(class.id)), (Some(OTHER_CLASSES), size));
            assert!(![array.id, last.id].contains(&class.id));
        }
    }

    #[test]
    fn every_class_has_a_cell_whatever_their_number_and_sizes() {
        let table = ClassTable::default();
        for i in 0..CLASS_WORDS as u32 + 10_000 {
            let class = table.register(&i.to_string(), Shape::Object { size: 16 + i % 4096 * 8 }, true);
            assert_eq!(table.at_cell(class.cell), Some(class.id));
        }
        let first = table.register("[first", Shape::Array, true);
        assert_eq!(first, table.register("[second", Shape::Array, true));
        assert_eq!(table.at_cell(first.cell), Some(first.id));
        assert!(table.words_in_use() <= CLASS_WORDS);
        assert!(table.len() < CLASS_WORDS + 10);
        for i in 0..600_000 {
            table.named(&format!("name {i}"));
        }
        assert!(table.len() <= 2 * CLASS_WORDS);
    }
}
