//! A dump as a graph: what its records amount to.
//!
//! Not here: the algorithms on graphs, and the texts of strings (`texts`).

use rustc_hash::FxHashMap;

use super::class_table::ClassTable;
use super::decoder::{Decoder, Record};
use super::facts::{Facts, FrameFacts, Number, Reference, RootReference};
use super::frame::OFF_HEAP;
use crate::builder::GraphBuilder;
use crate::edge::{EdgeName, Strength};
use crate::error::HeapError;
use crate::graph::{Class, Graph};
use crate::index::{ClassIndex, ObjectIndex};
use crate::loading::{CAPACITY, REFERENT, is_builtin_loader, referent_strength, type_name};
use crate::progress::Progress;
use crate::root::{RootFrame, RootKind};

/// What stands for the class of an object whose class was not told.
pub(crate) const NOT_KNOWN: &str = "(class not known)";

/// Reads a heap dump of Mayfly's as a graph. Objects are numbered as in the dump, from 0 on instead of 1; their ids are what the walk
/// called them: the numbers, but where identities were told.
///
/// # Errors
/// The bytes are no such dump, one of another version, cut off, damaged, or with more objects than a graph can hold.
pub fn read(bytes: &[u8], progress: Progress<'_>) -> Result<(Facts, Graph), HeapError> {
    let all = read_while(bytes, &mut |done, of| {
        progress(done, of);
        true
    })?;
    // What is never given up is read to its end.
    all.ok_or_else(|| HeapError::truncated(bytes.len(), "what follows"))
}

/// As [`read`], for as long as `progress`, which is told as there, says to go on; none if it said otherwise.
///
/// # Errors
/// As [`read`].
pub fn read_while(
    bytes: &[u8],
    progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Option<(Facts, Graph)>, HeapError> {
    let mut decoder = Decoder::new(bytes)?;
    let mut loader = Loader::default();
    let mut goes_on = true;
    while let Some(record) = decoder.next(&mut |done, of| goes_on &= progress(done, of))? {
        if !goes_on {
            return Ok(None);
        }
        loader.take(record);
    }
    let facts = decoder.facts().clone();
    Ok(if goes_on { Some((facts, loader.finish()?)) } else { None })
}

/// A graph in the making, and what is known of the classes.
#[derive(Default)]
struct Loader<'a> {
    builder: GraphBuilder,
    table: ClassTable<'a>,
    /// Whether the objects that stand for the classes were added.
    mirrored: bool,
    /// The class of objects whose class is not known.
    unknown: Option<ClassIndex>,
    java_lang_class: Number,
    /// The class of each object, the mirrors first.
    classes: Vec<Number>,
    /// Names of references, by number of the class.
    instance_names: Vec<Option<FieldNames>>,
    static_names: Vec<Option<FieldNames>>,
    internal: FxHashMap<&'static str, u32>,
    /// Those that wait for names of threads and methods.
    roots: Vec<(RootReference, Number)>,
    threads: FxHashMap<u64, &'a str>,
    methods: FxHashMap<u64, Box<str>>,
}

/// The names of the fields of a class, and the JVMTI index of the first.
struct FieldNames {
    first: usize,
    names: Vec<u32>,
}

impl FieldNames {
    fn get(&self, index: u32) -> Option<u32> {
        self.names.get((index as usize).checked_sub(self.first)?).copied()
    }
}

impl<'a> Loader<'a> {
    fn take(&mut self, record: Record<'a>) {
        match record {
            Record::Class(class) => {
                if class.name == "java.lang.Class" && class.loader == Number::NONE {
                    self.java_lang_class = Number(self.table.len() + 1);
                }
                self.builder.class(Class { name: class.name.into(), ..Class::default() });
                self.table.push(class);
            }
            Record::Object { class, size, identity } => {
                self.add_mirrors();
                self.add_object(class, size, identity);
            }
            Record::Edge { from, reference, to } => {
                self.add_mirrors();
                self.add_edge(from, reference, to);
            }
            Record::Root { root, to } => self.roots.push((root, to)),
            Record::Text(_) => {}
            Record::Value { object, field, value } => self.take_value(object, field, value),
            Record::Thread { id, object: thread, name } => {
                self.threads.insert(id, name);
                if known(thread, self.classes.len()) {
                    self.builder.thread(object(thread), name);
                }
            }
            Record::Method { id, class, name } => {
                // A method of no class is one whose name is all that is known, `?`.
                let method = if class.is_empty() { name.into() } else { format!("{class}.{name}").into() };
                self.methods.insert(id, method);
            }
        }
    }

    /// Adds the objects that stand for the classes, once all classes are known.
    fn add_mirrors(&mut self) {
        if std::mem::replace(&mut self.mirrored, true) {
            return;
        }
        let mirrors: Vec<_> =
            self.table.iter().map(|(_, class)| (class.mirror_size, class.identity)).collect();
        mirrors
            .into_iter()
            .for_each(|(size, identity)| self.add_object(self.java_lang_class, size, identity));
    }

    fn add_object(&mut self, class: Number, size: u64, identity: u64) {
        self.classes.push(class);
        let index = match class.0.checked_sub(1) {
            Some(index) => ClassIndex(index),
            None => *self.unknown.get_or_insert_with(|| {
                self.builder.class(Class { name: NOT_KNOWN.into(), ..Class::default() })
            }),
        };
        self.builder.object(identity, index, size);
    }

    #[inline]
    fn add_edge(&mut self, from: Number, reference: Reference, to: Number) {
        let (source, target) = (object(from), object(to));
        let name = match reference {
            Reference::Element(index) => return self.builder.element(source, index, target),
            Reference::Field(index) => self.instance_name(self.classes[source.0 as usize], index),
            Reference::StaticField(index) => self.static_name(from, index),
            Reference::ClassLoader => return,
            Reference::Signers => self.internal("signers"),
            Reference::ProtectionDomain => self.internal("protection domain"),
            Reference::Interface => self.internal("interface"),
            Reference::Constant => self.internal("constant"),
            Reference::Superclass => self.internal("superclass"),
        };
        self.builder.edge(source, name, target);
    }

    fn take_value(&mut self, of: Number, field: u32, value: i64) {
        if field == OFF_HEAP {
            return self.builder.off_heap(object(of), value);
        }
        let class = self.classes[object(of).0 as usize];
        let (first, fields) = self.table.fields(class);
        let field = (field as usize).checked_sub(first).and_then(|at| fields.get(at));
        if let Some((declaring, field)) = field
            && self.table.get(*declaring).is_some_and(|class| (class.name, field.name) == CAPACITY)
        {
            self.builder.off_heap(object(of), value);
        }
    }

    fn instance_name(&mut self, class: Number, index: u32) -> u32 {
        let Self { instance_names, table, builder, .. } = self;
        let names = place(instance_names, class).get_or_insert_with(|| {
            let strength = referent_strength(names_of(table, class));
            field_names(table, class, |declaring, field| {
                let declared_by = table.get(declaring).map_or("", |class| class.name);
                let is_referent = (declared_by, field.name) == REFERENT;
                let strength = if is_referent { strength } else { Strength::Strong };
                builder.name(EdgeName::Field {
                    declaring: class_index(declaring),
                    name: field.name.into(),
                    strength,
                })
            })
        });
        names.get(index).unwrap_or_else(|| unnamed_field(builder, index))
    }

    fn static_name(&mut self, class: Number, index: u32) -> u32 {
        let Self { static_names, table, builder, .. } = self;
        let names = place(static_names, class).get_or_insert_with(|| {
            field_names(table, class, |declaring, field| {
                builder.name(EdgeName::Static {
                    declaring: class_index(declaring),
                    name: field.name.into(),
                    type_name: Some(field.descriptor).filter(|told| !told.is_empty()).map(type_name),
                })
            })
        });
        names.get(index).unwrap_or_else(|| unnamed_field(builder, index))
    }

    fn internal(&mut self, name: &'static str) -> u32 {
        let builder = &mut self.builder;
        *self.internal.entry(name).or_insert_with(|| builder.name(EdgeName::Internal(name.into())))
    }

    fn finish(mut self) -> Result<Graph, HeapError> {
        self.add_mirrors();
        let unloadable = self.link_classes();
        let class_name = self.internal("class");
        for at in 0..self.classes.len() {
            let class = self.classes[at];
            if unloadable.get(class.0 as usize).is_some_and(|&unloadable| unloadable) {
                self.builder.edge(ObjectIndex(at as u32), class_name, object(class));
            }
        }
        self.add_roots(&unloadable);
        Ok(self.builder.finish()?)
    }

    /// Says of each class what it refers to, and where its loader is not one of the JVM's own that it does. Which those
    /// are, by number.
    fn link_classes(&mut self) -> Vec<bool> {
        let loader_name = self.internal("loader");
        let mut unloadable = vec![false; self.table.len() as usize + 1];
        for (number, class) in self.table.iter() {
            let loader = Some(class.loader).filter(|loader| known(*loader, self.classes.len()));
            let of_loader = loader.and_then(|loader| self.table.get(self.classes[object(loader).0 as usize]));
            let facts = self.builder.class_mut(class_index(number));
            facts.mirror = Some(object(number));
            facts.loader = loader.map(object);
            facts.superclass = self.table.get(class.superclass).map(|_| class_index(class.superclass));
            let interfaces = class.interfaces.iter().filter(|number| self.table.get(**number).is_some());
            facts.interfaces = interfaces.map(|&number| class_index(number)).collect();
            if let Some(loader) = loader {
                self.builder.edge(object(number), loader_name, object(loader));
            }
            unloadable[number.0 as usize] =
                loader.is_some() && !of_loader.is_some_and(|loader| is_builtin_loader(loader.name));
        }
        unloadable
    }

    fn add_roots(&mut self, unloadable: &[bool]) {
        for (number, _) in self.table.iter().filter(|(number, _)| !unloadable[number.0 as usize]) {
            self.builder.root(object(number), RootKind::SystemClass);
        }
        for (root, to) in std::mem::take(&mut self.roots) {
            let kind = match root {
                // Told above.
                RootReference::SystemClass if unloadable.get(to.0 as usize) == Some(&false) => continue,
                RootReference::SystemClass => RootKind::Other("system class".into()),
                RootReference::JniGlobal => RootKind::JniGlobal,
                RootReference::Monitor => RootKind::Monitor,
                RootReference::StackLocal { frame, slot } => {
                    RootKind::StackLocal(self.frame(frame, Some(slot)))
                }
                RootReference::JniLocal(frame) => RootKind::JniLocal(self.frame(frame, None)),
                RootReference::Thread => RootKind::Thread,
                RootReference::Other => RootKind::Other("JVM".into()),
            };
            self.builder.root(object(to), kind);
        }
    }

    fn frame(&self, frame: FrameFacts, slot: Option<i32>) -> RootFrame {
        RootFrame {
            thread: self.threads.get(&frame.thread).map(|name| (*name).into()),
            method: self.methods.get(&frame.method).cloned(),
            slot,
        }
    }
}

/// What is known of a class. Numbers of classes are those of the file, each of which has some bytes in it.
#[inline]
fn place(names: &mut Vec<Option<FieldNames>>, class: Number) -> &mut Option<FieldNames> {
    let at = class.0 as usize;
    if names.len() <= at {
        names.resize_with(at + 1, || None);
    }
    &mut names[at]
}

fn field_names<'a>(
    table: &ClassTable<'a>,
    class: Number,
    name: impl FnMut(Number, super::decoder::FieldRecord<'a>) -> u32,
) -> FieldNames {
    let mut name = name;
    let (first, fields) = table.fields(class);
    FieldNames { first, names: fields.into_iter().map(|(declaring, field)| name(declaring, field)).collect() }
}

fn names_of<'a>(table: &ClassTable<'a>, class: Number) -> Vec<&'a str> {
    table.ancestry(class).into_iter().filter_map(|class| table.get(class)).map(|class| class.name).collect()
}

/// For indices that no field has: those of classes that the JVM had not told, or had not prepared.
fn unnamed_field(builder: &mut GraphBuilder, index: u32) -> u32 {
    builder.name(EdgeName::Internal(format!("field {index}").into()))
}

fn known(number: Number, objects: usize) -> bool {
    number != Number::NONE && number.0 as usize <= objects
}

fn object(number: Number) -> ObjectIndex {
    ObjectIndex(number.0 - 1)
}

fn class_index(number: Number) -> ClassIndex {
    ClassIndex(number.0.saturating_sub(1))
}
