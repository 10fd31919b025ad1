//! Requests whose objects are still there, as text: by trace, span, class and site.

use mayfly_profile::{Profile, Tally, TracedObjects, Tracking};

use crate::names::{class_text, place_text};
use crate::rows::{age, blank, line, stack_line};
use crate::table::right_aligned;
use crate::units;

/// Why there is none.
const NOT_RECORDED: &str = "Which requests made what is live is not known: no trace id was seen. Ids are read of a tracer that publishes \
    OpenTelemetry's thread context (OTEP 4947), or given by Mayfly.trace of the Java API; and lifetimes are needed (mayfly run without \
    --counts-only).\n";

/// Rows of the full report if no limit is given.
const ROWS: usize = 20;

/// Headings of [`trace_cells`].
pub const TRACE_COLUMNS: [&str; 7] = ["live", "objects", "oldest", "trace", "span", "class", "made by"];

/// All rows as a table; with the stack below each where `stacks` are wanted. Without any id of a trace: the reason.
pub fn traces(profile: &Profile, stacks: bool) -> String {
    let Some(traces) = &profile.traces else { return NOT_RECORDED.to_owned() };
    let mut out = format!("{}\n", heading(profile));
    if !stacks {
        out.push_str(&table(profile, &traces.rows));
    }
    for row in traces.rows.iter().filter(|_| stacks) {
        out.push_str(&table(profile, std::slice::from_ref(row)));
        row.stack.iter().for_each(|frame| line(&mut out, 4, &stack_line(frame)));
    }
    left_out(profile).iter().for_each(|text| line(&mut out, 2, text));
    out
}

/// Writes the section; nothing if no object was made where a request was known.
pub(crate) fn write_traces(out: &mut String, profile: &Profile, limit: Option<usize>) {
    let Some(traces) = &profile.traces else { return };
    line(out, 0, &heading(profile));
    let shown = limit.unwrap_or(ROWS).min(traces.rows.len());
    out.push_str(&table(profile, &traces.rows[..shown]));
    if shown < traces.rows.len() {
        line(out, 2, &format!("{} more rows: mayfly report --traces", traces.rows.len() - shown));
    }
    left_out(profile).iter().for_each(|text| line(out, 2, text));
    blank(out);
}

/// `Requests whose objects are still there: 12 traces, 3.40 MiB in 120 objects`.
pub(crate) fn heading(profile: &Profile) -> String {
    let known = profile.traces.as_ref().map(|traces| (traces.traces, traces.live()));
    let (traces, live) = known.unwrap_or_default();
    let plural = if traces == 1 { "" } else { "s" };
    format!("Requests whose objects are still there: {traces} trace{plural}, {}", counted(profile, live))
}

/// The trace of which most is there, in a sentence; `None` if nothing is.
pub(crate) fn largest(profile: &Profile) -> Option<String> {
    let row = profile.traces.as_ref()?.rows.first()?;
    let of_it = profile.traces.as_ref()?.of_trace(&row.context.trace_hex());
    let oldest = of_it.rows.iter().map(|row| row.born_ms).min().unwrap_or(row.born_ms);
    Some(format!(
        "Most of trace {}: {}, the oldest {} old; largest part {} by {}",
        row.context.trace_hex(),
        counted(profile, of_it.live()),
        age(profile, oldest),
        class_text(&row.class),
        place(row)
    ))
}

fn counted(profile: &Profile, live: Tally) -> String {
    let plural = if live.objects == 1 { "" } else { "s" };
    format!(
        "{0}{1} in {0}{2} object{plural}",
        about(profile),
        units::bytes(live.bytes),
        units::count(live.objects)
    )
}

/// What stands before a number where objects were followed by a sample.
fn about(profile: &Profile) -> &'static str {
    if profile.run.tracking == Tracking::EveryObject { "" } else { "~" }
}

fn table(profile: &Profile, rows: &[TracedObjects]) -> String {
    let mut cells = vec![TRACE_COLUMNS.map(str::to_owned).to_vec()];
    cells.extend(rows.iter().map(|row| trace_cells(profile, row).into()));
    right_aligned(&cells, "  ")
}

/// A row of the table in words; `~` before numbers that rest on a sample, `?` where no stack is known.
pub fn trace_cells(profile: &Profile, row: &TracedObjects) -> [String; 7] {
    let about = about(profile);
    [
        format!("{about}{}", units::bytes(row.live.bytes)),
        format!("{about}{}", units::count(row.live.objects)),
        age(profile, row.born_ms),
        row.context.trace_hex(),
        row.context.span_hex(),
        class_text(&row.class),
        place(row),
    ]
}

/// How many traces there are, of which most is left, and what the rows do not have; nothing if no object was made where a request was
/// known.
pub fn trace_notes(profile: &Profile) -> Vec<String> {
    if profile.traces.is_none() {
        return Vec::new();
    }
    std::iter::once(heading(profile)).chain(largest(profile)).chain(left_out(profile)).collect()
}

/// The innermost frame that is not the JDK's; `?` where no stack is known.
fn place(row: &TracedObjects) -> String {
    let frame = row.stack.shown_frame();
    frame.map_or_else(|| "?".to_owned(), |frame| place_text(&frame.class, &frame.method, frame.line))
}

fn left_out(profile: &Profile) -> Vec<String> {
    let Some(traces) = &profile.traces else { return Vec::new() };
    let mut lines = Vec::new();
    if !traces.others.is_empty() {
        lines.push(format!("smaller rows, not told apart: {}", counted(profile, traces.others)));
    }
    if !traces.unknown.is_empty() {
        lines.push(format!(
            "made in requests, and for want of room not known whether still there: {}",
            counted(profile, traces.unknown)
        ));
    }
    if traces.forgotten > 0 {
        lines.push(format!(
            "{} threads' ids were forgotten: too many threads never cleared theirs",
            traces.forgotten
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Frame, Stack, TraceContext, Traces};

    use super::*;

    fn profile() -> Profile {
        let context = TraceContext::new([0xab; 16], [0x12; 8]).expect("ids");
        let frame = |class: &str| Frame { class: class.into(), method: "put".into(), ..Frame::default() };
        let stack: Stack = [frame("java.util.HashMap"), frame("shop.Cart")].into_iter().collect();
        let row = TracedObjects {
            context,
            class: "shop.Item".into(),
            stack,
            live: Tally::of(3, 24),
            born_ms: 2_000,
        };
        let traces = Traces { rows: vec![row], others: Tally::of(1, 8), traces: 2, ..Traces::default() };
        let mut profile = Profile { duration_ms: 12_000, traces: Some(traces), ..Profile::default() };
        profile.run.tracking = Tracking::EveryObject;
        profile
    }

    #[test]
    fn who_made_what_is_there_is_said_by_trace() {
        let text = traces(&profile(), false);
        assert!(
            text.starts_with("Requests whose objects are still there: 2 traces, 80 B in 4 objects\n"),
            "{text}"
        );
        for part in
            [&*"ab".repeat(16), &*"12".repeat(8), "72 B", "shop.Item", "shop.Cart.put", "smaller rows"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("HashMap") && traces(&profile(), true).contains("HashMap.put"));
    }

    #[test]
    fn a_sample_says_about_how_much() {
        let mut sampled = profile();
        sampled.run.tracking = Tracking::ByteSample(512);
        assert!(traces(&sampled, false).contains("~72 B"), "{}", traces(&sampled, false));
    }

    /// It was "0 ms old": moments are those of the whole run.
    #[test]
    fn in_a_later_file_of_a_run_the_oldest_is_as_old_as_it_is() {
        let mut later = profile();
        later.part.during_ms = Some((3_600_000, 3_612_000));
        if let Some(traces) = &mut later.traces {
            traces.rows[0].born_ms = 3_602_000;
        }
        assert!(largest(&later).expect("a trace").contains("the oldest 10 s old"), "{:?}", largest(&later));
    }

    #[test]
    fn without_ids_the_reason_is_said() {
        assert!(traces(&Profile::default(), false).contains("no trace id was seen"));
        assert_eq!(largest(&Profile::default()), None);
    }
}
