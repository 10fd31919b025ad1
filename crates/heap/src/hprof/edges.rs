//! The second pass over an hprof file: what objects refer to, as edges of a graph.
//!
//! Objects are numbered in the order of their addresses, which is the order of the file but for a few pieces. Not here: what
//! the first pass takes (`scan`), and roots (`roots`).

use rustc_hash::FxHashMap;

use super::class_dump::ClassDump;
use super::find::{Numbers, Places};
use super::listed::{InOrder, Listed, Placed};
use super::record::{Hprof, id_at};
use super::scan::{CLASS, Scan};
use super::sizes::Sizes;
use super::sub_record::HeapVisitor;
use super::value_type::ValueType;
use crate::builder::GraphBuilder;
use crate::edge::{EdgeName, Strength};
use crate::error::HeapError;
use crate::graph::{Class, Graph};
use crate::index::{ClassIndex, ObjectIndex};
use crate::loading::{CAPACITY, DIRECT_BUFFER, REFERENT, is_builtin_loader, referent_strength};

/// Puts the objects in order. Distances between neighbours were taken on the way, unless there was no order.
fn in_order(scan: &mut Scan<'_>) -> InOrder {
    let mirrors = scan.classes.iter().zip(0..).map(|(class, at)| (class.id, at)).collect();
    let objects = scan.objects.take().unwrap_or_default().in_order(mirrors);
    if !objects.was_in_order() {
        scan.measure_again(&objects);
    }
    objects
}

/// The second pass.
pub(super) struct Edges<'a, 's> {
    pub(super) file: &'s Hprof<'a>,
    pub(super) scan: &'s Scan<'a>,
    pub(super) builder: GraphBuilder,
    numbers: Numbers,
    pub(super) places: Places,
    /// What to read of the instances of each class.
    plans: Vec<Plan>,
    plan_of: FxHashMap<u64, u32>,
    /// Class and plan of the last instance: most are like the one before.
    last: Option<(u64, u32)>,
    /// Classes in the order of addresses, and how many of them have been told.
    mirrors: Vec<(u64, u32)>,
    mirrors_told: usize,
    class_name: u32,
}

/// What an instance refers to.
#[derive(Clone, Debug, Default)]
struct Plan {
    /// Offsets of the references among the values of its fields, and their names.
    fields: Vec<(u32, u32)>,
    /// Its class, if that can be unloaded.
    class: Option<ObjectIndex>,
    /// Of buffers with memory outside of the heap: where their capacity is.
    capacity: Option<u32>,
}

impl<'a, 's> Edges<'a, 's> {
    /// With all objects, and no edge yet.
    pub(super) fn new(file: &'s Hprof<'a>, scan: &'s mut Scan<'a>) -> Self {
        let objects = in_order(scan);
        let sizes = Sizes::new(scan);
        let mut builder = GraphBuilder::default();
        let classes = add_classes(&mut builder, scan);
        let mut numbers = Numbers::new(objects.alignment_bits());
        objects.each(|object| {
            numbers.push(object.id());
            let (class, size) = match object {
                Placed::Mirror { class, .. } => (classes.of_classes, sizes.mirror(class as usize)),
                Placed::Object(Listed { slot, length, .. }) => {
                    let array_of = scan.slots[slot as usize].array_of;
                    (classes.of_slots[slot as usize], sizes.object(slot, array_of, length))
                }
            };
            builder.object(object.id(), class, size);
        });
        drop(objects);
        let mut mirrors: Vec<_> = scan.classes.iter().zip(0..).map(|(class, at)| (class.id, at)).collect();
        mirrors.sort_unstable();
        let class_name = builder.name(EdgeName::Internal("class".into()));
        let mut edges = Self {
            file,
            scan,
            builder,
            numbers,
            places: Places::default(),
            plans: Vec::new(),
            plan_of: FxHashMap::default(),
            last: None,
            mirrors,
            mirrors_told: 0,
            class_name,
        };
        edges.link_classes();
        edges
    }

    /// The number of an object; none for null, and for what is not in the file.
    #[inline]
    pub(super) fn number(&self, id: u64) -> Option<ObjectIndex> {
        if id == 0 { None } else { self.numbers.find(id) }
    }

    /// Says of each class by whom it was loaded, and what its superclass is.
    fn link_classes(&mut self) {
        for (class, at) in self.scan.classes.iter().zip(0..) {
            let (mirror, loader) = (self.number(class.id), self.number(class.loader));
            let facts = self.builder.class_mut(ClassIndex(at));
            facts.mirror = mirror;
            facts.loader = loader;
            facts.superclass = self.scan.class_at.get(&class.superclass).map(|&at| ClassIndex(at));
        }
    }

    /// Whether a class can be unloaded: its loader is neither the boot loader nor another one of the JVM's own.
    pub(super) fn unloadable(&self, class: &ClassDump<'_>) -> bool {
        let Some(loader) = self.number(class.loader) else { return false };
        !is_builtin_loader(self.builder.class_name_of(loader))
    }

    fn plan(&mut self, class: u64) -> u32 {
        if let Some((last, plan)) = self.last
            && last == class
        {
            return plan;
        }
        let at = match self.plan_of.get(&class) {
            Some(&at) => at,
            None => {
                let plan = self.new_plan(class);
                self.plans.push(plan);
                let at = self.plans.len() as u32 - 1;
                self.plan_of.insert(class, at);
                at
            }
        };
        self.last = Some((class, at));
        at
    }

    /// Values of fields come class by class, from the object's class up.
    fn new_plan(&mut self, class: u64) -> Plan {
        let scan = self.scan;
        let names: Vec<_> = scan.ancestry(class).map(|class| scan.class_name(class.id)).collect();
        let strength = referent_strength(names.iter().map(String::as_str));
        let is_buffer = names.first().is_some_and(|name| name == DIRECT_BUFFER);
        let mut plan = Plan::default();
        let mut offset = 0;
        for (dump, class_name) in scan.ancestry(class).zip(&names) {
            let declaring = ClassIndex(scan.class_at[&dump.id]);
            for &(name, of) in &dump.fields {
                if of == ValueType::Object {
                    let name = scan.name(name);
                    let is_referent = (class_name.as_str(), name.as_str()) == REFERENT;
                    let strength = if is_referent { strength } else { Strength::Strong };
                    let name = EdgeName::Field { declaring, name: name.into(), strength };
                    plan.fields.push((offset, self.builder.name(name)));
                } else if is_buffer && (class_name.as_str(), &*scan.name(name)) == CAPACITY {
                    plan.capacity = Some(offset);
                }
                offset += of.width(self.file.id_size) as u32;
            }
        }
        plan.class = self.class_edge(class);
        plan
    }

    /// The `java.lang.Class` that instances of a class refer to, if it can be unloaded.
    fn class_edge(&self, class: u64) -> Option<ObjectIndex> {
        let dump = &self.scan.classes[*self.scan.class_at.get(&class)? as usize];
        if self.unloadable(dump) { self.number(class) } else { None }
    }

    /// Tells what the classes refer to whose `java.lang.Class` lies before an address, so that references come in the order of
    /// the objects.
    fn tell_mirrors(&mut self, before: u64) {
        while let Some(&(id, class)) = self.mirrors.get(self.mirrors_told)
            && id < before
        {
            self.mirrors_told += 1;
            let scan = self.scan;
            self.tell_class(&scan.classes[class as usize], class);
        }
    }

    fn tell_class(&mut self, class: &ClassDump<'a>, at: u32) {
        let Some(from) = self.number(class.id) else { return };
        for field in class.statics.iter().filter(|field| field.of == ValueType::Object) {
            let to = id_at(field.value, 0, self.file.id_size).and_then(|id| self.number(id));
            let Some(to) = to else { continue };
            let name = self.scan.name(field.name);
            let name = match name.strip_prefix('<') {
                // What the JVM keeps for a class; written as statics of such names.
                Some(name) => EdgeName::Internal(name.trim_end_matches('>').replace('_', " ").into()),
                None => EdgeName::Static { declaring: ClassIndex(at), name: name.into(), type_name: None },
            };
            let name = self.builder.name(name);
            self.builder.edge(from, name, to);
        }
        let others = [
            ("superclass", class.superclass),
            ("loader", class.loader),
            ("signers", class.signers),
            ("protection domain", class.protection_domain),
        ];
        for (name, id) in others.into_iter().chain(class.constants.iter().map(|&id| ("constant", id))) {
            if let Some(to) = self.number(id) {
                let name = self.builder.name(EdgeName::Internal(name.into()));
                self.builder.edge(from, name, to);
            }
        }
    }

    /// The graph, once the file was walked and its roots were added.
    pub(super) fn finish(mut self) -> Result<Graph, HeapError> {
        self.tell_mirrors(u64::MAX);
        Ok(self.builder.finish()?)
    }
}

impl<'a> HeapVisitor<'a> for Edges<'a, '_> {
    fn segment(&mut self) {
        self.places.segment();
    }

    #[inline]
    fn instance(&mut self, id: u64, class: u64, fields: &'a [u8], at: usize) {
        self.tell_mirrors(id);
        self.places.object(id, at);
        let plan = self.plan(class) as usize;
        let Some(from) = self.number(id) else { return };
        for place in 0..self.plans[plan].fields.len() {
            let (offset, name) = self.plans[plan].fields[place];
            let to = id_at(fields, offset as usize, self.file.id_size).and_then(|id| self.number(id));
            if let Some(to) = to {
                self.builder.edge(from, name, to);
            }
        }
        if let Some(class) = self.plans[plan].class {
            self.builder.edge(from, self.class_name, class);
        }
        if let Some(offset) = self.plans[plan].capacity
            && let Some(value) = fields.get(offset as usize..).and_then(|rest| rest.first_chunk())
        {
            self.builder.off_heap(from, i64::from(i32::from_be_bytes(*value)));
        }
    }

    #[inline]
    fn object_array(&mut self, id: u64, class: u64, elements: &'a [u8], at: usize) {
        self.tell_mirrors(id);
        self.places.object(id, at);
        let Some(from) = self.number(id) else { return };
        let width = self.file.id_size;
        for (index, element) in elements.chunks_exact(width).enumerate() {
            if let Some(to) = id_at(element, 0, width).and_then(|id| self.number(id)) {
                self.builder.element(from, index as u32 & i32::MAX as u32, to);
            }
        }
        let plan = self.plan(class) as usize;
        if let Some(class) = self.plans[plan].class {
            self.builder.edge(from, self.class_name, class);
        }
    }

    #[inline]
    fn primitive_array(&mut self, id: u64, _of: ValueType, _elements: &'a [u8], at: usize) {
        self.places.object(id, at);
    }

    fn array_without_elements(&mut self, id: u64, _of: ValueType, _length: u32, at: usize) {
        self.places.object(id, at);
    }
}

/// The classes of the graph: those told, in their order, and what objects have besides.
struct Classes {
    of_slots: Vec<ClassIndex>,
    /// The class of `java.lang.Class`es.
    of_classes: ClassIndex,
}

fn add_classes(builder: &mut GraphBuilder, scan: &Scan<'_>) -> Classes {
    let mut by_name: FxHashMap<String, ClassIndex> = FxHashMap::default();
    for class in &scan.classes {
        let name = scan.class_name(class.id);
        let index = builder.class(Class { name: name.as_str().into(), ..Class::default() });
        by_name.entry(name).or_insert(index);
    }
    let mut named = |name: &str| match by_name.get(name) {
        Some(&index) => index,
        None => {
            let index = builder.class(Class { name: name.into(), ..Class::default() });
            by_name.insert(name.to_owned(), index);
            index
        }
    };
    let of_classes = named(CLASS);
    let slots = scan.slots.iter().zip(scan.slot_names());
    let of_slots = slots.map(|(slot, name)| match scan.class_at.get(&slot.class) {
        Some(&at) => ClassIndex(at),
        None => named(&name),
    });
    let of_slots = of_slots.collect();
    Classes { of_slots, of_classes }
}
