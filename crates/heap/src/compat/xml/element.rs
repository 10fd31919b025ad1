//! The elements of a file, one after another.
//!
//! Not here: what they amount to (`load`).

use std::borrow::Cow;

use crate::error::HeapError;

/// The first element of every such file.
pub const START: &[u8] = b"<insane>";

/// An element with what it says. Values are as they lie in the file; `text_of` resolves entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element<'a> {
    Object {
        id: u64,
        class: &'a [u8],
        size: u64,
        value: Option<&'a [u8]>,
    },
    /// A reference; from nothing if it is a static field.
    Reference {
        from: Option<u64>,
        name: &'a [u8],
        to: u64,
    },
}

/// Reads a file element by element.
#[derive(Clone, Debug)]
pub(super) struct Elements<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Elements<'a> {
    /// At the first element.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, HeapError> {
        let mut elements = Self { bytes, at: 0 };
        elements.skip_space();
        if elements.rest().starts_with(b"<?") {
            elements.skip_past(b">")?;
            elements.skip_space();
        }
        if !elements.rest().starts_with(START) {
            return Err(HeapError::Foreign);
        }
        elements.at += START.len();
        Ok(elements)
    }

    /// How many bytes have been read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next element, and where it begins; none at the end of the dump.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Element<'a>)>, HeapError> {
        self.skip_space();
        let begin = self.at;
        if self.rest().starts_with(b"</insane>") {
            self.at += b"</insane>".len();
            self.skip_space();
            return match self.rest() {
                [] => Ok(None),
                _ => Err(HeapError::corrupt(self.at, "more follows after </insane>")),
            };
        }
        let is_object = self.rest().starts_with(b"<object ");
        if !is_object && !self.rest().starts_with(b"<ref ") {
            return Err(match self.rest().len() {
                0..9 => HeapError::truncated(begin, "what follows"),
                _ => HeapError::corrupt(begin, "neither <object, <ref nor </insane> is there"),
            });
        }
        self.at += if is_object { b"<object ".len() } else { b"<ref ".len() };
        let attributes = self.attributes(begin)?;
        let element = if is_object { attributes.object() } else { attributes.reference() };
        Ok(Some((begin, element.map_err(|what| HeapError::corrupt(begin, what))?)))
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    fn skip_space(&mut self) {
        self.at += self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn skip_past(&mut self, end: &[u8; 1]) -> Result<(), HeapError> {
        let length = self.rest().iter().position(|byte| byte == &end[0]);
        self.at += length.ok_or_else(|| HeapError::truncated(self.at, "what is there"))? + 1;
        Ok(())
    }

    /// Everything up to the end of the element that began at `begin`.
    fn attributes(&mut self, begin: usize) -> Result<Attributes<'a>, HeapError> {
        let cut_off = || HeapError::truncated(begin, "an element");
        let mut attributes = Attributes::default();
        loop {
            self.skip_space();
            match self.rest() {
                [b'/', b'>', ..] => {
                    self.at += 2;
                    return Ok(attributes);
                }
                [] | [b'/'] => return Err(cut_off()),
                rest => {
                    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                    let (name, value) = rest.split_at(length);
                    let (&[b'=', quote @ (b'\'' | b'"')], value) = (match value.split_first_chunk::<2>() {
                        Some(split) => split,
                        None => return Err(cut_off()),
                    }) else {
                        return Err(HeapError::corrupt(self.at, "no attribute name='value' is there"));
                    };
                    let length = value.iter().position(|&byte| byte == quote).ok_or_else(cut_off)?;
                    attributes.set(name, &value[..length]);
                    self.at += name.len() + 2 + length + 1;
                }
            }
        }
    }
}

/// What an element says; attributes that are not known are left out.
#[derive(Clone, Copy, Debug, Default)]
struct Attributes<'a> {
    id: Option<&'a [u8]>,
    class: Option<&'a [u8]>,
    size: Option<&'a [u8]>,
    value: Option<&'a [u8]>,
    from: Option<&'a [u8]>,
    name: Option<&'a [u8]>,
    to: Option<&'a [u8]>,
}

impl<'a> Attributes<'a> {
    fn set(&mut self, name: &[u8], value: &'a [u8]) {
        let place = match name {
            b"id" => &mut self.id,
            b"type" => &mut self.class,
            b"size" => &mut self.size,
            b"value" => &mut self.value,
            b"from" => &mut self.from,
            b"name" => &mut self.name,
            b"to" => &mut self.to,
            _ => return,
        };
        *place = Some(value);
    }

    fn object(&self) -> Result<Element<'a>, &'static str> {
        let size = self.size.and_then(|digits| number(digits, 10)).ok_or("an object has no size")?;
        Ok(Element::Object {
            id: id(self.id)?,
            class: self.class.ok_or("an object has no type")?,
            size,
            value: self.value,
        })
    }

    fn reference(&self) -> Result<Element<'a>, &'static str> {
        let from = self.from.map(|from| id(Some(from))).transpose()?;
        Ok(Element::Reference { from, name: self.name.ok_or("a reference has no name")?, to: id(self.to)? })
    }
}

fn id(digits: Option<&[u8]>) -> Result<u64, &'static str> {
    digits.and_then(|digits| number(digits, 16)).ok_or("an id is missing, or not hexadecimal")
}

fn number(digits: &[u8], radix: u32) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()
}

/// A value as text, its entities resolved.
pub(super) fn text_of(value: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(value);
    if !text.contains('&') {
        return text;
    }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&apos;", "'"), ("&quot;", "\""), ("&amp;", "&")];
    entities.iter().fold(text, |text, (entity, meaning)| text.replace(entity, meaning).into())
}
