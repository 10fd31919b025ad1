//! A graph told to the encoder, in the order of a walk along references: a dump as if the agent had walked.
//!
//! For graphs of hprof files: what these do not tell, interfaces, types of static fields and slots of local variables, is not
//! in the dump either. Not here: the texts of strings, which no graph has.

use rustc_hash::FxHashMap;

use super::encoder::Encoder;
use super::facts::{ClassFacts, Facts, FieldFacts, FrameFacts, Number, Reference, RootReference};
use super::frame::OFF_HEAP;
use crate::edge::EdgeName;
use crate::error::HeapError;
use crate::graph::{Class, ELEMENT, Graph};
use crate::index::{ClassIndex, ObjectIndex};
use crate::root::{RootFrame, RootKind};

/// A dump in the making. Takes 4 bytes per object, and as much for each that waits to be gone through.
pub(crate) struct Writer<'g, 's, E> {
    graph: &'g Graph,
    encoder: Encoder,
    sink: &'s mut dyn FnMut(&[u8]) -> Result<(), E>,
    /// By label; none for what the reader knows by itself.
    references: Vec<Option<Reference>>,
    /// Of each object, if it was told.
    numbers: Vec<Number>,
    /// Told, and what they refer to is not.
    open: Vec<ObjectIndex>,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Objects.
    pub objects: u64,
    /// References between them.
    pub references: u64,
}

impl<'g, 's, E: From<HeapError>> Writer<'g, 's, E> {
    /// Tells all of a graph.
    ///
    /// # Errors
    /// The sink's.
    pub(crate) fn with_graph(
        graph: &'g Graph,
        facts: &Facts,
        sink: &'s mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let fields = Fields::from_graph(graph);
        let mut writer = Self {
            graph,
            encoder: Encoder::new(facts),
            sink,
            references: graph.names.iter().map(|name| fields.reference(name)).collect(),
            numbers: vec![Number::NONE; graph.len()],
            open: Vec::new(),
        };
        writer.classes(&fields)?;
        writer.roots()?;
        for object in graph.objects() {
            // What only the JVM refers to in a way that is not in the file comes last.
            writer.number(object);
            writer.follow()?;
        }
        for (object, bytes) in graph.buffers() {
            let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
            writer.encoder.value(writer.numbers[object.0 as usize], OFF_HEAP, bytes);
        }
        Ok(writer)
    }

    /// The text of a string of the graph.
    ///
    /// # Errors
    /// The sink's.
    pub(crate) fn text(&mut self, string: ObjectIndex, units: &[u16]) -> Result<(), E> {
        self.encoder.text(self.numbers[string.0 as usize], units);
        self.flush()
    }

    /// Ends the dump.
    ///
    /// # Errors
    /// The sink's; [`HeapError::TooLarge`].
    pub(crate) fn finish(self) -> Result<Written, E> {
        let (objects, references) = (u64::from(self.encoder.newest().0), self.encoder.edges());
        let rest = self.encoder.finish().map_err(|_| HeapError::from(crate::builder::TooLarge))?;
        (self.sink)(&rest)?;
        Ok(Written { objects, references })
    }

    /// Classes in their order, so that their numbers are known before; then their loaders, for the same reason.
    fn classes(&mut self, fields: &Fields<'g>) -> Result<(), E> {
        for (class, facts) in self.graph.classes() {
            if let Some(mirror) = facts.mirror {
                self.numbers[mirror.0 as usize] = number_of(class);
                self.open.push(mirror);
            }
        }
        let mut next = self.graph.classes().len() as u32;
        let mut loaders = Vec::new();
        for loader in self.graph.classes().filter_map(|(_, facts)| facts.loader) {
            let number = &mut self.numbers[loader.0 as usize];
            if *number == Number::NONE {
                next += 1;
                *number = Number(next);
                loaders.push(loader);
            }
        }
        for (class, facts) in self.graph.classes() {
            self.class(facts, fields.of(class));
            self.flush()?;
        }
        for loader in loaders {
            self.encoder.object(number_of(self.graph.class_of(loader)), self.graph.size(loader));
            self.open.push(loader);
        }
        Ok(())
    }

    fn class(&mut self, class: &Class, fields: &[Field<'g>]) {
        let field =
            |field: &Field<'g>| FieldFacts { name: field.name, descriptor: "", is_static: field.is_static };
        let facts = ClassFacts {
            name: &class.name,
            loader: class.loader.map_or(Number::NONE, |loader| self.numbers[loader.0 as usize]),
            superclass: class.superclass.map_or(Number::NONE, number_of),
            fields: &fields.iter().map(field).collect::<Vec<_>>(),
            mirror_size: class.mirror.map_or(0, |mirror| self.graph.size(mirror)),
            ..ClassFacts::default()
        };
        self.encoder.class(&facts);
    }

    fn roots(&mut self) -> Result<(), E> {
        let (mut threads, mut methods) = (Named::default(), Named::default());
        let mut frame = |frame: &'g RootFrame| FrameFacts {
            thread: threads.id(frame.thread.as_deref()),
            depth: 0,
            method: methods.id(frame.method.as_deref()),
        };
        for root in &self.graph.roots {
            let told = match &root.kind {
                RootKind::SystemClass => RootReference::SystemClass,
                // So the reader calls a class that can be unloaded, and is held as one of the JVM's.
                RootKind::Other(words) if &**words == "system class" => RootReference::SystemClass,
                RootKind::JniGlobal => RootReference::JniGlobal,
                RootKind::JniLocal(at) => RootReference::JniLocal(frame(at)),
                RootKind::StackLocal(at) => {
                    RootReference::StackLocal { frame: frame(at), slot: at.slot.unwrap_or(-1) }
                }
                RootKind::Monitor => RootReference::Monitor,
                RootKind::Thread => RootReference::Thread,
                RootKind::Other(_) => RootReference::Other,
            };
            let number = self.number(root.object);
            self.encoder.root(told, number);
            self.flush()?;
        }
        for (id, name) in threads.all() {
            self.encoder.thread(id, Number::NONE, name);
        }
        for (id, name) in methods.all() {
            let (class, method) = name.rsplit_once('.').unwrap_or(("", name));
            self.encoder.method(id, class, method);
        }
        Ok(())
    }

    /// Tells what the objects that wait refer to, and what that refers to.
    fn follow(&mut self) -> Result<(), E> {
        while let Some(object) = self.open.pop() {
            let from = self.numbers[object.0 as usize];
            for place in self.graph.edge_places(object) {
                let Some(reference) = self.reference(self.graph.label(place)) else { continue };
                let to = self.number(self.graph.target(place));
                self.encoder.edge(from, reference, to);
                self.flush()?;
            }
        }
        Ok(())
    }

    #[inline]
    fn reference(&self, label: u32) -> Option<Reference> {
        if label & ELEMENT != 0 {
            return Some(Reference::Element(label & !ELEMENT));
        }
        self.references.get(label as usize).copied().flatten()
    }

    /// The number of an object; one that is new is told.
    #[inline]
    fn number(&mut self, object: ObjectIndex) -> Number {
        let told = self.numbers[object.0 as usize];
        if told != Number::NONE {
            return told;
        }
        let number = self.encoder.object(number_of(self.graph.class_of(object)), self.graph.size(object));
        self.numbers[object.0 as usize] = number;
        self.open.push(object);
        number
    }

    #[inline]
    fn flush(&mut self) -> Result<(), E> {
        if !self.encoder.closed().is_empty() {
            (self.sink)(self.encoder.closed())?;
            self.encoder.clear_closed();
        }
        Ok(())
    }
}

fn number_of(class: ClassIndex) -> Number {
    Number(class.0 + 1)
}

/// The fields of each class, as far as anything refers by them.
struct Fields<'g> {
    of_class: Vec<Vec<Field<'g>>>,
    /// How many the superclasses of each class have.
    inherited: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Field<'g> {
    name: &'g str,
    is_static: bool,
}

impl<'g> Fields<'g> {
    fn from_graph(graph: &'g Graph) -> Self {
        let mut of_class: Vec<Vec<Field<'g>>> = vec![Vec::new(); graph.classes().len()];
        for name in &graph.names {
            // A referent has a name for each strength.
            if let Some((declaring, field)) = field(name)
                && !of_class[declaring.0 as usize].contains(&field)
            {
                of_class[declaring.0 as usize].push(field);
            }
        }
        let mut fields = Self { inherited: vec![0; of_class.len()], of_class };
        fields.count_inherited(graph);
        fields
    }

    /// Superclasses first, each class once, also if a broken file has a circle.
    fn count_inherited(&mut self, graph: &Graph) {
        let mut counted = vec![false; self.of_class.len()];
        for (class, _) in graph.classes() {
            let mut chain = Vec::new();
            let mut next = Some(class);
            while let Some(class) =
                next.filter(|class| !std::mem::replace(&mut counted[class.0 as usize], true))
            {
                chain.push(class);
                next = graph.class(class).superclass;
            }
            for class in chain.into_iter().rev() {
                let above = graph.class(class).superclass.map_or(0, |above| {
                    self.inherited[above.0 as usize] + self.of_class[above.0 as usize].len() as u32
                });
                self.inherited[class.0 as usize] = above;
            }
        }
    }

    fn of(&self, class: ClassIndex) -> &[Field<'g>] {
        &self.of_class[class.0 as usize]
    }

    /// How a name is told; none for what the reader adds by itself.
    fn reference(&self, name: &'g EdgeName) -> Option<Reference> {
        let index = |(declaring, field): (ClassIndex, Field<'g>)| {
            let own = self.of(declaring).iter().position(|other| *other == field).unwrap_or(0);
            self.inherited[declaring.0 as usize] + own as u32
        };
        match name {
            EdgeName::Field { .. } => field(name).map(index).map(Reference::Field),
            EdgeName::Static { .. } => field(name).map(index).map(Reference::StaticField),
            EdgeName::Element => Some(Reference::Element(0)),
            EdgeName::Internal(name) => match &**name {
                "class" | "loader" => None,
                "superclass" => Some(Reference::Superclass),
                "signers" => Some(Reference::Signers),
                "protection domain" => Some(Reference::ProtectionDomain),
                "interface" => Some(Reference::Interface),
                // hprof has resolved constants, and locks of initialisation, by names of their own.
                _ => Some(Reference::Constant),
            },
        }
    }
}

fn field(name: &EdgeName) -> Option<(ClassIndex, Field<'_>)> {
    let is_static = matches!(name, EdgeName::Static { .. });
    name.field().map(|(declaring, name)| (declaring, Field { name, is_static }))
}

/// Names by number, from 1 on.
#[derive(Default)]
struct Named<'g> {
    ids: FxHashMap<&'g str, u64>,
    names: Vec<&'g str>,
}

impl<'g> Named<'g> {
    /// 0 for what has no name.
    fn id(&mut self, name: Option<&'g str>) -> u64 {
        let Some(name) = name else { return 0 };
        *self.ids.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() as u64
        })
    }

    fn all(&self) -> impl Iterator<Item = (u64, &'g str)> {
        (1..).zip(self.names.iter().copied())
    }
}
