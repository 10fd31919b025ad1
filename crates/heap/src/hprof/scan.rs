//! The first pass over a file: names, classes, roots, and how many objects of each class there are. Without a graph this is
//! all: the histogram.
//!
//! Not here: references (`load`).

use rustc_hash::FxHashMap;

use super::class_dump::ClassDump;
use super::layout::{Layout, MODELS, Packing, SizesKnown};
use super::measure::{Measure, Order, Shape};
use super::record::{self, Hprof, Record, id_at, u32_at};
use super::sub_record::{HeapVisitor, RootRecord, ValueType, walk};
use crate::open::Progress;
use crate::{HeapError, Histogram, Total};

/// Objects and bytes by class name, in one pass over the file, in memory that does not grow with the number of objects.
///
/// Sizes are those of the heap, not of the file; the second result tells how sure they are.
///
/// # Errors
/// The bytes are no hprof file, cut off, or damaged.
pub fn histogram(bytes: &[u8], progress: Progress<'_>) -> Result<(Histogram, SizesKnown), HeapError> {
    let file = Hprof::new(bytes)?;
    let mut scan = Scan::new(&file, false);
    walk(&file, (0, file.len() as u64), progress, &mut scan)?;
    let sizes = Sizes::new(&scan);
    let mut known = SizesKnown::default();
    let mut rows: Vec<_> = Vec::new();
    for (slot, names) in scan.slots.iter().zip(scan.slot_names()) {
        let (bytes, confirmed) = sizes.slot_bytes(slot, &scan);
        known.total += bytes;
        known.confirmed += if confirmed { bytes } else { 0 };
        rows.push((names, Total { objects: slot.objects, bytes }));
    }
    let mirrors: u64 = (0..scan.classes.len()).map(|class| sizes.mirror(class)).sum();
    known.total += mirrors;
    known.confirmed += if sizes.mirrors_confirmed { mirrors } else { 0 };
    let classes = scan.classes.len() as u64;
    rows.push((super::load::CLASS.into(), Total { objects: classes, bytes: mirrors }));
    Ok((Histogram::told(rows.iter().map(|(name, total)| (&**name, *total))), known))
}

/// The objects of a class. Arrays are kept by length modulo 16, so that their bytes follow once the layout is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot {
    /// Id of the class; for arrays of primitives the number of the type.
    pub(crate) class: u64,
    /// For arrays: of what.
    pub(crate) array_of: Option<ValueType>,
    pub(crate) objects: u64,
    elements: u64,
    lengths: [u64; 16],
}

/// An object as the first pass keeps it for a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Told {
    pub(crate) id: u64,
    pub(crate) slot: u32,
    /// For arrays.
    pub(crate) length: u32,
}

/// Marks what the slot of a [`Told`] is: the number of a class, whose `java.lang.Class` it is.
pub(crate) const MIRROR: u32 = 1 << 31;

/// What the first pass finds.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    id_size: usize,
    /// Texts of names, by id.
    pub(crate) names: FxHashMap<u64, &'a [u8]>,
    /// Ids of the names of classes, by id of the class.
    class_names: FxHashMap<u64, u64>,
    /// Ids of classes, by serial number.
    pub(crate) serials: FxHashMap<u32, u64>,
    pub(crate) frames: FxHashMap<u64, &'a [u8]>,
    pub(crate) traces: FxHashMap<u32, &'a [u8]>,
    pub(crate) classes: Vec<ClassDump<'a>>,
    /// Places in `classes`, by id.
    pub(crate) class_at: FxHashMap<u64, u32>,
    pub(crate) slots: Vec<Slot>,
    slot_of: FxHashMap<u64, u32>,
    /// The slot used last: most objects are like the one before.
    last: (u64, u32),
    pub(crate) roots: Vec<RootRecord>,
    pub(crate) measure: Measure,
    /// Where the `java.lang.Class`es lie, in the order of addresses, and the first of them after the last object.
    mirrors: Vec<(u64, u32)>,
    next_mirror: usize,
    /// Classes were told since `mirrors` was put in order.
    mirrors_stale: bool,
    /// All objects, if they are to be kept.
    pub(crate) objects: Option<Vec<Told>>,
}

impl<'a> Scan<'a> {
    /// Before the first record.
    pub(crate) fn new(file: &Hprof<'a>, keep_objects: bool) -> Self {
        Self {
            id_size: file.id_size,
            names: FxHashMap::default(),
            class_names: FxHashMap::default(),
            serials: FxHashMap::default(),
            frames: FxHashMap::default(),
            traces: FxHashMap::default(),
            classes: Vec::new(),
            class_at: FxHashMap::default(),
            slots: Vec::new(),
            slot_of: FxHashMap::default(),
            last: (0, u32::MAX),
            roots: Vec::new(),
            measure: Measure::default(),
            mirrors: Vec::new(),
            next_mirror: 0,
            mirrors_stale: false,
            objects: keep_objects.then(Vec::new),
        }
    }

    /// A name, as text.
    pub(crate) fn name(&self, id: u64) -> String {
        self.names.get(&id).map_or_else(String::new, |name| String::from_utf8_lossy(name).into_owned())
    }

    /// A class's name as `Class.getName()` gives it.
    pub(crate) fn class_name(&self, id: u64) -> String {
        match self.class_names.get(&id) {
            Some(&name) => external_name(&self.name(name)),
            None => format!("(class {id:#x})"),
        }
    }

    /// The names of the classes of all slots.
    pub(crate) fn slot_names(&self) -> Vec<Box<str>> {
        let name = |slot: &Slot| match slot.array_of {
            Some(of) if of != ValueType::Object => of.array_name().into(),
            _ => self.class_name(slot.class).into(),
        };
        self.slots.iter().map(name).collect()
    }

    /// A class and its superclasses, nearest first.
    pub(crate) fn ancestry(&self, class: u64) -> impl Iterator<Item = &ClassDump<'a>> {
        let of = |id: u64| self.class_at.get(&id).map(|&at| &self.classes[at as usize]);
        let most = self.classes.len();
        std::iter::successors(of(class), move |class| of(class.superclass)).take(most)
    }

    #[inline]
    fn count(&mut self, id: u64, key: u64, array: Option<(ValueType, u32)>) {
        let slot = if self.last == (key, self.last.1) { self.last.1 } else { self.slot(key, array) };
        let of_class = &mut self.slots[slot as usize];
        of_class.objects += 1;
        let shape = match array {
            None => Shape::Instance(slot),
            Some((of, length)) => {
                of_class.elements += u64::from(length);
                of_class.lengths[length as usize & 15] += 1;
                Shape::Array(of, length)
            }
        };
        if let Some(objects) = &mut self.objects {
            let length = array.map_or(0, |(_, length)| length);
            objects.push(Told { id, slot, length });
            return;
        }
        if self.mirrors.get(self.next_mirror).is_some_and(|mirror| mirror.0 < id) || id < self.measure.at() {
            self.pass_mirrors(id);
        }
        self.measure.object(id, shape);
    }

    fn slot(&mut self, key: u64, array: Option<(ValueType, u32)>) -> u32 {
        let slots = &mut self.slots;
        let slot = *self.slot_of.entry(key).or_insert_with(|| {
            slots.push(Slot { class: key, array_of: array.map(|(of, _)| of), ..Slot::default() });
            slots.len() as u32 - 1
        });
        self.measure.instances.resize(self.slots.len(), Default::default());
        self.last = (key, slot);
        slot
    }

    /// Tells the measure of the classes' objects between the last object and this one.
    #[cold]
    fn pass_mirrors(&mut self, id: u64) {
        if std::mem::take(&mut self.mirrors_stale) {
            self.mirrors = self.classes.iter().zip(0..).map(|(class, at)| (class.id, at)).collect();
            self.mirrors.sort_unstable();
        }
        let at = self.measure.at();
        if at < id {
            let from = self.mirrors.partition_point(|mirror| mirror.0 <= at);
            let between = self.mirrors[from..].iter().take_while(|mirror| mirror.0 < id);
            between.for_each(|&(mirror, class)| self.measure.object(mirror, Shape::Mirror(class)));
        }
        self.next_mirror = self.mirrors.partition_point(|mirror| mirror.0 <= id);
    }
}

impl<'a> HeapVisitor<'a> for Scan<'a> {
    fn root(&mut self, root: RootRecord) {
        self.roots.push(root);
    }

    fn class(&mut self, class: ClassDump<'a>) {
        let at = self.classes.len() as u32;
        self.class_at.insert(class.id, at);
        if let Some(objects) = &mut self.objects {
            objects.push(Told { id: class.id, slot: MIRROR | at, length: 0 });
        }
        self.classes.push(class);
        // The next object, wherever it is, is behind this one: see `pass_mirrors`.
        self.next_mirror = 0;
        self.mirrors = vec![(0, 0)];
        self.mirrors_stale = true;
    }

    #[inline]
    fn instance(&mut self, id: u64, class: u64, _fields: &'a [u8], _at: usize) {
        self.count(id, class, None);
    }

    #[inline]
    fn object_array(&mut self, id: u64, class: u64, elements: &'a [u8], _at: usize) {
        let length = (elements.len() / self.id_size) as u32;
        self.count(id, class, Some((ValueType::Object, length)));
    }

    #[inline]
    fn primitive_array(&mut self, id: u64, of: ValueType, elements: &'a [u8], _at: usize) {
        // No class is at such an address.
        let length = (elements.len() / of.width(self.id_size)) as u32;
        self.count(id, of as u64, Some((of, length)));
    }

    fn record(&mut self, record: Record<'a>) {
        let id_size = self.id_size;
        let (body, id) = (record.body, |at| id_at(record.body, at, id_size));
        match record.tag {
            record::STRING => {
                if let (Some(name), Some(text)) = (id(0), body.get(id_size..)) {
                    self.names.insert(name, text);
                }
            }
            record::LOAD_CLASS => {
                if let (Some(serial), Some(class), Some(name)) = (u32_at(body, 0), id(4), id(8 + id_size)) {
                    self.serials.insert(serial, class);
                    self.class_names.insert(class, name);
                }
            }
            record::FRAME => {
                if let (Some(frame), Some(rest)) = (id(0), body.get(id_size..)) {
                    self.frames.insert(frame, rest);
                }
            }
            record::TRACE => {
                if let (Some(serial), Some(frames)) = (u32_at(body, 0), body.get(12..)) {
                    self.traces.insert(serial, frames);
                }
            }
            _ => {}
        }
    }
}

/// `java/lang/String` as `java.lang.String`; the number of a hidden class keeps its slash (`Class.getName()`).
fn external_name(internal: &str) -> String {
    let dotted = internal.replace('/', ".");
    match dotted.rfind("+0x") {
        Some(at) => format!("{}/{}", &dotted[..at], &dotted[at + 1..]),
        None => dotted,
    }
}

/// How large the objects of a file are.
#[derive(Debug)]
pub(crate) struct Sizes {
    layout: Layout,
    /// Whether the layout was seen in the distances of arrays.
    arrays_confirmed: bool,
    mirrors_confirmed: bool,
    /// By slot: bytes, and whether they were seen.
    instances: Vec<(u64, bool)>,
    /// By class: bytes of its `java.lang.Class`.
    mirrors: Vec<u64>,
}

impl Sizes {
    /// From what the pass saw.
    pub(crate) fn new(scan: &Scan<'_>) -> Self {
        let scores = scan.measure.models;
        let best = (0..MODELS.len()).rev().max_by_key(|&model| scores[model]).unwrap_or(0);
        let arrays_confirmed = scores[best] > 0;
        // Without evidence: what ids of 4 bytes are, and otherwise what is most common.
        let model = if arrays_confirmed || scan.id_size == 8 { MODELS[best] } else { MODELS[2] };
        let layout = |packing| Layout { model, alignment: scan.measure.alignment(), packing };
        let [best_fit, in_order] =
            [Packing::BestFit, Packing::InOrder].map(|packing| computed(scan, &layout(packing)));
        let seen = |sizes: &[u64]| {
            sizes.iter().zip(&scan.measure.instances).filter(|(size, seen)| **size == seen.least).count()
        };
        let (packing, computed) = if seen(&in_order) > seen(&best_fit) {
            (Packing::InOrder, in_order)
        } else {
            (Packing::BestFit, best_fit)
        };
        let instances = decide(scan, &computed);
        let mut sizes = Self {
            layout: layout(packing),
            arrays_confirmed,
            mirrors_confirmed: false,
            instances,
            mirrors: Vec::new(),
        };
        sizes.mirrors = sizes.mirror_sizes(scan);
        sizes
    }

    /// Size of an object that is no class's.
    pub(crate) fn object(&self, slot: u32, array_of: Option<ValueType>, length: u32) -> u64 {
        match array_of {
            Some(of) => self.layout.model.array_size(of, u64::from(length), self.layout.alignment),
            None => self.instances.get(slot as usize).map_or(0, |size| size.0),
        }
    }

    /// Size of the `java.lang.Class` of the class with this number.
    pub(crate) fn mirror(&self, class: usize) -> u64 {
        self.mirrors.get(class).copied().unwrap_or(0)
    }

    /// Bytes of all objects of a slot, and whether that was seen.
    fn slot_bytes(&self, slot: &Slot, scan: &Scan<'_>) -> (u64, bool) {
        let Some(of) = slot.array_of else {
            let at = scan.slot_of.get(&slot.class).map_or(0, |&at| at as usize);
            let (size, seen) = self.instances.get(at).copied().unwrap_or_default();
            return (size * slot.objects, seen);
        };
        let Layout { model, alignment, .. } = self.layout;
        let width = model.width(of);
        let mut bytes = slot.elements * width;
        for (rest, &arrays) in slot.lengths.iter().enumerate() {
            // What is added to the elements depends on the length modulo 16 only, up to an alignment of 16.
            let rest = rest as u64;
            let added = model.array_size(of, rest, alignment.min(16)) - rest * width;
            bytes += arrays * added;
        }
        (bytes, self.arrays_confirmed)
    }

    /// A `java.lang.Class` has the class's statics behind its own fields, and fields of the JVM's among them, which no dump tells:
    /// that part is as large in all of them.
    fn mirror_sizes(&mut self, scan: &Scan<'_>) -> Vec<u64> {
        let model = self.layout.model;
        let statics: Vec<u64> = scan.classes.iter().map(|class| static_bytes(scan, class, &model)).collect();
        let mut base = super::measure::Distance::default();
        for (seen, statics) in scan.measure.mirrors.iter().zip(&statics) {
            if *seen != u64::MAX && seen > statics {
                base.add(seen - statics);
            }
        }
        self.mirrors_confirmed = base.seen > 1;
        let base = if self.mirrors_confirmed { base.least } else { self.unseen_mirror(scan) };
        let size = |(class, statics): (usize, &u64)| {
            let computed = (base + statics).next_multiple_of(self.layout.alignment);
            match scan.measure.mirrors.get(class) {
                // Padding between statics is not known.
                Some(&seen) if seen <= computed + 8 => seen,
                _ => computed,
            }
        };
        statics.iter().enumerate().map(size).collect()
    }

    /// Size of a `java.lang.Class` without statics, from its fields; the JVM adds five words or so (17 to 25).
    fn unseen_mirror(&self, scan: &Scan<'_>) -> u64 {
        let class = scan.classes.iter().find(|class| scan.class_name(class.id) == super::load::CLASS);
        class.map_or(0, |class| instance_size(scan, &self.layout, class.id) + 40)
    }
}

/// Bytes of the statics of a class; those that begin with `<` are no fields.
fn static_bytes(scan: &Scan<'_>, class: &ClassDump<'_>, model: &super::layout::Model) -> u64 {
    let fields = class.statics.iter();
    let fields =
        fields.filter(|field| !scan.names.get(&field.name).is_some_and(|name| name.starts_with(b"<")));
    fields.map(|field| model.width(field.of)).sum::<u64>().next_multiple_of(8)
}

/// Sizes of the instances of all slots, from their fields.
fn computed(scan: &Scan<'_>, layout: &Layout) -> Vec<u64> {
    scan.slots.iter().map(|slot| instance_size(scan, layout, slot.class)).collect()
}

fn instance_size(scan: &Scan<'_>, layout: &Layout, class: u64) -> u64 {
    let mut fields: Vec<Vec<ValueType>> =
        scan.ancestry(class).map(|class| class.fields.iter().map(|field| field.1).collect()).collect();
    fields.reverse();
    layout.instance_size(fields.iter().map(Vec::as_slice))
}

/// Fields that the JVM adds and no dump tells take at most so much.
const MOST_HIDDEN: u64 = 16;
/// So much if a class asks for padding.
const MOST_PADDED: u64 = 512;

/// Classes of which it is known: with fields of the JVM's (`javaClasses.hpp`), or padded (`@Contended`). So are those that extend
/// them.
const HIDING: [&str; 16] = [
    "java.lang.ClassLoader",
    "java.lang.InternalError",
    "java.lang.Module",
    "java.lang.StackFrameInfo",
    "java.lang.Thread",
    "java.lang.invoke.MemberName",
    "java.lang.invoke.MethodHandleNatives$CallSiteContext",
    "java.lang.invoke.ResolvedMethodName",
    "java.util.concurrent.ConcurrentHashMap$CounterCell",
    "java.util.concurrent.Exchanger$Node",
    "java.util.concurrent.ForkJoinPool",
    "java.util.concurrent.ForkJoinPool$WorkQueue",
    "java.util.concurrent.SubmissionPublisher$BufferedSubscription",
    "java.util.concurrent.atomic.Striped64$Cell",
    "jdk.internal.vm.Continuation",
    "jdk.internal.vm.StackChunk",
];

/// The sizes of the instances of all slots: as computed, unless the distances prove otherwise; and whether they confirm it.
fn decide(scan: &Scan<'_>, computed: &[u64]) -> Vec<(u64, bool)> {
    let order = scan.measure.order(scan.slots.iter().map(|slot| slot.objects).collect());
    let decided = |(slot, &computed): (usize, &u64)| {
        let seen = scan.measure.instances.get(slot).copied().unwrap_or_default();
        let of = &scan.slots[slot];
        let often = || seen.seen > 1 && seen.seen * 4 >= of.objects;
        let hides = || {
            let mut names = scan.ancestry(of.class).map(|class| scan.class_name(class.id));
            names.any(|name| HIDING.contains(&&*name))
        };
        match seen.least {
            0 => (computed, false),
            least if least <= computed => (least, true),
            // What is larger than its fields hides some, or has what is dead behind it.
            _ if order == Order::None => (computed, false),
            least if least <= computed + MOST_PADDED && hides() => (least, true),
            least if least <= computed + MOST_HIDDEN && order == Order::Dense && often() => (least, true),
            _ => (computed, false),
        }
    };
    computed.iter().enumerate().map(decided).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_get_name() {
        assert_eq!(external_name("java/util/Map$Entry"), "java.util.Map$Entry");
        assert_eq!(external_name("[Ljava/lang/String;"), "[Ljava.lang.String;");
        assert_eq!(external_name("App$$Lambda+0x00007f1e"), "App$$Lambda/0x00007f1e");
    }
}
