//! The report after a run (or at an interval, or on request), in InMemProfiler's grammar, plus lifetimes and trust.
//!
//! Not here: where it is written.

use std::borrow::Cow;

use mayfly_profile::{BlameRules, ClassFilter, Profile, Tracking};

use crate::lifetimes::write_lifetimes;
use crate::rows::{RowStyle, blank, line};
use crate::sections::write_sections;
use crate::text::printable;
use crate::trust::{estimates_block, trust_block};
use crate::units;

/// What a post-run report shows and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Date for the head of the record (`===`, date); `None` leaves the head out.
    pub timestamp: Option<String>,
    /// Why now: `JVM Shutdown`, `Periodic output` or `API request`.
    pub reason: String,
    /// `#outputlimit`: rows of each list at most (classes per section, sites per class, blamed classes, methods). Sums
    /// are not affected. `None`: all, but of the sites the thousand largest.
    pub output_limit: Option<usize>,
    /// `#include`, `#exclude`, `#exactmatch`.
    pub filter: ClassFilter,
    /// `#largerthan`: only classes and sites with an object of at least this many bytes; 0 shows all.
    pub min_size: u64,
    /// Whether to add "Allocation Classes" where there are stacks (off with `#noblame`).
    pub blame: bool,
    /// `#traceignore`: prefixes of classes that are not blamed.
    pub trace_ignore: Vec<String>,
    /// `#tracetarget`: prefixes of classes at which blaming stops.
    pub trace_target: Vec<String>,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self {
            timestamp: None,
            reason: "JVM Shutdown".into(),
            output_limit: None,
            filter: ClassFilter::default(),
            min_size: 0,
            blame: true,
            trace_ignore: Vec::new(),
            trace_target: Vec::new(),
        }
    }
}

/// The whole report. Ends with a line feed.
pub fn post_run(profile: &Profile, options: &TextOptions) -> String {
    let shown = view(profile, options);
    let limit = options.output_limit.unwrap_or(usize::MAX);
    let rules = BlameRules { ignore: options.trace_ignore.clone(), target: options.trace_target.clone() };
    let style = RowStyle { limit: options.output_limit, blame: options.blame.then_some(rules) };
    let mut out = String::new();
    if let Some(timestamp) = &options.timestamp {
        out.push_str(&format!("===\n{timestamp}:\n"));
    }
    line(&mut out, 0, &format!("Reason for output: {}", options.reason));
    write_view(&mut out, &shown, options);
    write_sections(&mut out, &shown, &style);
    if profile.run.lifetimes {
        write_lifetimes(&mut out, &shown, limit);
    }
    write_run(&mut out, profile);
    line(&mut out, 0, "Trust:");
    out.push_str(&trust_block(&profile.trust));
    out.push_str(&estimates_block(&shown));
    out
}

/// The part of the profile that is shown; copied only if it is a part.
pub(crate) fn view<'a>(profile: &'a Profile, options: &TextOptions) -> Cow<'a, Profile> {
    if options.filter.admits_all() && options.min_size == 0 {
        return Cow::Borrowed(profile);
    }
    Cow::Owned(profile.clone().filtered(&options.filter).with_objects_of_at_least(options.min_size))
}

/// What is left out, so that nobody takes a part for the whole.
fn write_view(out: &mut String, shown: &Profile, options: &TextOptions) {
    let ClassFilter { include, exclude, exact_match } = &options.filter;
    let mut say = |what: &str, list: &[String]| {
        if !list.is_empty() {
            let how = if *exact_match { "named" } else { "starting with" };
            line(out, 0, &format!("{what} classes {how}: {}", printable(&list.join(", "))));
        }
    };
    say("Only", include);
    say("Without", exclude);
    if options.min_size > 0 {
        line(out, 0, &format!("Only objects of at least {} bytes", options.min_size));
        if shown.classes.iter().any(|class| !class.allocated.is_uniform()) {
            line(
                out,
                2,
                "Allocated rows of classes with objects of several sizes count the smaller ones too",
            );
        }
    }
}

fn write_run(out: &mut String, profile: &Profile) {
    let jvm = &profile.run.jvm;
    line(out, 0, "Run:");
    let named =
        |what: &str, name: &str| if name.is_empty() { String::new() } else { format!(", {what} {name}") };
    let jvm_text = format!("pid {}{}{}", jvm.pid, named("JVM", &jvm.version), named("collector", &jvm.gc));
    line(out, 2, &printable(&jvm_text));
    if !jvm.command.is_empty() {
        line(out, 2, &format!("command: {}", printable(&jvm.command)));
    }
    let time = units::clock(profile.duration_ms);
    line(out, 2, &format!("profiled for {time}, {} GCs, {}", profile.gcs, tracking_text(profile)));
    if !profile.complete {
        line(
            out,
            2,
            "as of the last numbers received: the JVM still runs, or ended without closing the recording",
        );
    }
    blank(out);
}

/// Whose deaths and stacks were followed, in few words.
pub(crate) fn tracking_text(profile: &Profile) -> String {
    match profile.run.tracking {
        Tracking::Off => "allocations only".to_owned(),
        Tracking::EveryObject | Tracking::EveryNth(0 | 1) => "every object".to_owned(),
        Tracking::EveryNth(n) => format!("1 in {n} objects"),
        Tracking::ByteSample(interval) => format!("a sample per {}", units::bytes(interval)),
    }
}
