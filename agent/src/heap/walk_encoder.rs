//! What the walk meets, told to the encoder. Runs at a safepoint, some hundred million times a minute.

use std::cell::Cell;
use std::io;

use mayfly_heap::dump::{Encoder, FrameFacts, Number, Reference as Edge, RootReference};
use mayfly_jvmti::{HeapVisitor, Reference, ReferenceKind, StackSlot, StringText, Visit};
use rustc_hash::{FxHashMap, FxHashSet};

use super::error::HeapError;
use super::identities::Identities;
use super::own::OwnRoots;

/// Threads and methods remembered at most, to be named: memory stays bounded, further ones have no name.
const MOST_NAMES: usize = 100_000;

/// Tells the encoder, and hands on what it has encoded.
pub(super) struct WalkEncoder<S> {
    encoder: Encoder,
    sink: S,
    failed: Option<io::Error>,
    /// What is not told as a root.
    pub(super) own: OwnRoots,
    /// What tags mean.
    pub(super) identities: Identities,
    references: u64,
    /// The class of buffers whose memory is not in the heap; [`Number::NONE`] if it is not loaded.
    pub(super) buffer_class: Number,
    /// How many of these were met.
    pub(super) buffers: u64,
    /// Methods of stacks.
    pub(super) methods: FxHashSet<u64>,
    /// Threads of stacks, by id, with their tags.
    pub(super) threads: FxHashMap<i64, i64>,
}

/// What the walk met in all.
pub(super) struct Walked {
    pub(super) objects: u64,
    pub(super) references: u64,
}

impl<S: FnMut(&[u8]) -> io::Result<()>> WalkEncoder<S> {
    pub(super) fn new(encoder: Encoder, sink: S, own: OwnRoots) -> Self {
        Self {
            encoder,
            sink,
            failed: None,
            own,
            identities: Identities::default(),
            references: 0,
            buffer_class: Number::NONE,
            buffers: 0,
            methods: FxHashSet::default(),
            threads: FxHashMap::default(),
        }
    }

    /// Tells something outside of the walk.
    ///
    /// # Errors
    /// The sink's.
    pub(super) fn encode<R>(&mut self, encode: impl FnOnce(&mut Encoder) -> R) -> Result<R, HeapError> {
        let encoded = encode(&mut self.encoder);
        self.flush();
        match self.failed.take() {
            Some(error) => Err(HeapError::Sink(error)),
            None => Ok(encoded),
        }
    }

    /// Hands on the rest.
    ///
    /// # Errors
    /// The sink's, now or before; or there were too many objects.
    pub(super) fn finish(mut self) -> Result<Walked, HeapError> {
        if let Some(error) = self.failed {
            return Err(HeapError::Sink(error));
        }
        let objects = u64::from(self.encoder.newest().0);
        let rest = self.encoder.finish().map_err(|_| HeapError::TooManyObjects)?;
        (self.sink)(&rest).map_err(HeapError::Sink)?;
        Ok(Walked { objects, references: self.references })
    }

    /// Hands whole frames on; whether all is well.
    #[inline]
    fn flush(&mut self) -> bool {
        if !self.encoder.closed().is_empty() {
            self.hand_on();
        }
        self.failed.is_none()
    }

    #[cold]
    fn hand_on(&mut self) {
        if self.failed.is_none() {
            self.failed = (self.sink)(self.encoder.closed()).err();
        }
        self.encoder.clear_closed();
    }

    /// The number of the object referred to; one that is new is told.
    #[inline]
    fn number(&mut self, reference: &Reference<'_>) -> Number {
        match self.number_of(reference.tag.get()) {
            Number::NONE => self.new_object(reference.tag, reference.class_tag, reference.size),
            number => number,
        }
    }

    #[inline]
    fn new_object(&mut self, tag: &Cell<i64>, class_tag: i64, size: u64) -> Number {
        if let Some(identity) = self.identities.identity(tag.get()) {
            self.encoder.identity(identity);
        }
        let class = self.number_of(class_tag);
        self.buffers += u64::from(class == self.buffer_class && class != Number::NONE);
        let number = self.encoder.object(class, size);
        let wanted = self.identities.tag(tag.get(), number);
        if wanted != tag.get() {
            tag.set(wanted);
        }
        number
    }

    /// The number of what has a tag.
    #[inline]
    pub(super) fn number_of(&self, tag: i64) -> Number {
        self.identities.number(tag)
    }

    fn root(&mut self, root: RootReference, reference: &Reference<'_>) {
        let number = self.number(reference);
        self.encoder.root(root, number);
    }

    /// What our own calls hold: no root, but what is asked about may be in it.
    fn pass_over(&mut self, reference: &Reference<'_>) -> Visit {
        if !self.own.encoded {
            return Visit::Skip;
        }
        self.number(reference);
        if self.flush() { Visit::Continue } else { Visit::Stop }
    }

    fn frame(&mut self, slot: &StackSlot) -> FrameFacts {
        if self.methods.len() < MOST_NAMES && slot.method != 0 {
            self.methods.insert(slot.method);
        }
        if self.threads.len() < MOST_NAMES {
            self.threads.insert(slot.thread_id, slot.thread_tag);
        }
        FrameFacts {
            thread: slot.thread_id as u64,
            depth: u32::try_from(slot.depth).unwrap_or(0),
            method: slot.method,
        }
    }

    #[inline]
    fn edge(&mut self, edge: Edge, reference: &Reference<'_>) {
        let Some(from) = reference.referrer_tag else { return };
        let from = match self.number_of(from.get()) {
            // It was never referred to: its size is not known.
            Number::NONE => self.new_object(from, reference.referrer_class_tag, 0),
            number => number,
        };
        let to = self.number(reference);
        self.references += 1;
        self.encoder.edge(from, edge, to);
    }
}

impl<S: FnMut(&[u8]) -> io::Result<()> + Send> HeapVisitor for WalkEncoder<S> {
    fn reference(&mut self, reference: &Reference<'_>) -> Visit {
        use ReferenceKind as Kind;
        match reference.kind {
            // Told before, unless it was loaded after all classes were tagged: then the walk meets it here, and goes through it.
            Kind::Class => {
                self.number(reference);
            }
            Kind::Field(index) => self.edge(Edge::Field(index), reference),
            Kind::Element(index) => self.edge(Edge::Element(index), reference),
            Kind::ClassLoader => self.edge(Edge::ClassLoader, reference),
            Kind::Signers => self.edge(Edge::Signers, reference),
            Kind::ProtectionDomain => self.edge(Edge::ProtectionDomain, reference),
            Kind::Interface => self.edge(Edge::Interface, reference),
            Kind::StaticField(index) => self.edge(Edge::StaticField(index), reference),
            Kind::ConstantPool(_) => self.edge(Edge::Constant, reference),
            Kind::Superclass => self.edge(Edge::Superclass, reference),
            Kind::JniGlobal => self.root(RootReference::JniGlobal, reference),
            Kind::SystemClass => self.root(RootReference::SystemClass, reference),
            Kind::Monitor => self.root(RootReference::Monitor, reference),
            Kind::StackLocal(slot) if self.own.has_local(&slot) => return self.pass_over(reference),
            Kind::StackLocal(slot) if self.own.has_in_hand(&slot, reference.tag.get()) => {}
            Kind::StackLocal(slot) => {
                let frame = self.frame(&slot);
                self.root(RootReference::StackLocal { frame, slot: slot.slot }, reference);
            }
            Kind::JniLocal(slot) if self.own.has_jni_local(&slot) => return self.pass_over(reference),
            Kind::JniLocal(slot) => {
                let frame = self.frame(&slot);
                self.root(RootReference::JniLocal(frame), reference);
            }
            Kind::Thread => self.root(RootReference::Thread, reference),
            Kind::Other | Kind::Unknown(_) => self.root(RootReference::Other, reference),
        }
        if self.flush() { Visit::Continue } else { Visit::Stop }
    }

    fn text(&mut self, text: &StringText<'_>) -> Visit {
        let string = self.number_of(text.tag);
        if string != Number::NONE {
            self.encoder.text(string, text.units);
        }
        if self.flush() { Visit::Continue } else { Visit::Stop }
    }
}

#[cfg(test)]
mod tests {
    use mayfly_heap::dump::{ClassFacts, Facts, read};

    use super::*;

    const ROOT: ReferenceKind = ReferenceKind::JniGlobal;

    fn reference<'walk>(
        kind: ReferenceKind,
        class_tag: i64,
        referrer_tag: Option<&'walk Cell<i64>>,
        tag: &'walk Cell<i64>,
    ) -> Reference<'walk> {
        let length = None;
        Reference { kind, class_tag, referrer_class_tag: 0, size: 16, tag, referrer_tag, length }
    }

    /// A class that is loaded between the tagging and the walk has no tag: neither it nor what is of it has a number yet.
    #[test]
    fn a_class_loaded_after_all_were_told_leaves_the_dump_whole() {
        let mut bytes = Vec::new();
        let sink = |chunk: &[u8]| {
            bytes.extend_from_slice(chunk);
            Ok(())
        };
        let mut encoder = WalkEncoder::new(Encoder::new(&Facts::default()), sink, OwnRoots::default());
        let class = |name| ClassFacts { name, ..ClassFacts::default() };
        for name in ["java.lang.Class", "my.Known"] {
            encoder.encode(|encoder| encoder.class(&class(name))).expect("told");
        }
        let [known, late, late_class, held, unmet] = [0; 5].map(Cell::new);
        for met in [
            reference(ROOT, 2, None, &known),
            reference(ReferenceKind::Field(0), 0, Some(&known), &late),
            reference(ReferenceKind::Class, 1, Some(&late), &late_class),
            reference(ReferenceKind::StaticField(0), 2, Some(&late_class), &held),
            reference(ReferenceKind::Field(0), 2, Some(&unmet), &held),
        ] {
            assert_eq!(encoder.reference(&met), Visit::Continue);
        }
        encoder.finish().expect("whole");
        let (_, graph) = read(&bytes, &mut |_, _| {}).expect("readable");
        let names: Vec<_> = graph.objects().map(|at| &*graph.class(graph.class_of(at)).name).collect();
        let unknown = "(class not known)";
        let class = "java.lang.Class";
        assert_eq!(names, [class, class, "my.Known", unknown, class, "my.Known", unknown]);
    }
}
