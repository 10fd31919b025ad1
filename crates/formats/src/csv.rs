//! A table with a row per class and stack, and a column per number; then by what else stacks are grouped. Classes are spelled as `Class.getName()` does; stacks
//! from the outermost frame on, `;` between frames. And the table of requests whose objects are still there.

use std::io::{self, Write};

use mayfly_profile::{Grouping, Profile};

use crate::choice::{Choice, columns};
use crate::columns::Columns;
use crate::spelling::stack;
use crate::traces;

/// What begins a formula in a spreadsheet, behind which a cell is calculated; a name may begin so, of whoever made the class.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A text that no spreadsheet takes for a formula: those that begin like one get an apostrophe, as a user would type it.
fn plain(text: String) -> String {
    if text.starts_with(FORMULA) { format!("'{text}") } else { text }
}

pub(crate) fn write(profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    let (numbers, groups) = (columns().map(|(name, _)| name), Grouping::ALL.map(Grouping::key));
    table.write_record(["class", "stack"].into_iter().chain(numbers).chain(groups))?;
    for cell in profile.cells() {
        // Empty where the profile does not know it.
        let numbers: Vec<_> = columns()
            .map(|(_, value)| match profile.knows(value) {
                true => cell.amounts.of(value).to_string(),
                false => String::new(),
            })
            .collect();
        let texts = [plain(cell.class.to_owned()), plain(stack(cell.stack, choice.lines))];
        let groups = Grouping::ALL.map(|grouping| plain(grouping.of(cell.stack).unwrap_or("").to_owned()));
        table.write_record(texts.iter().chain(&numbers).chain(&groups))?;
    }
    table.flush()
}

pub(crate) fn write_traces(profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    write_columns(&traces::columns(profile, choice), out)
}

/// What is not known is empty.
fn write_columns(columns: &Columns, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(columns.iter().map(|(name, _)| name))?;
    for row in 0..columns.first().map_or(0, |(_, column)| column.len()) {
        table.write_record(columns.iter().map(|(_, column)| plain(column.text(row))))?;
    }
    table.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_a_formula() {
        for text in ["=cmd|' /C calc'!A0", "@SUM(A1)", "+1", "-1", "\tx"] {
            assert_eq!(plain(text.to_owned()), format!("'{text}"));
        }
        for text in ["java.lang.String", "[B", "a.B.<init>;a.B.run", ""] {
            assert_eq!(plain(text.to_owned()), text);
        }
    }
}
