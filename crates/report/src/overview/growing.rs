//! What becomes more and more: how fast, since when, and by whom it is made.

use mayfly_profile::{Grower, Growth, HeapRise, Profile};

use super::Screen;
use crate::names::{class_text, place_text};
use crate::off_heap::growing_off_heap;
use crate::text::{printable, shorten};
use crate::units;
use crate::units::plus_minus;
use crate::unseen::{OF_ADDED_OBJECTS, heap_rises, leak_below};

/// Growers that are named.
const MOST: usize = 2;
/// Columns of a name in a sentence.
const NAME: usize = 50;
/// Leaks in bytes a second that are too slow to speak of, if they would not have been seen.
const LEAST_FLOOR: f64 = 4096.0;
/// What begins within this share of the time is there since the start.
const AT_THE_START: f64 = 0.1;

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
        let sure: Vec<_> = growing.growers.iter().filter(|grower| grower.growth.is_sure()).collect();
        lines.extend(sure.iter().take(MOST).flat_map(|grower| self.grows(grower)));
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

    fn grows(&self, grower: &Grower) -> [String; 2] {
        let sureness = plus_minus(grower.error);
        let since = match grower.since_ms as f64 {
            ms if ms < AT_THE_START * self.profile.duration_ms as f64 => "the start".to_owned(),
            _ => units::clock(grower.since_ms),
        };
        let rate = units::bytes(grower.bytes_per_s.round() as u64);
        [
            format!("! growing: {}, lately {rate}/s ({sureness})", what(grower)),
            format!(
                "   {} live in {} objects since {since}{}{}",
                units::bytes(grower.live.bytes),
                units::count(grower.live.objects),
                most_of(grower),
                below(self.profile, grower)
            ),
        ]
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
    [format!("? may be growing: {}{}", what(grower), most_of(grower)), format!("   {why}")]
}

/// Who makes it; its class where no stacks tell.
fn what(grower: &Grower) -> String {
    match grower.method() {
        Some(_) => format!("made by {}", name(&grower.maker.to_string())),
        None => shorten(&class_text(&grower.class), NAME, "..."),
    }
}

/// What it is, if that is not named already: the program's own class, or that of most bytes.
fn most_of(grower: &Grower) -> String {
    let short = |class: &str| shorten(&class_text(class), NAME, "...");
    match (grower.method(), &grower.own_class) {
        (None, _) => String::new(),
        (Some(_), Some(own)) => format!(", of {} and others", short(own)),
        (Some(_), None) => format!(", most of {}", short(&grower.class)),
    }
}

/// The line of the program itself that most of it is made below, if another is named as its maker.
fn below(profile: &Profile, grower: &Grower) -> String {
    let frame = grower.below(profile);
    frame.map_or_else(String::new, |frame| {
        let (class, method) = frame.in_source();
        format!(", most made below {}", name(&place_text(class, method, frame.line)))
    })
}

/// A name that leaves room for the sentence.
fn name(text: &str) -> String {
    shorten(&printable(text), NAME, "...")
}
