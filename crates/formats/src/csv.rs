//! A table with a row per class and stack, and a column per number. Classes are spelled as `Class.getName()` does; stacks
//! from the outermost frame on, `;` between frames.

use std::io::{self, Write};

use mayfly_profile::{Profile, Value};

use crate::choice::Choice;
use crate::spelling::{field, frame};

/// Columns of numbers; empty where the profile does not know them.
const COLUMNS: [(&str, Value); 7] = [
    ("objects", Value::Objects),
    ("bytes", Value::Bytes),
    ("live_objects", Value::LiveObjects),
    ("live_bytes", Value::Live),
    ("byte_seconds", Value::ByteSeconds),
    ("died_young_bytes", Value::DiedYoung),
    ("survived_bytes", Value::Survived),
];

pub(crate) fn write(profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(["class", "stack"].into_iter().chain(COLUMNS.map(|(name, _)| name)))?;
    for cell in profile.cells() {
        let frames: Vec<_> = cell.stack.iter().rev().map(|one| field(&frame(one, choice.lines))).collect();
        let numbers = COLUMNS.map(|(_, value)| match profile.knows(value) {
            true => cell.amounts.of(value).to_string(),
            false => String::new(),
        });
        let texts = [cell.class.to_owned(), frames.join(";")];
        table.write_record(texts.iter().chain(&numbers))?;
    }
    table.flush()
}
