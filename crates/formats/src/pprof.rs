//! The gzipped protocol buffer of pprof: a sample per class, stack and length of life, with all numbers that are known.
//!
//! The innermost location of a sample is its class. Labels: `class`; `lifetime`, in milliseconds, the middle of the interval in
//! which its objects died or the age of the living; `state`, `dead` or `live`. So `-tagfocus lifetime=30s:300s` takes a band.

use std::collections::HashMap;
use std::hash::Hash;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use mayfly_profile::{Cell, Frame, LifePart, Profile, Value};
use prost::Message;

use crate::choice::{Choice, values};
use mayfly_report::readable_class;

/// The messages of `profile.proto`, as far as they are used.
mod proto {
    use prost::Message;

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Profile {
        #[prost(message, repeated, tag = "1")]
        pub(super) sample_type: Vec<ValueType>,
        #[prost(message, repeated, tag = "2")]
        pub(super) sample: Vec<Sample>,
        #[prost(message, repeated, tag = "4")]
        pub(super) location: Vec<Location>,
        #[prost(message, repeated, tag = "5")]
        pub(super) function: Vec<Function>,
        #[prost(string, repeated, tag = "6")]
        pub(super) string_table: Vec<String>,
        #[prost(int64, tag = "9")]
        pub(super) time_nanos: i64,
        #[prost(int64, tag = "10")]
        pub(super) duration_nanos: i64,
        #[prost(int64, tag = "14")]
        pub(super) default_sample_type: i64,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct ValueType {
        #[prost(int64, tag = "1")]
        pub(super) r#type: i64,
        #[prost(int64, tag = "2")]
        pub(super) unit: i64,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Sample {
        #[prost(uint64, repeated, tag = "1")]
        pub(super) location_id: Vec<u64>,
        #[prost(int64, repeated, tag = "2")]
        pub(super) value: Vec<i64>,
        #[prost(message, repeated, tag = "3")]
        pub(super) label: Vec<Label>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Label {
        #[prost(int64, tag = "1")]
        pub(super) key: i64,
        #[prost(int64, tag = "2")]
        pub(super) str: i64,
        #[prost(int64, tag = "3")]
        pub(super) num: i64,
        #[prost(int64, tag = "4")]
        pub(super) num_unit: i64,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Location {
        #[prost(uint64, tag = "1")]
        pub(super) id: u64,
        #[prost(message, repeated, tag = "4")]
        pub(super) line: Vec<Line>,
    }

    #[derive(Clone, Copy, PartialEq, Message)]
    pub(super) struct Line {
        #[prost(uint64, tag = "1")]
        pub(super) function_id: u64,
        #[prost(int64, tag = "2")]
        pub(super) line: i64,
    }

    #[derive(Clone, Copy, PartialEq, Message)]
    pub(super) struct Function {
        #[prost(uint64, tag = "1")]
        pub(super) id: u64,
        #[prost(int64, tag = "2")]
        pub(super) name: i64,
        #[prost(int64, tag = "3")]
        pub(super) system_name: i64,
        #[prost(int64, tag = "4")]
        pub(super) filename: i64,
    }
}

/// As Go's heap profiles name them, where those have them.
pub(crate) fn names(value: Value) -> (&'static str, &'static str) {
    match value {
        Value::Objects => ("alloc_objects", "count"),
        Value::Bytes => ("alloc_space", "bytes"),
        Value::LiveObjects => ("inuse_objects", "count"),
        Value::Live => ("inuse_space", "bytes"),
        Value::ByteSeconds => ("byte_seconds", "byteseconds"),
        Value::DiedYoung => ("died_young_space", "bytes"),
        Value::Survived => ("survived_space", "bytes"),
        Value::OptimisedAway => ("optimised_away_space", "bytes"),
    }
}

pub(crate) fn write(profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let mut gz = GzEncoder::new(out, Compression::default());
    gz.write_all(&message(profile, choice).encode_to_vec())?;
    gz.finish()?.flush()
}

fn message(profile: &Profile, choice: &Choice) -> proto::Profile {
    let known: Vec<Value> = values(profile).collect();
    let mut tables = Tables::default();
    tables.text("");
    let sample_type = known.iter().map(|&value| {
        let (name, unit) = names(value);
        proto::ValueType { r#type: tables.text(name), unit: tables.text(unit) }
    });
    let sample_type = sample_type.collect();
    let cells = profile.life_parts();
    let sample =
        cells.iter().flat_map(|(cell, parts)| samples(cell, parts, &known, choice.lines, &mut tables));
    let sample = sample.collect();
    let default_sample_type = tables.text(names(choice.value).0);
    let nanos = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    proto::Profile {
        sample_type,
        sample,
        time_nanos: nanos(profile.run.started_unix_ms),
        duration_nanos: nanos(profile.duration_ms),
        default_sample_type,
        location: tables.locations,
        function: tables.functions,
        string_table: tables.texts,
    }
}

/// One sample per length of life.
fn samples(
    cell: &Cell<'_>,
    parts: &[LifePart],
    known: &[Value],
    lines: bool,
    tables: &mut Tables,
) -> Vec<proto::Sample> {
    let leaf = tables.location(Place { name: readable_class(cell.class), file: String::new(), line: 0 });
    let frames = cell.stack.iter().map(|frame| tables.location(Place::of(frame, lines)));
    let location_id: Vec<u64> = std::iter::once(leaf).chain(frames.collect::<Vec<_>>()).collect();
    let class =
        proto::Label { key: tables.text("class"), str: tables.text(cell.class), ..Default::default() };
    let sample = |part: &LifePart| {
        let mut label = vec![class.clone()];
        if let Some(life) = part.life {
            label.push(proto::Label {
                key: tables.text("state"),
                str: tables.text(life.state()),
                ..Default::default()
            });
            label.push(proto::Label {
                key: tables.text("lifetime"),
                num: i64::try_from(life.middle_ms()).unwrap_or(i64::MAX),
                num_unit: tables.text("milliseconds"),
                ..Default::default()
            });
        }
        let value =
            known.iter().map(|&value| i64::try_from(part.amounts.of(value)).unwrap_or(i64::MAX)).collect();
        proto::Sample { location_id: location_id.clone(), value, label }
    };
    parts.iter().map(sample).collect()
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    name: String,
    file: String,
    /// 0: not known.
    line: u32,
}

impl Place {
    fn of(frame: &Frame, lines: bool) -> Self {
        Self {
            name: format!("{}.{}", frame.class, frame.method),
            file: frame.file.as_deref().unwrap_or_default().to_owned(),
            line: frame.line.filter(|_| lines).unwrap_or(0),
        }
    }
}

/// What samples refer to by number.
#[derive(Default)]
struct Tables {
    texts: Vec<String>,
    text_ids: HashMap<String, i64>,
    functions: Vec<proto::Function>,
    function_ids: HashMap<(String, String), u64>,
    locations: Vec<proto::Location>,
    location_ids: HashMap<Place, u64>,
}

impl Tables {
    fn text(&mut self, text: &str) -> i64 {
        let next = self.texts.len() as i64;
        id_of(&mut self.text_ids, text.to_owned(), next, || self.texts.push(text.to_owned()))
    }

    fn location(&mut self, place: Place) -> u64 {
        let function_id = self.function(&place.name, &place.file);
        let next = self.locations.len() as u64 + 1;
        let line = proto::Line { function_id, line: i64::from(place.line) };
        id_of(&mut self.location_ids, place, next, || {
            self.locations.push(proto::Location { id: next, line: vec![line] });
        })
    }

    fn function(&mut self, name: &str, file: &str) -> u64 {
        let (text, filename) = (self.text(name), self.text(file));
        let next = self.functions.len() as u64 + 1;
        id_of(&mut self.function_ids, (name.to_owned(), file.to_owned()), next, || {
            self.functions.push(proto::Function { id: next, name: text, system_name: text, filename });
        })
    }
}

/// The number of a key, which is the next one if it is new: then `add` adds its row.
pub(crate) fn id_of<K: Hash + Eq, I: Copy>(
    ids: &mut HashMap<K, I>,
    key: K,
    next: I,
    add: impl FnOnce(),
) -> I {
    *ids.entry(key).or_insert_with(|| {
        add();
        next
    })
}
