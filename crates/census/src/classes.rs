//! The classes met: a small hot table for the walk, and what is counted of each. All room is there from the start on.

use std::collections::HashMap;

use mayfly_counts::Total;

use crate::doubt::Doubt;
use crate::header::class_address;
use crate::layout::{KlassFields, Layout};
use crate::memory::Memory;
use crate::row::Row;

/// Slots of the hot table, a power of two; and classes at most.
const SLOTS: usize = 1 << 16;
pub(crate) const MOST_CLASSES: usize = 1 << 15;
/// Bytes of all names.
const NAME_BYTES: usize = 4 << 20;
/// No name of a class is longer.
const LONGEST_NAME: usize = 1 << 12;
/// The lowest bit of an instance's layout: its objects are made, or measured, in an unusual way.
const UNUSUAL: i32 = 1;

/// How long objects of a class are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    #[default]
    Fixed,
    /// Bytes before the elements, and how often the size of one is doubled.
    Array { header: u64, element: u32 },
    /// `java.lang.Class`: each has its size.
    Mirror,
    /// `jdk.internal.vm.StackChunk`: the size of objects without their stack, in words.
    Chunk { words: u64 },
}

/// What the walk looks at of each object's class.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hot {
    /// As it is written in headers; 0: free.
    number: u64,
    /// Words of each object; 0: they differ.
    pub(crate) words: u32,
    /// Objects of Eden that died, in the collection that is being read.
    pub(crate) dead: u32,
}

/// The same, where objects differ.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cold {
    pub(crate) shape: Shape,
    row: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Named {
    klass: u64,
    at: u32,
    len: u32,
    /// What lies in unused parts of buffers is no object of the program's.
    filler: bool,
}

/// All classes met.
#[derive(Debug)]
pub(crate) struct Classes {
    pub(crate) hot: Box<[Hot]>,
    pub(crate) cold: Box<[Cold]>,
    /// Slots in use.
    used: Vec<u32>,
    named: Vec<Named>,
    names: Vec<u8>,
    /// Rows by class: one more than the row; 0: free.
    by_klass: Box<[u32]>,
    rows: Vec<Row>,
    /// Of the collection that is being read.
    delta: Vec<Row>,
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    changed: Vec<bool>,
}

/// What is counted of one class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassRow {
    /// As `Class.getName()` gives it.
    pub name: String,
    /// Since the census began, or began again.
    pub counts: Row,
}

#[inline]
fn slot_of(number: u64) -> usize {
    // Klasses are aligned: the lowest bits say little.
    ((number ^ (number >> 3)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize & (SLOTS - 1)
}

impl Classes {
    pub(crate) fn new() -> Self {
        Self {
            hot: vec![Hot::default(); SLOTS].into_boxed_slice(),
            cold: vec![Cold::default(); SLOTS].into_boxed_slice(),
            used: Vec::with_capacity(MOST_CLASSES),
            named: Vec::with_capacity(MOST_CLASSES),
            names: Vec::with_capacity(NAME_BYTES),
            by_klass: vec![0; SLOTS].into_boxed_slice(),
            rows: Vec::with_capacity(MOST_CLASSES),
            delta: Vec::with_capacity(MOST_CLASSES),
            touched: Vec::with_capacity(MOST_CLASSES),
            is_touched: Vec::with_capacity(MOST_CLASSES),
            changed: Vec::with_capacity(MOST_CLASSES),
        }
    }

    /// The slot of a class that was met before.
    #[inline]
    pub(crate) fn find(&self, number: u64) -> Option<usize> {
        let mut slot = slot_of(number);
        loop {
            let found = self.hot[slot].number;
            if found == number {
                return Some(slot);
            }
            if found == 0 {
                return None;
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
    }

    /// The slot of a class that is met for the first time since classes may have been unloaded.
    pub(crate) fn meet(
        &mut self,
        memory: &impl Memory,
        layout: &Layout,
        number: u64,
    ) -> Result<usize, Option<Doubt>> {
        let klass = class_address(layout.classes, number).ok_or(None)?;
        let mut name = [0; LONGEST_NAME];
        let (helper, len) = read_class(memory, layout.klass, klass, &mut name).ok_or(None)?;
        let name = &name[..len];
        let shape = shape(name, helper).ok_or(None)?;
        let row = self.row(klass, name)?;
        if self.used.len() == MOST_CLASSES {
            return Err(Some(Doubt::Full(MOST_CLASSES)));
        }
        let mut slot = slot_of(number);
        while self.hot[slot].number != 0 {
            slot = (slot + 1) & (SLOTS - 1);
        }
        let words = if shape == Shape::Fixed { (helper & !UNUSUAL) as u32 / 8 } else { 0 };
        self.hot[slot] = Hot { number, words, dead: 0 };
        self.cold[slot] = Cold { shape, row };
        self.used.push(slot as u32);
        Ok(slot)
    }

    /// The row of the class at that address, if it still has that name; or a new one.
    fn row(&mut self, klass: u64, name: &[u8]) -> Result<u32, Doubt> {
        let mut slot = slot_of(klass);
        while let Some(row) = self.by_klass[slot].checked_sub(1) {
            let known = self.named[row as usize];
            if known.klass == klass {
                if self.name(known) == name {
                    return Ok(row);
                }
                // Another class lies where that one was.
                break;
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
        if self.named.len() == MOST_CLASSES || self.names.len() + name.len() > NAME_BYTES {
            return Err(Doubt::Full(MOST_CLASSES));
        }
        let row = self.named.len() as u32;
        let filler =
            name.starts_with(b"jdk/internal/vm/Filler") || name == b"[Ljdk/internal/vm/FillerElement;";
        self.named.push(Named { klass, at: self.names.len() as u32, len: name.len() as u32, filler });
        self.names.extend_from_slice(name);
        self.by_klass[slot] = row + 1;
        self.rows.push(Row::default());
        self.delta.push(Row::default());
        self.is_touched.push(false);
        self.changed.push(false);
        Ok(row)
    }

    fn name(&self, named: Named) -> &[u8] {
        &self.names[named.at as usize..][..named.len as usize]
    }

    /// Whether the name of a slot's class is this.
    pub(crate) fn is_named(&self, slot: usize, name: &[u8]) -> bool {
        self.name(self.named[self.cold[slot].row as usize]) == name
    }

    /// What the collection that is being read adds to a slot's class.
    #[inline]
    pub(crate) fn delta(&mut self, slot: usize) -> &mut Row {
        let row = self.cold[slot].row as usize;
        if !self.is_touched[row] {
            self.is_touched[row] = true;
            self.touched.push(row as u32);
        }
        &mut self.delta[row]
    }

    /// What was read of a collection holds.
    pub(crate) fn commit(&mut self) {
        self.gather_dead();
        for row in self.touched.drain(..) {
            let row = row as usize;
            let delta = std::mem::take(&mut self.delta[row]);
            self.rows[row].add(&delta);
            self.is_touched[row] = false;
            self.changed[row] = true;
        }
    }

    /// What was read of a collection does not hold.
    pub(crate) fn discard(&mut self) {
        for &slot in &self.used {
            self.hot[slot as usize].dead = 0;
        }
        for row in self.touched.drain(..) {
            self.delta[row as usize] = Row::default();
            self.is_touched[row as usize] = false;
        }
    }

    /// The dead of classes whose objects are alike were only counted.
    fn gather_dead(&mut self) {
        for at in 0..self.used.len() {
            let slot = self.used[at] as usize;
            let (dead, words) = (std::mem::take(&mut self.hot[slot].dead), self.hot[slot].words);
            if dead > 0 {
                let objects = u64::from(dead);
                self.delta(slot).died[0].add(Total { objects, bytes: objects * u64::from(words) * 8 });
            }
        }
    }

    /// Classes may have been unloaded, and their addresses be those of others.
    pub(crate) fn forget_addresses(&mut self) {
        for slot in self.used.drain(..) {
            self.hot[slot as usize] = Hot::default();
        }
    }

    /// All counts begin again.
    pub(crate) fn reset(&mut self) {
        self.discard();
        self.rows.fill(Row::default());
        self.changed.fill(false);
    }

    /// Rows that changed since the last time.
    pub(crate) fn take_changed(&mut self, mut take: impl FnMut(&[u8], bool, &Row)) {
        let changed = std::mem::take(&mut self.changed);
        let all = || self.named.iter().zip(&self.rows).zip(&changed);
        // Several loaders may have a class of that name.
        let mut by_name: HashMap<&[u8], (bool, Row)> = HashMap::new();
        for ((named, _), _) in all().filter(|(_, changed)| **changed) {
            by_name.insert(self.name(*named), (named.filler, Row::default()));
        }
        for ((named, row), _) in all() {
            if let Some((_, sum)) = by_name.get_mut(self.name(*named)) {
                sum.add(row);
            }
        }
        by_name.iter().for_each(|(name, (is_filler, row))| take(name, *is_filler, row));
        self.changed = changed;
        self.changed.fill(false);
    }
}

/// Layout of a class, and the length of its name.
fn read_class(
    memory: &impl Memory,
    fields: KlassFields,
    klass: u64,
    name: &mut [u8],
) -> Option<(i32, usize)> {
    let helper = memory.half(klass.checked_add(fields.layout)?)? as i32;
    let symbol = memory.word(klass.checked_add(fields.name)?)?;
    let mut length = [0; 2];
    let has_length = symbol != 0 && memory.copy(symbol.checked_add(fields.name_length)?, &mut length);
    let length = usize::from(u16::from_le_bytes(length));
    let name = name.get_mut(..length).filter(|name| has_length && !name.is_empty())?;
    let is_read = memory.copy(symbol.checked_add(fields.name_body)?, name);
    (is_read && is_class_name(name)).then_some((helper, length))
}

/// Whether it can be the internal name of a class: in what encoding ever, there is no control character in it.
fn is_class_name(name: &[u8]) -> bool {
    name.iter().all(|&byte| byte > b' ' && byte != 0x7f && byte != b'.')
}

/// How long objects of a class of that layout are; `None`: there is no such layout.
fn shape(name: &[u8], helper: i32) -> Option<Shape> {
    let is_array = name.first() == Some(&b'[');
    match helper {
        0 => None,
        1.. if is_array => None,
        // A multiple of words, but for its lowest bit.
        1.. => match (name, (helper & !UNUSUAL) as u64) {
            (_, bytes) if bytes < 8 || bytes % 8 != 0 || bytes > 1 << 20 => None,
            (b"java/lang/Class", _) => Some(Shape::Mirror),
            (b"jdk/internal/vm/StackChunk", bytes) => Some(Shape::Chunk { words: bytes / 8 }),
            _ => Some(Shape::Fixed),
        },
        _ => {
            let (header, element) = (u64::from(helper as u32 >> 16) & 255, helper as u32 & 63);
            ((8..=32).contains(&header) && element <= 3 && is_array)
                .then_some(Shape::Array { header, element })
        }
    }
}

/// The class at that row of the JVM's, by the name that Java gives it.
pub(crate) fn java_name(name: &[u8]) -> String {
    String::from_utf8_lossy(name).replace('/', ".").replace('+', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_that_no_class_has_are_none() {
        assert_eq!(shape(b"java/lang/Object", 16), Some(Shape::Fixed));
        assert_eq!(shape(b"Finalized", 25), Some(Shape::Fixed));
        assert_eq!(shape(b"java/lang/Class", 113), Some(Shape::Mirror));
        assert_eq!(shape(b"[I", 0xc010_0a02u32 as i32), Some(Shape::Array { header: 16, element: 2 }));
        for (name, helper) in
            [(&b"A"[..], 0), (b"A", 20), (b"[I", 16), (b"A", -5), (b"A", i32::MAX - 7), (b"[I", i32::MIN)]
        {
            assert_eq!(shape(name, helper), None, "{helper}");
        }
    }

    #[test]
    fn names_are_those_of_java() {
        assert_eq!(java_name(b"[Ljava/lang/String;"), "[Ljava.lang.String;");
        assert_eq!(java_name(b"A$$Lambda$14+0x0000000800c03000"), "A$$Lambda$14/0x0000000800c03000");
        assert!(is_class_name(b"A$1") && !is_class_name(b"a\0b") && !is_class_name(b"a.b"));
    }
}
