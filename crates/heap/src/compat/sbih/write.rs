//! A graph in the binary form. What is left out is what XML leaves out, and texts.
//!
//! Classes stand in the order of their first object, names of references in that of their first use, those of static fields
//! before all others. INSANE's own converter had the order of its hash table for objects; no reader depends on it.

use rustc_hash::FxHashMap;

use super::layout::{HEADER, MAGIC, OBJECT, OF_INSTANCES};
use crate::compat::xml::{Mirrors, field_text};
use crate::edge::{Edge, EdgeName};
use crate::error::HeapError;
use crate::graph::Graph;
use crate::index::ObjectIndex;
use crate::offsets::Offsets;

/// The file is given out in pieces of about this size.
const PIECE: usize = 64 << 10;

/// Writes a graph.
///
/// # Errors
/// [`HeapError::Unfit`] if it would not end before 2 GiB, or an object is larger; those of `sink`.
pub fn write<E: From<HeapError>>(
    graph: &Graph,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let tables = Tables::of(graph);
    let positions = Positions::of(&tables)?;
    let mut out = Out { bytes: MAGIC.to_vec(), sink };
    out.ints(&[positions.refs, positions.objects])?;
    for class in &tables.classes {
        out.string(&class.name)?;
        out.ints(&[class.objects.len() as i32])?;
        for &object in &class.objects {
            out.ints(&[positions.object[object]])?;
        }
    }
    for name in &tables.names {
        out.string(&name.text)?;
        out.ints(&[name.to.map_or(OF_INSTANCES, |object| positions.object[object])])?;
    }
    let mut outgoing = tables.outgoing.iter();
    for (number, object) in tables.objects.iter().enumerate() {
        let incoming = &tables.incoming[tables.starts.range(number as u32)];
        let size = i32::try_from(object.size).map_err(|_| HeapError::Unfit)?;
        out.ints(&[positions.class[object.class], size, object.out as i32, incoming.len() as i32])?;
        for &(name, to) in outgoing.by_ref().take(object.out) {
            out.ints(&[positions.name[name as usize], positions.object[to as usize]])?;
        }
        for &(name, from) in incoming {
            let from = if from == NOTHING { 0 } else { positions.object[from as usize] };
            out.ints(&[positions.name[name as usize], from])?;
        }
    }
    out.flush()
}

/// Stands for no object in references of static fields.
const NOTHING: u32 = u32::MAX;

/// What is to be written, by number. Objects are numbered anew, as `java.lang.Class`es are none here.
#[derive(Default)]
struct Tables {
    classes: Vec<ClassType>,
    names: Vec<RefType>,
    objects: Vec<Object>,
    /// Name and object referred to, in the order of the objects that refer.
    outgoing: Vec<(u32, u32)>,
    /// Where the references to each object are in `incoming`.
    starts: Offsets,
    /// Name and referring object.
    incoming: Vec<(u32, u32)>,
}

struct ClassType {
    name: Box<str>,
    objects: Vec<usize>,
}

struct RefType {
    text: String,
    to: Option<usize>,
}

struct Object {
    class: usize,
    size: u64,
    out: usize,
}

impl Tables {
    fn of(graph: &Graph) -> Self {
        let mut tables = Self::default();
        let mirrors = Mirrors::new(graph);
        let numbers = tables.take_objects(graph, &mirrors);
        let mut names =
            Names { tables: &mut tables, by_text: FxHashMap::default(), known: FxHashMap::default() };
        let mut statics = Vec::new();
        for object in graph.objects() {
            for edge in graph.edges(object).filter(|edge| matches!(edge.name, EdgeName::Static { .. })) {
                let Some(to) = numbers[edge.to.0 as usize] else { continue };
                let Some(name) = names.number(graph, &edge, Some(to as usize)) else { continue };
                statics.push((name, to));
            }
        }
        for object in graph.objects() {
            let Some(from) = numbers[object.0 as usize] else { continue };
            for edge in graph.edges(object).filter(|edge| !matches!(edge.name, EdgeName::Static { .. })) {
                let Some(to) = numbers[edge.to.0 as usize] else { continue };
                let Some(name) = names.number(graph, &edge, None) else { continue };
                names.tables.outgoing.push((name, to));
                names.tables.objects[from as usize].out += 1;
            }
        }
        tables.turn_round(&statics);
        tables
    }

    /// Objects and their classes; the new number of each object.
    fn take_objects(&mut self, graph: &Graph, mirrors: &Mirrors) -> Vec<Option<u32>> {
        let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
        let mut number = |object: ObjectIndex| {
            if mirrors.has(object) {
                return None;
            }
            let name = &graph.class(graph.class_of(object)).name;
            let class = *by_name.entry(name).or_insert_with(|| {
                self.classes.push(ClassType { name: name.clone(), objects: Vec::new() });
                self.classes.len() - 1
            });
            self.classes[class].objects.push(self.objects.len());
            self.objects.push(Object { class, size: graph.size(object), out: 0 });
            Some(self.objects.len() as u32 - 1)
        };
        graph.objects().map(&mut number).collect()
    }

    /// Groups all references by the object referred to.
    fn turn_round(&mut self, statics: &[(u32, u32)]) {
        let mut lengths = vec![0; self.objects.len()];
        for &(_, to) in statics.iter().chain(&self.outgoing) {
            lengths[to as usize] += 1;
        }
        self.starts = Offsets::from_lengths(lengths);
        self.incoming = vec![(0, 0); statics.len() + self.outgoing.len()];
        for &(name, to) in statics {
            self.incoming[self.starts.take(to, 1)] = (name, NOTHING);
        }
        let mut outgoing = self.outgoing.iter();
        for (from, object) in self.objects.iter().enumerate() {
            for &(name, to) in outgoing.by_ref().take(object.out) {
                self.incoming[self.starts.take(to, 1)] = (name, from as u32);
            }
        }
        self.starts.settle();
    }
}

/// Numbers of names, which are tables apart by their text alone.
struct Names<'t, 'g> {
    tables: &'t mut Tables,
    by_text: FxHashMap<String, u32>,
    known: FxHashMap<(&'g EdgeName, Option<u32>), u32>,
}

impl<'g> Names<'_, 'g> {
    /// The number of a reference's name; `to` is what a static field refers to. None if it has no name.
    fn number(&mut self, graph: &'g Graph, edge: &Edge<'g>, to: Option<usize>) -> Option<u32> {
        if let Some(&number) = self.known.get(&(edge.name, edge.index)) {
            return Some(number);
        }
        let text = field_text(graph, edge.name, edge.index)?;
        let names = &mut self.tables.names;
        let number = *self.by_text.entry(text).or_insert_with_key(|text| {
            names.push(RefType { text: text.clone(), to });
            names.len() as u32 - 1
        });
        self.known.insert((edge.name, edge.index), number);
        Some(number)
    }
}

/// Where everything comes to lie.
struct Positions {
    class: Vec<i32>,
    name: Vec<i32>,
    object: Vec<i32>,
    refs: i32,
    objects: i32,
}

impl Positions {
    fn of(tables: &Tables) -> Result<Self, HeapError> {
        let mut at = Position(HEADER as u64);
        let classes = tables.classes.iter();
        let class = classes
            .map(|class| at.take(8 + class.name.len() + 4 * class.objects.len()))
            .collect::<Result<_, _>>()?;
        let refs = at.take(0)?;
        let name = tables.names.iter().map(|name| at.take(8 + name.text.len())).collect::<Result<_, _>>()?;
        let objects = at.take(0)?;
        let references =
            |number: usize, object: &Object| object.out + tables.starts.range(number as u32).len();
        let all = tables.objects.iter().enumerate();
        let object = all
            .map(|(number, object)| at.take(OBJECT + 8 * references(number, object)))
            .collect::<Result<_, _>>()?;
        at.take(0)?;
        Ok(Self { class, name, object, refs, objects })
    }
}

/// The next free byte.
struct Position(u64);

impl Position {
    /// Where something of a length begins.
    fn take(&mut self, length: usize) -> Result<i32, HeapError> {
        let begin = i32::try_from(self.0).map_err(|_| HeapError::Unfit)?;
        self.0 += length as u64;
        Ok(begin)
    }
}

struct Out<'s, E> {
    bytes: Vec<u8>,
    sink: &'s mut dyn FnMut(&[u8]) -> Result<(), E>,
}

impl<E> Out<'_, E> {
    fn ints(&mut self, numbers: &[i32]) -> Result<(), E> {
        numbers.iter().for_each(|number| self.bytes.extend_from_slice(&number.to_be_bytes()));
        if self.bytes.len() < PIECE { Ok(()) } else { self.flush() }
    }

    fn string(&mut self, text: &str) -> Result<(), E> {
        self.bytes.extend_from_slice(&(text.len() as i32).to_be_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn flush(&mut self) -> Result<(), E> {
        (self.sink)(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}
