//! Who calls: a short tree of the program's own frames, with what was allocated through each.
//!
//! Not here: how it is made (`mayfly-profile`).

use mayfly_profile::{Frame, OwnWay};

use super::Screen;
use crate::names::place_text;
use crate::units;
use crate::ways::about;

/// Rows of the tree.
const ROWS: usize = 5;
/// Ways below this share of all are left out.
const LEAST: f64 = 0.05;
/// A callee with so much of its caller's is written behind it.
const SAME: f64 = 0.9;

/// A row before it is text.
struct Row {
    depth: usize,
    bytes: u64,
    name: String,
}

impl Screen<'_> {
    /// The tree; nothing where no method of the program's own calls another one that allocates.
    pub(super) fn ways(&self) -> Vec<String> {
        let ways = self.profile.own_ways();
        let total = self.methods.iter().map(|method| method.allocated_bytes).fold(0, u64::saturating_add);
        let least = (LEAST * total as f64) as u64;
        let mut rows = Vec::new();
        ways.iter().for_each(|way| add(way, 0, least.max(1), &mut rows));
        let is_decided = rows.iter().any(|row| row.depth > 0 || row.name.contains(ARROW));
        if !is_decided {
            return Vec::new();
        }
        // The largest, in the order of the tree: a row is no larger than the one that it is under.
        let mut sizes: Vec<u64> = rows.iter().map(|row| row.bytes).collect();
        sizes.sort_unstable_by_key(|&bytes| std::cmp::Reverse(bytes));
        let limit = sizes.get(ROWS).copied().unwrap_or(0);
        rows.retain(|row| row.bytes > limit);
        let mut lines =
            vec![String::new(), "Who calls (allocated through the program's own frames):".to_owned()];
        let estimated = about(self.profile);
        lines.extend(rows.iter().map(|row| {
            let share = units::percent(row.bytes, total);
            let indent = "  ".repeat(row.depth);
            let size = format!("{estimated}{}", units::bytes(row.bytes));
            self.fit(&format!("  {size:>10}  {share:>3} %  {indent}{}", row.name))
        }));
        lines
    }
}

const ARROW: &str = " > ";

fn add(way: &OwnWay, depth: usize, least: u64, rows: &mut Vec<Row>) {
    if way.bytes < least {
        return;
    }
    let (mut names, mut last) = (vec![short(&way.frame)], way);
    while let Some(callee) = last.callees.first().filter(|to| to.bytes as f64 >= SAME * last.bytes as f64) {
        names.push(short(&callee.frame));
        last = callee;
    }
    // Of a long way both ends say most.
    if names.len() > 4 {
        names.splice(2..names.len() - 2, ["…".to_owned()]);
    }
    rows.push(Row { depth, bytes: way.bytes, name: names.join(ARROW) });
    last.callees.iter().for_each(|callee| add(callee, depth + 1, least, rows));
}

/// `Shop.render:71`: the class without its package.
pub(super) fn short(frame: &Frame) -> String {
    let (class, method) = frame.in_source();
    place_text(class.rsplit_once('.').map_or(class, |(_, class)| class), method, frame.line)
}
