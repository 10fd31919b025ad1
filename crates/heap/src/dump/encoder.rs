//! What a walk tells, to bytes.
//!
//! Called for every object and reference of a heap while the whole JVM is paused: no allocation but of its buffer,
//! no look-up, no I/O. Not here: where the bytes go.

use super::facts::{ClassFacts, Facts, FrameFacts, Number, Reference, RootReference};
use super::frame::{
    FRAME_HEAD_LEN, KIND_FACTS, KIND_RECORDS, KIND_TOTALS, KIND_VALUES, file_header, frame_head,
};
use super::record::{INLINE_MAX, Op, internal_kind, root_kind};
use super::varint::{fold, put};

/// A frame is closed when it has so many bytes.
const FRAME_SIZE: usize = 64 << 10;

/// Turns what a walk tells into the bytes of a heap dump.
///
/// Order: all classes; then objects, references, roots and texts as the walk meets them, each object before
/// it is named by anything but a class; then threads and methods; then [`Self::finish`]. A reference's object must have been told: by
/// [`Self::object`], or as a class. References of one object should come together.
///
/// Bytes gather in a buffer: take the whole frames of it by [`Self::closed`] and [`Self::clear_closed`] as they
/// come (some 64 KiB at a time), or everything at the end.
#[derive(Debug)]
pub struct Encoder {
    /// Closed frames, and the frame being filled, with room for its head.
    out: Vec<u8>,
    /// Where the frame being filled begins.
    open: usize,
    /// Number of the last object told.
    newest: u32,
    /// What the walk calls the last object told.
    identity: u64,
    classes: u32,
    from: u32,
    to: u32,
    /// One after the last element told of `from`.
    element: u32,
    edges: u64,
    roots: u64,
    texts: u64,
    text_limit: u32,
    /// Payload of the frame of values.
    values: Vec<u8>,
    too_many: bool,
}

impl Encoder {
    /// An encoder at the start of a dump.
    pub fn new(facts: &Facts) -> Self {
        let mut out = Vec::with_capacity(2 * FRAME_SIZE);
        out.extend_from_slice(&file_header());
        let mut payload = Vec::new();
        put(&mut payload, u64::from(facts.pid));
        put(&mut payload, facts.taken_at_ms);
        put_text(&mut payload, &facts.jvm_version);
        put_text(&mut payload, &facts.collector);
        put(&mut payload, facts.text_limit.map_or(0, |limit| u64::from(limit) + 1));
        out.extend_from_slice(&frame_head(KIND_FACTS, &payload));
        out.extend_from_slice(&payload);
        let mut encoder = Self {
            open: out.len(),
            out,
            newest: 0,
            identity: 0,
            classes: 0,
            from: 0,
            to: 0,
            element: 0,
            edges: 0,
            roots: 0,
            texts: 0,
            text_limit: facts.text_limit.unwrap_or(0),
            values: Vec::new(),
            too_many: false,
        };
        encoder.begin_frame();
        encoder
    }

    /// What the walk calls the next class or object, above 0: the same in each walk that it is met in. Without, it is one more than
    /// the last one's.
    pub fn identity(&mut self, identity: u64) {
        if identity != self.identity.wrapping_add(1) {
            self.op(Op::Identity, 0);
            put(&mut self.out, identity);
            self.identity = identity.wrapping_sub(1);
            self.end_record();
        }
    }

    /// Tells a class. Its number is that of its `java.lang.Class`: 1 for the first. All classes come before all other
    /// objects.
    pub fn class(&mut self, class: &ClassFacts<'_>) -> Number {
        debug_assert_eq!(self.newest, self.classes, "classes come before objects");
        self.classes = self.classes.saturating_add(1);
        self.op(Op::Class, u64::from(class.is_interface));
        let out = &mut self.out;
        put_text(out, class.name);
        put(out, u64::from(class.loader.0));
        put(out, u64::from(class.superclass.0));
        put(out, class.mirror_size);
        put(out, class.interfaces.len() as u64);
        class.interfaces.iter().for_each(|interface| put(out, u64::from(interface.0)));
        put(out, class.fields.len() as u64);
        for field in class.fields {
            out.push(u8::from(field.is_static));
            put_text(out, field.name);
            put_text(out, field.descriptor);
        }
        self.end_record();
        self.next_number()
    }

    /// Tells an object when it is first met: the number of its class ([`Number::NONE`] if not known), and its shallow size in
    /// bytes. Its number is the next one. A class that was loaded after all classes were told is an object like others: what
    /// is of it is told to be of a class that is not known.
    #[inline]
    pub fn object(&mut self, class: Number, size: u64) -> Number {
        let class = if class.0 <= self.classes { class } else { Number::NONE };
        // Sizes are multiples of 8 on every HotSpot; anything else takes the long form.
        let units = if size.is_multiple_of(8) { size / 8 } else { 0 };
        if units != 0 && units < INLINE_MAX {
            self.op(Op::Object, units);
        } else {
            self.op(Op::Object, 0);
            put(&mut self.out, size);
        }
        put(&mut self.out, u64::from(class.0));
        self.end_record();
        self.next_number()
    }

    /// Tells a reference between two objects told before.
    #[inline]
    pub fn edge(&mut self, from: Number, reference: Reference, to: Number) {
        let (op, label) = match reference {
            Reference::Field(index) => (Op::Field, index),
            Reference::StaticField(index) => (Op::StaticField, index),
            Reference::Element(index) => {
                if from.0 != self.from {
                    self.element = 0;
                }
                let gap = index.wrapping_sub(self.element);
                self.element = index.wrapping_add(1);
                (Op::Element, gap)
            }
            other => (Op::Internal, internal_kind(other)),
        };
        if from.0 != self.from {
            self.op(Op::From, u64::from(self.newest.wrapping_sub(from.0)));
            self.from = from.0;
            if !matches!(reference, Reference::Element(_)) {
                self.element = 0;
            }
        }
        self.edges += 1;
        if to.0 == self.newest {
            self.op(op.to_newest(), u64::from(label));
            self.to = to.0;
        } else {
            self.op(op, u64::from(label));
            self.put_to(to);
        }
        self.end_record();
    }

    /// Tells that an object told before is kept from outside the heap.
    pub fn root(&mut self, root: RootReference, to: Number) {
        self.roots += 1;
        self.op(Op::Root, root_kind(root));
        self.put_to(to);
        match root {
            RootReference::StackLocal { frame, slot } => {
                self.put_frame(frame);
                put(&mut self.out, fold(i64::from(slot)));
            }
            RootReference::JniLocal(frame) => self.put_frame(frame),
            _ => {}
        }
        self.end_record();
    }

    /// Tells the text of a `java.lang.String` told before, in UTF-16 units. Beyond the limit of the facts it is cut off.
    pub fn text(&mut self, string: Number, text: &[u16]) {
        let kept = &text[..text.len().min(self.text_limit as usize)];
        let wide = kept.iter().any(|&unit| unit > 0xff);
        self.texts += 1;
        self.op(Op::Text, u64::from(wide));
        put(&mut self.out, u64::from(self.newest.wrapping_sub(string.0)));
        put(&mut self.out, text.len() as u64);
        if wide {
            kept.iter().for_each(|unit| self.out.extend_from_slice(&unit.to_le_bytes()));
        } else {
            self.out.extend(kept.iter().map(|&unit| unit as u8));
        }
        self.end_record();
    }

    /// Names a thread: `Thread.getId()`, its object if it was told, its name.
    pub fn thread(&mut self, id: u64, object: Number, name: &str) {
        self.op(Op::Thread, 0);
        put(&mut self.out, id);
        put(&mut self.out, u64::from(object.0));
        put_text(&mut self.out, name);
        self.end_record();
    }

    /// Names a method that a root mentioned: the JVM's id of it, its class as `Class.getName()` gives it, its name.
    pub fn method(&mut self, id: u64, class: &str, name: &str) {
        self.op(Op::Method, 0);
        put(&mut self.out, id);
        put_text(&mut self.out, class);
        put_text(&mut self.out, name);
        self.end_record();
    }

    /// Tells the value of a field of an object that was told, by JVMTI's index of the field.
    pub fn value(&mut self, object: Number, field: u32, value: i32) {
        put(&mut self.values, u64::from(object.0));
        put(&mut self.values, u64::from(field));
        put(&mut self.values, fold(i64::from(value)));
    }

    /// Number of the last object told.
    pub fn newest(&self) -> Number {
        Number(self.newest)
    }

    /// References told so far.
    pub(crate) fn edges(&self) -> u64 {
        self.edges
    }

    /// The bytes that can be written away: whole frames. Empty until there are some 64 KiB.
    #[inline]
    pub fn closed(&self) -> &[u8] {
        &self.out[..self.open]
    }

    /// Forgets [`Self::closed`].
    pub fn clear_closed(&mut self) {
        self.out.drain(..self.open);
        self.open = 0;
    }

    /// Ends the dump: the bytes that are left.
    ///
    /// # Errors
    /// There were more objects than there are numbers (2^32 - 1). What was written is of no use.
    pub fn finish(mut self) -> Result<Vec<u8>, TooManyObjects> {
        if self.too_many {
            return Err(TooManyObjects);
        }
        self.close_frame();
        let mut totals = Vec::new();
        for total in [u64::from(self.classes), u64::from(self.newest), self.edges, self.roots, self.texts] {
            put(&mut totals, total);
        }
        self.out.truncate(self.open);
        for (kind, payload) in [(KIND_VALUES, &self.values), (KIND_TOTALS, &totals)] {
            if !payload.is_empty() {
                self.out.extend_from_slice(&frame_head(kind, payload));
                self.out.extend_from_slice(payload);
            }
        }
        Ok(self.out)
    }

    fn next_number(&mut self) -> Number {
        self.identity = self.identity.wrapping_add(1);
        match self.newest.checked_add(1) {
            Some(number) => self.newest = number,
            None => self.too_many = true,
        }
        Number(self.newest)
    }

    /// Begins a record: its kind, and a value that goes into the same byte if it is small.
    #[inline]
    fn op(&mut self, op: Op, value: u64) {
        if value < INLINE_MAX {
            self.out.push(op as u8 | (value as u8) << 4);
        } else {
            self.out.push(op as u8 | (INLINE_MAX as u8) << 4);
            put(&mut self.out, value);
        }
    }

    #[inline]
    fn put_to(&mut self, to: Number) {
        put(&mut self.out, fold(i64::from(to.0) - i64::from(self.to)));
        self.to = to.0;
    }

    fn put_frame(&mut self, frame: FrameFacts) {
        put(&mut self.out, frame.thread);
        put(&mut self.out, u64::from(frame.depth));
        put(&mut self.out, frame.method);
    }

    #[inline]
    fn end_record(&mut self) {
        if self.out.len() - self.open >= FRAME_SIZE {
            self.close_frame();
            self.begin_frame();
        }
    }

    fn begin_frame(&mut self) {
        self.out.extend_from_slice(&[0; FRAME_HEAD_LEN]);
    }

    #[cold]
    fn close_frame(&mut self) {
        let (head, payload) = self.out[self.open..].split_at_mut(FRAME_HEAD_LEN);
        if !payload.is_empty() {
            head.copy_from_slice(&frame_head(KIND_RECORDS, payload));
            self.open = self.out.len();
        }
    }
}

/// A heap has more objects than a dump can number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the heap has more than 4294967294 objects: more than a heap dump of Mayfly's can hold; use jcmd GC.heap_dump"
)]
pub struct TooManyObjects;

fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}
