//! Who calls, in full: the tree of the program's own frames with what was allocated through each.
//!
//! Not here: how it is made (`mayfly-profile`), the few rows on one screen (`overview`).

use mayfly_profile::{OwnWay, Profile};

use crate::names::place_text;
use crate::table::right_aligned;
use crate::units;

/// Ways below this share of all bytes are left out, as in JSON.
const LEAST: f64 = 0.01;
/// Levels that are indented by two columns, and by one; deeper ones are as deep.
const WIDELY: usize = 10;
const DEEPEST: usize = 50;

/// The tree as text: through, share, by the frame itself, the frame. Never cut: a name that is looked for has to be there.
pub fn ways(profile: &Profile) -> String {
    let all = profile.sites.iter().map(|site| site.allocated.bytes).fold(0, u64::saturating_add);
    let found = profile.own_ways();
    if found.is_empty() {
        return "Who calls is not known: no stack with a frame of the program's own was recorded.\n"
            .to_owned();
    }
    let tree = Tree { all, least: ((LEAST * all as f64) as u64).max(1), about: about(profile) };
    let mut rows = vec![["through", "share", "itself", "frame"].map(str::to_owned).to_vec()];
    found.iter().for_each(|way| tree.add(way, 0, &mut rows));
    let heading = "Who calls: what was allocated through each frame of the program's own, and of that by itself and what is folded below it, the JDK and frameworks (of stacks without one: their innermost frame)";
    format!("{heading} (1 % of all or more):\n{}", right_aligned(&rows, "  "))
}

/// Before what was allocated at sites, where that is an estimate.
pub(crate) fn about(profile: &Profile) -> &'static str {
    if profile.sites.iter().any(|site| site.error > 0.0) { "~" } else { "" }
}

struct Tree {
    all: u64,
    least: u64,
    /// Before an estimate.
    about: &'static str,
}

impl Tree {
    fn add(&self, way: &OwnWay, depth: usize, rows: &mut Vec<Vec<String>>) {
        if way.bytes < self.least {
            return;
        }
        let size = |bytes: u64| format!("{}{}", self.about, units::bytes(bytes));
        let itself = if way.own_bytes == 0 { String::new() } else { size(way.own_bytes) };
        let share = format!("{} %", units::percent(way.bytes, self.all));
        let indent = " ".repeat(depth.min(WIDELY) + depth.min(DEEPEST));
        rows.push(vec![size(way.bytes), share, itself, format!("{indent}{}", place(way))]);
        way.callees.iter().for_each(|callee| self.add(callee, depth + 1, rows));
    }
}

/// The method, with the line that most is made below: which of several lines makes what is below it is not known here.
fn place(way: &OwnWay) -> String {
    let (class, method) = way.frame.in_source();
    let place = place_text(class, method, way.frame.line);
    match way.more_lines {
        0 => place,
        1 => format!("{place} and 1 more line"),
        more => format!("{place} and {more} more lines"),
    }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Frame, SiteProfile, Tally};

    use super::*;

    #[test]
    fn callers_stand_above_what_they_call_and_nothing_is_cut() {
        let frame = |class: &str, method: &str, line| Frame {
            class: class.into(),
            method: method.into(),
            file: None,
            line: Some(line),
        };
        let long = format!("a.{}", "Quotes".repeat(30));
        let page = || frame("a.Shop", "page", 7);
        let site = |frames: Vec<Frame>, bytes| SiteProfile {
            stack: frames.into(),
            allocated: Tally::of(1, bytes),
            ..SiteProfile::default()
        };
        let sites = vec![
            site(vec![frame("java.text.Format", "make", 1), frame(&long, "newFormat", 9), page()], 700 << 10),
            site(vec![frame("a.Shop", "send", 8), page()], 300 << 10),
            site(vec![frame("a.Shop", "send", 11), page()], 100 << 10),
            site(vec![frame("a.Shop", "rare", 9), page()], 1 << 10),
        ];
        let text = ways(&Profile { sites, ..Profile::default() });
        let lines: Vec<_> = text.lines().skip(2).map(str::trim_start).collect();
        assert_eq!(
            lines,
            [
                "1.08 MiB  100 %           a.Shop.page:7".to_owned(),
                format!("700 KiB   64 %  700 KiB    {long}.newFormat:9"),
                "400 KiB   36 %  400 KiB    a.Shop.send:8 and 1 more line".to_owned(),
            ]
        );
    }

    #[test]
    fn without_stacks_nobody_is_known_to_call() {
        assert!(ways(&Profile::default()).starts_with("Who calls is not known"));
    }
}
