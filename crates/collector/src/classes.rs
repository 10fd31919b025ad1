//! The classes seen, and where in a slab each one's cells are.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use mayfly_profile::ClassId;
use rustc_hash::FxHashMap;

use crate::mapped::Mapped;

/// Words of a slab that hold the cells of all classes together. Untouched pages take no memory.
pub(crate) const CLASS_WORDS: usize = 1 << 18;
/// Word 0 is no cell: a cell of zero means "not registered".
const FIRST_WORD: u32 = 8;
/// An array class's cells: objects, bytes, largest, then objects and bytes below the size limit, one spare.
const ARRAY_WORDS: u32 = 6;
/// Which of them is the largest size.
pub(crate) const LARGEST_WORD: usize = 2;

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
    entries: boxcar::Vec<ClassEntry>,
    /// Class id + 1 per first word of a class's cells.
    class_at_word: Mapped<AtomicU32>,
    index: Mutex<Index>,
}

#[derive(Debug)]
struct Index {
    by_name: FxHashMap<(Box<str>, Shape), ClassId>,
    next_word: u32,
}

impl Default for ClassTable {
    fn default() -> Self {
        Self {
            entries: boxcar::Vec::new(),
            class_at_word: Mapped::new(CLASS_WORDS).expect("address space for classes"),
            index: Mutex::new(Index { by_name: FxHashMap::default(), next_word: FIRST_WORD }),
        }
    }
}

impl ClassTable {
    /// Finds or enters a class. `None` when the table is full (some 260,000 classes).
    pub fn register(&self, name: &str, shape: Shape, tracked: bool) -> Option<Registered> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = index.by_name.get(&(Box::from(name), shape)) {
            return self.entries.get(id as usize).map(|entry| entry.registered(id));
        }
        let words = match shape {
            Shape::Object { .. } => 1,
            Shape::Array => ARRAY_WORDS,
            Shape::NameOnly => 0,
        };
        let word = index.next_word;
        if (word + words) as usize > CLASS_WORDS {
            return None;
        }
        index.next_word += words;
        let entry = ClassEntry { name: name.into(), shape, word, tracked };
        let id = self.entries.push(entry) as ClassId;
        if words > 0 {
            self.class_at_word.words()[word as usize].store(id + 1, Relaxed);
        }
        index.by_name.insert((name.into(), shape), id);
        self.entries.get(id as usize).map(|entry| entry.registered(id))
    }

    /// The class whose cells start at that byte offset (flags ignored).
    pub fn at_cell(&self, cell: u32) -> Option<ClassId> {
        self.class_at_word.words().get((cell >> 3) as usize)?.load(Relaxed).checked_sub(1)
    }

    /// Size of the class's objects in bytes; `None` for arrays.
    pub fn object_size(&self, id: ClassId) -> Option<u32> {
        match self.entries.get(id as usize)?.shape {
            Shape::Object { size } => Some(size),
            Shape::Array | Shape::NameOnly => None,
        }
    }

    /// The id of a name, with or without cells.
    pub fn named(&self, name: &str) -> Option<ClassId> {
        self.register(name, Shape::NameOnly, false).map(|registered| registered.id)
    }

    /// Whether a word of a slab is a maximum, not a sum.
    pub(crate) fn is_maximum(&self, word: usize) -> bool {
        let class = word.checked_sub(LARGEST_WORD).and_then(|first| self.at_cell((first as u32) << 3));
        class.and_then(|id| self.entries.get(id as usize)).is_some_and(|entry| entry.shape == Shape::Array)
    }

    /// First word behind the cells in use.
    pub(crate) fn words_in_use(&self) -> usize {
        self.index.lock().unwrap_or_else(PoisonError::into_inner).next_word as usize
    }

    /// Memory mapped beside what is allocated, in bytes.
    pub fn mapped_bytes(&self) -> u64 {
        (self.words_in_use() * size_of::<u32>()) as u64
    }

    /// The class's name.
    pub fn name(&self, id: ClassId) -> Option<&str> {
        self.entries.get(id as usize).map(|entry| &*entry.name)
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

impl ClassEntry {
    fn registered(&self, id: ClassId) -> Registered {
        Registered { id, cell: self.word << 3 | u32::from(self.tracked) }
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
        let array = table.register("[B", Shape::Array, true).unwrap();
        let object = table.register("a.B", Shape::Object { size: 16 }, false).unwrap();
        assert_eq!(table.at_cell(array.cell), Some(array.id));
        assert_eq!(table.at_cell(object.cell), Some(object.id));
        assert_eq!(array.cell & 1, 1);
        assert_eq!(object.cell & 1, 0);
        assert!(object.cell - (array.cell & !7) >= ARRAY_WORDS * 8);
        assert_eq!(table.at_cell(0), None);
    }

    #[test]
    fn a_name_alone_takes_no_cells() {
        let table = ClassTable::default();
        let named = table.named("a.B");
        assert_eq!(table.named("a.B"), named);
        let class = table.register("a.B", Shape::Object { size: 24 }, true).unwrap();
        assert_ne!(Some(class.id), named);
        assert_eq!(table.at_cell(class.cell), Some(class.id));
        assert_eq!(table.object_size(named.unwrap()), None);
    }

    #[test]
    fn a_full_table_says_so() {
        let table = ClassTable::default();
        let room = CLASS_WORDS - FIRST_WORD as usize;
        for i in 0..room {
            assert!(table.register(&i.to_string(), Shape::Object { size: 16 }, true).is_some());
        }
        assert_eq!(table.register("one too many", Shape::Object { size: 16 }, true), None);
    }
}
