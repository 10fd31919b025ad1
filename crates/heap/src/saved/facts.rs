//! Classes, names, roots and rows of answers as bytes: integers of as many bytes as they need, texts with their lengths.
//!
//! Not here: columns of numbers.

use crate::dump::varint;
use crate::edge::{EdgeName, Strength};
use crate::graph::Class;
use crate::index::{ClassIndex, ObjectIndex};
use crate::root::{Root, RootFrame, RootKind};

/// Bytes in the making.
#[derive(Debug, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn number(&mut self, number: u64) {
        varint::put(&mut self.0, number);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// 0 stands for none.
    pub(super) fn index(&mut self, index: Option<u32>) {
        self.number(index.map_or(0, |index| u64::from(index) + 1));
    }

    fn optional_text(&mut self, text: Option<&str>) {
        self.number(u64::from(text.is_some()));
        text.into_iter().for_each(|text| self.text(text));
    }

    pub(super) fn class(&mut self, class: &Class) {
        self.text(&class.name);
        self.index(class.mirror.map(|object| object.0));
        self.index(class.loader.map(|object| object.0));
        self.index(class.superclass.map(|class| class.0));
        self.number(class.interfaces.len() as u64);
        class.interfaces.iter().for_each(|class| self.number(u64::from(class.0)));
    }

    pub(super) fn name(&mut self, name: &EdgeName) {
        match name {
            EdgeName::Field { declaring, name, strength } => {
                self.number(*strength as u64);
                self.number(u64::from(declaring.0));
                self.text(name);
            }
            EdgeName::Static { declaring, name, type_name } => {
                self.number(4);
                self.number(u64::from(declaring.0));
                self.text(name);
                self.optional_text(type_name.as_deref());
            }
            EdgeName::Element => self.number(5),
            EdgeName::Internal(words) => {
                self.number(6);
                self.text(words);
            }
        }
    }

    pub(super) fn root(&mut self, root: &Root) {
        self.number(u64::from(root.object.0));
        match &root.kind {
            RootKind::SystemClass => self.number(0),
            RootKind::JniGlobal => self.number(1),
            RootKind::JniLocal(frame) => self.frame(2, frame),
            RootKind::StackLocal(frame) => self.frame(3, frame),
            RootKind::Monitor => self.number(4),
            RootKind::Thread => self.number(5),
            RootKind::Other(words) => {
                self.number(6);
                self.text(words);
            }
        }
    }

    fn frame(&mut self, kind: u64, frame: &RootFrame) {
        self.number(kind);
        self.optional_text(frame.thread.as_deref());
        self.optional_text(frame.method.as_deref());
        self.number(frame.slot.map_or(0, |slot| varint::fold(i64::from(slot)) + 1));
    }
}

/// Bytes that are read; none of what is asked means that they are damaged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

/// What numbers may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) objects: usize,
    pub(super) classes: usize,
}

impl Reader<'_> {
    pub(super) fn number(&mut self) -> Option<u64> {
        let (number, taken) = varint::get(self.0)?;
        self.0 = self.0.get(taken..)?;
        Some(number)
    }

    /// How many of what takes a byte at least come next.
    pub(super) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|&count| count <= self.0.len())
    }

    pub(super) fn text(&mut self) -> Option<Box<str>> {
        let length = self.count()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(std::str::from_utf8(text).ok()?.into())
    }

    /// A number below a bound.
    pub(super) fn below(&mut self, bound: usize) -> Option<u32> {
        self.number().filter(|&number| number < bound as u64).map(|number| number as u32)
    }

    /// Outside: whether it can be read; inside: whether there is one.
    pub(super) fn index(&mut self, bound: usize) -> Option<Option<u32>> {
        Some(self.below(bound.checked_add(1)?)?.checked_sub(1))
    }

    fn optional_text(&mut self) -> Option<Option<Box<str>>> {
        Some(if self.below(2)? == 1 { Some(self.text()?) } else { None })
    }

    pub(super) fn class(&mut self, bounds: Bounds) -> Option<Class> {
        let name = self.text()?;
        let mirror = self.index(bounds.objects)?.map(ObjectIndex);
        let loader = self.index(bounds.objects)?.map(ObjectIndex);
        let superclass = self.index(bounds.classes)?.map(ClassIndex);
        let interfaces = (0..self.count()?).map(|_| self.below(bounds.classes).map(ClassIndex));
        let interfaces = interfaces.collect::<Option<_>>()?;
        Some(Class { name, mirror, loader, superclass, interfaces })
    }

    pub(super) fn name(&mut self, bounds: Bounds) -> Option<EdgeName> {
        const STRENGTHS: [Strength; 4] =
            [Strength::Strong, Strength::Soft, Strength::Weak, Strength::Phantom];
        Some(match self.number()? as usize {
            kind @ 0..4 => EdgeName::Field {
                declaring: ClassIndex(self.below(bounds.classes)?),
                name: self.text()?,
                strength: STRENGTHS[kind],
            },
            4 => EdgeName::Static {
                declaring: ClassIndex(self.below(bounds.classes)?),
                name: self.text()?,
                type_name: self.optional_text()?,
            },
            5 => EdgeName::Element,
            6 => EdgeName::Internal(self.text()?),
            _ => return None,
        })
    }

    pub(super) fn root(&mut self, bounds: Bounds) -> Option<Root> {
        let object = ObjectIndex(self.below(bounds.objects)?);
        let kind = match self.number()? {
            0 => RootKind::SystemClass,
            1 => RootKind::JniGlobal,
            2 => RootKind::JniLocal(self.frame()?),
            3 => RootKind::StackLocal(self.frame()?),
            4 => RootKind::Monitor,
            5 => RootKind::Thread,
            6 => RootKind::Other(self.text()?),
            _ => return None,
        };
        Some(Root { object, kind })
    }

    fn frame(&mut self) -> Option<RootFrame> {
        let (thread, method) = (self.optional_text()?, self.optional_text()?);
        let slot = match self.number()?.checked_sub(1) {
            Some(slot) => Some(i32::try_from(varint::unfold(slot)).ok()?),
            None => None,
        };
        Some(RootFrame { thread, method, slot })
    }
}
