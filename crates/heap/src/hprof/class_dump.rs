//! Classes as a heap segment tells them.
//!
//! Not here: their names, which are in records of their own (`scan`).

use super::record::id_at;
use super::segment::Segment;
use super::value_type::ValueType;

/// A class: ids, statics and fields. Values are left in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClassDump<'a> {
    pub(crate) id: u64,
    pub(crate) superclass: u64,
    pub(crate) loader: u64,
    pub(crate) signers: u64,
    pub(crate) protection_domain: u64,
    /// References in its constant pool.
    pub(crate) constants: Vec<u64>,
    pub(crate) statics: Vec<Static<'a>>,
    /// Fields that it itself declares: id of the name, and type.
    pub(crate) fields: Vec<(u64, ValueType)>,
}

/// A static field: id of its name, type, value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Static<'a> {
    pub(crate) name: u64,
    pub(crate) of: ValueType,
    pub(crate) value: &'a [u8],
}

impl<'a> ClassDump<'a> {
    /// Reads one behind its tag.
    pub(crate) fn read(segment: &mut Segment<'a>) -> Result<Self, &'static str> {
        let id = segment.id()?;
        segment.u32()?;
        let [superclass, loader, signers, protection_domain] =
            [segment.id()?, segment.id()?, segment.id()?, segment.id()?];
        // Two reserved ids, and the size of instances: not what they take in the heap, but in the file.
        segment.take(2 * segment.id + 4)?;
        let mut class = Self {
            id,
            superclass,
            loader,
            signers,
            protection_domain,
            constants: Vec::new(),
            statics: Vec::new(),
            fields: Vec::new(),
        };
        for _ in 0..segment.u16()? {
            segment.u16()?;
            let (of, value) = value(segment)?;
            if of == ValueType::Object {
                class.constants.push(id_at(value, 0, segment.id).unwrap_or(0));
            }
        }
        for _ in 0..segment.u16()? {
            let name = segment.id()?;
            let (of, value) = value(segment)?;
            class.statics.push(Static { name, of, value });
        }
        for _ in 0..segment.u16()? {
            class.fields.push((segment.id()?, value_type(segment)?));
        }
        Ok(class)
    }
}

fn value_type(segment: &mut Segment<'_>) -> Result<ValueType, &'static str> {
    ValueType::of(segment.byte()?).ok_or("a field is of no known type")
}

fn value<'a>(segment: &mut Segment<'a>) -> Result<(ValueType, &'a [u8]), &'static str> {
    let of = value_type(segment)?;
    Ok((of, segment.take(of.width(segment.id))?))
}
