//! Requests whose objects are still there, as the page's table shows and selects them.
//!
//! Not here: their words (`mayfly-report`), and adding up what is selected (`cells.js`).

use mayfly_profile::{Profile, Stack, TracedObjects};
use mayfly_report::{TRACE_COLUMNS, stack_line, trace_cells, trace_notes};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// The table.
#[derive(Serialize)]
pub(super) struct Traces {
    /// How many there are, of which most is left, and what is in no row.
    notes: Vec<String>,
    columns: [&'static str; 7],
    /// Most bytes first.
    rows: Vec<Row>,
    /// Frames, the innermost first.
    stacks: Vec<Vec<String>>,
}

/// Objects of one trace, span, class and stack.
#[derive(Serialize)]
struct Row {
    trace: String,
    /// By columns.
    texts: [String; 7],
    bytes: u64,
    objects: u64,
    /// The cell of its class and stack; `None` if the class is not shown.
    cell: Option<usize>,
    /// The number of its stack.
    stack: usize,
}

impl Traces {
    /// Of a profile, whose rows are in these cells; `None` if no object was made where a request was known.
    pub(super) fn of(profile: &Profile, cells: &[Option<usize>]) -> Option<Self> {
        let traces = profile.traces.as_ref()?;
        let mut numbers: FxHashMap<&Stack, usize> = FxHashMap::default();
        let mut stacks = Vec::new();
        let mut rows = Vec::new();
        for (row, &cell) in traces.rows.iter().zip(cells) {
            let stack = *numbers.entry(&row.stack).or_insert_with(|| {
                stacks.push(row.stack.iter().map(stack_line).collect());
                stacks.len() - 1
            });
            let TracedObjects { context, live, .. } = row;
            let texts = trace_cells(profile, row);
            let (bytes, objects) = (live.bytes, live.objects);
            rows.push(Row { trace: context.trace_hex(), texts, bytes, objects, cell, stack });
        }
        Some(Self { notes: trace_notes(profile), columns: TRACE_COLUMNS, rows, stacks })
    }
}
