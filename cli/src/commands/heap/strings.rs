//! `mayfly heap strings`: texts that are there more than once, texts that contain something, and who holds those.
//!
//! Only who holds them needs the graph; the rest reads the file through.

use std::cmp::Reverse;
use std::hash::{DefaultHasher, Hash, Hasher};

use mayfly_heap::paths::{edge_text, object_text};
use mayfly_heap::{Graph, ObjectIndex, ObjectSet, Text, TextEncoding};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::asked;
use crate::args::heap::StringsArgs;
use crate::error::Error;
use crate::heap::columns::{Columns, counted, left_out};
use crate::heap::document::{self, Answer};
use crate::heap::dump_file::DumpFile;
use crate::heap::error::QueryError;
use crate::heap::selection;

/// Rows when `--limit` does not say.
const SHOWN: usize = 50;
/// Bytes of a string, and of an array without its elements, with compressed class pointers, as nearly each heap below 32 GiB has them.
const STRING: u64 = 24;
const ARRAY_HEADER: u64 = 16;
const ALIGNMENT: u64 = 8;
/// Characters of a text that are printed; JSON has all that the dump has.
const PRINTED: usize = 100;

/// Texts that are there more than once, most wasted bytes first.
#[derive(Debug, Serialize)]
struct Duplicates {
    /// Strings in the dump.
    strings: u64,
    /// Different texts among them.
    texts: usize,
    /// Bytes of text that one copy of each would not need, without the headers of objects.
    duplicate_bytes: u64,
    /// The same with the objects: of strings that share an array (G1's deduplication) less is wasted.
    wasted_bytes: u64,
    /// Texts that are there more than once.
    duplicated_texts: usize,
    rows: Vec<Duplicate>,
}

#[derive(Debug, Serialize)]
struct Duplicate {
    /// Strings with this text.
    strings: u64,
    /// Bytes of the text in all but one of them.
    duplicate_bytes: u64,
    /// The same with the objects.
    wasted_bytes: u64,
    text: String,
    /// Whether the text is longer than what the dump has of it.
    cut: bool,
}

/// Strings that were searched for.
#[derive(Debug, Serialize)]
struct Found {
    search: String,
    strings: usize,
    rows: Vec<FoundRow>,
}

#[derive(Debug, Serialize)]
struct FoundRow {
    object: String,
    text: String,
    cut: bool,
}

/// Objects that hold such a string.
#[derive(Debug, Serialize)]
struct Holding {
    search: String,
    held_by: String,
    references: usize,
    rows: Vec<HoldingRow>,
}

#[derive(Debug, Serialize)]
struct HoldingRow {
    object: String,
    /// The field, or `[i]`, that refers to the string.
    by: String,
    string: String,
}

impl Answer for Duplicates {
    const QUERY: &'static str = "strings";

    fn text(&self) -> String {
        let mut table = Columns::new(&["wasted bytes", "strings", "text"]);
        for row in &self.rows {
            let text = printed(&row.text, row.cut);
            table.row([row.wasted_bytes.to_string(), row.strings.to_string(), text]);
        }
        let total = format!(
            "{} strings, {} different texts; copies of texts waste {} bytes, {} of these text, the others the strings and arrays that have it\n",
            self.strings, self.texts, self.wasted_bytes, self.duplicate_bytes
        );
        table.text() + &total + &left_out(self.rows.len(), self.duplicated_texts, "text")
    }
}

impl Answer for Found {
    const QUERY: &'static str = "strings";

    fn text(&self) -> String {
        let line = |row: &FoundRow| format!("{}  {}\n", row.object, printed(&row.text, row.cut));
        let rows: String = self.rows.iter().map(line).collect();
        rows + &format!("{}\n", counted(self.strings as u64, "string"))
            + &left_out(self.rows.len(), self.strings, "string")
    }
}

impl Answer for Holding {
    const QUERY: &'static str = "strings";

    fn text(&self) -> String {
        let line = |row: &HoldingRow| format!("{}-{}-> {}\n", row.object, row.by, row.string);
        let rows: String = self.rows.iter().map(line).collect();
        rows + &format!("{}\n", counted(self.references as u64, "reference"))
            + &left_out(self.rows.len(), self.references, "reference")
    }
}

pub(super) fn run(args: &StringsArgs) -> Result<(), Error> {
    let file = asked::open(&args.heap)?;
    let (limit, json) = (args.shown.limit.unwrap_or(SHOWN), args.shown.json.is_json());
    match (&args.search, &args.held_by) {
        (None, _) => document::show(&file.source(), &duplicates(&file, limit)?, json),
        (Some(search), None) => {
            document::show(&file.source(), &found(&file, search, args.exact, limit)?, json)
        }
        (Some(search), Some(class)) => {
            let strings = found(&file, search, args.exact, usize::MAX)?;
            document::show(&file.source(), &holding(&file, strings, class, limit)?, json)
        }
    }
}

/// A text by two hashes of 64 bits: what two texts share by chance once in 10^38 pairs, and in little memory.
type Key = (u64, u64);

#[derive(Clone, Copy, Default)]
struct Copies {
    strings: u64,
    /// Bytes of one.
    bytes: u64,
    /// The id of the first, to find the text again.
    first: u64,
}

impl Copies {
    fn duplicate_bytes(&self) -> u64 {
        (self.strings - 1).saturating_mul(self.bytes)
    }

    fn wasted_bytes(&self) -> u64 {
        let array = (ARRAY_HEADER + self.bytes).next_multiple_of(ALIGNMENT);
        (self.strings - 1).saturating_mul(STRING + array)
    }
}

fn duplicates(file: &DumpFile, limit: usize) -> Result<Duplicates, QueryError> {
    let mut texts: FxHashMap<Key, Copies> = FxHashMap::default();
    file.strings(|text| {
        let copies =
            texts.entry(key(&text)).or_insert(Copies { strings: 0, bytes: bytes(&text), first: text.id });
        copies.strings += 1;
    })?;
    let strings = texts.values().map(|copies| copies.strings).sum();
    if strings == 0 {
        return Err(untold(file));
    }
    let mut repeated: Vec<_> = texts.values().filter(|copies| copies.strings > 1).copied().collect();
    repeated.sort_unstable_by_key(|copies| (Reverse((copies.wasted_bytes(), copies.strings)), copies.first));
    let duplicated_texts = repeated.len();
    let duplicate_bytes = repeated.iter().map(Copies::duplicate_bytes).sum();
    let wasted_bytes = repeated.iter().map(Copies::wasted_bytes).sum();
    repeated.truncate(limit);
    let rows = with_texts(file, &repeated)?;
    Ok(Duplicates { strings, texts: texts.len(), duplicate_bytes, wasted_bytes, duplicated_texts, rows })
}

/// Reads the file again for the few texts that are shown.
fn with_texts(file: &DumpFile, shown: &[Copies]) -> Result<Vec<Duplicate>, QueryError> {
    let wanted: FxHashSet<_> = shown.iter().map(|copies| copies.first).collect();
    let mut texts = FxHashMap::default();
    file.strings(|text| {
        if wanted.contains(&text.id) {
            texts.entry(text.id).or_insert_with(|| (text.to_string(), !text.is_whole()));
        }
    })?;
    let row = |copies: &Copies| {
        let (text, cut) = texts.get(&copies.first).cloned().unwrap_or_default();
        let (duplicate_bytes, wasted_bytes) = (copies.duplicate_bytes(), copies.wasted_bytes());
        Duplicate { strings: copies.strings, duplicate_bytes, wasted_bytes, text, cut }
    };
    Ok(shown.iter().map(row).collect())
}

fn key(text: &Text<'_>) -> Key {
    let hash = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        (seed, text.length).hash(&mut hasher);
        // A JVM writes equal texts in the same encoding (JEP 254).
        hasher.write(text.kept);
        hasher.finish()
    };
    (hash(0), hash(1))
}

/// As the JVM holds it: of compact strings (JEP 254) a byte each, else two.
fn bytes(text: &Text<'_>) -> u64 {
    text.length * if text.encoding == TextEncoding::Latin1 { 1 } else { 2 }
}

fn found(file: &DumpFile, search: &str, exact: bool, limit: usize) -> Result<Found, QueryError> {
    let (mut any, mut strings, mut rows) = (false, 0, Vec::new());
    file.strings(|text| {
        any = true;
        let whole = text.to_string();
        if if exact { whole == search } else { whole.contains(search) } {
            strings += 1;
            if rows.len() < limit {
                let class = if file.names_strings() { "java.lang.String" } else { "" };
                let object = format!("{class}@{:x}", text.id);
                rows.push(FoundRow { object, text: whole, cut: !text.is_whole() });
            }
        }
    })?;
    if any { Ok(Found { search: search.to_owned(), strings, rows }) } else { Err(untold(file)) }
}

fn untold(file: &DumpFile) -> QueryError {
    QueryError::NotTold {
        file: file.path().to_owned(),
        what: "the text of strings",
        advice: if file.tells_texts() {
            "write the dump without --no-strings"
        } else {
            "ask the dump that it was converted from"
        },
    }
}

fn holding(file: &DumpFile, strings: Found, class: &str, limit: usize) -> Result<Holding, QueryError> {
    let graph = file.graph()?;
    let holders = selection::objects_of(&graph, &selection::classes(&graph, class)?);
    let held = held(&graph, &strings, file.names_strings());
    let mut rows: Vec<_> =
        holders.into_iter().flat_map(|object| references_to(&graph, object, &held)).collect();
    let references = rows.len();
    rows.truncate(limit);
    Ok(Holding { search: strings.search, held_by: class.to_owned(), references, rows })
}

/// The strings found, as objects; where only their arrays are told, these and the strings that refer to them.
fn held(graph: &Graph, strings: &Found, named: bool) -> ObjectSet {
    let ids = strings.rows.iter().filter_map(|row| row.object.rsplit_once('@'));
    let ids: FxHashSet<_> = ids.filter_map(|(_, id)| u64::from_str_radix(id, 16).ok()).collect();
    let mut held = ObjectSet::of(graph, graph.objects().filter(|&object| ids.contains(&graph.id(object))));
    if !named {
        let refers = |&string: &ObjectIndex| graph.edges(string).any(|edge| held.contains(edge.to));
        let strings: Vec<_> =
            graph.instances(|class| &*class.name == "java.lang.String").filter(refers).collect();
        strings.into_iter().for_each(|string| {
            held.insert(string);
        });
    }
    held
}

fn references_to(graph: &Graph, object: ObjectIndex, held: &ObjectSet) -> Vec<HoldingRow> {
    let to_one = graph.edges(object).filter(|edge| held.contains(edge.to)).map(|edge| HoldingRow {
        object: object_text(graph, object),
        by: edge_text(&edge),
        string: object_text(graph, edge.to),
    });
    to_one.collect()
}

/// On one line, and not too long.
fn printed(text: &str, cut: bool) -> String {
    let mut shown: String = text.escape_debug().take(PRINTED).collect();
    if cut || text.escape_debug().count() > PRINTED {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kept: &[u8], encoding: TextEncoding) -> Text<'_> {
        let length = kept.len() as u64 / if encoding == TextEncoding::Latin1 { 1 } else { 2 };
        Text { id: 1, length, kept, encoding }
    }

    #[test]
    fn equal_texts_are_one_and_take_what_the_jvm_takes() {
        let (latin, wide) = (text(b"ab", TextEncoding::Latin1), text(b"a\x01b\x01", TextEncoding::Utf16Le));
        assert_eq!(key(&latin), key(&Text { id: 2, ..latin }));
        assert_ne!(key(&latin), key(&text(b"ac", TextEncoding::Latin1)));
        assert_eq!((bytes(&latin), bytes(&wide)), (2, 4));
    }

    #[test]
    fn a_beginning_is_not_taken_for_the_whole() {
        let whole = text(b"ab", TextEncoding::Latin1);
        let beginning = Text { length: 5, ..whole };
        assert_ne!(key(&whole), key(&beginning));
    }

    #[test]
    fn what_is_printed_stays_on_its_line() {
        assert_eq!(printed("a\nb", false), r#""a\nb""#);
        assert_eq!(printed(&"x".repeat(101), false), format!("\"{}…\"", "x".repeat(100)));
        assert_eq!(printed("cut", true), "\"cut…\"");
    }
}
