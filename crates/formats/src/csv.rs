//! A table with a row per class and stack, and a column per number. Classes are spelled as `Class.getName()` does; stacks
//! from the outermost frame on, `;` between frames.

use std::io::{self, Write};

use mayfly_profile::Profile;

use crate::choice::{COLUMNS, Choice};
use crate::spelling::stack;

pub(crate) fn write(profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(["class", "stack"].into_iter().chain(COLUMNS.map(|(name, _)| name)))?;
    for cell in profile.cells() {
        // Empty where the profile does not know it.
        let numbers = COLUMNS.map(|(_, value)| match profile.knows(value) {
            true => cell.amounts.of(value).to_string(),
            false => String::new(),
        });
        let texts = [cell.class.to_owned(), stack(cell.stack, choice.lines)];
        table.write_record(texts.iter().chain(&numbers))?;
    }
    table.flush()
}
