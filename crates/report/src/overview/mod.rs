//! The report on one screen: what was found in plain words, the classes and methods that matter most, how far to trust it.
//!
//! At most [`LINES`] lines of [`COLUMNS`] columns. Everything, in InMemProfiler's grammar, is `post_run`'s.

mod coverage;
mod findings;
mod growing;
mod longest;
mod scopes;
mod settled;
mod tables;
mod ways;

use mayfly_profile::{BlameRules, JDK_PACKAGES, MethodProfile, Profile, View};

use crate::over_time::over_time;
use crate::part::part_lines;
use crate::post_run::Occasion;
use crate::post_run::tracking_text;
use crate::text::{printable, shorten};
use crate::units;

/// Most columns of a line.
pub const COLUMNS: usize = 100;
/// Most lines of a report.
pub const LINES: usize = 45;

/// The report on one screen of `columns`, at most [`COLUMNS`]; ends with a line feed. `more`: where everything is to be had.
///
/// Of `view` the limit of rows and whether to blame classes do not matter here.
pub fn overview(profile: &Profile, view: &View, occasion: &Occasion, columns: usize, more: &str) -> String {
    let shown = view.of(profile);
    let all_hidden = shown.classes.is_empty().then_some(profile.classes.len()).filter(|&classes| classes > 0);
    let screen = Screen {
        profile: &shown,
        all_hidden,
        columns: columns.clamp(60, COLUMNS),
        methods: shown.methods(&rules(view)),
        rules: rules(view),
        rules_given: view.rules != BlameRules::default(),
    };
    let mut lines = screen.head(view, occasion);
    lines.extend(screen.findings());
    if profile.is_blank() {
        lines.extend(screen.coverage());
    } else {
        lines.extend(screen.tables(lines.len()));
    }
    if !more.is_empty() {
        lines.push(format!("Everything: {more}"));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A site is charged to the first frame outside of the JDK, unless `#traceignore` names others.
fn rules(view: &View) -> BlameRules {
    let mut rules = view.rules.clone();
    if rules.ignore.is_empty() {
        rules.ignore = JDK_PACKAGES.map(str::to_owned).to_vec();
    }
    rules
}

/// What is shown, and how wide.
struct Screen<'a> {
    profile: &'a Profile,
    /// The view shows no class: how many there are.
    all_hidden: Option<usize>,
    columns: usize,
    methods: Vec<MethodProfile>,
    /// Which frame a site is charged to.
    rules: BlameRules,
    /// Whether the user said which frames methods are charged by.
    rules_given: bool,
}

impl Screen<'_> {
    /// All below the findings, where so many lines are above.
    fn tables(&self, above: usize) -> Vec<String> {
        // Who asked for scopes asked what survives them.
        let mut lines = self.scopes();
        let has_scopes = !lines.is_empty();
        lines.extend(self.classes());
        lines.extend(self.method_rows());
        let after_methods = lines.len();
        if !has_scopes {
            // There is room for one of them; the other is in the full report.
            lines.extend(self.longest_lived());
        }
        lines.extend(self.coverage());
        // Where there is room.
        let ways = self.ways();
        if above + lines.len() + ways.len() < LINES {
            lines.splice(after_methods..after_methods, ways);
        }
        lines
    }

    fn head(&self, view: &View, occasion: &Occasion) -> Vec<String> {
        let Profile { run, duration_ms, gcs, .. } = self.profile;
        let mut lines = Vec::new();
        if let Some(timestamp) = &occasion.timestamp {
            lines.extend(["===".to_owned(), format!("{timestamp}:")]);
        }
        lines.push(format!("Reason for output: {}", occasion.reason));
        let named = |what: &str, name: &str| match name {
            "" => String::new(),
            name => format!(", {what}{}", printable(name)),
        };
        let jvm = named("JVM ", &run.jvm.version) + &named("", run.jvm.gc.name());
        let command = printable(&run.jvm.command);
        lines.push(self.fit(&format!("Program: pid {}{jvm}  {command}", run.jvm.pid)));
        let followed = tracking_text(self.profile);
        let end = if self.profile.complete { "" } else { "; not ended, or its end was not recorded" };
        lines
            .push(self.fit(&format!("Profiled: {}, {gcs} GCs, {followed}{end}", units::clock(*duration_ms))));
        lines.extend(part_lines(&self.profile.part).iter().map(|text| self.fit(text)));
        lines.extend(part_shown(view).map(|text| self.fit(&text)));
        lines.extend(over_time(self.profile, self.columns).iter().map(|text| self.fit(text)));
        lines
    }

    /// The text in one line of the screen.
    fn fit(&self, text: &str) -> String {
        shorten(text, self.columns, "...")
    }
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
