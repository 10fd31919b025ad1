//! Who calls, not only who allocates: what was allocated through each of the program's own frames, as a tree from the outermost on.
//!
//! The JDK's frames are folded into the program's (`own_frame`), and where the program is known, those of frameworks and of what calls it
//! (`Program::way`); lines of one method are one frame, named by the line with most. Not here: what of it is shown.

use std::collections::BTreeMap;

use crate::derived::places::Places;
use crate::derived::program::Program;
use crate::facts::frame::Frame;
use crate::stream::profile::Profile;

/// Frames of a way, from the outermost on.
const MOST_DEPTH: usize = 48;
/// A line of a method with less of its bytes is not spoken of.
const PART: f64 = 0.05;

/// A frame of the program's own, and what was allocated through it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnWay {
    /// The frame; its line is that of most bytes.
    pub frame: Frame,
    /// Lines of the method that have a part of them besides.
    pub more_lines: usize,
    /// Bytes allocated while it was on the stack, called so.
    pub bytes: u64,
    /// Of these, those of which it is the innermost frame of the program's own.
    pub own_bytes: u64,
    /// What it calls, most bytes first.
    pub callees: Vec<OwnWay>,
}

#[derive(Default)]
struct Node<'p> {
    own_bytes: u64,
    bytes: u64,
    /// Bytes by the frame with its line.
    lines: Places<&'p Frame>,
    callees: BTreeMap<(&'p str, &'p str), Node<'p>>,
}

impl Profile {
    /// The ways to all that was allocated below frames of the program's own, most bytes first. Empty without stacks.
    pub fn own_ways(&self) -> Vec<OwnWay> {
        let bounds = self.site_bounds();
        let program = Program::of(self);
        let mut root = Node::default();
        for site in &self.sites {
            let mut frames = program.way(&site.stack);
            // A method that calls itself is on the way once, with a line if any call has one.
            frames.dedup_by(|inner, outer| {
                let is_same = inner.in_source() == outer.in_source();
                if is_same && outer.line.is_none() {
                    *outer = inner;
                }
                is_same
            });
            // Of a deep recursion both ends say most: who begins it, and what allocates.
            if let Some(more) = frames.len().checked_sub(MOST_DEPTH) {
                frames.drain(MOST_DEPTH / 2..MOST_DEPTH / 2 + more);
            }
            root.add(&frames, site.allocated_at_most(&bounds));
        }
        root.ways()
    }
}

impl<'p> Node<'p> {
    fn add(&mut self, frames: &[&'p Frame], bytes: u64) {
        let mut node = self;
        for frame in frames {
            node = node.callees.entry(frame.in_source()).or_default();
            node.bytes = node.bytes.saturating_add(bytes);
            node.lines.add(*frame, bytes as f64);
        }
        node.own_bytes = node.own_bytes.saturating_add(bytes);
    }

    fn ways(self) -> Vec<OwnWay> {
        let way = |node: Node<'p>| {
            let frame = node.lines.most().map_or_else(Frame::default, |&frame| frame.clone());
            let more_lines = node.lines.with(PART).saturating_sub(1);
            OwnWay { frame, more_lines, bytes: node.bytes, own_bytes: node.own_bytes, callees: node.ways() }
        };
        let mut ways: Vec<OwnWay> = self.callees.into_values().map(way).collect();
        ways.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.frame.cmp(&b.frame)));
        ways
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::tally::Tally;
    use crate::stream::profile::SiteProfile;

    #[test]
    fn ways_begin_outside_and_fold_the_jdk_and_recursion() {
        let site = |frames: &[(&str, &str, u32)], bytes| SiteProfile {
            stack: frames
                .iter()
                .map(|&(class, method, line)| Frame {
                    class: class.into(),
                    method: method.into(),
                    file: None,
                    line: (line > 0).then_some(line),
                })
                .collect(),
            allocated: Tally::of(bytes, 1),
            ..SiteProfile::default()
        };
        let price =
            [("java.text.DecimalFormat", "<init>", 1), ("a.Price", "format", 9), ("a.Quote", "get", 5)];
        let profile = Profile {
            sites: vec![
                site(&price, 70),
                site(&[("a.Price", "format", 8), ("a.Price", "format", 8), ("a.Quote", "get", 4)], 20),
                site(&[("a.Quote", "get", 6), ("a.Quote", "get", 0), ("java.lang.Thread", "run", 1)], 5),
                site(&[("java.lang.Thread", "run", 1)], 3),
            ],
            ..Profile::default()
        };
        let ways = profile.own_ways();
        assert_eq!(ways.len(), 1);
        let quote = &ways[0];
        assert_eq!(
            (&*quote.frame.method, quote.frame.line, quote.bytes, quote.own_bytes),
            ("get", Some(5), 95, 5)
        );
        assert_eq!(quote.more_lines, 2, "each calls another line");
        let format = &quote.callees[0];
        assert_eq!(
            (&*format.frame.method, format.frame.line, format.bytes, format.own_bytes),
            ("format", Some(9), 90, 90)
        );
        assert!(format.callees.is_empty());
    }
}
