//! Who calls, in the JSON report: the tree of the program's own frames.

use mayfly_profile::{Frame, OwnWay, Profile};
use serde::Serialize;

/// Ways below this share of all bytes are left out.
const LEAST: f64 = 0.01;

/// A frame of the program's own, and what was allocated through it.
#[derive(Debug, Serialize)]
pub(super) struct WayJson {
    /// As in stacks; its line is that of most bytes.
    frame: String,
    bytes: u64,
    /// Of these, allocated by it itself and the JDK's methods that it calls.
    own_bytes: u64,
    callees: Vec<WayJson>,
}

/// All ways of 1 % or more, most bytes first.
pub(super) fn ways(profile: &Profile) -> Vec<WayJson> {
    let all = profile.sites.iter().map(|site| site.allocated.bytes).fold(0, u64::saturating_add);
    way_rows(&profile.own_ways(), (LEAST * all as f64) as u64)
}

fn way_rows(ways: &[OwnWay], least: u64) -> Vec<WayJson> {
    let way = |way: &OwnWay| WayJson {
        frame: frame_text(&way.frame),
        bytes: way.bytes,
        own_bytes: way.own_bytes,
        callees: way_rows(&way.callees, least),
    };
    ways.iter().filter(|way| way.bytes >= least.max(1)).map(way).collect()
}

/// As `StackTraceElement.toString()` spells it, without loader and module.
pub(super) fn frame_text(frame: &Frame) -> String {
    let Frame { class, method, file, line } = frame;
    match (file, line) {
        (Some(file), Some(line)) => format!("{class}.{method}({file}:{line})"),
        (Some(file), None) => format!("{class}.{method}({file})"),
        (None, _) => format!("{class}.{method}(Unknown Source)"),
    }
}
