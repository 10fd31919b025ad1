//! The live console histogram: what lives how long, and who allocates how fast, now.
//!
//! Not here: clearing the screen, colours, when to print again: the caller has the terminal.

use std::borrow::Cow;
use std::collections::HashMap;

use mayfly_profile::measures::{DIED_BEFORE_FIRST_GC_SHARE, LIVE_BYTES, OBJECTS, P50_S, RANK_BYTES};
use mayfly_profile::{ClassProfile, Measure, Profile, Tally, readable_class};

use crate::bars::bar;
use crate::followed::{gcs, tracking_text};
use crate::lifetimes::{LIFE_HEADING, LIFE_LABEL, life_label};
use crate::measured::measured;
use crate::text::{ascii, pad, pad_left, printable, shorten, width};
use crate::trust::{short_trust_line, trust_line};
use crate::units;

/// How much room there is, and of what kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveOptions {
    /// Columns; no line is longer. For less than 40 the text is laid out in 40, and cut off.
    pub width: usize,
    /// Class rows at most.
    pub rows: usize,
    /// Lines of the whole text at most: class rows go first, then empty lines, then buckets and what stands below.
    /// `None`: as many as it takes.
    pub height: Option<usize>,
    /// Whether more than ASCII may be used; other characters, those of names too, are then spelled in ASCII.
    pub unicode: bool,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self { width: 80, rows: 12, height: None, unicode: true }
    }
}

const LABEL_WIDTH: usize = LIFE_LABEL;
const NUMBER_WIDTH: usize = 8;

/// The histogram. Rates are since `previous`, an earlier profile of the same stream; without one, or after a reset, since
/// the start. Ends with a line feed.
pub fn live(profile: &Profile, previous: Option<&Profile>, options: &LiveOptions) -> String {
    let rows = options.height.map_or(options.rows, |height| options.rows.min(rows_within(height, profile)));
    let view = View { profile, options, width: options.width.max(40), rows };
    let mut lines = vec![view.header(), String::new()];
    if profile.run.lifetimes {
        lines.extend(view.buckets());
        lines.push(String::new());
    }
    lines.extend(view.classes(previous));
    lines.push(String::new());
    lines.extend(view.trust());
    if let Some(height) = options.height {
        fit(&mut lines, height);
    }
    lines.iter().map(|line| format!("{}\n", view.shorten(line, options.width).trim_end())).collect()
}

/// Class rows that leave room for all else: at least one.
fn rows_within(height: usize, profile: &Profile) -> usize {
    /// Heading, empty lines, classes left out, what a mark means, trust and what was dropped.
    const ALWAYS: usize = 8;
    let buckets = if profile.run.lifetimes { profile.life_rows().len() + 2 } else { 0 };
    height.saturating_sub(ALWAYS + buckets).max(1)
}

/// Leaves out empty lines, and then the last lines, of what is too long.
fn fit(lines: &mut Vec<String>, height: usize) {
    let mut over = lines.len().saturating_sub(height);
    lines.retain(|line| {
        let goes = over > 0 && line.is_empty();
        over -= usize::from(goes);
        !goes
    });
    lines.truncate(height);
}

struct View<'a> {
    profile: &'a Profile,
    options: &'a LiveOptions,
    width: usize,
    /// Class rows at most.
    rows: usize,
}

impl View<'_> {
    fn header(&self) -> String {
        let Profile { run, duration_ms, .. } = self.profile;
        let who = format!("mayfly  pid {}  ", run.jvm.pid);
        let right = format!(
            "  {}  {}  {}",
            units::clock(*duration_ms),
            gcs(self.profile),
            tracking_text(self.profile)
        );
        let room = self.width.saturating_sub(width(&who) + width(&right));
        let command = self.shorten(&self.text(&run.jvm.command), room);
        self.shorten(&format!("{who}{}{right}", pad(&command, room)), self.width)
    }

    /// A bar per range of lifetimes and one for what is live, by bytes.
    fn buckets(&self) -> Vec<String> {
        let rows = self.profile.life_rows();
        let rows: Vec<_> =
            rows.into_iter().map(|row| (self.text(&life_label(row.range)).into_owned(), row.tally)).collect();
        let largest = rows.iter().map(|(_, tally)| tally.bytes).max().unwrap_or(0);
        let room = self.width.saturating_sub(LABEL_WIDTH + 2 * (NUMBER_WIDTH + 2) + 1);
        let line = |(label, tally): &(String, Tally)| {
            let bar = bar(tally.bytes, largest, room, self.options.unicode);
            format!(
                "{}{} {}",
                pad(&self.shorten(label, LABEL_WIDTH - 1), LABEL_WIDTH),
                pad(&bar, room),
                numbers(&[units::count(tally.objects), units::bytes(tally.bytes)])
            )
        };
        let heading = format!(
            "{} {}",
            pad(&self.lifetime_heading(), LABEL_WIDTH + room),
            numbers(&["objects".to_owned(), "bytes".to_owned()])
        );
        std::iter::once(heading).chain(rows.iter().map(line)).collect()
    }

    fn lifetime_heading(&self) -> String {
        let estimated = crate::sections::sampling_note(self.profile).is_some();
        format!("{LIFE_HEADING}{}", if estimated { " (estimates)" } else { "" })
    }

    /// The classes that allocate fastest.
    fn classes(&self, previous: Option<&Profile>) -> Vec<String> {
        let rates = Rates::between(self.profile, previous);
        let mut classes: Vec<_> =
            self.profile.classes.iter().map(|class| (rates.rate_of(class), class)).collect();
        // Stable: at equal rates the profile's order (most allocated first) stays.
        classes.sort_by_key(|&(rate, _)| std::cmp::Reverse(rate.allocated));
        let shown = &classes[..self.rows.min(classes.len())];
        let optimised_away = shown.iter().any(|(_, class)| self.profile.is_optimised_away(class));
        let columns = self.columns(optimised_away);
        let sign = match (self.profile.live_is_at_most(), self.options.unicode) {
            (true, true) => "≤",
            (true, false) => "<",
            (false, _) => "",
        };
        let name_width = self.width - columns.len() * (NUMBER_WIDTH + 2);
        let headings: Vec<_> = columns.iter().map(|column| column.heading().to_owned()).collect();
        let mut lines = vec![format!("{}{}", pad("class", name_width), numbers(&headings))];
        for (rate, class) in shown {
            let cells: Vec<_> =
                columns.iter().map(|column| column.cell(self.profile, *rate, class, sign)).collect();
            let mark = if self.profile.is_optimised_away(class) { " *" } else { "" };
            let name = self.shorten(&self.text(&readable_class(&class.name)), name_width - mark.len());
            lines.push(format!("{}{}", pad(&format!("{name}{mark}"), name_width), numbers(&cells)));
        }
        match classes.len().saturating_sub(self.rows) {
            0 if classes.is_empty() => lines.push("nothing allocated yet".to_owned()),
            0 => {}
            more => lines.push(format!("and {more} more {}", if more == 1 { "class" } else { "classes" })),
        }
        if optimised_away {
            lines.push(
                self.shorten("* optimised away: much of what was executed was not allocated", self.width),
            );
        }
        lines
    }

    /// The columns that leave at least 20 for the class name.
    fn columns(&self, optimised_away: bool) -> Vec<Column> {
        let mut wanted = vec![Column::Rate];
        wanted.extend(optimised_away.then_some(Column::Executed));
        let measures: &[&'static Measure] = if self.profile.run.lifetimes {
            &[&LIVE_BYTES, &P50_S, &DIED_BEFORE_FIRST_GC_SHARE]
        } else {
            &[&RANK_BYTES, &OBJECTS]
        };
        wanted.extend(measures.iter().map(|&measure| Column::Of(measure)));
        wanted.truncate((self.width - 20) / (NUMBER_WIDTH + 2));
        wanted
    }

    fn trust(&self) -> Vec<String> {
        let trust = &self.profile.trust;
        let engine = self.profile.run.engine;
        let line = trust_line(trust, engine);
        let line = if width(&line) > self.width { short_trust_line(trust, engine) } else { line };
        let dropped = trust.dropped_objects();
        let mut lines = vec![self.shorten(&line, self.width)];
        if dropped > 0 {
            let causes: Vec<_> = trust.dropped.iter().map(|d| printable(&d.cause)).collect();
            let text =
                format!("dropped: {} objects not tracked: {}", units::count(dropped), causes.join(", "));
            lines.push(self.shorten(&text, self.width));
        }
        lines
    }

    /// Somebody else's text, fit for a line here.
    fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let text = printable(text);
        if self.options.unicode { text } else { Cow::Owned(ascii(&text).into_owned()) }
    }

    fn shorten(&self, text: &str, columns: usize) -> String {
        shorten(text, columns, if self.options.unicode { "…" } else { "..." })
    }
}

/// A column of the class table.
#[derive(Clone, Copy)]
enum Column {
    Rate,
    Executed,
    Of(&'static Measure),
}

impl Column {
    fn heading(self) -> &'static str {
        match self {
            Self::Rate => "alloc/s",
            Self::Executed => "exec/s",
            Self::Of(measure) => measure.short,
        }
    }

    /// `at_most`: a sign before what is live.
    fn cell(self, profile: &Profile, rate: Rate, class: &ClassProfile, at_most: &str) -> String {
        let cell = match self {
            Self::Rate => Some(units::bytes(rate.allocated)),
            Self::Executed => Some(units::bytes(rate.executed)),
            Self::Of(measure) if *measure == LIVE_BYTES && !profile.knows_live_of(class) => Some("?".into()),
            Self::Of(measure) if *measure == LIVE_BYTES && !at_most.is_empty() => class
                .live
                .filter(|live| live.bytes > 0)
                .map(|live| format!("{at_most}{}", units::bytes(live.bytes)))
                .or_else(|| measure.of(profile, class).and_then(|of| measured(measure, of))),
            Self::Of(measure) => measure.of(profile, class).and_then(|of| measured(measure, of)),
        };
        cell.unwrap_or_else(|| "-".to_owned())
    }
}

/// Bytes per second, rounded.
#[derive(Clone, Copy)]
struct Rate {
    allocated: u64,
    executed: u64,
}

/// Allocation since an earlier profile.
struct Rates<'a> {
    profile: &'a Profile,
    earlier: HashMap<&'a str, &'a ClassProfile>,
    /// The earlier profile, if it was one of the same counts.
    previous: Option<&'a Profile>,
    seconds: f64,
}

impl<'a> Rates<'a> {
    fn between(profile: &'a Profile, previous: Option<&'a Profile>) -> Self {
        // A profile that did not get older was reset: its counts are since then.
        let previous = previous.filter(|earlier| earlier.duration_ms < profile.duration_ms);
        let since = previous.map_or(0, |earlier| earlier.duration_ms);
        let classes = previous.iter().flat_map(|earlier| &earlier.classes);
        Self {
            profile,
            earlier: classes.map(|class| (class.name.as_str(), class)).collect(),
            previous,
            seconds: (profile.duration_ms - since) as f64 / 1000.0,
        }
    }

    fn rate_of(&self, class: &ClassProfile) -> Rate {
        let before = self.previous.zip(self.earlier.get(class.name.as_str()));
        let executed = before.map_or(0, |(_, before)| before.allocated.bytes);
        // As it is seen now: what was allocated by then is known no better than by samples either.
        let allocated = match before {
            Some((earlier, before)) if self.profile.is_optimised_away(class) => earlier.sampled_bytes(before),
            _ => executed,
        };
        Rate {
            allocated: self.per_second(self.profile.allocated_bytes(class).saturating_sub(allocated)),
            executed: self.per_second(class.allocated.bytes.saturating_sub(executed)),
        }
    }

    fn per_second(&self, bytes: u64) -> u64 {
        if self.seconds > 0.0 { (bytes as f64 / self.seconds).round() as u64 } else { 0 }
    }
}

fn numbers(cells: &[String]) -> String {
    cells.iter().map(|cell| pad_left(cell, NUMBER_WIDTH + 2)).collect()
}
