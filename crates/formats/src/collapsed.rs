//! Collapsed stacks: `outermost;…;innermost;class number`, a line each.

use std::collections::BTreeMap;
use std::io::{self, Write};

use mayfly_profile::Profile;

use crate::choice::Choice;
use crate::spelling::{field, path};

pub(crate) fn write(profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    // Stacks that differ in lines alone become one.
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for cell in profile.cells() {
        let amount = cell.amounts.of(choice.value);
        if amount > 0 {
            let fields: Vec<_> =
                path(cell.stack, cell.class, choice.lines).iter().map(|name| field(name)).collect();
            *lines.entry(fields.join(";")).or_default() += amount;
        }
    }
    lines.iter().try_for_each(|(stack, amount)| writeln!(out, "{stack} {amount}"))
}
