//! The first pass over a file: names, classes, roots, and how many objects of each class there are.
//!
//! Not here: how large they are (`sizes`), and what they refer to (`load`).

use rustc_hash::FxHashMap;

use super::class_dump::ClassDump;
use super::listed::{InOrder, Listed, ListedObjects, Placed};
use super::measure::{Measure, Shape};
use super::record::{self, Hprof, Record, id_at, u32_at};
use super::sub_record::{HeapVisitor, RootRecord};
use super::value_type::ValueType;
use crate::symbols::jvm_text;

/// The objects of a class. Arrays are kept by length modulo 16, so that their bytes follow once the layout is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot {
    /// Id of the class; for arrays of primitives the number of the type.
    pub(crate) class: u64,
    /// For arrays: of what.
    pub(crate) array_of: Option<ValueType>,
    pub(crate) objects: u64,
    pub(crate) elements: u64,
    pub(crate) lengths: [u64; 16],
}

/// The class of classes.
pub(crate) const CLASS: &str = "java.lang.Class";

/// What the first pass finds.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    pub(crate) id_size: usize,
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
    /// Places in `slots`, by what their `class` is.
    pub(crate) slot_of: FxHashMap<u64, u32>,
    /// Key and slot of the last object: most are like the one before.
    last: Option<(u64, u32)>,
    pub(crate) roots: Vec<RootRecord>,
    pub(crate) measure: Measure,
    /// Where the `java.lang.Class`es lie, in the order of addresses, and the first of them after the last object.
    mirrors: Vec<(u64, u32)>,
    next_mirror: usize,
    /// Classes were told since `mirrors` was put in order.
    mirrors_stale: bool,
    /// All objects but classes, if they are to be kept.
    pub(crate) objects: Option<ListedObjects>,
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
            last: None,
            roots: Vec::new(),
            measure: Measure::default(),
            mirrors: Vec::new(),
            next_mirror: 0,
            mirrors_stale: false,
            objects: keep_objects.then(ListedObjects::default),
        }
    }

    /// A name, as text: the JVM writes its symbols in modified UTF-8 (JVMS 4.4.7).
    pub(crate) fn name(&self, id: u64) -> String {
        self.names.get(&id).map_or_else(String::new, |name| jvm_text(name).into_owned())
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

    /// A field of an object, by its name: nearest class first. `fields`: the values of all of them; ids have `id_size` bytes.
    pub(super) fn field<'f>(
        &self,
        id_size: usize,
        class: u64,
        name: &str,
        fields: &'f [u8],
    ) -> Option<(ValueType, &'f [u8])> {
        let mut offset = 0;
        for (field, of) in self.ancestry(class).flat_map(|class| class.fields.iter().copied()) {
            let width = of.width(id_size);
            if self.names.get(&field).is_some_and(|text| *text == name.as_bytes()) {
                return Some((of, fields.get(offset..offset + width)?));
            }
            offset += width;
        }
        None
    }

    /// Takes all distances anew, of objects that are told in order now.
    pub(super) fn measure_again(&mut self, objects: &InOrder) {
        self.measure = Measure::default();
        self.measure.instances.resize(self.slots.len(), Default::default());
        objects.each(|object| {
            let shape = match object {
                Placed::Mirror { class, .. } => Shape::Mirror(class),
                Placed::Object(Listed { slot, length, .. }) => match self.slots[slot as usize].array_of {
                    Some(of) => Shape::Array(of, length),
                    None => Shape::Instance(slot),
                },
            };
            self.measure.object(object.id(), shape);
        });
    }

    #[inline]
    fn count(&mut self, id: u64, key: u64, array: Option<(ValueType, u32)>) {
        let slot = match self.last {
            Some((last, slot)) if last == key => slot,
            _ => self.slot(key, array),
        };
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
            objects.push(Listed { id, slot, length: array.map_or(0, |(_, length)| length) });
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
        self.last = Some((key, slot));
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

    fn array_without_elements(&mut self, id: u64, of: ValueType, length: u32, _at: usize) {
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
