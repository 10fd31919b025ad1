//! What becomes more and more: how fast, since when, and by whom it is made.
//!
//! Not here: the words on one place (`growers`).

use std::fmt::Display;

use mayfly_profile::{FullHeap, Grower, Growing, HeapRise, Profile, Tracking};

use super::Screen;
use super::growers::{GrowerWords, LONG_MS, added, most_of, sure, what};
use crate::names::class_text;
use crate::off_heap::growing_off_heap;
use crate::process::while_it_runs;
use crate::units;
use crate::unseen::{OF_ADDED_OBJECTS, heap_rises, leak_below};

/// Growers that are named.
const MOST: usize = 2;
/// Classes that are named of those of which few stacks are taken, and the share of all from which on they are.
const SHARED: usize = 2;
const SPOKEN_OF: f64 = 0.1;
/// A program that ran for less is not said to have run for too short a time.
const NOT_SHORT_MS: u64 = 10_000;
/// Leaks in bytes a second that are too slow to speak of, if they would not have been seen.
const LEAST_FLOOR: f64 = 4096.0;

impl Screen<'_> {
    /// Sentences on what grows, on what may, or on what would not have been seen to. Nothing where it can't be told.
    pub(super) fn growing(&self) -> Vec<String> {
        let mut lines: Vec<_> = self.profile.full_heap().iter().map(full_heap).collect();
        lines.extend(off_heap(self.profile));
        let is_long = self.profile.duration_ms >= LONG_MS;
        // Of less nobody asks.
        let is_asked = self.profile.duration_ms >= NOT_SHORT_MS && self.profile.run.lifetimes;
        let growing = match &self.growth {
            Ok(growing) => growing,
            // The JVM's own numbers show it however little is known of single objects.
            Err(why) => {
                lines.extend(
                    self.profile
                        .heap_rises()
                        .iter()
                        .flat_map(|&rise| may_leak(rise, None, while_it_runs(self.profile))),
                );
                if self.profile.is_of_several_jvms() {
                    lines.push("what grows is known of each recording alone: mayfly leaks FOLDER".to_owned());
                } else if lines.is_empty() && is_asked {
                    lines.push(not_known(why));
                    lines.push(
                        "   to know, while it runs: mayfly leaks PID, or mayfly record PID --collect"
                            .to_owned(),
                    );
                }
                return lines;
            }
        };
        let sure: Vec<_> = sure(&growing.growers).collect();
        let words = |grower: &&Grower| GrowerWords::of(self.profile, grower).sentences();
        lines.extend(sure.iter().take(MOST).flat_map(words));
        lines.extend(left_out(growing, &sure, self.profile.run.tracking));
        lines.extend(more_grows(&sure, self.profile.heap_rises()));
        lines.extend(where_to_look(&sure, while_it_runs(self.profile)));
        let missed = |others| leak_below(growing.floor, others, growing.own_are_known);
        let is_blind = !growing.floor_is_small() && growing.floor >= LEAST_FLOOR;
        match (growing.growers.first(), self.profile.heap_rises()) {
            // Of what a program does in some seconds nobody knows whether it goes on.
            (_, None) if sure.is_empty() && !is_long => {
                lines.extend(is_asked.then(|| not_known(format_args!("that takes {} s", LONG_MS / 1000))));
            }
            (Some(grower), _) if sure.is_empty() => {
                lines.extend(may_grow(grower));
                lines.extend(is_blind.then(|| format!("? a {}", missed(true))));
            }
            // As if that were all.
            (Some(_), _) => {
                let missed = is_blind.then(|| format!("a {}", missed(true)));
                lines.extend(beside(growing.growers.len() - sure.len(), missed));
            }
            (None, Some(rise)) => {
                lines.extend(may_leak(rise, Some(growing.floor), while_it_runs(self.profile)))
            }
            (None, None) if is_blind => {
                lines.push(format!("nothing is seen to grow; a {}", missed(false)));
                lines.push(format!("   {OF_ADDED_OBJECTS}"));
            }
            _ => {}
        }
        lines
    }
}

/// That it can't be told, and why.
fn not_known(why: impl Display) -> String {
    format!("? whether anything grows is not known: {why}")
}

/// That collections free next to nothing, and what that costs.
fn full_heap(full: &FullHeap) -> String {
    let FullHeap { left, limit, since_ms, collections, pause_share } = *full;
    format!(
        "! the heap is full: {collections} collections of the whole left up to {} of {} since {}, and stopped the program for {} of that time",
        units::bytes(left),
        units::bytes(limit),
        units::clock(since_ms),
        units::whole_percent(pause_share)
    )
}

/// What fills the process beside a heap that may be flat.
fn off_heap(profile: &Profile) -> Vec<String> {
    growing_off_heap(profile)
        .map_or_else(Vec::new, |[text, next]| vec![format!("! {text}"), format!("   {next}")])
}

/// What is left out: what else belongs to a class that grows; and where stacks are taken of a share of each class, how much of large classes. Of
/// the `byte[]` that a leak is mostly made of no stack may be there, and each of its rare objects is.
fn left_out(growing: &Growing, sure: &[&Grower], tracking: Tracking) -> Option<String> {
    if !sure.iter().take(MOST).any(|grower| grower.is_at_least) {
        return None;
    }
    if let Tracking::ByteSample(_) = tracking {
        return Some(
            "   ≥: other growth in the same container, which is not settled, is not in it".to_owned(),
        );
    }
    let named: f64 = sure.iter().map(|grower| grower.bytes_per_s).sum();
    let all: f64 = growing.of_few_stacks.iter().map(|(_, rate)| rate).sum();
    if all < SPOKEN_OF * named {
        return Some("   ≥: what these objects hold of other classes is not in it".to_owned());
    }
    let classes = growing.of_few_stacks.iter().filter(|(_, rate)| *rate >= SPOKEN_OF * all).take(SHARED);
    let names: Vec<_> = classes.map(|(class, _)| class_text(class)).collect();
    let others = if names.len() < growing.of_few_stacks.len() { " and others" } else { "" };
    Some(format!(
        "   ≥: up to {}/s of {}{others} could belong to it, of which few stacks were taken: run without #track-balanced",
        units::bytes(all.round() as u64),
        names.join(", ")
    ))
}

/// That the JVM's own numbers rise much faster than all that is sure to grow.
fn more_grows(sure: &[&Grower], rise: Option<HeapRise>) -> Option<String> {
    let named: f64 = sure.iter().map(|grower| grower.bytes_per_s).sum();
    let rise = rise.filter(|rise| named > 0.0 && rise.is_more_than(named))?;
    let [_, by] = heap_rises(rise);
    Some(format!("   the heap in use after GCs rises {by}: this is a part of it"))
}

/// How fast what was not named grows, if more does than was, and the commands that show more.
fn where_to_look(sure: &[&Grower], when: &str) -> Option<String> {
    if sure.is_empty() {
        return None;
    }
    let are_held = sure.iter().take(MOST).all(|grower| grower.held_by().is_some());
    let more = sure.len().saturating_sub(MOST);
    let next = match (more, are_held) {
        (0, true) => "how they are held: mayfly leaks FILE".to_owned(),
        (0, false) => format!("who holds them: mayfly leaks PID, {when}"),
        (_, true) => "mayfly leaks FILE".to_owned(),
        (_, false) => format!("mayfly leaks FILE; who holds them: mayfly leaks PID, {when}"),
    };
    if more == 0 {
        return Some(format!("   {next}"));
    }
    let rate: f64 = sure.iter().skip(MOST).map(|grower| grower.bytes_per_s).sum();
    let rate = units::bytes(rate.round() as u64);
    let grow = if more == 1 { "grows" } else { "grow" };
    Some(format!("   {more} more {grow}, by {rate}/s: {next}"))
}

/// What there may be besides what surely grows: so many that are undecided, and what was missed.
fn beside(undecided: usize, missed: Option<String>) -> Option<String> {
    let undecided = match undecided {
        0 => None,
        1 => Some("one more may grow: mayfly leaks FILE".to_owned()),
        many => Some(format!("{many} more may grow: mayfly leaks FILE")),
    };
    let parts: Vec<_> = undecided.into_iter().chain(missed).collect();
    (!parts.is_empty()).then(|| format!("? {}", parts.join("; ")))
}

/// The JVM's own numbers rise, and of what was followed nothing does, or that is not known.
fn may_leak(rise: HeapRise, floor: Option<f64>, when: &str) -> [String; 3] {
    let [rises, by] = heap_rises(rise);
    let floor = floor.map(|floor| units::bytes(floor.ceil() as u64));
    let floor = floor.map_or_else(String::new, |floor| format!(" (samples show none below {floor}/s)"));
    [
        format!("? {rises}"),
        format!("   {by}: may be old garbage, or a leak{floor}"),
        format!("   who holds more and more: mayfly leaks PID, {when}"),
    ]
}

fn may_grow(grower: &Grower) -> [String; 2] {
    let why = grower.growth.doubt().unwrap_or_default();
    let most_of = added(&most_of(grower, None));
    [format!("? may be growing: {}{most_of}", what(grower)), format!("   {why}")]
}

#[cfg(test)]
mod tests {
    use mayfly_profile::Maker;

    use super::*;

    /// Of actors that were never stopped a quarter was made where samples were enough.
    #[test]
    fn what_grows_beside_what_is_named_is_not_hidden() {
        let rise =
            HeapRise { from_ms: 12_000, from_bytes: 14 << 20, to_ms: 64_000, to_bytes: (14 + 26) << 20 };
        let grower = |bytes_per_s| Grower { bytes_per_s, ..Grower::default() };
        let line = |rates: &[f64], rise| {
            let all: Vec<_> = rates.iter().map(|&rate| grower(rate)).collect();
            more_grows(&all.iter().collect::<Vec<_>>(), rise)
        };
        assert_eq!(
            line(&[100e3, 30e3], Some(rise)).as_deref(),
            Some("   the heap in use after GCs rises by 512 KiB/s: this is a part of it")
        );
        assert_eq!(line(&[100e3, 300e3], Some(rise)), None, "most of it, as far as samples show");
        assert_eq!(line(&[], Some(rise)), None, "that is a sentence of its own");
        assert_eq!(line(&[100e3], None), None);
    }

    #[test]
    fn a_full_heap_says_what_it_costs() {
        let full = FullHeap {
            left: 255 << 20,
            limit: 256 << 20,
            since_ms: 29_000,
            collections: 126,
            pause_share: 0.83,
        };
        assert_eq!(
            full_heap(&full),
            "! the heap is full: 126 collections of the whole left up to 255 MiB of 256 MiB since 0:00:29, and stopped the program for 83 % of that time"
        );
    }

    /// "made by AuditTrail.note:12, lately 5.21 KiB/s" without the byte[600] that it makes beside each, 92 % of the leak.
    #[test]
    fn where_few_stacks_were_taken_of_a_class_makers_may_make_more_of_it() {
        let maker = Maker::Method { class: "a.Trail".into(), method: "note".into(), line: Some(12) };
        let grower = Grower { maker, bytes_per_s: 5_335.0, ..Grower::default() };
        let part = Grower { is_at_least: true, ..grower.clone() };
        let of_few = |rates: &[(&str, f64)]| Growing {
            of_few_stacks: rates.iter().map(|&(class, rate)| (class.to_owned(), rate)).collect(),
            ..Growing::default()
        };
        let by_share = Tracking::Balanced;
        let arrays = of_few(&[("[B", 61_440.0), ("java.lang.String", 2_048.0)]);
        assert_eq!(left_out(&arrays, &[&grower], by_share), None, "what is said of it is all");
        let text = |growing| left_out(&growing, &[&part], by_share).expect("a part");
        assert_eq!(
            text(arrays),
            "   ≥: up to 62.0 KiB/s of byte[] and others could belong to it, of which few stacks were taken: run without #track-balanced"
        );
        assert!(text(of_few(&[("[B", 40.0)])).contains("of other classes is not in it"), "next to nothing");
    }
}
