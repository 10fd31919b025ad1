//! A budget that a profile keeps with some room, as text: the begin of one's own.

use std::fmt::Write;

use mayfly_profile::{ClassProfile, Profile};

use crate::counted::Picked;
use crate::grounds::trust_share;

/// Room above what was measured.
const ROOM: f64 = 1.1;
/// Classes named, each with at least this share of all bytes: of less, what a JVM does by itself is more than the room.
const CLASSES: usize = 5;
const LEAST_SHARE: f64 = 0.01;
/// Trust asked for at most.
const TRUST: f64 = 0.99;

/// The text. Lifetimes and live objects are limited only where they are known exactly: a sample's band may be wide.
pub fn budget_of(profile: &Profile) -> String {
    let trust = trust_share(profile).map_or(0.0, |share| (share * 100.0).floor() / 100.0).min(TRUST);
    let bytes = profile.classes.iter().map(|class| class.allocated.bytes).fold(0, u64::saturating_add);
    let objects = profile.classes.iter().map(|class| class.allocated.objects).fold(0, u64::saturating_add);
    let why = if trust < TRUST {
        format!("# The recording knows no more of its JVM's bytes: the default is {TRUST}.\n")
    } else {
        String::new()
    };
    let mut text =
        format!("{why}trust = {trust}\n\n[total]\nbytes = {}\nobjects = {}\n", size(bytes), roomy(objects));
    let exact = profile.run.lifetimes
        && matches!(Picked::tracked(profile), Picked::Each)
        && profile.run.view.classes.admits_all()
        && profile.run.view.min_bytes == 0
        && profile.trust.dropped.is_empty();
    if exact {
        let live = profile.classes.iter().filter_map(|class| class.live).map(|live| live.bytes);
        let _ = writeln!(text, "live_bytes = {}", size(live.fold(0, u64::saturating_add)));
    }
    let is_much = |class: &&ClassProfile| class.allocated.bytes as f64 >= LEAST_SHARE * bytes.max(1) as f64;
    for class in profile.classes.iter().filter(is_much).take(CLASSES) {
        text += &entry(class, exact);
    }
    text
}

fn entry(class: &ClassProfile, exact: bool) -> String {
    let mut text = format!("\n[[class]]\nname = {}\n", quoted(&class.name));
    let _ = writeln!(text, "bytes = {}", size(class.allocated.bytes));
    if let Some(live) = class.live.filter(|_| exact) {
        let _ = writeln!(text, "live = {}", roomy(live.objects));
    }
    text
}

/// As a string of TOML. Whatever steers a terminal, or is not seen there, is an escape that TOML has: the text then stays as it is
/// written wherever it is shown.
fn quoted(name: &str) -> String {
    let mut text = String::from('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric() => text.push(c),
            c if u32::from(c) <= 0xffff => {
                let _ = write!(text, "\\u{:04X}", u32::from(c));
            }
            c => {
                let _ = write!(text, "\\U{:08X}", u32::from(c));
            }
        }
    }
    text.push('"');
    text
}

/// As a size with room: in the largest unit that leaves three digits.
fn size(bytes: u64) -> String {
    let roomy = roomy(bytes);
    match [(30, 'g'), (20, 'm'), (10, 'k')].into_iter().find(|&(shift, _)| roomy >> shift >= 100) {
        Some((shift, unit)) => format!("\"{}{unit}\"", roomy.div_ceil(1 << shift)),
        None => roomy.to_string(),
    }
}

fn roomy(count: u64) -> u64 {
    (count as f64 * ROOM).ceil() as u64
}
