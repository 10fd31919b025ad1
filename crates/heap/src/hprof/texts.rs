//! The texts of the strings of an hprof file, in two passes: which arrays belong to strings, then the arrays.
//!
//! Not here: what is counted or sought in them.

use super::class_dump::ClassDump;
use super::record::{Hprof, Record, id_at};
use super::scan::Scan;
use super::sub_record::{HeapVisitor, walk};
use super::value_type::ValueType;
use crate::error::HeapError;
use crate::progress::Progress;
use crate::text::{Text, TextEncoding};

/// Calls `visit` for each string. Takes 24 bytes per string meanwhile.
pub(crate) fn visit_texts<'a>(
    bytes: &'a [u8],
    progress: Progress<'_>,
    visit: &mut dyn FnMut(Text<'a>),
) -> Result<(), HeapError> {
    let file = Hprof::new(bytes)?;
    let (length, total) = (file.len() as u64, 2 * file.len() as u64);
    let mut strings =
        Strings { scan: Scan::new(&file, false), file, last: None, early: false, found: Vec::new() };
    walk(&file, (0, total), progress, &mut strings)?;
    if strings.early {
        // Classes came after instances, which no JVM known does: now they are there.
        strings.found.clear();
        strings.last = None;
        walk(&file, (0, total), progress, &mut strings)?;
    }
    let mut found = strings.found;
    found.sort_unstable();
    let mut arrays = Arrays { strings: &found, near: 0, visit };
    walk(&file, (length, total), progress, &mut arrays)
}

/// The text in the array of a string; none if it is no such array. `coder`: 1 if it is of bytes, two per unit, in the order of the
/// machine that wrote it, which is taken to be a little-endian one.
pub(super) fn text_of(id: u64, of: ValueType, coder: u8, kept: &[u8]) -> Option<Text<'_>> {
    let (encoding, width) = match (of, coder) {
        (ValueType::Char, _) => (TextEncoding::Utf16Be, 2),
        (ValueType::Byte, 0) => (TextEncoding::Latin1, 1),
        (ValueType::Byte, _) => (TextEncoding::Utf16Le, 2),
        _ => return None,
    };
    Some(Text { id, length: kept.len() as u64 / width, kept, encoding })
}

/// A string's array, the string, its coder.
type Found = (u64, u64, u8);

/// Takes classes, names, and what the strings among the instances refer to.
struct Strings<'a> {
    scan: Scan<'a>,
    file: Hprof<'a>,
    /// The class met last, and whether it is that of strings.
    last: Option<(u64, bool)>,
    /// Whether an instance came before its class.
    early: bool,
    found: Vec<Found>,
}

impl Strings<'_> {
    fn is_string(&mut self, class: u64) -> bool {
        match self.last {
            Some((last, is_string)) if last == class => is_string,
            _ => {
                self.early |= !self.scan.class_at.contains_key(&class);
                let is_string = self.scan.class_name(class) == "java.lang.String";
                self.last = Some((class, is_string));
                is_string
            }
        }
    }
}

impl<'a> HeapVisitor<'a> for Strings<'a> {
    fn class(&mut self, class: ClassDump<'a>) {
        self.scan.class(class);
    }

    fn record(&mut self, record: Record<'a>) {
        self.scan.record(record);
    }

    fn instance(&mut self, id: u64, class: u64, fields: &'a [u8], _at: usize) {
        if !self.is_string(class) {
            return;
        }
        let id_size = self.file.id_size;
        let of = |name| self.scan.field(id_size, class, name, fields);
        if let Some((ValueType::Object, value)) = of("value") {
            let coder = of("coder").map_or(0, |(_, coder)| coder[0]);
            let array = id_at(value, 0, id_size).unwrap_or(0);
            self.found.push((array, id, coder));
        }
    }
}

struct Arrays<'a, 's, 'v> {
    strings: &'s [Found],
    /// Where in `strings` the last array was: the next one is mostly near.
    near: usize,
    visit: &'v mut dyn FnMut(Text<'a>),
}

impl Arrays<'_, '_, '_> {
    /// Where the strings of an array begin.
    fn seek(&self, array: u64) -> usize {
        let near = &self.strings[self.near..];
        let ahead = near.iter().take(16).take_while(|found| found.0 < array).count();
        let comes_after = self.near == 0 || self.strings[self.near - 1].0 < array;
        if comes_after && (ahead < 16 || near.len() == ahead) {
            return self.near + ahead;
        }
        self.strings.partition_point(|found| found.0 < array)
    }
}

impl<'a> HeapVisitor<'a> for Arrays<'a, '_, '_> {
    fn primitive_array(&mut self, id: u64, of: ValueType, elements: &'a [u8], _at: usize) {
        if !matches!(of, ValueType::Byte | ValueType::Char) {
            return;
        }
        let begin = self.seek(id);
        let of_array = self.strings[begin..].iter().take_while(|found| found.0 == id);
        for &(_, string, coder) in of_array.clone() {
            if let Some(text) = text_of(string, of, coder, elements) {
                (self.visit)(text);
            }
        }
        self.near = begin;
    }
}
