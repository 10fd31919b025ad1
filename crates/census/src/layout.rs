//! Where HotSpot has what the census reads: all of it from the tables that libjvm exports, by names that differ by release and are
//! tried in order. No offset is written down here.

use std::ffi::CStr;

use crate::memory::Memory;

/// The tables of a JVM, and its flags.
pub trait Tables {
    /// Where a field is in objects of a class, in bytes.
    fn offset(&self, class: &CStr, field: &CStr) -> Option<u64>;
    /// The address of a static field.
    fn address(&self, class: &CStr, field: &CStr) -> Option<u64>;
    /// A named constant.
    fn constant(&self, name: &CStr) -> Option<i64>;
    /// A flag that is on or off; `None`: this release has none of that name.
    fn switch(&self, flag: &CStr) -> Option<bool>;
}

/// A field that no table has under any of its names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this JVM does not export {0}")]
pub struct Missing(pub String);

/// Collectors that leave what they collected as it was, until their pause ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collector {
    /// Serial.
    Serial,
    /// Parallel.
    Parallel,
    /// G1.
    G1,
}

/// How the class of an object is written in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClassPointers {
    /// 32 bits behind the mark word.
    Narrow { base: u64, shift: u32 },
    /// A word behind it.
    Wide,
    /// In the upper bits of it.
    Compact { base: u64, shift: u32, mark_shift: u32 },
}

/// Where things are, in one JVM.
#[derive(Clone, Debug)]
pub struct Layout {
    pub(crate) classes: ClassPointers,
    /// Objects are multiples of so many words.
    pub(crate) alignment: u64,
    pub(crate) age_shift: u32,
    pub(crate) klass: KlassFields,
    /// Where a mirror has its size, in words.
    pub(crate) mirror_size_at: u64,
    /// Lowest address of the heap, and the first beyond.
    pub(crate) heap: (u64, u64),
    /// Where the number of collections is.
    pub(crate) collections_at: u64,
    pub(crate) young: Young,
    /// Whether threads of the collector fill survivor spaces by buffers, whose rest is filled up: with what has no age.
    pub(crate) fills_survivors: bool,
    /// How threads' buffers are found; `None`: they cannot be.
    pub(crate) buffers: Option<BufferFields>,
    /// Whether references in objects are 32 bits.
    pub(crate) narrow_references: bool,
    /// Where a stack chunk has its size, in words; `None`: not known.
    pub(crate) chunk_size_at: Option<u64>,
    /// Where the JVM says what a collection left in use of Eden and of the old generation, in bytes; `None`: not known.
    pub(crate) left_at: Option<(u64, u64)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct KlassFields {
    pub(crate) layout: u64,
    pub(crate) name: u64,
    pub(crate) name_length: u64,
    pub(crate) name_body: u64,
}

/// Where the young objects are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Young {
    /// Two spaces that matter: Eden, and the one with survivors.
    Spaces(SpaceFields),
    Regions(RegionFields),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SpaceFields {
    /// Where the addresses of the spaces' structures are.
    pub(crate) eden: u64,
    pub(crate) from: u64,
    pub(crate) old: u64,
    pub(crate) bottom: u64,
    pub(crate) top: u64,
    pub(crate) end: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RegionFields {
    /// Where the table's address and length are.
    pub(crate) base_at: u64,
    pub(crate) length_at: u64,
    pub(crate) bottom: u64,
    pub(crate) top: u64,
    pub(crate) tag: u64,
    pub(crate) free: u32,
    pub(crate) eden: u32,
    pub(crate) survivor: u32,
    /// Where a large object begins.
    pub(crate) large: u32,
    /// Where it is counted how many regions large objects have.
    pub(crate) large_regions_at: Option<u64>,
    /// Bytes of each region.
    pub(crate) grain: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferFields {
    pub(crate) threads: Threads,
    pub(crate) buffer: u64,
    pub(crate) start: u64,
    pub(crate) top: u64,
    /// The end that may be moved for sampling, and right behind it the real one.
    pub(crate) end: u64,
    pub(crate) allocation_end: u64,
    /// Bytes behind that.
    pub(crate) reserve: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Threads {
    /// An array: where its address is, and where in it length and elements are.
    Array { list_at: u64, length: u64, threads: u64 },
    /// Each knows the next: where the first's address is.
    Chain { first_at: u64, next: u64 },
}

/// Looks names up, with memory at hand for what static fields hold.
struct Finder<'a, T, M> {
    tables: &'a T,
    memory: &'a M,
}

type Names<'a> = &'a [(&'a CStr, &'a CStr)];

impl<T: Tables, M: Memory> Finder<'_, T, M> {
    fn offset(&self, names: Names<'_>) -> Result<u64, Missing> {
        names.iter().find_map(|(class, field)| self.tables.offset(class, field)).ok_or_else(|| missing(names))
    }

    /// The address of a field of the structure at that address, whatever that is.
    fn field(&self, structure: u64, names: Names<'_>) -> Result<u64, Missing> {
        Ok(structure.wrapping_add(self.offset(names)?))
    }

    fn address(&self, names: Names<'_>) -> Result<u64, Missing> {
        names
            .iter()
            .find_map(|(class, field)| self.tables.address(class, field))
            .ok_or_else(|| missing(names))
    }

    fn word(&self, names: Names<'_>) -> Result<u64, Missing> {
        self.memory.word(self.address(names)?).ok_or_else(|| missing(names))
    }

    fn half(&self, names: Names<'_>) -> Result<u32, Missing> {
        self.memory.half(self.address(names)?).ok_or_else(|| missing(names))
    }

    fn constant(&self, names: &[&CStr]) -> Result<i64, Missing> {
        let found = names.iter().find_map(|name| self.tables.constant(name));
        found.ok_or_else(|| Missing(names.first().map(|name| text(name)).unwrap_or_default()))
    }
}

fn missing(names: Names<'_>) -> Missing {
    Missing(
        names.first().map(|(class, field)| format!("{}::{}", text(class), text(field))).unwrap_or_default(),
    )
}

fn text(name: &CStr) -> String {
    name.to_string_lossy().into_owned()
}

impl Layout {
    /// Whether the heap is divided into regions, as G1's is.
    pub(crate) fn has_regions(&self) -> bool {
        matches!(self.young, Young::Regions(_))
    }

    /// Objects of more bytes than this have regions of their own.
    pub(crate) fn largest_young(&self) -> Option<u64> {
        match &self.young {
            Young::Regions(fields) => Some(fields.grain / 2),
            Young::Spaces(_) => None,
        }
    }

    /// Of this JVM with such a collector. `alignment`: of objects, in bytes.
    ///
    /// # Errors
    /// A field that is needed is not exported.
    pub fn find(
        tables: &impl Tables,
        memory: &impl Memory,
        (collector, alignment): (Collector, u64),
    ) -> Result<Self, Missing> {
        let find = Finder { tables, memory };
        let heap = find.word(&[(c"Universe", c"_collectedHeap")])?;
        let reserved = find.field(heap, &[(c"CollectedHeap", c"_reserved")])?;
        let start = find.field(reserved, &[(c"MemRegion", c"_start")])?;
        let size = find.field(reserved, &[(c"MemRegion", c"_word_size")])?;
        let unread = || Missing("CollectedHeap::_reserved".into());
        let start = memory.word(start).ok_or_else(unread)?;
        let words = memory.word(size).ok_or_else(unread)?;
        let end = words.checked_mul(8).and_then(|bytes| start.checked_add(bytes)).ok_or_else(unread)?;
        if start == 0
            || !start.is_multiple_of(8)
            || end <= start
            || !alignment.is_multiple_of(8)
            || alignment == 0
        {
            return Err(unread());
        }
        Ok(Self {
            classes: class_pointers(&find)?,
            alignment: alignment / 8,
            age_shift: shift(find.constant(&[c"markWord::age_shift", c"markOopDesc::age_shift"])?)?,
            klass: KlassFields {
                layout: find.offset(&[(c"Klass", c"_layout_helper")])?,
                name: find.offset(&[(c"Klass", c"_name")])?,
                name_length: find.offset(&[(c"Symbol", c"_length")])?,
                name_body: find.offset(&[(c"Symbol", c"_body[0]"), (c"Symbol", c"_body")])?,
            },
            mirror_size_at: u64::from(find.half(&[(c"java_lang_Class", c"_oop_size_offset")])?),
            heap: (start, end),
            collections_at: find.field(heap, &[(c"CollectedHeap", c"_total_collections")])?,
            fills_survivors: collector != Collector::Serial,
            young: match collector {
                Collector::Serial => Young::Spaces(serial(&find, heap)?),
                Collector::Parallel => Young::Spaces(parallel(&find, heap)?),
                Collector::G1 => Young::Regions(regions(&find, heap)?),
            },
            buffers: buffers(&find, alignment),
            narrow_references: tables.switch(c"UseCompressedOops") == Some(true),
            chunk_size_at: None,
            left_at: None,
        })
    }

    /// Where `jdk.internal.vm.StackChunk` has its size is known, too: the offset of its field.
    #[must_use]
    pub fn with_chunk_size_at(self, offset: Option<u64>) -> Self {
        Self { chunk_size_at: offset, ..self }
    }

    /// It is known where the JVM says what a collection left in use, in bytes: of Eden, and of the old generation. A collector without
    /// regions is read only then: what was allocated within a pause, after the collection, is told apart by it.
    #[must_use]
    pub fn with_left_at(self, (eden, old): (u64, u64)) -> Self {
        Self { left_at: Some((eden, old)), ..self }
    }

    /// How many collections there were.
    pub fn collections(&self, memory: &impl Memory) -> Option<u32> {
        memory.half(self.collections_at)
    }

    /// Lowest address of the heap, and the first beyond.
    pub fn heap(&self) -> (u64, u64) {
        self.heap
    }
}

fn shift(value: i64) -> Result<u32, Missing> {
    u32::try_from(value).ok().filter(|&shift| shift < 64).ok_or_else(|| Missing("a shift below 64".into()))
}

fn class_pointers<T: Tables, M: Memory>(find: &Finder<'_, T, M>) -> Result<ClassPointers, Missing> {
    let compact = find.tables.switch(c"UseCompactObjectHeaders") == Some(true);
    if !compact && find.tables.switch(c"UseCompressedClassPointers") == Some(false) {
        find.offset(&[(c"oopDesc", c"_metadata._klass")])?;
        return Ok(ClassPointers::Wide);
    }
    let base = find.word(&[
        (c"CompressedKlassPointers", c"_base"),
        (c"CompressedKlassPointers", c"_narrow_klass._base"),
        (c"Universe", c"_narrow_klass._base"),
    ])?;
    let by = find.half(&[
        (c"CompressedKlassPointers", c"_shift"),
        (c"CompressedKlassPointers", c"_narrow_klass._shift"),
        (c"Universe", c"_narrow_klass._shift"),
    ])?;
    let by = shift(i64::from(by))?;
    if compact {
        let mark_shift = shift(find.constant(&[c"markWord::klass_shift"])?)?;
        return Ok(ClassPointers::Compact { base, shift: by, mark_shift });
    }
    let at =
        find.offset(&[(c"oopDesc", c"_metadata._compressed_klass"), (c"oopDesc", c"_compressed_klass")])?;
    if at != 8 {
        return Err(Missing("oopDesc::_compressed_klass behind the mark word".into()));
    }
    Ok(ClassPointers::Narrow { base, shift: by })
}

fn serial<T: Tables, M: Memory>(find: &Finder<'_, T, M>, heap: u64) -> Result<SpaceFields, Missing> {
    let at = find.field(heap, &[(c"SerialHeap", c"_young_gen"), (c"GenCollectedHeap", c"_young_gen")])?;
    let young = find.memory.word(at).ok_or_else(|| Missing("SerialHeap::_young_gen".into()))?;
    let at = find.field(heap, &[(c"SerialHeap", c"_old_gen"), (c"GenCollectedHeap", c"_old_gen")])?;
    let old = find.memory.word(at).ok_or_else(|| Missing("SerialHeap::_old_gen".into()))?;
    Ok(SpaceFields {
        eden: find.field(young, &[(c"DefNewGeneration", c"_eden_space")])?,
        from: find.field(young, &[(c"DefNewGeneration", c"_from_space")])?,
        old: find.field(old, &[(c"TenuredGeneration", c"_the_space")])?,
        bottom: find.offset(&[(c"ContiguousSpace", c"_bottom"), (c"Space", c"_bottom")])?,
        top: find.offset(&[(c"ContiguousSpace", c"_top")])?,
        end: find.offset(&[(c"ContiguousSpace", c"_end"), (c"Space", c"_end")])?,
    })
}

fn parallel<T: Tables, M: Memory>(find: &Finder<'_, T, M>, heap: u64) -> Result<SpaceFields, Missing> {
    let generation = |name: Names<'_>| {
        let at = match find.address(name) {
            Ok(address) => address,
            // Not static from JDK 27 on.
            Err(_) => find.field(heap, name)?,
        };
        find.memory.word(at).ok_or_else(|| missing(name))
    };
    let young = generation(&[(c"ParallelScavengeHeap", c"_young_gen")])?;
    let old = generation(&[(c"ParallelScavengeHeap", c"_old_gen")])?;
    Ok(SpaceFields {
        eden: find.field(young, &[(c"PSYoungGen", c"_eden_space")])?,
        from: find.field(young, &[(c"PSYoungGen", c"_from_space")])?,
        old: find.field(old, &[(c"PSOldGen", c"_object_space")])?,
        bottom: find.offset(&[(c"MutableSpace", c"_bottom"), (c"ImmutableSpace", c"_bottom")])?,
        top: find.offset(&[(c"MutableSpace", c"_top")])?,
        end: find.offset(&[(c"MutableSpace", c"_end"), (c"ImmutableSpace", c"_end")])?,
    })
}

fn regions<T: Tables, M: Memory>(find: &Finder<'_, T, M>, heap: u64) -> Result<RegionFields, Missing> {
    let manager = find.field(heap, &[(c"G1CollectedHeap", c"_hrm")])?;
    let table =
        find.field(manager, &[(c"G1HeapRegionManager", c"_regions"), (c"HeapRegionManager", c"_regions")])?;
    let within = find.offset(&[(c"G1HeapRegionType", c"_tag"), (c"HeapRegionType", c"_tag")])?;
    let tag = |new: &CStr, old: &CStr| {
        let tag = find.constant(&[new, old])?;
        u32::try_from(tag).map_err(|_| Missing(text(new)))
    };
    let counted = find.offset(&[(c"G1HeapRegionSetBase", c"_length"), (c"HeapRegionSetBase", c"_length")]);
    let large_regions = find.field(heap, &[(c"G1CollectedHeap", c"_humongous_set")]);
    Ok(RegionFields {
        base_at: find.field(table, &[(c"G1HeapRegionTable", c"_base")])?,
        length_at: find.field(table, &[(c"G1HeapRegionTable", c"_length")])?,
        bottom: find.offset(&[
            (c"G1HeapRegion", c"_bottom"),
            (c"HeapRegion", c"_bottom"),
            (c"Space", c"_bottom"),
        ])?,
        top: find.offset(&[
            (c"G1HeapRegion", c"_top"),
            (c"HeapRegion", c"_top"),
            (c"G1ContiguousSpace", c"_top"),
        ])?,
        tag: find.field(within, &[(c"G1HeapRegion", c"_type"), (c"HeapRegion", c"_type")])?,
        free: tag(c"G1HeapRegionType::FreeTag", c"HeapRegionType::FreeTag")?,
        eden: tag(c"G1HeapRegionType::EdenTag", c"HeapRegionType::EdenTag")?,
        survivor: tag(c"G1HeapRegionType::SurvTag", c"HeapRegionType::SurvTag")?,
        large: tag(c"G1HeapRegionType::StartsHumongousTag", c"HeapRegionType::StartsHumongousTag")?,
        // Nothing but what was promoted depends on it.
        large_regions_at: large_regions.ok().zip(counted.ok()).map(|(set, length)| set.wrapping_add(length)),
        grain: find.word(&[(c"G1HeapRegion", c"GrainBytes"), (c"HeapRegion", c"GrainBytes")])?,
    })
}

/// Where threads' buffers are; without them births are not read before a collection that leaves nothing to read.
fn buffers<T: Tables, M: Memory>(find: &Finder<'_, T, M>, alignment: u64) -> Option<BufferFields> {
    let field = |name| find.offset(&[(c"ThreadLocalAllocBuffer", name)]).ok();
    let (end, desired_size) = (field(c"_end")?, field(c"_desired_size")?);
    // The real end is not exported: it is the only word between these two.
    let allocation_end = (desired_size == end + 16).then_some(end + 8)?;
    let threads = match find.tables.address(c"ThreadsSMRSupport", c"_java_thread_list") {
        Some(list_at) => Threads::Array {
            list_at,
            length: find.offset(&[(c"ThreadsList", c"_length")]).ok()?,
            threads: find.offset(&[(c"ThreadsList", c"_threads")]).ok()?,
        },
        None => Threads::Chain {
            first_at: find.tables.address(c"Threads", c"_thread_list")?,
            next: find.offset(&[(c"JavaThread", c"_next")]).ok()?,
        },
    };
    Some(BufferFields {
        threads,
        buffer: find.offset(&[(c"Thread", c"_tlab")]).ok()?,
        start: field(c"_start")?,
        top: field(c"_top")?,
        end,
        allocation_end,
        reserve: reserve(find, alignment)?,
    })
}

/// What is kept free behind a buffer's end, for the filler and for what is prefetched.
fn reserve<T: Tables, M: Memory>(find: &Finder<'_, T, M>, alignment: u64) -> Option<u64> {
    let prefetched = find.half(&[(c"ThreadLocalAllocBuffer", c"_reserve_for_allocation_prefetch")]);
    let words = match find.word(&[(c"CollectedHeap", c"_lab_alignment_reserve")]) {
        Ok(words) => words,
        // The least filler: nothing smaller is aligned to more.
        Err(_) if alignment > 8 => 0,
        Err(_) => 2,
    };
    let most = words.max(u64::from(prefetched.unwrap_or(0)));
    (most <= 1 << 16).then(|| (most * 8).next_multiple_of(alignment))
}
