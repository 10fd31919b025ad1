//! What becomes more and more: how fast, since when, and by whom it is made.
//!
//! Not here: the words on one place (`growers`).

use mayfly_profile::{Grower, Growth, HeapRise, Profile};

use super::Screen;
use super::growers::{GrowerWords, added, most_of, sure, what};
use crate::off_heap::growing_off_heap;
use crate::units;
use crate::unseen::{OF_ADDED_OBJECTS, heap_rises, leak_below};

/// Growers that are named.
const MOST: usize = 2;
/// Leaks in bytes a second that are too slow to speak of, if they would not have been seen.
const LEAST_FLOOR: f64 = 4096.0;

impl Screen<'_> {
    /// Sentences on what grows, on what may, or on what would not have been seen to. Nothing where it can't be told.
    pub(super) fn growing(&self) -> Vec<String> {
        let mut lines = off_heap(self.profile);
        let growing = match self.profile.growing() {
            Ok(growing) => growing,
            // The JVM's own numbers show it however little is known of single objects.
            Err(_) => {
                lines.extend(self.profile.heap_rises().iter().flat_map(|&rise| may_leak(rise, None)));
                return lines;
            }
        };
        let sure: Vec<_> = sure(&growing.growers).collect();
        let words = |grower: &&Grower| GrowerWords::of(self.profile, grower).sentences();
        lines.extend(sure.iter().take(MOST).flat_map(words));
        lines.extend(where_to_look(&sure));
        match (growing.growers.first(), self.profile.heap_rises()) {
            (Some(grower), _) if sure.is_empty() => lines.extend(may_grow(grower)),
            (None, Some(rise)) => lines.extend(may_leak(rise, Some(growing.floor))),
            (None, None) if !growing.floor_is_small() && growing.floor >= LEAST_FLOOR => {
                lines.push(format!("nothing is seen to grow; a {}", leak_below(growing.floor)));
                lines.push(format!("   {OF_ADDED_OBJECTS}"));
            }
            _ => {}
        }
        lines
    }
}

/// What fills the process beside a heap that may be flat.
fn off_heap(profile: &Profile) -> Vec<String> {
    growing_off_heap(profile)
        .map_or_else(Vec::new, |[text, next]| vec![format!("! {text}"), format!("   {next}")])
}

/// How fast all of it grows, if more does than was named, and the commands that show more.
fn where_to_look(sure: &[&Grower]) -> Option<String> {
    let holders = "who holds them: mayfly leaks PID";
    match sure.len().saturating_sub(MOST) {
        _ if sure.is_empty() => None,
        0 => Some(format!("   {holders}")),
        more => {
            let rate: f64 = sure.iter().map(|grower| grower.bytes_per_s).sum();
            let rate = units::bytes(rate.round() as u64);
            Some(format!("   {more} more grow, in all by {rate}/s: mayfly leaks FILE; {holders}"))
        }
    }
}

/// The JVM's own numbers rise, and of what was followed nothing does, or that is not known.
fn may_leak(rise: HeapRise, floor: Option<f64>) -> [String; 3] {
    let [rises, by] = heap_rises(rise);
    let floor = floor.map(|floor| units::bytes(floor.ceil() as u64));
    let floor = floor.map_or_else(String::new, |floor| format!(" (samples show none below {floor}/s)"));
    [
        format!("? {rises}"),
        format!("   {by}: may be old garbage, or a leak{floor}"),
        "   who holds more and more: mayfly leaks PID".to_owned(),
    ]
}

fn may_grow(grower: &Grower) -> [String; 2] {
    let why = match &grower.growth {
        Growth::Unsure(why) => why.as_str(),
        Growth::Grows | Growth::Harmless => "",
    };
    let most_of = added(&most_of(grower));
    [format!("? may be growing: {}{most_of}", what(grower)), format!("   {why}")]
}
