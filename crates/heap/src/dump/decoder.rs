//! Bytes to the records of a dump, one after the other, each checked against what came before.
//!
//! Not here: what they amount to (`load`, `texts`).

use super::facts::{Facts, FrameFacts, Number, Reference, RootReference};
use super::frame::{DumpFrame, DumpFrames, KIND_FACTS, KIND_RECORDS, KIND_TOTALS, KIND_VALUES};
use super::record::{INLINE_MAX, Op, internal_of};
use super::varint::{get, unfold};
use crate::error::HeapError;
use crate::progress::Progress;

/// One thing that a dump tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    Class(ClassRecord<'a>),
    Object {
        class: Number,
        size: u64,
        identity: u64,
    },
    Edge {
        from: Number,
        reference: Reference,
        to: Number,
    },
    Root {
        root: RootReference,
        to: Number,
    },
    Text(TextRecord<'a>),
    /// The value of a field, by JVMTI's index.
    Value {
        object: Number,
        field: u32,
        value: i64,
    },
    Thread {
        id: u64,
        object: Number,
        name: &'a str,
    },
    Method {
        id: u64,
        class: &'a str,
        name: &'a str,
    },
}

/// A class, as told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClassRecord<'a> {
    pub(crate) name: &'a str,
    pub(crate) loader: Number,
    pub(crate) superclass: Number,
    pub(crate) interfaces: Vec<Number>,
    pub(crate) fields: Vec<FieldRecord<'a>>,
    pub(crate) mirror_size: u64,
    /// What the walk calls its `java.lang.Class`.
    pub(crate) identity: u64,
}

/// A declared field, as told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldRecord<'a> {
    pub(crate) name: &'a str,
    pub(crate) descriptor: &'a str,
    pub(crate) is_static: bool,
}

/// The text of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRecord<'a> {
    pub(crate) string: Number,
    /// Length of the whole text, in UTF-16 units.
    pub(crate) units: u64,
    /// What is kept of it: Latin-1, or UTF-16 in little-endian order.
    pub(crate) kept: &'a [u8],
    pub(crate) wide: bool,
}

/// Reads a dump record by record.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    frames: DumpFrames<'a>,
    facts: Facts,
    frame: DumpFrame<'a>,
    at: usize,
    newest: u32,
    identity: u64,
    classes: u32,
    from: u32,
    to: u32,
    element: u32,
    told: [u64; 3],
    ended: bool,
}

/// Places in `Decoder::told`.
const EDGES: usize = 0;
const ROOTS: usize = 1;
const TEXTS: usize = 2;

type Decoded<T> = Result<T, &'static str>;

impl<'a> Decoder<'a> {
    /// At the first record.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self, HeapError> {
        let mut frames = DumpFrames::new(bytes)?;
        let at = frames.at();
        let Some(frame) = frames.next()? else {
            return Err(HeapError::truncated(at, "the dump"));
        };
        if frame.kind != KIND_FACTS {
            return Err(HeapError::corrupt(at, "the first frame has no facts about the dump"));
        }
        let mut decoder = Self {
            frames,
            facts: Facts::default(),
            frame,
            at: 0,
            newest: 0,
            identity: 0,
            classes: 0,
            from: 0,
            to: 0,
            element: 0,
            told: [0; 3],
            ended: false,
        };
        decoder.facts = decoder.read_facts().map_err(|what| decoder.corrupt(what))?;
        decoder.at = frame.payload.len();
        Ok(decoder)
    }

    /// What is known about the dump as a whole.
    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The next record, and where it is; none after the last.
    pub(crate) fn next(&mut self, progress: Progress<'_>) -> Result<Option<Record<'a>>, HeapError> {
        loop {
            while self.at >= self.frame.payload.len() {
                if !self.next_frame()? {
                    return Ok(None);
                }
                progress(self.frames.at() as u64, self.frames.len() as u64);
            }
            let begin = self.at;
            let record = if self.frame.kind == KIND_VALUES { self.value().map(Some) } else { self.record() };
            match record {
                Ok(Some(record)) => return Ok(Some(record)),
                Ok(None) => {}
                Err(what) => {
                    self.at = begin;
                    return Err(self.corrupt(what));
                }
            }
        }
    }

    /// A fault at the place reached.
    pub(crate) fn corrupt(&self, what: &'static str) -> HeapError {
        HeapError::Corrupt { offset: self.frame.payload_at + self.at as u64, what: what.into() }
    }

    fn next_frame(&mut self) -> Result<bool, HeapError> {
        let at = self.frames.at();
        match self.frames.next()? {
            None if self.ended => Ok(false),
            None => Err(HeapError::truncated(at, "what follows")),
            Some(_) if self.ended => Err(HeapError::corrupt(at, "more follows after the end of the dump")),
            Some(frame) => {
                (self.frame, self.at) = (frame, 0);
                match frame.kind {
                    KIND_RECORDS | KIND_VALUES => Ok(true),
                    KIND_TOTALS => {
                        self.check_totals().map_err(|what| self.corrupt(what))?;
                        self.ended = true;
                        self.at = frame.payload.len();
                        Ok(true)
                    }
                    KIND_FACTS => Err(HeapError::corrupt(at, "the facts about the dump come twice")),
                    _ => {
                        self.at = frame.payload.len();
                        Ok(true)
                    }
                }
            }
        }
    }

    fn read_facts(&mut self) -> Decoded<Facts> {
        Ok(Facts {
            pid: self.small()?,
            taken_at_ms: self.number()?,
            jvm_version: self.text()?.into(),
            collector: self.text()?.into(),
            text_limit: match self.number()? {
                0 => None,
                more => Some(u32::try_from(more - 1).map_err(|_| "the limit of texts is too large")?),
            },
        })
    }

    fn check_totals(&mut self) -> Decoded<()> {
        let told = [u64::from(self.classes), u64::from(self.newest)].into_iter().chain(self.told);
        for told in told {
            if self.number()? != told {
                return Err("the totals at its end differ from what is in it");
            }
        }
        Ok(())
    }

    fn value(&mut self) -> Decoded<Record<'a>> {
        let object = self.small()?;
        let (object, field) = (self.known(object)?, self.small()?);
        Ok(Record::Value { object, field, value: unfold(self.number()?) })
    }

    /// The record here; none if it only prepares others.
    fn record(&mut self) -> Decoded<Option<Record<'a>>> {
        let byte = self.byte()?;
        let op = Op::of(byte).ok_or("a record is of a kind that is not known")?;
        let value = match u64::from(byte >> 4) {
            INLINE_MAX => self.number()?,
            small => small,
        };
        let reference = match op {
            Op::Field | Op::FieldNewest => Reference::Field(index(value)?),
            Op::StaticField | Op::StaticNewest => Reference::StaticField(index(value)?),
            Op::Element | Op::ElementNewest => Reference::Element(self.next_element(value)?),
            Op::Internal | Op::InternalNewest => {
                internal_of(value).ok_or("a reference is of a kind that is not known")?
            }
            _ => return self.other_record(op, value),
        };
        let newest =
            matches!(op, Op::FieldNewest | Op::StaticNewest | Op::ElementNewest | Op::InternalNewest);
        let to = if newest { self.known(self.newest)? } else { self.read_to()? };
        self.to = to.0;
        self.told[EDGES] += 1;
        Ok(Some(Record::Edge { from: self.known(self.from)?, reference, to }))
    }

    fn other_record(&mut self, op: Op, value: u64) -> Decoded<Option<Record<'a>>> {
        Ok(Some(match op {
            Op::From => {
                self.from = self.back(value)?.0;
                self.element = 0;
                return Ok(None);
            }
            Op::Object => {
                let size = if value == 0 { self.number()? } else { value * 8 };
                let class = Number(self.small()?);
                if class.0 > self.classes {
                    return Err("an object's class was not written");
                }
                self.count()?;
                Record::Object { class, size, identity: self.identity }
            }
            Op::Root => self.root(value)?,
            Op::Text => Record::Text(self.text_record(value)?),
            Op::Class => Record::Class(self.class()?),
            Op::Thread => {
                let (id, object) = (self.number()?, self.number()?);
                // One that is too large is no object's.
                let object = u32::try_from(object).map_or(Number::NONE, Number);
                Record::Thread { id, object, name: self.text()? }
            }
            Op::Identity => {
                self.identity = self.number()?.wrapping_sub(1);
                return Ok(None);
            }
            _ => Record::Method { id: self.number()?, class: self.text()?, name: self.text()? },
        }))
    }

    fn class(&mut self) -> Decoded<ClassRecord<'a>> {
        if self.newest != self.classes {
            return Err("a class is written after an object");
        }
        self.count()?;
        self.classes = self.newest;
        let mut class = ClassRecord {
            name: self.text()?,
            loader: Number(self.small()?),
            superclass: Number(self.small()?),
            mirror_size: self.number()?,
            identity: self.identity,
            ..ClassRecord::default()
        };
        for _ in 0..self.number()? {
            class.interfaces.push(Number(self.small()?));
        }
        for _ in 0..self.number()? {
            let is_static = self.byte()? & 1 != 0;
            class.fields.push(FieldRecord { is_static, name: self.text()?, descriptor: self.text()? });
        }
        Ok(class)
    }

    fn root(&mut self, kind: u64) -> Decoded<Record<'a>> {
        let to = self.read_to()?;
        self.to = to.0;
        self.told[ROOTS] += 1;
        let root = match kind {
            1 => RootReference::JniGlobal,
            2 => RootReference::SystemClass,
            3 => RootReference::Monitor,
            4 => {
                let frame = self.frame_facts()?;
                let slot = unfold(self.number()?);
                RootReference::StackLocal {
                    frame,
                    slot: i32::try_from(slot).map_err(|_| "a slot is too large")?,
                }
            }
            5 => RootReference::JniLocal(self.frame_facts()?),
            6 => RootReference::Thread,
            7 => RootReference::Other,
            _ => return Err("a root is of a kind that is not known"),
        };
        Ok(Record::Root { root, to })
    }

    fn frame_facts(&mut self) -> Decoded<FrameFacts> {
        Ok(FrameFacts { thread: self.number()?, depth: self.small()?, method: self.number()? })
    }

    fn text_record(&mut self, wide: u64) -> Decoded<TextRecord<'a>> {
        let back = self.number()?;
        let string = self.back(back)?;
        let units = self.number()?;
        let limit = u64::from(self.facts.text_limit.unwrap_or(0));
        let wide = wide != 0;
        let kept = self.bytes(units.min(limit) << u32::from(wide))?;
        self.told[TEXTS] += 1;
        Ok(TextRecord { string, units, kept, wide })
    }

    fn next_element(&mut self, gap: u64) -> Decoded<u32> {
        let index = self.element.wrapping_add(index(gap)?);
        self.element = index.wrapping_add(1);
        if index > i32::MAX as u32 {
            return Err("an element's index is larger than any array");
        }
        Ok(index)
    }

    fn read_to(&mut self) -> Decoded<Number> {
        let difference = unfold(self.number()?);
        let to = i64::from(self.to).checked_add(difference).and_then(|to| u32::try_from(to).ok());
        self.known(to.unwrap_or(0))
    }

    /// The object so many before the newest.
    fn back(&self, by: u64) -> Decoded<Number> {
        self.known(u32::try_from(by).ok().and_then(|by| self.newest.checked_sub(by)).unwrap_or(0))
    }

    #[inline]
    fn known(&self, number: u32) -> Decoded<Number> {
        match number {
            0 => Err("an object is named that was not written"),
            number if number > self.newest => Err("an object is named before it was written"),
            number => Ok(Number(number)),
        }
    }

    fn count(&mut self) -> Decoded<()> {
        self.identity = self.identity.wrapping_add(1);
        self.newest = self.newest.checked_add(1).ok_or("there are more objects than numbers")?;
        Ok(())
    }

    #[inline]
    fn byte(&mut self) -> Decoded<u8> {
        let byte = *self.frame.payload.get(self.at).ok_or("a record runs past its frame")?;
        self.at += 1;
        Ok(byte)
    }

    #[inline]
    fn number(&mut self) -> Decoded<u64> {
        let (value, length) = get(&self.frame.payload[self.at..]).ok_or("a number runs past its frame")?;
        self.at += length;
        Ok(value)
    }

    fn small(&mut self) -> Decoded<u32> {
        u32::try_from(self.number()?).map_err(|_| "a number is too large")
    }

    fn bytes(&mut self, length: u64) -> Decoded<&'a [u8]> {
        let rest = &self.frame.payload[self.at..];
        let bytes = usize::try_from(length).ok().and_then(|length| rest.get(..length));
        let bytes = bytes.ok_or("a text runs past its frame")?;
        self.at += bytes.len();
        Ok(bytes)
    }

    fn text(&mut self) -> Decoded<&'a str> {
        let length = self.number()?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| "a name is not UTF-8")
    }
}

#[inline]
fn index(value: u64) -> Decoded<u32> {
    u32::try_from(value).map_err(|_| "a field index is too large")
}
