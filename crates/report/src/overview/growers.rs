//! What is sure to grow, in words: for the first screen and for other tables.
//!
//! Not here: which of it the first screen names (`growing`).

use mayfly_profile::{BlameRules, Frame, Grower, Growing, Maker, OldRow, Profile, SiteProfile};

use crate::names::{class_text, place_text};
use crate::text::{printable, shorten};
use crate::units;
use crate::units::plus_minus;

/// Programs that ran for less are not asked whether they leak.
pub(super) const LONG_MS: u64 = 20_000;
/// Columns of a name in a sentence.
const NAME: usize = 50;
/// What begins within this share of the time is there since the start.
const AT_THE_START: f64 = 0.1;

/// What is sure to grow, in the words of the first screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrowerWords {
    /// The class of most of its bytes, as `Class.getName()` gives it.
    pub class: String,
    /// Who makes it, as `made by Cart.put:12`; its class where no stacks tell.
    pub what: String,
    /// How fast, in bytes a second: lately, or until when the program had more to do.
    pub rate: String,
    /// Whether it stopped then.
    pub is_over: bool,
    /// The error of that.
    pub sureness: String,
    /// Bytes that are live: `~` before what is estimated, `≥` before what is a part.
    pub live: String,
    /// `the start`, or a moment of the profiled time.
    pub since: String,
    /// What it is, and how many of that are live: `of 1.45 k a.B and others`, `most of byte[]`.
    pub most_of: String,
    /// The line of the program that most of it is made below, if it is another than that of `what`.
    pub below: String,
    /// The field that holds it, as `a.B.field`; empty where that is not known.
    pub holder: String,
}

/// What is sure to grow.
pub(super) fn sure(growers: &[Grower]) -> impl Iterator<Item = &Grower> {
    growers.iter().filter(|grower| grower.growth.is_sure())
}

impl GrowerWords {
    pub(super) fn of(profile: &Profile, grower: &Grower) -> Self {
        let since = match grower.since_ms as f64 {
            ms if ms < AT_THE_START * profile.duration_ms as f64 => "the start".to_owned(),
            _ => units::clock(grower.since_ms),
        };
        let least = if grower.is_at_least { "≥" } else { "" };
        let surely = |number: f64| if grower.is_at_least { surely_of(number, grower.error) } else { number };
        let rate = format!("{least}{}/s", units::bytes(surely(grower.bytes_per_s).round() as u64));
        let about = sign_of(grower.is_at_least, grower.is_estimate(profile));
        let until = grower.until_ms.map_or(String::new(), |ms| format!(" until {}", units::clock(ms)));
        Self {
            class: grower.class.clone(),
            what: what(grower),
            rate: rate + &until,
            is_over: grower.until_ms.is_some(),
            sureness: growth_sureness(grower.error, grower.is_at_least),
            live: format!("{about}{}", units::bytes(surely(grower.live.bytes as f64) as u64)),
            since,
            most_of: most_of(
                grower,
                grower
                    .named_objects(profile)
                    .map(|number| format!("{about}{}", units::count(surely(number as f64) as u64))),
            ),
            below: below(profile, grower),
            holder: grower.held_by().map_or_else(String::new, name),
        }
    }

    /// What it is, and where most of it is made; empty if `what` says it all.
    pub fn details(&self) -> String {
        let Self { most_of, below, .. } = self;
        match (most_of.is_empty(), below.is_empty()) {
            (_, true) => most_of.clone(),
            (true, false) => format!("most made below {below}"),
            (false, false) => format!("{most_of}, most made below {below}"),
        }
    }

    /// On the first screen.
    pub(super) fn sentences(&self) -> Vec<String> {
        let Self { what, rate, sureness, live, since, holder, .. } = self;
        let details = added(&self.details());
        let lately = if self.is_over { "" } else { "lately " };
        let mut lines = vec![
            format!("! growing: {what}, {lately}{rate} ({sureness})"),
            format!("   {live} live since {since}{details}"),
        ];
        lines.extend((!holder.is_empty()).then(|| format!("   held by {holder}")));
        lines
    }
}

/// How sure the rate of what grows is, in words. Where more belongs to it the error of what is known would be taken for that of all.
pub fn growth_sureness(error: f64, is_at_least: bool) -> String {
    if is_at_least { "a part of it".to_owned() } else { plus_minus(error) }
}

/// Before an amount that is a part, or estimated.
pub fn sign_of(is_at_least: bool, is_estimate: bool) -> &'static str {
    match (is_at_least, is_estimate) {
        (true, _) => "≥",
        (false, true) => "~",
        (false, false) => "",
    }
}

/// What such a number is for sure, of which it is said that it is at least so much: less by two of its relative errors. "≥158 KiB/s (a part)" was stated of 101.
pub fn surely_of(number: f64, error: f64) -> f64 {
    number * (1.0 - 2.0 * error).max(0.0)
}

/// What surely grows, in a line: the fastest, and how many more do. `None` where nothing does, or where that can't be told yet.
pub fn growing_line(profile: &Profile) -> Option<String> {
    let growing = profile.growing().ok().filter(|_| profile.duration_ms >= LONG_MS)?;
    let mut growers = sure(&growing.growers);
    let GrowerWords { what, rate, sureness, holder, .. } = GrowerWords::of(profile, growers.next()?);
    let held = if holder.is_empty() { String::new() } else { format!(", held by {holder}") };
    let more = match growers.count() {
        0 => String::new(),
        more => format!("; {more} more"),
    };
    Some(format!("! growing: {what}, {rate} ({sureness}){held}{more}"))
}

/// Who makes it; its class where no stacks tell.
pub(super) fn what(grower: &Grower) -> String {
    match grower.method() {
        Some(method) => format!("made by {}", name(&method)),
        None => shorten(&class_text(&grower.class), NAME, "..."),
    }
}

/// What it is, if that is not named already: the program's own class, or that of most bytes; how many are live of that, in words, if it is known.
pub(super) fn most_of(grower: &Grower, objects: Option<String>) -> String {
    let short = |class: &str| shorten(&class_text(class), NAME, "...");
    let number = || objects.as_ref().map_or_else(String::new, |objects| format!("{objects} "));
    match (grower.method(), grower.program_class()) {
        (None, _) => objects.map_or_else(String::new, |objects| format!("{objects} objects")),
        (Some(_), _) if grower.is_class() && grower.kept.len() == 1 => {
            format!("all of {}{}", number(), short(&grower.class))
        }
        (Some(_), Some(own)) => format!("of {}{} and others", number(), short(own)),
        (Some(_), None) => format!("most of {}", short(&grower.class)),
    }
}

/// The line of the program itself that most of it is made below, if another is named as its maker.
fn below(profile: &Profile, grower: &Grower) -> String {
    grower.below(profile).map_or_else(String::new, frame_name)
}

/// A part of a sentence behind a comma; nothing if there is none.
pub(super) fn added(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(", {text}") }
}

/// The place of a frame, with room for the sentence.
pub(super) fn frame_name(frame: &Frame) -> String {
    let (class, method) = frame.in_source();
    shorten(&place_text(class, method, frame.line), NAME, "...")
}

/// A name that leaves room for the sentence.
fn name(text: &str) -> String {
    shorten(&printable(text), NAME, "...")
}

/// Who holds what is live of such a row, if it was found, as of what grows. Rows are made by the frames that `rules` charge.
pub fn holder_of(
    (profile, rules): (&Profile, &BlameRules),
    growing: &Growing,
    row: &OldRow<'_>,
) -> Option<String> {
    growers_of((profile, rules), growing, row).find_map(Grower::held_by).map(class_text)
}

/// What grows of what such a row's method makes, for itself or for its callers.
pub(super) fn growers_of<'g>(
    (profile, rules): (&'g Profile, &'g BlameRules),
    growing: &'g Growing,
    row: &'g OldRow<'_>,
) -> impl Iterator<Item = &'g Grower> {
    let is_its_maker = move |grower: &Grower| matches!(&grower.maker, Maker::Method { class, method, .. } if row.method == Some((class, method)));
    let is_of_row = move |site: &SiteProfile| {
        site.class == row.class
            && row.method.is_some()
            && rules.charged(&site.stack).map(Frame::in_source) == row.method
    };
    let has_of_row = move |grower: &Grower| {
        grower.kept.iter().filter_map(|kept| profile.sites.get(kept.row)).any(is_of_row)
    };
    growing.growers.iter().filter(move |grower| is_its_maker(grower) || has_of_row(grower))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mayfly_profile::{Tally, Tracking};

    #[test]
    fn what_is_at_least_so_much_is_less_by_its_error() {
        let live = Tally::of(1_000, 1_024);
        let whole = Grower { bytes_per_s: 102_400.0, error: 0.2, live, ..Grower::default() };
        let mut profile = Profile::default();
        profile.run.tracking = Tracking::EveryObject;
        let words = |grower: &Grower| {
            let words = GrowerWords::of(&profile, grower);
            [words.rate, words.live]
        };
        assert_eq!(words(&whole), ["100 KiB/s", "1000 KiB"]);
        assert_eq!(words(&Grower { is_at_least: true, ..whole }), ["≥60.0 KiB/s", "≥600 KiB"]);
    }
}
