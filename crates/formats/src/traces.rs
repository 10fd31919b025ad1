//! The table of requests whose objects are still there: a row per trace, span, class and stack, as in the JSON report.
//!
//! Not here: in which format it is spelled (`csv`, `parquet`), and the page's table (`html/traces`).

use mayfly_profile::{Profile, TracedObjects};

use crate::choice::Choice;
use crate::columns::{Column, Columns};
use crate::spelling::stack;

/// Most bytes first. What is left out of the rows is one more, with empty ids, so that all add up. No row if no id of a trace was seen.
pub(crate) fn columns(profile: &Profile, choice: &Choice) -> Columns {
    let traces = profile.traces.clone().unwrap_or_default();
    let others = Some(traces.others).filter(|others| !others.is_empty());
    let text = |of: &dyn Fn(&TracedObjects) -> String| {
        let others = others.map(|_| String::new());
        Column::texts(traces.rows.iter().map(of).chain(others))
    };
    let whole = |of: &dyn Fn(&TracedObjects) -> Option<u64>, of_others: Option<u64>| {
        Column::Whole(traces.rows.iter().map(of).chain(others.map(|_| of_others)).collect())
    };
    vec![
        ("trace_id", text(&|row| row.context.trace_hex())),
        ("span_id", text(&|row| row.context.span_hex())),
        ("class", text(&|row| row.class.clone())),
        ("stack", text(&|row| stack(&row.stack, choice.lines))),
        ("live_objects", whole(&|row| Some(row.live.objects), Some(traces.others.objects))),
        ("live_bytes", whole(&|row| Some(row.live.bytes), Some(traces.others.bytes))),
        ("oldest_born_ms", whole(&|row| Some(row.born_ms), None)),
        ("oldest_age_ms", whole(&|row| profile.age_ms(row.born_ms), None)),
    ]
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Stack, Tally, TraceContext, Traces};

    use super::*;

    #[test]
    fn rows_and_what_they_leave_out_add_up() {
        let context = TraceContext::new([0xab; 16], [0x12; 8]).expect("ids");
        let (class, stack) = ("a.A".to_owned(), Stack::NONE);
        let row = TracedObjects { context, class, stack, live: Tally::of(3, 24), born_ms: 2_000 };
        let traces = Traces { rows: vec![row], others: Tally::of(2, 8), traces: 3, ..Traces::default() };
        let profile = Profile { duration_ms: 12_000, traces: Some(traces.clone()), ..Profile::default() };
        let table = columns(&profile, &Choice::default());
        let row = |at: usize| table.iter().map(|(_, column)| column.text(at)).collect::<Vec<_>>().join(" ");
        assert_eq!(row(0), format!("{} {} a.A  3 72 2000 10000", "ab".repeat(16), "12".repeat(8)));
        assert_eq!(row(1), "    2 16  ", "no ids, no age");
        let Some((_, Column::Whole(bytes))) = table.iter().find(|(name, _)| *name == "live_bytes") else {
            panic!("a column of numbers");
        };
        assert_eq!(bytes.iter().flatten().sum::<u64>(), traces.live().bytes);
        assert!(columns(&Profile::default(), &Choice::default()).iter().all(|(_, column)| column.len() == 0));
    }
}
