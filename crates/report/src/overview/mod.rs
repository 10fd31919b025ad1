//! The report on one screen: what was found in plain words, the classes and methods that matter most, how long bytes lived, what
//! collections did, how far to trust it.
//!
//! At most [`LINES`] lines of [`MOST_COLUMNS`] columns. Everything, in InMemProfiler's grammar, is `post_run`'s.

mod ages;
mod collections;
mod coverage;
mod findings;
mod growers;
mod growing;
mod lives;
mod longest;
mod scopes;
mod settled;
mod survivors;
mod tables;
mod traces;
mod ways;

use mayfly_profile::{BlameRules, Growing, MethodProfile, Profile, Variances, View};

pub use ages::old_age;
use growers::sure;
pub use growers::{GrowerWords, growing_line, growth_sureness, holder_of, sign_of, surely_of};

use crate::followed::{gcs, tracking_text};
use crate::over_time::in_short;
use crate::part::part_lines;
use crate::post_run::Occasion;
use crate::sources::sources_line;
use crate::text::{cut, printable, shorten, width};
use crate::units;

/// Columns of a line where no terminal says how many it has.
pub const COLUMNS: usize = 100;
/// Most columns of a line: what is wider is no easier to read.
pub const MOST_COLUMNS: usize = 120;
/// Most lines of a report, besides its date, why it is written, and what survives scopes.
pub const LINES: usize = 40;
/// Lines more where there are scopes.
const SCOPE_LINES: usize = 9;
/// Rows of a table where there is room, and where there is little.
const MOST_ROWS: usize = 6;
const LEAST_ROWS: usize = 3;

/// The report on one screen of `columns`, at most [`MOST_COLUMNS`]; ends with a line feed. `more`: where everything is to be had.
///
/// Of `view` the limit of rows and whether to blame classes do not matter here.
pub fn overview(profile: &Profile, view: &View, occasion: &Occasion, columns: usize, more: &str) -> String {
    let shown = view.of(profile);
    Screen::new(profile, &shown, view, columns).text(view, occasion, more)
}

/// The screen for a page, which has what was found and what grows in tables of its own, too.
#[derive(Clone, Debug)]
pub struct Summary {
    /// As [`overview`] has it, of [`COLUMNS`].
    pub text: String,
    /// The findings, unbroken: what grows, then the others.
    pub found: Vec<Finding>,
    /// All that is sure to grow, the first as in the text.
    pub growers: Vec<GrowerWords>,
    /// What grows, with who holds it; `None` where that is not known.
    pub growing: Option<Growing>,
}

/// A sentence on what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// With its number, and how sure it is.
    pub text: String,
    /// What to do next: a command, or who made it; empty where there is nothing.
    pub next: String,
}

impl Summary {
    /// Of what `view` shows of a profile.
    pub fn of(profile: &Profile, view: &View, occasion: &Occasion) -> Self {
        let shown = view.of(profile);
        let screen = Screen::new(profile, &shown, view, COLUMNS);
        let growers = screen.growth.iter().flat_map(|growing| sure(&growing.growers));
        Self {
            growers: growers.map(|grower| GrowerWords::of(&shown, grower)).collect(),
            growing: screen.growth.clone().ok(),
            found: screen.unbroken_findings(),
            text: screen.text(view, occasion, ""),
        }
    }
}

/// A part of which there is room.
fn take(left: &mut usize, part: Vec<String>) -> Vec<String> {
    if part.len() > *left {
        return Vec::new();
    }
    *left -= part.len();
    part
}

/// The first parts of which there is room: no line is left without the one that it goes on from.
fn take_first(left: &mut usize, parts: Vec<Vec<String>>) -> Vec<String> {
    let mut lines = Vec::new();
    for part in parts {
        if part.len() > *left {
            break;
        }
        lines.extend(take(left, part));
    }
    lines
}

/// When and why a report is written, if that is to be said.
fn occasion_lines(occasion: &Occasion) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(timestamp) = &occasion.timestamp {
        lines.extend(["===".to_owned(), format!("{timestamp}:")]);
    }
    if !occasion.reason.is_empty() {
        lines.push(format!("Reason for output: {}", occasion.reason));
    }
    lines
}

/// A site is charged to the first frame outside of the JDK, unless `#traceignore` names others.
fn rules(view: &View) -> BlameRules {
    let mut rules = view.rules.clone();
    if rules.ignore.is_empty() {
        rules.ignore = BlameRules::outside_the_jdk().ignore;
    }
    rules
}

/// What is shown, and how wide.
struct Screen<'a> {
    profile: &'a Profile,
    variances: Variances<'a>,
    /// What becomes more and more, or why that is not known.
    growth: Result<Growing, String>,
    /// Whether what is live is an upper bound: no collection has looked at what became old.
    live_is_at_most: bool,
    /// The view shows no class: how many there are.
    all_hidden: Option<usize>,
    columns: usize,
    methods: Vec<MethodProfile>,
    /// Which frame a site is charged to.
    rules: BlameRules,
    /// Whether the user said which frames methods are charged by.
    rules_given: bool,
}

impl<'a> Screen<'a> {
    /// Of what `view` shows of a profile.
    fn new(profile: &Profile, shown: &'a Profile, view: &View, columns: usize) -> Self {
        let rules = rules(view);
        let classes = profile.classes.len();
        Screen {
            profile: shown,
            variances: Variances::of(shown),
            growth: shown.growing(),
            live_is_at_most: shown.live_is_at_most(),
            all_hidden: (shown.classes.is_empty() && classes > 0).then_some(classes),
            columns: columns.clamp(60, MOST_COLUMNS),
            methods: shown.methods(&rules),
            rules,
            rules_given: view.rules != BlameRules::default(),
        }
    }
}

impl Screen<'_> {
    fn text(&self, view: &View, occasion: &Occasion, more: &str) -> String {
        let mut lines = occasion_lines(occasion);
        // Who asked for scopes asked what survives them, however much else was found.
        let most = LINES + lines.len() + if self.profile.scopes.is_empty() { 0 } else { SCOPE_LINES };
        lines.extend(self.head(view));
        lines.extend(self.findings());
        let more = (!more.is_empty()).then(|| format!("Everything: {more}"));
        if self.profile.is_blank() {
            lines.extend(self.coverage().concat());
        } else {
            // The last line is the caller's, if it is not ours.
            lines.truncate(most - 1);
            let around = lines.len() + 1;
            lines.extend(self.below(most.saturating_sub(around)));
        }
        lines.extend(more);
        lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// All below the findings, in so many lines: tables grow shorter before a part is left out, the least important first.
    fn below(&self, room: usize) -> Vec<String> {
        // Who asked for scopes asked what survives them.
        let ((scopes, survivors), lives, mut collections) = (self.scopes(), self.lives(), self.collections());
        let traces = self.traces();
        let tables = |rows: usize| [self.classes(rows), self.method_rows(rows)];
        let coverage = self.coverage();
        // What is covered, what was missed, and what is an estimate, is never left out; doubts are.
        let (doubts, mut trust): (Vec<_>, Vec<_>) =
            coverage.into_iter().partition(|lines| Self::is_doubt(lines));
        let surely: usize = trust.iter().map(Vec::len).sum();
        let mut left = room.saturating_sub(surely);
        let others = scopes.len()
            + survivors.iter().map(Vec::len).sum::<usize>()
            + traces.len()
            + lives.len()
            + collections.iter().map(Vec::len).sum::<usize>();
        let size = |tables: &[Vec<String>; 2]| others + tables.iter().map(Vec::len).sum::<usize>();
        let mut parts = tables(MOST_ROWS);
        for rows in (LEAST_ROWS..MOST_ROWS).rev() {
            if size(&parts) <= left {
                break;
            }
            parts = tables(rows);
        }
        let [classes, methods] = parts;
        let (scopes, survivors) = (take(&mut left, scopes), take_first(&mut left, survivors));
        let [traces, classes, methods, lives] =
            [traces, classes, methods, lives].map(|part| take(&mut left, part));
        if let (false, Some(heading)) = (lives.is_empty(), collections.first_mut()) {
            // Both are short, and stand together.
            heading.drain(..1);
        }
        let collections = take_first(&mut left, collections);
        trust.extend(doubts.into_iter().map(|sentence| take(&mut left, sentence)));
        let mut trust = trust.concat();
        trust.truncate(room);
        let (ways, longest) = (take(&mut left, self.ways()), take(&mut left, self.longest_lived()));
        [scopes, survivors, traces, classes, methods, ways, longest, lives, collections, trust].concat()
    }

    fn head(&self, view: &View) -> Vec<String> {
        let Profile { run, duration_ms, .. } = self.profile;
        let mut lines = Vec::new();
        let named = |what: &str, name: &str| match name {
            "" => String::new(),
            name => format!(", {what}{}", printable(name)),
        };
        let jvm = named("JVM ", &run.jvm.version) + &named("", run.jvm.gc.name());
        let command = printable(&run.jvm.command);
        lines.push(match sources_line(self.profile) {
            Some(merged) => self.fit(&format!("Merged: {merged}{jvm}")),
            None => {
                let jvm = format!("Program: pid {}{jvm}  ", run.jvm.pid);
                // Its main class is first.
                let command = cut(&command, self.columns.saturating_sub(width(&jvm)));
                self.fit(&(jvm + &command))
            }
        });
        let followed = tracking_text(self.profile);
        let end = match (self.profile.complete, self.profile.is_of_several_jvms()) {
            (true, false) => "",
            (true, true) => "; lifetimes are mixtures of all JVMs'",
            (false, false) => "; not ended, or its end was not recorded",
            (false, true) => "; lifetimes are mixtures of all JVMs'; not each ended",
        };
        let profiled =
            format!("Profiled: {}, {}, {followed}{end}", units::clock(*duration_ms), gcs(self.profile));
        lines.extend(self.wrap(0, &profiled));
        lines.extend(part_lines(self.profile).iter().flat_map(|text| self.wrap(0, text)));
        lines.extend(part_shown(view).map(|text| self.fit(&text)));
        let indent = |text: &str| text.len() - text.trim_start().len();
        lines.extend(
            in_short(self.profile, self.columns).iter().flat_map(|text| self.wrap(indent(text), text)),
        );
        lines
    }

    /// The text in lines of the screen, broken between words; those below the first are indented as far as it is, and two more; below a
    /// number, as far as the text behind it.
    fn wrap(&self, indent: usize, text: &str) -> Vec<String> {
        let is_numbered = text.starts_with(|c: char| c.is_ascii_digit()) && text[1..].starts_with(". ");
        let hanging = " ".repeat(indent + if is_numbered { 3 } else { 2 });
        let mut lines = vec![" ".repeat(indent)];
        for word in &unbroken(text) {
            let last = lines.last_mut().expect("at least one");
            if width(last) + 1 + width(word) > self.columns && !last.trim().is_empty() {
                lines.push(format!("{hanging}{word}"));
                continue;
            }
            if !last.trim().is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
        lines.iter().map(|line| self.fit(line)).collect()
    }

    /// The text in one line of the screen.
    fn fit(&self, text: &str) -> String {
        shorten(text, self.columns, "...")
    }
}

/// Words of a text; a command is one, with its options.
fn unbroken(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match words.last_mut() {
            Some(last) if last == "mayfly" || (last.starts_with("mayfly ") && word.starts_with("--")) => {
                *last += " ";
                *last += word;
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// What is left out, so that nobody takes a part for the whole.
fn part_shown(view: &View) -> Option<String> {
    let filter = &view.classes;
    let mut parts = Vec::new();
    let mut say = |what: &str, list: &[String]| {
        if !list.is_empty() {
            parts.push(format!("{what} {}", printable(&list.join(","))));
        }
    };
    say("only", &filter.include);
    say("without", &filter.exclude);
    if view.min_bytes > 0 {
        parts.push(format!("objects of at least {}", units::bytes(view.min_bytes)));
    }
    (!parts.is_empty()).then(|| format!("Shown: {}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::take_first;

    #[test]
    fn a_sentence_is_whole_or_left_out() {
        let parts = || [vec!["", "stopped for", "  1 s"], vec!["why"], vec!["in use", "  of"]];
        let parts = || parts().map(|part| part.into_iter().map(str::to_owned).collect::<Vec<_>>()).to_vec();
        for (room, wanted, left) in [(2, 0, 2), (3, 3, 0), (5, 4, 1), (6, 6, 0)] {
            let mut room = room;
            assert_eq!(take_first(&mut room, parts()).len(), wanted);
            assert_eq!(room, left);
        }
    }
}
