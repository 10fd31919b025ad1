//! Two sides as parts, class and stack, that add up to what is compared: for pictures of the whole.
//!
//! Cells of a profile add up to what reports say of its classes (`mayfly-profile`), so these do. Not here: whether a part
//! changed (`diff`).

use std::collections::BTreeMap;

use mayfly_profile::{Cell, Value};

use crate::diff::Side;
use crate::rows::{frame_name, stable};

/// Objects of one class from one stack, on both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// As `Class.getName()` gives it, without what the JVM numbers.
    pub class: String,
    /// `class.method`, innermost first; empty where it is not known, or not to be compared.
    pub stack: Vec<String>,
    /// Mean of the runs before.
    pub before: Held,
    /// Mean of the runs after.
    pub after: Held,
}

/// Bytes of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Held {
    /// Allocated, per operation.
    pub allocated: f64,
    /// Live at the end; 0 where that is not known.
    pub live: f64,
}

/// All parts of two sides, by class and stack; with `stacks` only where all runs have them.
pub fn parts(before: &Side<'_>, after: &Side<'_>, stacks: bool) -> Vec<Part> {
    let mut parts: BTreeMap<(String, Vec<String>), [Held; 2]> = BTreeMap::new();
    for (at, side) in [before, after].into_iter().enumerate() {
        for (profile, operations) in &side.runs {
            let share = 1.0 / side.runs.len() as f64;
            for cell in profile.cells() {
                let held = &mut parts.entry(named(&cell, stacks)).or_default()[at];
                held.allocated += cell.amounts.of(Value::Bytes) as f64 * share / operations;
                held.live += cell.amounts.of(Value::Live) as f64 * share;
            }
        }
    }
    parts.into_iter().map(|((class, stack), [before, after])| Part { class, stack, before, after }).collect()
}

fn named(cell: &Cell<'_>, stacks: bool) -> (String, Vec<String>) {
    let stack = cell.stack.iter().filter(|_| stacks).map(|at| frame_name(&at.class, &at.method));
    (stable(cell.class), stack.collect())
}
