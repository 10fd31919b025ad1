//! Which request made an object: the ids of its trace and span, as W3C's Trace Context has them.
//!
//! Not here: where they come from (the agent's `tracking/traces.rs`), and which objects keep them (`mayfly-tracking`).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::facts::filter::ClassFilter;
use crate::facts::ids::{ClassId, SiteId};
use crate::facts::stack::Stack;
use crate::facts::tally::Tally;

/// Rows of one recording: those with the most bytes.
pub const MOST_TRACE_ROWS: usize = 256;

/// The span that a thread was in, and its trace. Neither is all zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TraceContext {
    trace: [u8; 16],
    span: [u8; 8],
}

impl TraceContext {
    /// Of these ids; `None` if one of them is all zero, which stands for none.
    pub fn new(trace: [u8; 16], span: [u8; 8]) -> Option<Self> {
        (trace != [0; 16] && span != [0; 8]).then_some(Self { trace, span })
    }

    /// Of the trace id's bytes and, behind them, the span id's.
    pub fn of_bytes(bytes: [u8; 24]) -> Option<Self> {
        let (trace, span) = bytes.split_first_chunk()?;
        Self::new(*trace, span.try_into().ok()?)
    }

    /// The trace id.
    pub fn trace(&self) -> [u8; 16] {
        self.trace
    }

    /// The span id.
    pub fn span(&self) -> [u8; 8] {
        self.span
    }

    /// The trace id as 32 hexadecimal digits.
    pub fn trace_hex(&self) -> String {
        Hex(&self.trace).to_string()
    }

    /// The span id as 16 hexadecimal digits.
    pub fn span_hex(&self) -> String {
        Hex(&self.span).to_string()
    }
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Objects of one class and stack, made in one span, that the last collection has left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceCount {
    /// In which span.
    pub context: TraceContext,
    /// Their class.
    pub class: ClassId,
    /// Their site; `None` if no stacks are taken.
    pub site: Option<SiteId>,
    /// How many, scaled to all objects that the followed ones stand for.
    pub live: Tally,
    /// When the oldest of them was made, in milliseconds of the profiled time.
    pub born_ms: u64,
}

/// Which objects that were made in spans are still there, as of the last collection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceCounts {
    /// Those with the most bytes, at most [`MOST_TRACE_ROWS`].
    pub rows: Vec<TraceCount>,
    /// Objects of all other rows.
    pub others: Tally,
    /// Traces of which any object is there, those of the other rows included.
    pub traces: u64,
    /// Objects made in spans so far for which there was no room: it is not known whether they are there.
    pub unknown: Tally,
    /// Threads whose ids, set through the API, were forgotten as there were too many.
    pub forgotten: u64,
}

/// A row of [`Traces`].
#[derive(Clone, Debug, PartialEq)]
pub struct TracedObjects {
    /// In which span.
    pub context: TraceContext,
    /// Their class, as `Class.getName()` gives it.
    pub class: String,
    /// Innermost frame first; empty where it is not known.
    pub stack: Stack,
    /// How many.
    pub live: Tally,
    /// When the oldest of them was made, in milliseconds of the profiled time.
    pub born_ms: u64,
}

/// Which objects that were made in spans are still there, by names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traces {
    /// Most bytes first.
    pub rows: Vec<TracedObjects>,
    /// Objects of all rows that are left out.
    pub others: Tally,
    /// Traces of which any object is there; of several JVMs the sum of theirs.
    pub traces: u64,
    /// As in [`TraceCounts`].
    pub unknown: Tally,
    /// As in [`TraceCounts`].
    pub forgotten: u64,
}

impl Traces {
    /// All objects that are there.
    pub fn live(&self) -> Tally {
        self.rows.iter().fold(self.others, |mut sum, row| {
            sum.add(row.live);
            sum
        })
    }

    /// The rows of traces whose id begins so, in hexadecimal digits of either case.
    pub fn of_trace(&self, id: &str) -> Self {
        let id = id.to_ascii_lowercase();
        let rows: Vec<_> =
            self.rows.iter().filter(|row| row.context.trace_hex().starts_with(&id)).cloned().collect();
        let mut traces: Vec<_> = rows.iter().map(|row| row.context.trace()).collect();
        traces.sort_unstable();
        traces.dedup();
        Self { traces: traces.len() as u64, rows, ..Self::default() }
    }

    /// With the rows of classes that pass. Of what is left out nobody knows the class.
    pub(crate) fn filtered(mut self, filter: &ClassFilter) -> Self {
        self.rows.retain(|row| filter.admits(&row.class));
        self
    }

    /// Adds those of another JVM, or of another run.
    pub(crate) fn join(mut self, other: Self) -> Self {
        for row in other.rows {
            let is_same = |known: &&mut TracedObjects| {
                (known.context, &known.class, &known.stack) == (row.context, &row.class, &row.stack)
            };
            match self.rows.iter_mut().find(is_same) {
                Some(known) => {
                    known.live.add(row.live);
                    known.born_ms = known.born_ms.min(row.born_ms);
                }
                None => self.rows.push(row),
            }
        }
        self.others.add(other.others);
        self.unknown.add(other.unknown);
        self.traces = self.traces.saturating_add(other.traces);
        self.forgotten = self.forgotten.saturating_add(other.forgotten);
        self.bounded()
    }

    /// Most bytes first, no more than there is room for.
    pub(crate) fn bounded(mut self) -> Self {
        self.rows.sort_by(|a, b| {
            let by_bytes = b.live.bytes.cmp(&a.live.bytes).then(a.born_ms.cmp(&b.born_ms));
            by_bytes.then_with(|| (a.context, &a.class, &a.stack).cmp(&(b.context, &b.class, &b.stack)))
        });
        for left in self.rows.drain(MOST_TRACE_ROWS.min(self.rows.len())..) {
            self.others.add(left.live);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(trace: u8, span: u8, bytes: u64) -> TracedObjects {
        let context = TraceContext::new([trace; 16], [span; 8]).expect("not zero");
        let (class, stack) = ("a.A".to_owned(), Stack::NONE);
        TracedObjects { context, class, stack, live: Tally::of(1, bytes), born_ms: bytes }
    }

    #[test]
    fn ids_of_zero_are_none() {
        assert_eq!(TraceContext::new([0; 16], [1; 8]), None);
        assert_eq!(TraceContext::new([1; 16], [0; 8]), None);
        let mut bytes = [0x1f; 24];
        bytes[16..].fill(0xa0);
        let context = TraceContext::of_bytes(bytes).expect("ids");
        assert_eq!((context.trace_hex(), context.span_hex()), ("1f".repeat(16), "a0".repeat(8)));
    }

    #[test]
    fn a_merge_adds_equal_rows_and_keeps_the_largest() {
        let all = |rows: Vec<_>| Traces { traces: rows.len() as u64, rows, ..Traces::default() };
        let joined = all(vec![row(1, 1, 16), row(2, 1, 64)]).join(all(vec![row(1, 1, 16), row(3, 1, 24)]));
        let bytes: Vec<_> = joined.rows.iter().map(|row| row.live.bytes).collect();
        assert_eq!((bytes, joined.live().bytes, joined.traces), (vec![64, 32, 24], 120, 4));
        let many = all((0..=MOST_TRACE_ROWS).map(|at| row(1, 1 + (at % 250) as u8, at as u64)).collect());
        let bounded = many.clone().bounded();
        assert_eq!(bounded.rows.len(), MOST_TRACE_ROWS);
        assert_eq!(bounded.live().bytes, many.live().bytes);
    }

    #[test]
    fn a_trace_is_found_by_the_begin_of_its_id() {
        let all = Traces { rows: vec![row(0xab, 1, 16), row(2, 1, 64)], ..Traces::default() };
        let found = all.of_trace("ABab");
        assert_eq!((found.rows.len(), found.live().bytes, found.traces), (1, 16, 1));
        assert_eq!(all.of_trace("abac").rows, []);
    }
}
