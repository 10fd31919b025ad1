//! What statements of a fake heap come to, and the graph of it.

use std::collections::BTreeMap;

use super::statement::{Chain, Object, Reference, Statement};
use crate::builder::GraphBuilder;
use crate::edge::{EdgeName, Strength};
use crate::graph::{Class, Graph};
use crate::index::{ClassIndex, ObjectIndex};
use crate::loading::referent_strength;
use crate::root::RootKind;

const FIRST_MIRROR: u64 = 0xc1a_5500_0000;
const MIRROR: &str = "java.lang.Class";

/// A heap in the making: everything by name and id, as statements may come in any order.
#[derive(Debug, Default)]
pub(super) struct Heap {
    objects: BTreeMap<u64, Facts>,
    classes: BTreeMap<String, ClassFacts>,
    references: Vec<(u64, NamedEdge, u64)>,
    roots: Vec<(u64, RootKind)>,
    off_heap: Vec<(u64, i64)>,
    threads: Vec<(u64, String)>,
}

#[derive(Debug, Default)]
struct Facts {
    class: Option<String>,
    size: Option<u64>,
}

#[derive(Debug, Default)]
struct ClassFacts {
    extends: Option<String>,
    mirror: Option<u64>,
    loader: Option<u64>,
}

/// A reference as told.
#[derive(Debug)]
enum NamedEdge {
    Field(Option<String>, String),
    Static(Option<String>, String),
    Element(u32),
    Internal(String),
}

impl Heap {
    pub(super) fn add(&mut self, statement: Statement<'_>) {
        match statement {
            Statement::Class { name, extends, mirror, loader } => self.class(name, extends, mirror, loader),
            Statement::Static { type_name, class, field, to } => {
                let mirror = self.unloadable(class);
                let to = self.chain(to);
                let told = NamedEdge::Static(type_name.map(java_name), field.to_owned());
                self.references.push((mirror, told, to));
            }
            Statement::Root { kind, to } => {
                let to = self.chain(to);
                self.roots.push((to, kind));
            }
            Statement::Chain(chain) => {
                self.chain(chain);
            }
            Statement::OffHeap { object, bytes } => self.off_heap.push((object, bytes)),
            Statement::Thread { object, name } => self.threads.push((object, name.to_owned())),
        }
    }

    /// The first object of a chain.
    fn chain(&mut self, chain: Chain<'_>) -> u64 {
        let first = self.object(chain.first);
        chain.rest.into_iter().fold(first, |from, (by, to)| {
            let to = self.object(to);
            self.references.push((from, edge_of(by), to));
            to
        });
        first
    }

    fn class(&mut self, name: &str, extends: Option<&str>, mirror: Option<u64>, loader: Option<u64>) {
        let facts = self.classes.entry(java_name(name)).or_default();
        facts.extends = extends.map(java_name).or_else(|| facts.extends.take());
        facts.mirror = mirror.or(facts.mirror);
        facts.loader = loader.or(facts.loader);
        if let Some(extends) = extends {
            self.classes.entry(java_name(extends)).or_default();
        }
        if let Some(mirror) = mirror {
            self.mirror(mirror);
        }
    }

    /// The mirror of a class that is never unloaded: a root.
    fn unloadable(&mut self, class: &str) -> u64 {
        let next = FIRST_MIRROR + self.classes.values().filter(|class| class.mirror.is_some()).count() as u64;
        let mirror = *self.classes.entry(java_name(class)).or_default().mirror.get_or_insert(next);
        self.mirror(mirror);
        if !self.roots.iter().any(|(object, _)| *object == mirror) {
            self.roots.push((mirror, RootKind::SystemClass));
        }
        mirror
    }

    fn mirror(&mut self, id: u64) {
        self.classes.entry(MIRROR.to_owned()).or_default();
        let facts = self.objects.entry(id).or_default();
        facts.class = Some(MIRROR.to_owned());
        facts.size.get_or_insert(0);
    }

    fn object(&mut self, object: Object<'_>) -> u64 {
        let facts = self.objects.entry(object.id).or_default();
        if let Some(class) = object.class {
            self.classes.entry(java_name(class)).or_default();
            facts.class = Some(java_name(class));
        }
        facts.size = object.size.or(facts.size);
        object.id
    }

    #[track_caller]
    pub(super) fn graph(self) -> Graph {
        let mut builder = GraphBuilder::default();
        let classes: BTreeMap<&str, ClassIndex> = self
            .classes
            .keys()
            .map(|name| (&**name, builder.class(Class { name: (&**name).into(), ..Class::default() })))
            .collect();
        let objects: BTreeMap<u64, ObjectIndex> = self
            .objects
            .iter()
            .map(|(&id, facts)| {
                let class = facts.class.as_deref().unwrap_or_else(|| panic!("object {id:x} has no class"));
                (id, builder.object(id, classes[class], facts.size.unwrap_or(16)))
            })
            .collect();
        for (name, facts) in &self.classes {
            let class = builder.class_mut(classes[&**name]);
            class.superclass = facts.extends.as_deref().map(|extends| classes[extends]);
            class.mirror = facts.mirror.map(|id| objects[&id]);
            class.loader = facts.loader.map(|id| objects[&id]);
        }
        for (from, told, to) in &self.references {
            let (from_object, to) = (objects[from], objects[to]);
            match self.edge_name(*from, told, &classes) {
                Ok(name) => {
                    let name = builder.name(name);
                    builder.edge(from_object, name, to);
                }
                Err(index) => builder.element(from_object, index, to),
            }
        }
        for (object, kind) in &self.roots {
            builder.root(objects[object], kind.clone());
        }
        self.off_heap.iter().for_each(|(buffer, bytes)| builder.off_heap(objects[buffer], *bytes));
        self.threads.iter().for_each(|(thread, name)| builder.thread(objects[thread], name));
        builder.finish().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The name of a reference, or the index of an element.
    #[track_caller]
    fn edge_name(
        &self,
        from: u64,
        told: &NamedEdge,
        classes: &BTreeMap<&str, ClassIndex>,
    ) -> Result<EdgeName, u32> {
        let class = self.objects[&from].class.as_deref().unwrap_or_default();
        let named = |name: &str| *classes.get(name).unwrap_or_else(|| panic!("no object is of class {name}"));
        Ok(match told {
            NamedEdge::Field(declaring, name) => EdgeName::Field {
                declaring: named(declaring.as_deref().unwrap_or(class)),
                name: (&**name).into(),
                strength: if name == "referent" { self.strength(class) } else { Strength::Strong },
            },
            NamedEdge::Static(type_name, name) => {
                let mirrored = self.classes.iter().find(|(_, facts)| facts.mirror == Some(from));
                let (declaring, _) = mirrored.unwrap_or_else(|| panic!("{from:x} is the mirror of no class"));
                let type_name = type_name.as_deref().map(Into::into);
                EdgeName::Static { declaring: named(declaring), name: (&**name).into(), type_name }
            }
            NamedEdge::Element(index) => return Err(*index),
            NamedEdge::Internal(name) => EdgeName::Internal((&**name).into()),
        })
    }

    /// How strong a class of references holds its referent.
    fn strength(&self, class: &str) -> Strength {
        let extends = |name: &&str| self.classes.get(*name)?.extends.as_deref();
        let supers = std::iter::successors(Some(class), extends).take(self.classes.len());
        referent_strength(supers)
    }
}

fn edge_of(by: Reference<'_>) -> NamedEdge {
    match by {
        Reference::Field { declaring, name } => NamedEdge::Field(declaring.map(java_name), name.to_owned()),
        Reference::Static(name) => NamedEdge::Static(None, name.to_owned()),
        Reference::Element(index) => NamedEdge::Element(index),
        Reference::Internal(name) => NamedEdge::Internal(name.to_owned()),
    }
}

/// A class's name as `Class.getName()` gives it, from one as written in Java: `int[]` is `[I`.
fn java_name(text: &str) -> String {
    let element = text.trim_end_matches("[]");
    let dimensions = (text.len() - element.len()) / 2;
    if dimensions == 0 {
        return text.to_owned();
    }
    let descriptor = match element {
        "boolean" => "Z".to_owned(),
        "byte" => "B".to_owned(),
        "char" => "C".to_owned(),
        "double" => "D".to_owned(),
        "float" => "F".to_owned(),
        "int" => "I".to_owned(),
        "long" => "J".to_owned(),
        "short" => "S".to_owned(),
        class => format!("L{class};"),
    };
    "[".repeat(dimensions) + &descriptor
}
