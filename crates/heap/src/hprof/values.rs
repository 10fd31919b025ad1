//! The values of the fields of some objects that are no references: a count, a time, a flag.
//!
//! Not here: references, which a graph has, and the elements of arrays.

use std::collections::BTreeMap;

use super::class_dump::ClassDump;
use super::record::{Hprof, Record};
use super::scan::Scan;
use super::sub_record::{HeapVisitor, walk};
use super::value_type::ValueType;
use crate::error::HeapError;
use crate::progress::Progress;

/// By id of the object: names of its fields, those of its own class first, and their values as Java prints them.
pub type Values = BTreeMap<u64, Vec<(String, String)>>;

/// Of the objects of these ids, and of the static fields of these classes.
///
/// # Errors
/// The bytes are no hprof file, cut off, or damaged.
pub fn values(bytes: &[u8], ids: &[u64], progress: Progress<'_>) -> Result<Values, HeapError> {
    let file = Hprof::new(bytes)?;
    let wanted = ids.iter().map(|&id| (id, None)).collect();
    let mut seeking = Seeking { scan: Scan::new(&file, false), wanted };
    let total = file.len() as u64;
    walk(&file, (0, total), progress, &mut seeking)?;
    let Seeking { scan, wanted } = seeking;
    Ok(wanted.into_iter().map(|(id, found)| (id, named(&scan, file.id_size, id, found))).collect())
}

/// The class of an object, and the bytes of its fields.
type Found<'a> = Option<(u64, &'a [u8])>;

struct Seeking<'a> {
    scan: Scan<'a>,
    wanted: BTreeMap<u64, Found<'a>>,
}

impl<'a> HeapVisitor<'a> for Seeking<'a> {
    fn class(&mut self, class: ClassDump<'a>) {
        self.scan.class(class);
    }

    fn record(&mut self, record: Record<'a>) {
        self.scan.record(record);
    }

    fn instance(&mut self, id: u64, class: u64, fields: &'a [u8], _at: usize) {
        if let Some(found) = self.wanted.get_mut(&id) {
            *found = Some((class, fields));
        }
    }
}

fn named(scan: &Scan<'_>, id_size: usize, id: u64, found: Found<'_>) -> Vec<(String, String)> {
    let Some((class, fields)) = found else { return statics(scan, id) };
    let mut offset = 0;
    let mut values = Vec::new();
    for (name, of) in scan.ancestry(class).flat_map(|class| class.fields.iter().copied()) {
        let width = of.width(id_size);
        let value = fields.get(offset..offset + width).and_then(|bytes| text(of, bytes));
        values.extend(value.map(|value| (scan.name(name), value)));
        offset += width;
    }
    values
}

/// Of a class.
fn statics(scan: &Scan<'_>, id: u64) -> Vec<(String, String)> {
    let class = scan.class_at.get(&id).map(|&at| &scan.classes[at as usize]);
    let statics = class.into_iter().flat_map(|class| &class.statics);
    statics.filter_map(|field| Some((scan.name(field.name), text(field.of, field.value)?))).collect()
}

/// As Java prints it; none of a reference.
fn text(of: ValueType, bytes: &[u8]) -> Option<String> {
    Some(match of {
        ValueType::Object => return None,
        ValueType::Boolean => (bytes.first()? != &0).to_string(),
        ValueType::Byte => (*bytes.first()? as i8).to_string(),
        ValueType::Short => i16::from_be_bytes(bytes.try_into().ok()?).to_string(),
        ValueType::Int => i32::from_be_bytes(bytes.try_into().ok()?).to_string(),
        ValueType::Long => i64::from_be_bytes(bytes.try_into().ok()?).to_string(),
        ValueType::Float => format!("{:?}", f32::from_be_bytes(bytes.try_into().ok()?)),
        ValueType::Double => format!("{:?}", f64::from_be_bytes(bytes.try_into().ok()?)),
        ValueType::Char => {
            let unit = u16::from_be_bytes(bytes.try_into().ok()?);
            char::from_u32(unit.into())
                .map_or_else(|| format!("\\u{unit:04x}"), |letter| format!("'{letter}'"))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_as_java_prints_them() {
        for (of, bytes, expected) in [
            (ValueType::Boolean, &[1][..], Some("true")),
            (ValueType::Byte, &[0xff], Some("-1")),
            (ValueType::Short, &[0x80, 0], Some("-32768")),
            (ValueType::Int, &[0, 0, 1, 0], Some("256")),
            (ValueType::Long, &[0, 0, 1, 0x8b, 0xcf, 0xe5, 0x68, 0], Some("1700000000000")),
            (ValueType::Float, &[0x3f, 0x80, 0, 0], Some("1.0")),
            (ValueType::Double, &[0xbf, 0xe0, 0, 0, 0, 0, 0, 0], Some("-0.5")),
            (ValueType::Char, &[0, 0x41], Some("'A'")),
            (ValueType::Char, &[0xd8, 0], Some("\\ud800")),
            (ValueType::Object, &[0, 0, 0, 1], None),
            (ValueType::Int, &[1], None),
        ] {
            assert_eq!(text(of, bytes).as_deref(), expected, "{of:?}");
        }
    }
}
