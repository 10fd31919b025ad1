//! How large the objects of a file are, from what the first pass saw; and with it the histogram.
//!
//! Not here: the rules of HotSpot's layout (`layout`), and taking distances (`measure`).

use super::class_dump::ClassDump;
use super::layout::{Layout, MODELS, Packing, SizesKnown};
use super::measure::{Distance, Order};
use super::record::Hprof;
use super::scan::{CLASS, Scan, Slot};
use super::sub_record::walk;
use super::value_type::ValueType;
use crate::error::HeapError;
use crate::progress::Progress;
use mayfly_counts::{HeapSummary, Total};

/// Objects and bytes by class name, in one pass over the file, in memory that does not grow with the number of objects.
///
/// Sizes are those of the heap, not of the file; the second result tells how sure they are.
///
/// # Errors
/// The bytes are no hprof file, cut off, or damaged.
pub fn histogram(bytes: &[u8], progress: Progress<'_>) -> Result<(HeapSummary, SizesKnown), HeapError> {
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
    rows.push((CLASS.into(), Total { objects: classes, bytes: mirrors }));
    Ok((rows.into_iter().collect(), known))
}

/// How large the objects of a file are.
#[derive(Debug)]
pub(crate) struct Sizes {
    /// Whether ids say where objects lie.
    addresses: bool,
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
        let addresses = ids_are_addresses(scan);
        let scores = scan.measure.models;
        let best = (0..MODELS.len()).rev().max_by_key(|&model| scores[model]).unwrap_or(0);
        let arrays_confirmed = addresses && scores[best] > 0;
        // Without evidence: what ids of 4 bytes are, and otherwise what is most common.
        let model = match (arrays_confirmed, scan.id_size) {
            (true, _) => MODELS[best],
            (false, 8) => MODELS[0],
            (false, _) => MODELS[2],
        };
        let alignment = if addresses { scan.measure.alignment() } else { 8 };
        let layout = |packing| Layout { model, alignment, packing };
        let [best_fit, in_order] =
            [Packing::BestFit, Packing::InOrder].map(|packing| computed(scan, &layout(packing)));
        let seen = |sizes: &[u64]| {
            let sizes = if addresses { sizes } else { &[] };
            sizes.iter().zip(&scan.measure.instances).filter(|(size, seen)| **size == seen.least).count()
        };
        let (packing, computed) = if seen(&in_order) > seen(&best_fit) {
            (Packing::InOrder, in_order)
        } else {
            (Packing::BestFit, best_fit)
        };
        let instances = match addresses {
            true => decide(scan, &computed),
            false => computed.into_iter().map(|size| (size, false)).collect(),
        };
        let mut sizes = Self {
            addresses,
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
        let layout = self.layout;
        let statics: Vec<u64> = scan.classes.iter().map(|class| static_bytes(scan, class, &layout)).collect();
        let mut base = Distance::default();
        for (seen, statics) in scan.measure.mirrors.iter().zip(&statics) {
            if self.addresses && *seen != u64::MAX && seen > statics {
                base.add(seen - statics);
            }
        }
        self.mirrors_confirmed = base.seen > 1;
        let base = if self.mirrors_confirmed { base.least } else { self.unseen_mirror(scan) };
        // Those of primitive types are told as instances.
        for (slot, size) in scan.slots.iter().zip(&mut self.instances) {
            if slot.array_of.is_none() && scan.class_name(slot.class) == CLASS {
                *size = (base, self.mirrors_confirmed);
            }
        }
        let size = |(class, statics): (usize, &u64)| {
            let computed = (base + statics).next_multiple_of(self.layout.alignment);
            match scan.measure.mirrors.get(class) {
                // Padding between statics is not known.
                Some(&seen) if self.addresses && seen <= computed + self.layout.alignment => seen,
                _ => computed,
            }
        };
        statics.iter().enumerate().map(size).collect()
    }

    /// Size of a `java.lang.Class` without statics, from its fields; the JVM adds five words or so (17 to 25).
    fn unseen_mirror(&self, scan: &Scan<'_>) -> u64 {
        let class = scan.classes.iter().find(|class| scan.class_name(class.id) == CLASS);
        class.map_or(0, |class| instance_size(scan, &self.layout, class.id) + 40)
    }
}

/// Bytes of the statics of a class; those that begin with `<` are no fields.
fn static_bytes(scan: &Scan<'_>, class: &ClassDump<'_>, layout: &Layout) -> u64 {
    let fields = class.statics.iter();
    let fields =
        fields.filter(|field| !scan.names.get(&field.name).is_some_and(|name| name.starts_with(b"<")));
    layout.static_size(&fields.map(|field| field.of).collect::<Vec<_>>())
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

/// Header of the smallest object there is (compact headers; a JVM of 32 bits), and the smallest reference.
const LEAST_HEADER: u64 = 8;
const LEAST_REFERENCE: u64 = 4;

/// Whether the distances between ids can be those between objects: some writers (HotSpot's old hprof agent, converters) number the
/// objects. There an object would lie nearer to the next than its own fields or elements take.
fn ids_are_addresses(scan: &Scan<'_>) -> bool {
    let holds = |slot: &Slot| -> u64 {
        let width =
            |of: ValueType| if of == ValueType::Object { LEAST_REFERENCE } else { of.width(8) as u64 };
        let fields = scan.ancestry(slot.class).flat_map(|class| class.fields.iter());
        LEAST_HEADER + fields.map(|&(_, of)| width(of)).sum::<u64>()
    };
    let too_near = |(slot, seen): (&Slot, &Distance)| {
        slot.array_of.is_none() && seen.seen > 0 && seen.least < holds(slot)
    };
    !scan.measure.arrays_overlap() && !scan.slots.iter().zip(&scan.measure.instances).any(too_near)
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
