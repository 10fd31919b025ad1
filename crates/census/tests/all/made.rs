//! A JVM that is made up: its structures, its tables, and a heap.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mayfly_census::{Census, Collector, Known, Layout, Memory, Missing, Tables};

/// Where its heap and its structures are.
pub(crate) const HEAP: u64 = 0x7_0000_0000;
pub(crate) const HEAP_BYTES: u64 = 64 << 10;
pub(crate) const VM: u64 = 0x5000_0000_0000;
pub(crate) const GRAIN: u64 = 4 << 10;
const VM_BYTES: usize = 64 << 10;
const REGION_BYTES: u64 = 64;

/// Where structures are in `VM`.
const COLLECTED_HEAP: u64 = VM + 0x100;
/// The address of the list of regions is there.
pub(crate) const REGION_LIST: u64 = COLLECTED_HEAP + 40;
const YOUNG_GEN: u64 = VM + 0x200;
const EDEN: u64 = VM + 0x300;
const FROM: u64 = VM + 0x400;
const OLD_GEN: u64 = VM + 0x280;
const OLD: u64 = VM + 0x480;
/// What a collection left of Eden, and of the old generation.
const LEFT: u64 = VM + 0x580;
const STATICS: u64 = VM + 0x500;
pub(crate) const REGION_TABLE: u64 = VM + 0x600;
const REGIONS: u64 = VM + 0x800;
pub(crate) const THREADS: u64 = VM + 0x4000;
pub(crate) const HANDLES: u64 = VM + 0x5000;
const KLASSES: u64 = VM + 0x8000;

pub(crate) const UNLOCKED: u64 = 1;

/// How headers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Headers {
    Narrow,
    Wide,
    Compact,
}

pub(crate) struct Made {
    heap: Vec<AtomicU64>,
    vm: RefCell<Vec<u8>>,
    pub(crate) headers: Headers,
    klasses: RefCell<u64>,
    /// First address of the heap that is not there.
    pub(crate) committed: RefCell<u64>,
    pub(crate) missing: RefCell<Option<(&'static CStr, &'static CStr)>>,
    pub(crate) wrong: RefCell<BTreeMap<&'static CStr, u64>>,
}

impl Made {
    pub(crate) fn new(headers: Headers) -> Self {
        let made = Self {
            heap: (0..HEAP_BYTES / 8).map(|_| AtomicU64::new(0)).collect(),
            vm: RefCell::new(vec![0; VM_BYTES]),
            headers,
            klasses: RefCell::new(KLASSES),
            committed: RefCell::new(HEAP + HEAP_BYTES),
            missing: RefCell::new(None),
            wrong: RefCell::new(BTreeMap::new()),
        };
        made.put(STATICS, COLLECTED_HEAP);
        made.put(STATICS + 8, VM);
        made.put(STATICS + 16, 3);
        made.put(STATICS + 24, 40);
        made.put(STATICS + 32, YOUNG_GEN);
        made.put(STATICS + 40, GRAIN);
        made.put(STATICS + 48, THREADS);
        made.put(COLLECTED_HEAP + 16, HEAP);
        made.put(COLLECTED_HEAP + 24, HEAP_BYTES / 8);
        made.put(YOUNG_GEN, EDEN);
        made.put(YOUNG_GEN + 8, FROM);
        made.put(STATICS + 56, OLD_GEN);
        made.put(OLD_GEN, OLD);
        made.old((HEAP + HEAP_BYTES / 2, HEAP + HEAP_BYTES / 2, HEAP + HEAP_BYTES));
        made.left((0, 0));
        made.put(COLLECTED_HEAP + 40, REGION_TABLE);
        made.put(COLLECTED_HEAP + 48, HEAP_BYTES / GRAIN);
        for region in 0..HEAP_BYTES / GRAIN {
            made.put(REGION_TABLE + region * 8, REGIONS + region * REGION_BYTES);
            made.region(region, 0, 0);
        }
        made
    }

    pub(crate) fn put(&self, at: u64, word: u64) {
        let at = (at - VM) as usize;
        self.vm.borrow_mut()[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }

    /// A word of the heap.
    pub(crate) fn write(&self, at: u64, word: u64) {
        self.heap[((at - HEAP) / 8) as usize].store(word, Relaxed);
    }

    /// A class with that layout helper: its address.
    pub(crate) fn class(&self, name: &str, helper: i32) -> u64 {
        let klass = *self.klasses.borrow();
        *self.klasses.borrow_mut() += 256;
        let mut vm = self.vm.borrow_mut();
        let at = (klass - VM) as usize;
        vm[at + 8..at + 12].copy_from_slice(&helper.to_le_bytes());
        vm[at + 24..at + 32].copy_from_slice(&(klass + 64).to_le_bytes());
        vm[at + 68..at + 70].copy_from_slice(&(name.len() as u16).to_le_bytes());
        vm[at + 70..at + 70 + name.len()].copy_from_slice(name.as_bytes());
        klass
    }

    /// The layout helper of arrays of such elements.
    pub(crate) fn array(&self, element_log2: u32) -> i32 {
        let header = match self.headers {
            Headers::Narrow => 16,
            Headers::Wide => 24,
            Headers::Compact => 12,
        };
        (0xc000_0000 | header << 16 | element_log2) as i32
    }

    /// An object, an array if it has a length.
    pub(crate) fn object(&self, at: u64, klass: u64, length: Option<u32>) {
        let number = (klass - VM) >> 3;
        let length = u64::from(length.unwrap_or(0));
        match self.headers {
            Headers::Narrow => {
                self.write(at, UNLOCKED);
                self.write(at + 8, number | length << 32);
            }
            Headers::Wide => {
                self.write(at, UNLOCKED);
                self.write(at + 8, klass);
                self.write(at + 16, length);
            }
            Headers::Compact => {
                self.write(at, UNLOCKED | number << 42);
                self.write(at + 8, length);
            }
        }
    }

    /// The mark word of the object there says that it has survived so many collections.
    pub(crate) fn set_age(&self, at: u64, age: u64) {
        let mark = self.heap[((at - HEAP) / 8) as usize].load(Relaxed);
        self.write(at, mark & !0x78 | age << 3);
    }

    /// It was copied.
    pub(crate) fn forward(&self, at: u64, copy: u64) {
        self.write(at, copy | 3);
    }

    /// Bottom, top and end of Eden and of the survivors.
    pub(crate) fn eden(&self, (bottom, top, end): (u64, u64, u64)) {
        [bottom, top, end].into_iter().zip([0, 8, 16]).for_each(|(word, at)| self.put(EDEN + at, word));
    }

    pub(crate) fn from(&self, (bottom, top, end): (u64, u64, u64)) {
        [bottom, top, end].into_iter().zip([0, 8, 16]).for_each(|(word, at)| self.put(FROM + at, word));
    }

    pub(crate) fn old(&self, (bottom, top, end): (u64, u64, u64)) {
        [bottom, top, end].into_iter().zip([0, 8, 16]).for_each(|(word, at)| self.put(OLD + at, word));
    }

    /// Bytes that the last collection left in use of Eden, and of the old generation.
    pub(crate) fn left(&self, (eden, old): (u64, u64)) {
        [eden, old].into_iter().zip([0, 8]).for_each(|(bytes, at)| self.put(LEFT + at, bytes));
    }

    /// A region of such a tag is filled with so many bytes.
    pub(crate) fn region(&self, index: u64, tag: u32, bytes: u64) {
        let at = REGIONS + index * REGION_BYTES;
        self.put(at, HEAP + index * GRAIN);
        self.put(at + 16, HEAP + index * GRAIN + bytes);
        self.put(at + 48, u64::from(tag));
    }

    /// A region says that it begins there.
    pub(crate) fn region_at(&self, index: u64, bottom: u64) {
        self.put(REGIONS + index * REGION_BYTES, bottom);
        self.put(REGIONS + index * REGION_BYTES + 16, bottom);
    }

    /// Another collection.
    pub(crate) fn collected(&self, number: u64) {
        self.put(COLLECTED_HEAP + 32, number);
    }

    /// An object that is known.
    pub(crate) fn known(&self, at: u64, bytes: u64, class: &'static str) -> Known {
        self.put(HANDLES, at);
        Known { slot: HANDLES, bytes, class }
    }

    pub(crate) fn layout(&self, collector: Collector) -> Result<Layout, Missing> {
        Layout::find(self, self, (collector, 8)).map(|layout| layout.with_left_at((LEFT, LEFT + 8)))
    }

    pub(crate) fn census(&self, collector: Collector, known: Vec<Known>) -> Census {
        let layout = self.layout(collector).expect("a layout");
        Census::new(self, layout, (known, true)).expect("a census")
    }
}

impl Memory for Made {
    fn words(&self, bottom: u64, top: u64) -> Option<&[AtomicU64]> {
        assert!(
            bottom.is_multiple_of(8) || top <= bottom || bottom < HEAP || top > HEAP + HEAP_BYTES,
            "{bottom:#x}"
        );
        let is_there = bottom >= HEAP && top <= *self.committed.borrow() && bottom <= top;
        let at = |address: u64| ((address - HEAP) / 8) as usize;
        (is_there && top.is_multiple_of(8) && bottom.is_multiple_of(8))
            .then(|| &self.heap[at(bottom)..at(top)])
    }

    fn copy(&self, from: u64, into: &mut [u8]) -> bool {
        let end = from.checked_add(into.len() as u64);
        if from >= VM && end.is_some_and(|end| end <= VM + VM_BYTES as u64) {
            let at = (from - VM) as usize;
            into.copy_from_slice(&self.vm.borrow()[at..at + into.len()]);
            return true;
        }
        if from < HEAP || end.is_none_or(|end| end > *self.committed.borrow()) {
            return false;
        }
        for (at, byte) in (from - HEAP..).zip(into) {
            *byte = self.heap[(at / 8) as usize].load(Relaxed).to_le_bytes()[(at % 8) as usize];
        }
        true
    }
}

/// Names as of JDK 25, with offsets of our own.
const OFFSETS: &[(&CStr, &CStr, u64)] = &[
    (c"CollectedHeap", c"_reserved", 16),
    (c"CollectedHeap", c"_total_collections", 32),
    (c"MemRegion", c"_start", 0),
    (c"MemRegion", c"_word_size", 8),
    (c"Klass", c"_layout_helper", 8),
    (c"Klass", c"_name", 24),
    (c"Symbol", c"_length", 4),
    (c"Symbol", c"_body[0]", 6),
    (c"oopDesc", c"_metadata._klass", 8),
    (c"oopDesc", c"_metadata._compressed_klass", 8),
    (c"PSYoungGen", c"_eden_space", 0),
    (c"PSYoungGen", c"_from_space", 8),
    (c"PSOldGen", c"_object_space", 0),
    (c"MutableSpace", c"_bottom", 0),
    (c"MutableSpace", c"_top", 8),
    (c"MutableSpace", c"_end", 16),
    (c"G1CollectedHeap", c"_hrm", 40),
    (c"G1HeapRegionManager", c"_regions", 0),
    (c"G1HeapRegionTable", c"_base", 0),
    (c"G1HeapRegionTable", c"_length", 8),
    (c"G1HeapRegion", c"_bottom", 0),
    (c"G1HeapRegion", c"_top", 16),
    (c"G1HeapRegion", c"_type", 48),
    (c"G1HeapRegionType", c"_tag", 0),
    (c"ThreadLocalAllocBuffer", c"_start", 0),
    (c"ThreadLocalAllocBuffer", c"_top", 8),
    (c"ThreadLocalAllocBuffer", c"_end", 24),
    (c"ThreadLocalAllocBuffer", c"_desired_size", 40),
    (c"ThreadsList", c"_length", 0),
    (c"ThreadsList", c"_threads", 8),
    (c"Thread", c"_tlab", 16),
];
const ADDRESSES: &[(&CStr, &CStr, u64)] = &[
    (c"Universe", c"_collectedHeap", STATICS),
    (c"CompressedKlassPointers", c"_base", STATICS + 8),
    (c"CompressedKlassPointers", c"_shift", STATICS + 16),
    (c"java_lang_Class", c"_oop_size_offset", STATICS + 24),
    (c"ParallelScavengeHeap", c"_young_gen", STATICS + 32),
    (c"ParallelScavengeHeap", c"_old_gen", STATICS + 56),
    (c"G1HeapRegion", c"GrainBytes", STATICS + 40),
    (c"ThreadsSMRSupport", c"_java_thread_list", STATICS + 48),
];
const CONSTANTS: &[(&CStr, i64)] = &[
    (c"markWord::age_shift", 3),
    (c"markWord::klass_shift", 42),
    (c"G1HeapRegionType::FreeTag", 0),
    (c"G1HeapRegionType::EdenTag", 2),
    (c"G1HeapRegionType::SurvTag", 3),
    (c"G1HeapRegionType::StartsHumongousTag", 4),
];

impl Made {
    fn field(&self, table: &[(&CStr, &CStr, u64)], class: &CStr, field: &CStr) -> Option<u64> {
        if *self.missing.borrow() == Some((class, field)) {
            return None;
        }
        let found = table.iter().find(|row| (row.0, row.1) == (class, field))?;
        Some(self.wrong.borrow().get(field).copied().unwrap_or(found.2))
    }
}

impl Tables for Made {
    fn offset(&self, class: &CStr, field: &CStr) -> Option<u64> {
        self.field(OFFSETS, class, field)
    }

    fn address(&self, class: &CStr, field: &CStr) -> Option<u64> {
        self.field(ADDRESSES, class, field)
    }

    fn constant(&self, name: &CStr) -> Option<i64> {
        CONSTANTS.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    fn switch(&self, flag: &CStr) -> Option<bool> {
        match flag.to_str() {
            Ok("UseCompactObjectHeaders") => Some(self.headers == Headers::Compact),
            Ok("UseCompressedClassPointers") => Some(self.headers != Headers::Wide),
            _ => None,
        }
    }
}

/// All fields that a layout needs.
pub(crate) fn needed(collector: Collector) -> impl Iterator<Item = (&'static CStr, &'static CStr)> {
    let unused: &[&CStr] = match collector {
        Collector::G1 => &[c"PSYoungGen", c"PSOldGen", c"MutableSpace", c"ParallelScavengeHeap"],
        _ => &[
            c"G1CollectedHeap",
            c"G1HeapRegionManager",
            c"G1HeapRegionTable",
            c"G1HeapRegion",
            c"G1HeapRegionType",
        ],
    };
    let always = [c"Thread", c"ThreadsList", c"ThreadLocalAllocBuffer", c"ThreadsSMRSupport"];
    OFFSETS.iter().chain(ADDRESSES).map(|row| (row.0, row.1)).filter(move |(class, field)| {
        !unused.contains(class) && !always.contains(class) && *field != c"_metadata._klass"
    })
}
